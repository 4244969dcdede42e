import { dirname } from 'node:path'
import type { Command } from 'commander'
import { count } from '../../kernel/count.ts'
import { line, showCode, showName, showSentence } from '../../kernel/shown.ts'
import type { MoveProgress } from '../../store/move/sqlite-target.ts'
import { declareDataUse } from '../data-use.ts'
import { UsageError } from '../exit.ts'
import type { Flags, Host, MoveReport, MoveRequest } from '../host.ts'
import type { Terminal } from '../output/screen.ts'
import { print, printJson } from '../session.ts'
import { showPathArgument } from '../shell-words.ts'

interface MoveFlags extends Flags {
  to?: string
  dryRun?: boolean
  cancel?: boolean
  json?: boolean
}

export function addMoveCommand(program: Command, host: Host): void {
  declareDataUse('existing', program.command('move'))
    .description(
      'move the database to another folder and verify the copy; the former one can only be read afterwards; safe to interrupt',
    )
    .option('--to <address>', 'the new database file, as sqlite:/new/folder/assay.db')
    .option('--dry-run', 'only check whether it can be moved')
    .option('--cancel', 'undo an unfinished move, and delete the unfinished copy')
    .option('--json', 'print the result as JSON')
    .action(async ({ to, dryRun = false, cancel = false, json, ...flags }: MoveFlags) => {
      if (cancel === (to !== undefined) || (cancel && dryRun)) {
        throw new UsageError(
          'Name the new place with --to sqlite:/new/folder/assay.db, or undo an unfinished move with --cancel alone.',
        )
      }
      const progress = host.stderr.isTTY === true ? openProgressLine(host.stderr) : undefined
      const request: MoveRequest = to === undefined ? { action: 'cancel' } : { action: dryRun ? 'plan' : 'move', to }
      const report = await host.move(flags, request, progress?.show).finally(() => progress?.clear())
      if (json) printJson(host, report)
      else printReport(host, report)
    })
}

function printReport(host: Host, { state, from, to, home, rows, tables, questions, key }: MoveReport): void {
  if (state === 'cancelled') {
    print(
      host,
      line`The move to ${showSentence(to)} was cancelled; the database in ${showSentence(from)} can be written to again.`,
    )
    return
  }
  if (state === 'planned') {
    print(host, line`The database ${showSentence(from)} can be moved to ${showSentence(to)}; nothing was changed.`)
    return
  }
  if (tables.length > 0) {
    print(
      host,
      line`${count(rows, 'row')} in ${count(tables.length, 'table')} copied; all are equal, as are the answers to ${questions} questions.`,
    )
  }
  print(host, line`The database is now ${showSentence(to)}; ${showSentence(from)} can only be read from now on.`)
  if (key.variable === undefined) {
    print(
      host,
      line`! The key was not copied. Copy ${showSentence(key.file ?? '')} (key ${showCode(key.check ?? 'none')}) to ${showSentence(home)}.`,
    )
  } else {
    print(
      host,
      line`! The key is not in the folder. ${showCode(key.variable)} has to name key ${showCode(key.check ?? 'none')} for the new folder, too.`,
    )
  }
  const formerly = dirname(from)
  print(
    host,
    line`Next: copy config.json too if there is one, set ASSAY_HOME=${showPathArgument(home)} (or use --home), and once \`assay doctor --home ${showPathArgument(home)}\` reports no failure, remove the former folder, which can only be read: \`rm -r ${showPathArgument(formerly)}\`.`,
  )
}

const REDRAW_MS = 100
const CLEAR = '\r\u001b[2K'
const DEFAULT_COLUMNS = 80
const doing = { copying: 'Copying', indexing: 'Indexing', comparing: 'Comparing' } as const

/** One line of a terminal that says what the move has reached. */
function openProgressLine(stream: Terminal) {
  let drawnAt = Number.NEGATIVE_INFINITY
  return {
    show: ({ step, name, rows }: MoveProgress) => {
      if (performance.now() - drawnAt < REDRAW_MS) return
      drawnAt = performance.now()
      const reached = rows === 0 ? '' : `: ${count(rows, 'row')}`
      const text = `${doing[step]} ${showName(name)}${reached}; Ctrl-C interrupts, and the move can be continued.`
      stream.write(`${CLEAR}${text.slice(0, (stream.columns || DEFAULT_COLUMNS) - 1)}`)
    },
    clear: () => {
      if (drawnAt > Number.NEGATIVE_INFINITY) stream.write(CLEAR)
    },
  }
}

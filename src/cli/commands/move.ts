import { dirname } from 'node:path'
import type { Command } from 'commander'
import { count } from '../../kernel/count.ts'
import { line, showName, showSentence } from '../../kernel/shown.ts'
import { shell } from '../../runtime/shell.ts'
import type { MoveProgress } from '../../store/move/target.ts'
import { isServerAddress } from '../../store/store-place.ts'
import { declareDataUse } from '../data-use.ts'
import { UsageError } from '../exit.ts'
import type { Flags, Host, MoveReport, MoveRequest } from '../host.ts'
import { type Block, warning } from '../output/blocks.ts'
import type { Terminal } from '../output/screen.ts'
import { show } from '../output/show.ts'
import { printJson } from '../session.ts'
import { showArgument } from '../shell-words.ts'

interface MoveFlags extends Flags {
  to?: string
  dryRun?: boolean
  cancel?: boolean
  json?: boolean
}

export function addMoveCommand(program: Command, host: Host): void {
  declareDataUse('existing', program.command('move'))
    .description(
      'move the database to another folder, to PostgreSQL or back, and verify the copy; the former one can only be read afterwards; safe to interrupt',
    )
    .option('--to <address>', 'the new database: sqlite:/new/folder/assay.db, or postgres://user@host:port/database')
    .option('--dry-run', 'only check whether it can be moved')
    .option('--cancel', 'undo an unfinished move, and delete the unfinished copy')
    .option('--json', 'print the result as JSON')
    .action(async ({ to, dryRun = false, cancel = false, json, ...flags }: MoveFlags) => {
      if (cancel === (to !== undefined) || (cancel && dryRun)) {
        throw new UsageError(
          'Name the new place with --to sqlite:/new/folder/assay.db or --to postgres://user@host:port/database, or undo an unfinished move with --cancel alone.',
        )
      }
      const progress = host.stderr.isTTY === true ? openProgressLine(host.stderr) : undefined
      const request: MoveRequest = to === undefined ? { action: 'cancel' } : { action: dryRun ? 'plan' : 'move', to }
      const report = await host.move(flags, request, progress?.show).finally(() => progress?.clear())
      if (json) printJson(host, report)
      else await show(host, ...toReport(report))
    })
}

function toReport({ state, from, to, home, rows, tables, questions, key }: MoveReport): Block[] {
  const [former, target] = [showSentence(from), showSentence(to)]
  if (state === 'cancelled')
    return [line`The move to ${target} was cancelled; the database in ${former} can be written to again.`]
  if (state === 'planned') return [line`The database ${former} can be moved to ${target}; nothing was changed.`]
  const copied = line`${count(rows, 'row')} in ${count(tables.length, 'table')} copied; all are equal, as are the answers to ${questions} questions.`
  return [
    ...(tables.length > 0 ? [copied] : []),
    line`The database is now ${target}; ${former} can only be read from now on.`,
    ...(isServerAddress(to) ? toServerSteps(from, home) : toFolderSteps({ from, home, key })),
  ]
}

function toServerSteps(from: string, home: string): Block[] {
  const remove = shell.remove(...['', '-wal', '-shm'].map((suffix) => `${from}${suffix}`))
  return [
    warning(
      `The key stays where it is: every server needs it, and ${home} with its other files remains a data folder.`,
    ),
    line`Next: set ASSAY_STORE to the address, and once \`assay doctor\` reports no failure, remove the former file, which can only be read: ${showSentence(`\`${remove}\``)}.`,
  ]
}

function toFolderSteps({ from, home, key }: Pick<MoveReport, 'from' | 'home' | 'key'>): Block[] {
  const next = showArgument(home)
  const isFromServer = isServerAddress(from)
  const inFolder = key.file !== undefined && dirname(key.file) === home
  const variable = isFromServer ? `${shell.unset('ASSAY_STORE')}, ` : ''
  const remove = isFromServer
    ? 'drop the former database on the server, which can only be read: `dropdb`.'
    : `remove the former folder, which can only be read: \`${shell.removeFolder(dirname(from))}\`.`
  return [
    ...(inFolder
      ? []
      : [
          warning(
            key.variable === undefined
              ? `The key was not copied. Copy ${key.file ?? ''} (key ${key.check ?? 'none'}) to ${home}.`
              : `The key is not in the folder. ${key.variable} has to name key ${key.check ?? 'none'} for the new folder, too.`,
          ),
        ]),
    line`Next: copy config.json too if there is one, ${showSentence(variable)}set ASSAY_HOME=${next} (or use --home), and once \`assay doctor --home ${next}\` reports no failure, ${showSentence(remove)}`,
  ]
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

import type { Command } from 'commander'
import { count } from '../../kernel/count.ts'
import { line, showCode, showSentence } from '../../kernel/shown.ts'
import { declareDataUse } from '../data-use.ts'
import { UsageError } from '../exit.ts'
import type { Flags, Host, MoveReport } from '../host.ts'
import { print, printJson } from '../session.ts'

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
      const report = await host.move(
        flags,
        to === undefined ? { action: 'cancel' } : { action: dryRun ? 'plan' : 'move', to },
      )
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
  print(
    host,
    line`Copy config.json too if there is one, then use the new folder: --home ${showSentence(home)} or ASSAY_HOME.`,
  )
}

import { type Command, Option } from 'commander'
import { AppError } from '../../kernel/errors.ts'
import { line, showName, showSentence } from '../../kernel/shown.ts'
import { declareDataUse } from '../data-use.ts'
import type { Flags, Host } from '../host.ts'
import { type Block, toneOf } from '../output/blocks.ts'
import { show } from '../output/show.ts'
import { withoutMilliseconds } from '../output/times.ts'
import { printJson } from '../session.ts'

const marks = { ok: line`ok  `, warning: line`warn`, failed: line`FAIL` } as const

export function addDoctorCommand(program: Command, host: Host): void {
  declareDataUse('none', program.command('doctor'))
    .description('check the data folder, the database, the key, the sources, the clock and the port')
    .option('--full', 'read every page of the database, verify every definition, and wait longer for sources', false)
    .addOption(new Option('--deep', 'the same as --full').default(false).hideHelp())
    .option('--repair', 'delete the snapshot of the columnar index, which is then built from the tables', false)
    .option('--json', 'print the checks as JSON')
    .action(async (options: Flags & { json?: boolean; deep: boolean; full: boolean; repair: boolean }) => {
      const checks = await host.doctor({ ...options, deep: options.deep || options.full })
      if (options.json) printJson(host, { checks })
      else {
        const lines = checks.flatMap(({ name, status, detail, fix }): Block[] => [
          [
            { text: marks[status], tone: toneOf(status) },
            line`  ${showName(name)}: ${showSentence(withoutMilliseconds(detail))}`,
          ],
          ...(fix !== undefined && status !== 'ok' ? [line`      → ${showSentence(fix)}`] : []),
        ])
        await show(host, ...lines)
      }
      const failed = checks.filter(({ status }) => status === 'failed').length
      if (failed > 0)
        throw new AppError(
          'unavailable',
          `${failed} ${failed === 1 ? 'check' : 'checks'} failed; the fix for each is shown above.`,
        )
    })
}

import type { Command } from 'commander'
import { AppError } from '../../kernel/errors.ts'
import { withData } from '../data-use.ts'
import type { Flags, Host } from '../host.ts'
import { print, printJson } from '../session.ts'
import { toLine } from '../table.ts'

const marks = { ok: 'ok  ', warning: 'warn', failed: 'FAIL' } as const

export function addDoctorCommand(program: Command, host: Host): void {
  withData('none', program.command('doctor'))
    .description('check the data folder, the database, the key, the sources, the clock and the port')
    .option('--deep', 'read every page, and compare every definition with what was written', false)
    .option('--json', 'print the checks as JSON')
    .action(async (options: Flags & { json?: boolean; deep: boolean }) => {
      const checks = await host.doctor(options)
      if (options.json) printJson(host, { checks })
      else {
        for (const { name, status, detail, fix } of checks) {
          print(host, `${marks[status]}  ${name}: ${toLine(detail)}`)
          if (fix !== undefined && status !== 'ok') print(host, `      → ${fix}`)
        }
      }
      const failed = checks.filter(({ status }) => status === 'failed').length
      if (failed > 0)
        throw new AppError(
          'unavailable',
          `${failed} ${failed === 1 ? 'check' : 'checks'} failed; each one says above what mends it.`,
        )
    })
}

import type { Command } from 'commander'
import { AppError } from '../../kernel/errors.ts'
import { line, showCode } from '../../kernel/shown.ts'
import { declareDataUse } from '../data-use.ts'
import type { Flags, Host } from '../host.ts'
import { print, printJson, withSession } from '../session.ts'

interface Verdict {
  intact: boolean
  entries: number
  unchained: number
  brokenAt?: number
  head: string
  known?: boolean
}

export function addAuditCommands(program: Command, host: Host): void {
  const audit = program.command('audit').description('the trail of who changed what')
  declareDataUse('existing', audit.command('verify'))
    .description('recompute the chain of hashes over the trail, and say where an entry was changed or taken out')
    .option('--head <hash>', 'a head of before: the trail must still hold it, or it was cut short')
    .option('--json', 'print the REST answer')
    .action(async ({ head, json, ...flags }: Flags & { head?: string; json?: boolean }) => {
      const input = head === undefined ? {} : { head }
      const verdict = await withSession(host, flags, (session) => session.call<Verdict>('verify_audit', input))
      if (json) printJson(host, verdict)
      else if (verdict.intact)
        print(host, line`The trail is intact: ${verdict.entries} entries, head ${showCode(verdict.head)}`)
      if (verdict.intact) return
      throw new AppError(
        'conflict',
        verdict.brokenAt === undefined
          ? `The trail does not hold this head: entries were cut off at its end, of which ${verdict.entries} are left.`
          : `The trail was changed at entry ${verdict.brokenAt}; compare it with a backup.`,
      )
    })
}

import type { Command } from 'commander'
import type { AuditVerification } from '../../audit/audit-chain.store.ts'
import { AppError } from '../../kernel/errors.ts'
import { line, showCode } from '../../kernel/shown.ts'
import { declareDataUse } from '../data-use.ts'
import type { Flags, Host } from '../host.ts'
import { show } from '../output/show.ts'
import { printJson, withSession } from '../session.ts'

export function addAuditCommands(program: Command, host: Host): void {
  const audit = program.command('audit').description('the audit trail: who changed what')
  declareDataUse('existing', audit.command('verify'))
    .description('recompute the hash chain of the audit trail and report the first entry that was changed or removed')
    .option(
      '--head <hash>',
      'an earlier head that the chain must still contain, to detect entries that were removed at its end',
    )
    .option('--json', 'print the response of the REST API')
    .action(async ({ head, json, ...flags }: Flags & { head?: string; json?: boolean }) => {
      const input = head === undefined ? {} : { head }
      const verdict = await withSession(host, flags, (session) =>
        session.call<AuditVerification & { intact: boolean }>('verify_audit', input),
      )
      if (json) printJson(host, verdict)
      else if (verdict.intact)
        await show(host, line`The trail is intact: ${verdict.entries} entries, head ${showCode(verdict.head)}`)
      if (verdict.intact) return
      throw new AppError(
        'conflict',
        verdict.brokenAt === undefined
          ? `The trail does not contain this head: entries were removed at its end; ${verdict.entries} remain.`
          : `The trail was changed at entry ${verdict.brokenAt}; compare it with a backup.`,
      )
    })
}

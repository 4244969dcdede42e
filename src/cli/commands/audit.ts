import type { Command } from 'commander'
import type { AuditVerification } from '../../audit/audit-chain.store.ts'
import { count } from '../../kernel/count.ts'
import { AppError } from '../../kernel/errors.ts'
import { given } from '../../kernel/json-object.ts'
import { line, showCode, showJson } from '../../kernel/shown.ts'
import { declareDataUse } from '../data-use.ts'
import { upTo } from '../flag-numbers.ts'
import type { Flags, Host } from '../host.ts'
import { type Column, cell, table } from '../output/blocks.ts'
import { addFormats, present, show } from '../output/show.ts'
import { printJson, withSession } from '../session.ts'

interface ListFlags extends Flags {
  kind?: string
  limit?: number
  json?: boolean
  format?: string
}

type Entry = Record<'at' | 'actor' | 'via' | 'action' | 'kind' | 'name', string> & {
  after: object | null
  proposedBy?: string
}

const columns: Column[] = [
  { title: line`when` },
  { title: line`who`, shrink: 2 },
  { title: line`via` },
  { title: line`what` },
  { title: line`name`, shrink: 1 },
]

const toRow = ({ at, actor, proposedBy, via, action, kind, name, after }: Entry) => [
  cell.time(at),
  cell.name(proposedBy === undefined ? actor : `${actor}, proposed by ${proposedBy}`),
  cell.code(via),
  cell.shown(line`${showCode(action)} ${showCode(kind)}`),
  name === '*' ? toExtent({ ...after }) : cell.name(name),
]

/** The findings of a triage: how many, of which filter, and their new status. */
function toExtent({ findings = 0, filters, status = '' }: { findings?: number; filters?: object; status?: string }) {
  const which = filters === undefined ? line`` : line` of ${showJson(filters)}`
  return cell.shown(line`${count(findings, 'finding')}${which} to ${showCode(status)}`)
}

export function addAuditCommands(program: Command, host: Host): void {
  const audit = program.command('audit').description('the audit trail: who changed what')
  const list = declareDataUse('existing', audit.command('list', { isDefault: true }))
    .description('list the newest entries: changes, triage, and work on the database and its key')
    .option('--kind <kind>', 'only this kind, such as metric, source, key or database')
    .option('--limit <count>', 'maximum number of entries (default 50)', upTo(500))
  addFormats(list).action(async ({ kind, limit, json, format, ...flags }: ListFlags) => {
    const answer = await withSession(host, flags, (session) =>
      session.call<{ items: Entry[] }>('list_audit', given({ kind, limit })),
    )
    await present(host, { json, format }, answer, () => [table(columns, answer.items.map(toRow))])
  })
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

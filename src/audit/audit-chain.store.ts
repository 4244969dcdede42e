import { hash } from 'node:crypto'
import { db } from '../store/builder.ts'
import type { AuditRow } from '../store/schema.ts'
import type { Reader, Store, Writer } from '../store/store.ts'

export type AuditEntryRow = Omit<AuditRow, 'seq'> & { seq: number }

/**
 * Chains the entries that are not chained yet: those that migrations wrote, because SQL has no hash function, and new
 * ones.
 */
export function chainAudit(writer: Writer): void {
  const last = writer.first(db.selectFrom('audit_chain').selectAll().orderBy('seq', 'desc').limit(1))
  const unchained = writer.all(
    db
      .selectFrom('audit')
      .selectAll()
      .where('seq', '>', last?.seq ?? 0)
      .orderBy('seq'),
  )
  let digest = last?.digest ?? ''
  for (const row of unchained) {
    digest = toDigest(digest, row)
    writer.run(db.insertInto('audit_chain').values({ seq: row.seq, digest }))
  }
}

/** Chains the entries that migrations wrote, so that no part of the trail is unprotected. */
export function chainMigratedEntries(store: Store): void {
  const isChained = (reader: Reader) =>
    reader
      .prepare('SELECT (SELECT max(seq) FROM audit) IS NOT DISTINCT FROM (SELECT max(seq) FROM audit_chain) AS done')
      .get()
  if ((store.read(isChained) as { done: number }).done === 0) store.write(chainAudit, { essential: true })
}

/** Hash of an entry together with the hash of the previous one. */
export function toDigest(before: string, row: AuditEntryRow): string {
  const { seq, at, actor, actor_id, via, client, proposal, action, kind, name, before: former, after } = row
  const content = [seq, at, actor, actor_id, via, client, proposal, action, kind, name, former, after]
  return hash('sha256', `${before}\n${JSON.stringify(content)}`)
}

export interface AuditVerification {
  entries: number
  /** Number of entries after the last chained one: written by migrations, until the next change chains them. */
  unchained: number
  /** The first entry that does not match the chain; absent when all match. */
  brokenAt?: number
  /**
   * Hash of the newest chained entry; compared with a copy stored elsewhere, it also reveals entries removed at the
   * end.
   */
  head: string
  /** Whether the given anchor is a hash of this chain; absent when none was given. */
  known?: boolean
}

/** Recomputes the hash chain over the whole trail. */
export function verifyAudit(reader: Reader, anchor?: string): AuditVerification {
  const entries = reader.first(db.selectFrom('audit').select(({ fn }) => fn.countAll<number>().as('n')))?.n ?? 0
  const rows = reader
    .prepare(
      `SELECT coalesce(audit.seq, chain.seq) AS seq, at, actor, actor_id, via, client, proposal, action, kind, name,
         before, after, digest
       FROM audit FULL JOIN audit_chain AS chain ON chain.seq = audit.seq ORDER BY 1`,
    )
    .iterate() as IterableIterator<AuditEntryRow & { digest: string | null }>
  let head = ''
  let unchained = 0
  let known = false
  const seen = () => (anchor === undefined ? {} : { known })
  for (const { digest, ...row } of rows) {
    if (digest === null) unchained++
    else if (unchained > 0 || digest !== toDigest(head, row))
      return { entries, unchained, brokenAt: row.seq, head, ...seen() }
    else head = digest
    known ||= head === anchor
  }
  return { entries, unchained, head, ...seen() }
}

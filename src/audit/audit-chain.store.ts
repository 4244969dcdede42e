import { createHash } from 'node:crypto'
import { db } from '../store/builder.ts'
import type { AuditRow } from '../store/schema.ts'
import type { Reader, Store, Writer } from '../store/store.ts'

export type AuditEntryRow = Omit<AuditRow, 'seq'> & { seq: number }

/** Chains the entries that are not yet; those of a migration are not, because SQL has no hash. */
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

/** Chains what a migration wrote, so that nothing of the trail stands unguarded. */
export function sealAudit(store: Store): void {
  const isChained = (reader: Reader) =>
    reader.prepare('SELECT (SELECT max(seq) FROM audit) IS (SELECT max(seq) FROM audit_chain) AS done').get()
  if ((store.read(isChained) as { done: number }).done === 0) store.write(chainAudit, { essential: true })
}

/** The hash of an entry together with that of the one before. */
export function toDigest(before: string, row: AuditEntryRow): string {
  const content: unknown[] = [
    row.seq,
    row.at,
    row.actor,
    row.via,
    row.action,
    row.kind,
    row.name,
    row.before,
    row.after,
  ]
  // Entries of the time before there were ids keep the digest that they have.
  if (row.actor_id !== null) content.push(row.actor_id)
  if (row.client !== null) content.push({ client: row.client })
  return createHash('sha256')
    .update(`${before}\n${JSON.stringify(content)}`)
    .digest('hex')
}

export interface AuditVerdict {
  entries: number
  /** Entries since the last chained one: those of the installation, until the first change by a person. */
  unchained: number
  /** The entry at which the trail and its chain part; absent when they agree. */
  brokenAt?: number
  /** The hash of the newest entry; kept elsewhere, it also shows entries cut off at the end. */
  head: string
  /** Whether the hash that was asked about is one of this chain; absent when none was. */
  known?: boolean
}

/** Recomputes the chain of hashes over the whole trail. */
export function verifyAudit(reader: Reader, anchor?: string): AuditVerdict {
  const entries = reader.first(db.selectFrom('audit').select(({ fn }) => fn.countAll<number>().as('n')))?.n ?? 0
  const rows = reader
    .prepare(
      `SELECT coalesce(audit.seq, chain.seq) AS seq, at, actor, actor_id, via, client, action, kind, name, before, after, digest
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

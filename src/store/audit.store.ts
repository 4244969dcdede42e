import { db } from './builder.ts'
import type { AuditRow } from './schema.ts'
import type { Reader, Writer } from './store.ts'

/** Who changes something, through which door, and when (milliseconds). */
export interface Author {
  name: string
  via: 'http' | 'mcp' | 'cli'
  at: number
}

export interface AuditEntry {
  action: string
  /** What kind of definition it is: term, metric, placement. */
  kind: string
  name: string
  /** The definition as it was; absent when it was created. */
  before?: object
  /** The definition as it is now; absent when it was deleted. */
  after?: object
}

export function appendAudit(writer: Writer, author: Author, entry: AuditEntry): void {
  writer.run(
    db.insertInto('audit').values({
      at: author.at,
      actor: author.name,
      via: author.via,
      action: entry.action,
      kind: entry.kind,
      name: entry.name,
      before: entry.before === undefined ? null : JSON.stringify(entry.before),
      after: entry.after === undefined ? null : JSON.stringify(entry.after),
    }),
  )
}

/** The trail, newest first; `beforeSeq` continues behind an entry already seen. */
export function listAuditRows(
  reader: Reader,
  filter: { kind?: string | undefined; name?: string | undefined; beforeSeq?: number | undefined; limit: number },
): AuditEntryRow[] {
  let query = db.selectFrom('audit').selectAll().orderBy('seq', 'desc').limit(filter.limit)
  if (filter.kind !== undefined) query = query.where('kind', '=', filter.kind)
  if (filter.name !== undefined) query = query.where('name', '=', filter.name)
  if (filter.beforeSeq !== undefined) query = query.where('seq', '<', filter.beforeSeq)
  return reader.all(query)
}

export type AuditEntryRow = Omit<AuditRow, 'seq'> & { seq: number }

import { hash } from 'node:crypto'
import { toSafeJson, toSafeText, toSafeTextOnce } from '../detectors/safe-text.ts'
import { internalText, type SafeText } from '../kernel/safe-text.ts'
import { comparand, db } from '../store/builder.ts'
import { sealDefinition } from '../store/digests.store.ts'
import { noteReview } from '../store/review.store.ts'
import type { Reader, Writer } from '../store/store.ts'
import { type AuditEntryRow, chainAudit } from './audit-chain.store.ts'

/** Who changes something, through which interface, and when (milliseconds). */
export interface Author {
  name: string
  /** Stays the same when the name is reassigned; absent for the user of this machine. */
  id?: string | undefined
  via: 'http' | 'mcp' | 'cli'
  /** The client program, by the name it gives itself. */
  client?: string | undefined
  at: number
  /** The text may have been written by an assistant and not read by a person. */
  assistant?: boolean
  /** Who has proposed what this author approved. */
  proposal?: Proposer | undefined
}

/** Who has proposed a change, and the id of the proposal. */
export interface Proposer {
  name: string
  id: string | null
  proposal: string
}

export interface AuditEntry {
  action: string
  /** Kind of definition: term, metric, placement. */
  kind: string
  name: string
  /** The definition before the change; absent when it was created. */
  before?: object
  /** The definition after the change; absent when it was deleted. */
  after?: object
}

const MAX_CLIENT_LENGTH = 80
const MAX_CLIENT_READ = 500

/**
 * The name by which a client program identifies itself, as stored in histories: one short line; undefined when no
 * allowed character is left.
 */
export function toStoredClient(name: string | undefined): SafeText | undefined {
  // Credentials are masked first: without its punctuation a credential is no longer recognised.
  const line = toSafeText(name ?? '', 'prose', MAX_CLIENT_READ)
    .normalize('NFKC')
    .replaceAll(/[^\p{L}\p{N} ._/+@();:-]/gu, '')
    .trim()
  return line === '' ? undefined : toSafeTextOnce(line, 'prose', MAX_CLIENT_LENGTH)
}

/** The id of an author with secrets masked; a hash distinguishes ids that are equal once masked. */
export function toSafeActorId(id: string): SafeText {
  const safe = toSafeText(id, 'key')
  return safe === id ? safe : (`${safe}#${hash('sha256', id).slice(0, 12)}` as SafeText)
}

/** Appends a change that was just written, or a deletion, to the trail. */
export function appendAudit(writer: Writer, author: Author, entry: AuditEntry): void {
  writer.run(
    db.insertInto('audit').values({
      at: author.at,
      actor: toSafeText(author.name, 'prose'),
      actor_id: author.id === undefined ? null : toSafeActorId(author.id),
      via: author.via,
      client: toStoredClient(author.client) ?? null,
      proposal: author.proposal === undefined ? null : internalText(author.proposal.proposal),
      action: entry.action,
      kind: entry.kind,
      name: toSafeText(entry.name, 'definition'),
      before: entry.before === undefined ? null : toSafeJson(entry.before, 'definition'),
      after: entry.after === undefined ? null : toSafeJson(entry.after, 'definition'),
    }),
  )
  chainAudit(writer)
  sealDefinition(writer, entry)
  const byAssistant = author.assistant === true && entry.action !== 'certify' && entry.after !== undefined
  noteReview(writer, { kind: entry.kind, name: entry.name, byAssistant })
}

/** The number of the last entry. */
export const findLastSeq = (reader: Reader): number =>
  reader.first(db.selectFrom('audit').select(({ fn }) => fn.max('seq').as('seq')))?.seq ?? 0

/** The entries after one, oldest first. */
export const listEntriesAfter = (reader: Reader, seq: number): AuditEntryRow[] =>
  reader.all(db.selectFrom('audit').selectAll().where('seq', '>', seq).orderBy('seq'))

/** How many findings one caller has triaged over MCP since `since` (ms); reopened ones do not count. */
export function countTriagedOverMcp(reader: Reader, { name, id }: Pick<Author, 'name' | 'id'>, since: number): number {
  const row = reader
    .prepare(
      `SELECT coalesce(sum(after ->> '$.findings'), 0) AS n FROM audit
       WHERE kind = 'finding' AND at > @since AND via = 'mcp' AND after ->> '$.status' <> 'OPEN'
         AND CASE WHEN @id IS NULL THEN actor_id IS NULL AND actor = @name ELSE actor_id = @id END`,
    )
    .get({ since, name, id: id === undefined ? null : toSafeActorId(id) }) as { n: number }
  return row.n
}

/** The trail, newest first; `beforeSeq` continues after an entry already seen. */
export function listAuditRows(
  reader: Reader,
  filter: { kind?: string | undefined; name?: string | undefined; beforeSeq?: number | undefined; limit: number },
): AuditEntryRow[] {
  let query = db.selectFrom('audit').selectAll().orderBy('seq', 'desc').limit(filter.limit)
  if (filter.kind !== undefined) query = query.where('kind', '=', filter.kind)
  if (filter.name !== undefined) query = query.where('name', '=', comparand(filter.name))
  if (filter.beforeSeq !== undefined) query = query.where('seq', '<', filter.beforeSeq)
  return reader.all(query)
}

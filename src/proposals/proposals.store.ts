import type { Selectable } from 'kysely'
import { type Author, toSafeActorId, toStoredClient } from '../audit/audit.store.ts'
import { toSafeJson, toSafeText } from '../detectors/safe-text.ts'
import { toInstant } from '../kernel/instant.ts'
import { db } from '../store/builder.ts'
import type { ProposalRow } from '../store/schema.ts'
import type { Reader, Writer } from '../store/store.ts'
import type { Change, ProposalItem, ProposalStatus } from './model.ts'

type Row = Selectable<ProposalRow>

const LIFE_MS = 14 * 86_400_000
/** How long one that came to nothing is kept after its time; the audit trail keeps all. */
const KEPT_MS = 90 * 86_400_000

/** A proposal as stored; times in milliseconds. */
export interface ProposalRecord extends Omit<Row, 'input' | 'changes'> {
  input: Record<string, unknown>
  changes: Change[]
}

export interface ProposalDraft {
  operation: string
  summary: string
  input: object
  changes: readonly Change[]
}

/** Adds a proposal and returns its id; those that ended long ago without effect are removed. */
export function insertProposal(writer: Writer, { operation, ...draft }: ProposalDraft, author: Author): number {
  const { name, id, via, client, at } = author
  writer.run(
    db
      .deleteFrom('proposal')
      .where('status', '<>', 'approved')
      .where('expires_at', '<', at - KEPT_MS),
  )
  return writer.insert(
    db
      .insertInto('proposal')
      .values({
        operation,
        input: toSafeJson(draft.input, 'definition'),
        summary: toSafeText(draft.summary, 'definition'),
        changes: toSafeJson(draft.changes, 'definition'),
        proposer: toSafeText(name, 'prose'),
        proposer_id: id === undefined ? null : toSafeActorId(id),
        via,
        client: toStoredClient(client) ?? null,
        created_at: at,
        expires_at: at + LIFE_MS,
      })
      .returning('id'),
  )
}

export interface ProposalDecision {
  status: 'approved' | 'rejected' | 'failed'
  reason: string | undefined
}

/** Decides a proposal that is open; false for any other. */
export function decideProposal(
  writer: Writer,
  id: number,
  { status, reason }: ProposalDecision,
  author: Author,
): boolean {
  const { changes } = writer
    .prepare(
      `UPDATE proposal SET status = ?, decider = ?, decided_at = ?, reason = ?
       WHERE id = ? AND status = 'open' AND expires_at > ?`,
    )
    .run(
      status,
      toSafeText(author.name, 'prose'),
      author.at,
      reason === undefined ? null : toSafeText(reason, 'definition'),
      id,
      author.at,
    )
  return changes > 0
}

export function findProposal(reader: Reader, id: number): ProposalRecord | undefined {
  const row = reader.first(db.selectFrom('proposal').selectAll().where('id', '=', id))
  return row === undefined ? undefined : toRecord(row)
}

export function listOpenProposals(reader: Reader, now: number): ProposalRecord[] {
  const open = db.selectFrom('proposal').selectAll().where('status', '=', 'open').where('expires_at', '>', now)
  return reader.all(open.orderBy('id', 'desc')).map(toRecord)
}

/** The ids of the open proposals that change an object, newest first. */
export const listOpenProposalsOf = (
  reader: Reader,
  { kind, name }: Pick<Change, 'kind' | 'name'>,
  now: number,
): string[] =>
  listOpenProposals(reader, now)
    .filter(({ changes }) => changes.some((change) => change.kind === kind && change.name === name))
    .map(({ id }) => String(id))

/** Newest first; `before` continues after an id already seen. */
export function listProposalItems(
  reader: Reader,
  {
    status,
    before,
    limit,
    now,
  }: { status?: ProposalStatus | undefined; before?: number | undefined; limit: number; now: number },
): ProposalItem[] {
  let query = db.selectFrom('proposal').selectAll().orderBy('id', 'desc').limit(limit)
  if (before !== undefined) query = query.where('id', '<', before)
  if (status !== undefined) query = query.where('status', '=', status === 'expired' ? 'open' : status)
  if (status === 'open') query = query.where('expires_at', '>', now)
  if (status === 'expired') query = query.where('expires_at', '<=', now)
  return reader.all(query).map((row) => toItem(toRecord(row), now))
}

const toRecord = ({ input, changes, ...row }: Row): ProposalRecord => ({
  ...row,
  input: JSON.parse(input) as Record<string, unknown>,
  changes: JSON.parse(changes) as Change[],
})

export function toItem(proposal: ProposalRecord, now: number): ProposalItem {
  const { id, operation, summary, status, proposer, via, client, decider, decided_at: at, reason } = proposal
  return {
    id: String(id),
    operation,
    summary,
    status: status === 'open' && proposal.expires_at <= now ? 'expired' : status,
    proposedBy: proposer,
    via,
    ...(client === null ? {} : { client }),
    createdAt: toInstant(proposal.created_at),
    expiresAt: toInstant(proposal.expires_at),
    ...(decider === null ? {} : { decidedBy: decider }),
    ...(at === null ? {} : { decidedAt: toInstant(at) }),
    ...(reason === null ? {} : { reason }),
  }
}

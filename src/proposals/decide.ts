import { needsTwo } from '../access/four-eyes.ts'
import { findToken } from '../access/tokens.store.ts'
import { isActor, TOKEN_PREFIX } from '../audit/actors.store.ts'
import { type Author, appendAudit } from '../audit/audit.store.ts'
import { AppError, conflict, type ErrorCode, notFound } from '../kernel/errors.ts'
import { quote } from '../kernel/shown.ts'
import { authorOf } from '../operation/author.ts'
import type { WriteContext } from '../operation/context.ts'
import { isLockedDown } from '../operation/lockdown/lockdown.ts'
import { type Operation, parseInput, requireScope } from '../operation/operation.ts'
import type { Reader, Writer } from '../store/store.ts'
import { areSameChanges, recordChanges, withWrite } from './changes.ts'
import type { Change } from './model.ts'
import { decideProposal, findProposal, type ProposalDecision, type ProposalRecord, toItem } from './proposals.store.ts'

/** Errors after which trying again is of no use. */
const final: readonly ErrorCode[] = ['conflict', 'not_found', 'invalid_input']

export function getProposal(reader: Reader, id: string): ProposalRecord {
  const found = /^\d{1,15}$/.test(id) ? findProposal(reader, Number(id)) : undefined
  if (found === undefined) throw notFound(`There is no proposal ${quote(id)}; list_proposals shows them.`)
  return found
}

/** Ends a transaction that changes nothing, so that it does not mark the proposal. */
class Unchanged extends Error {}

/**
 * Runs the operation of a proposal in the caller's name. Its first transaction that changes something also marks the
 * proposal as approved, and is rolled back if it would change anything else than was shown.
 * @throws AppError any error of the operation; `conflict` if the proposal is not open any more or outdated; `forbidden`
 * for its author under four eyes, and without the operation's scope
 */
export async function approve(
  operation: Operation,
  proposal: ProposalRecord,
  reason: string | undefined,
  context: WriteContext,
): Promise<unknown> {
  const { id } = proposal
  const { store } = context
  requireScope(operation.name, operation.scope, context.caller)
  requireOpen(proposal, context.now())
  store.read((reader) => requireOther(reader, proposal, context))
  const proposer = { name: proposal.proposer, id: proposal.proposer_id, proposal: String(id) }
  const caller = { ...context.caller, proposal: proposer }
  const author = authorOf({ ...context, caller })
  const input = parseInput(operation.input, proposal.input)
  let isClaimed = false
  const claiming = withWrite(store, (work, options = {}) => {
    if (isClaimed) return store.write(work, options)
    const runAs = (writer: Writer, expected: readonly Change[]) => {
      const { output, changes } = recordChanges(writer, work)
      if (changes.length === 0 && expected.length > 0) throw new Unchanged()
      if (!areSameChanges(changes, expected)) throw toOutdated(expected, changes, context)
      return output
    }
    try {
      const output = store.write(
        (writer) => {
          requireHolder(writer, proposal)
          decide(writer, id, { status: 'approved', reason }, author)
          return runAs(writer, proposal.changes)
        },
        { durable: true },
      )
      isClaimed = true
      return output
    } catch (error) {
      if (!(error instanceof Unchanged)) throw error
      return store.write((writer) => runAs(writer, []), options)
    }
  })
  try {
    const output = await operation.run(input as never, { ...context, caller, store: claiming })
    if (!isClaimed) throw toOutdated(proposal.changes, [], context)
    return operation.output.parse(output)
  } catch (error) {
    if (error instanceof AppError && final.includes(error.code)) {
      store.write((writer) => tryDecide(writer, id, { status: 'failed', reason: error.message }, author))
    }
    throw error
  }
}

/** @throws AppError `conflict` if the proposal is not open any more; `forbidden` without the operation's scope */
export function reject(
  operation: Operation,
  proposal: ProposalRecord,
  reason: string | undefined,
  context: WriteContext,
): void {
  const author = authorOf(context)
  if (!isProposer(proposal, author)) requireScope(operation.name, operation.scope, context.caller)
  context.store.write((writer) => decide(writer, proposal.id, { status: 'rejected', reason }, author), {
    durable: true,
  })
}

const isProposer = (proposal: ProposalRecord, author: Pick<Author, 'name' | 'id'>) =>
  isActor({ name: proposal.proposer, id: proposal.proposer_id }, author)

function requireOther(reader: Reader, proposal: ProposalRecord, { caller, fourEyes }: WriteContext): void {
  if (!isProposer(proposal, caller) || !needsTwo(reader, fourEyes)) return
  const message =
    'You proposed this, so another person must approve it; to allow it, set "fourEyes": false in config.json.'
  throw new AppError('forbidden', message, { reason: 'four_eyes' })
}

/** A token that was revoked may have been stolen, and so may be what was proposed with it. */
function requireHolder(reader: Reader, { proposer_id: holder }: ProposalRecord): void {
  if (holder?.startsWith(TOKEN_PREFIX) !== true) return
  if (findToken(reader, holder.slice(TOKEN_PREFIX.length))?.revoked_at === null) return
  throw conflict('The token that proposed this was revoked, so it cannot be approved; propose it again.', {
    reason: 'proposer_revoked',
  })
}

function decide(writer: Writer, id: number, decision: ProposalDecision, author: Author): void {
  if (!tryDecide(writer, id, decision, author)) requireOpen(getProposal(writer, String(id)), author.at)
}

function requireOpen(proposal: ProposalRecord, now: number): void {
  const { id, status, decidedBy } = toItem(proposal, now)
  if (status === 'open') return
  const by = decidedBy === undefined ? '' : ` by ${quote(decidedBy)}`
  throw conflict(`Proposal ${id} is ${status}${by} already; nothing was done.`, {
    reason: 'proposal_decided',
    facts: { status },
  })
}

/** Changes may have names of tenants. */
const toOutdated = (proposed: readonly Change[], now: readonly Change[], context: WriteContext) =>
  conflict('What this would change has changed since it was proposed, so nothing was done; propose it again.', {
    reason: 'proposal_outdated',
    ...(isLockedDown(context) ? {} : { facts: { proposed, now } }),
  })

const actions = { approved: 'approve', rejected: 'reject', failed: 'fail' } as const

function tryDecide(writer: Writer, id: number, decision: ProposalDecision, author: Author): boolean {
  const isDecided = decideProposal(writer, id, decision, author)
  const action = actions[decision.status]
  if (isDecided) appendAudit(writer, author, { action, kind: 'proposal', name: String(id), after: decision })
  return isDecided
}

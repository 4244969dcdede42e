import { z } from 'zod'
import { notFound } from '../kernel/errors.ts'
import { toInstant } from '../kernel/instant.ts'
import { quote } from '../kernel/shown.ts'
import { isProposable } from '../operation/consent.ts'
import type { ReadContext } from '../operation/context.ts'
import { decodeCursor, encodeCursor } from '../operation/cursor.ts'
import { outsideValue, ownText } from '../operation/lockdown/disclosure.ts'
import { findImpact, listAffected, type Operation, operation, readInput } from '../operation/operation.ts'
import { toDifference } from './changes.ts'
import { approve, getProposal, reject } from './decide.ts'
import { Proposal, ProposalItem, Proposed, proposalStatuses } from './model.ts'
import { listProposalItems, toItem } from './proposals.store.ts'
import { propose } from './propose.ts'

const ProposalId = z.string().min(1).max(20).describe('Id of the proposal.')
const Reason = z.string().trim().max(1000).describe('Why, for the history.').optional()

const toConsolePath = (id: number) => `/console/proposals/${id}`

/** Proposing and deciding for these operations. */
export function createProposalOperations(operations: readonly Operation[]): readonly Operation[] {
  const proposable = new Map(operations.filter(isProposable).map((each) => [each.name, each]))
  const getOperation = (name: string): Operation => {
    const found = proposable.get(name)
    if (found !== undefined) return found
    throw notFound(
      `${quote(name)} is no operation that can be proposed; only changes of definitions and findings are, and deletions.`,
    )
  }
  const show = (id: string, context: ReadContext): Proposal => {
    const proposal = context.read((reader) => getProposal(reader, id))
    const proposed = getOperation(proposal.operation)
    const item = toItem(proposal, context.now())
    const impact = item.status === 'open' ? findImpact(operations, proposed, proposal.input) : undefined
    return {
      ...item,
      scope: proposed.scope,
      details: (item.status === 'open' ? listAffected(proposed, proposal.input, context) : []) as Proposal['details'],
      input: proposal.input as Proposal['input'],
      ...(impact === undefined
        ? {}
        : { impact: { operation: impact.operation.name, input: impact.input as Proposal['input'] } }),
      changes: proposal.changes.map(toDifference),
    }
  }
  return [
    operation({
      name: 'list_proposals',
      title: 'List proposals',
      summary: 'List proposed changes with their status, newest first.',
      effect: 'read',
      scope: 'read',
      route: 'GET /proposals',
      input: z.strictObject({
        status: z.enum(proposalStatuses).describe('Only this status.').optional(),
        limit: z.int().min(1).max(500).describe('Maximum number of items (50).').optional(),
        cursor: z.string().max(500).describe('nextCursor of the previous page.').optional(),
      }),
      output: z.object({
        items: z.array(ProposalItem).describe('The proposals.'),
        nextCursor: ownText().describe('Cursor of the next page; absent on the last one.').optional(),
      }),
      run: ({ status, limit = 50, cursor }, context) =>
        context.read((reader) => {
          const [before] = cursor === undefined ? [] : decodeCursor(reader, context, 'proposals', cursor, 1)
          const found = listProposalItems(reader, { status, before, limit: limit + 1, now: context.now() })
          const items = found.slice(0, limit)
          const last = found.length > limit ? items.at(-1) : undefined
          if (last === undefined) return { items }
          return { items, nextCursor: encodeCursor(reader, context, 'proposals', [Number(last.id)]) }
        }),
    }),

    operation({
      name: 'get_proposal',
      title: 'Get proposal',
      summary: 'Get one proposal with its input and everything that it changes, before and after.',
      effect: 'read',
      scope: 'read',
      route: 'GET /proposals/{id}',
      input: z.strictObject({ id: ProposalId }),
      output: Proposal,
      run: ({ id }, context) => show(id, context),
    }),

    operation({
      name: 'propose_change',
      title: 'Propose a change',
      summary: 'Propose a call of an operation, which a person approves or rejects within 14 days.',
      effect: 'write',
      consent: 'none',
      scope: 'propose',
      route: 'POST /proposals',
      input: z.strictObject({
        operation: z.string().min(1).max(100).describe('Name of the operation.'),
        input: z.record(z.string(), z.unknown()).describe('Its input.').default({}),
      }),
      output: Proposed.partial().extend({
        output: outsideValue().describe('Instead of a proposal: the output of a call that changes nothing.').optional(),
      }),
      run: async ({ operation: name, input: raw }, context) => {
        const proposed = getOperation(name)
        const { input } = await readInput(proposed, raw, context)
        const made = await propose(proposed, input, context)
        if ('output' in made) return { output: made.output as never }
        const { id, summary, expires_at: expiresAt } = made.proposal
        return {
          status: 'proposed' as const,
          proposal: {
            id: String(id),
            operation: name,
            summary,
            expiresAt: toInstant(expiresAt),
            approveUrl: toConsolePath(id),
          },
        }
      },
    }),

    operation({
      name: 'approve_proposal',
      title: 'Approve proposal',
      summary: 'Run a proposed change in your name, unless what it touches has changed since.',
      effect: 'write',
      consent: 'always',
      scope: 'read',
      route: 'POST /proposals/{id}/approve',
      input: z.strictObject({ id: ProposalId, reason: Reason }),
      output: z.object({
        proposal: Proposal.describe('The proposal with the decision.'),
        result: outsideValue().describe('The output of the operation.'),
      }),
      run: async ({ id, reason }, context) => {
        const proposal = context.read((reader) => getProposal(reader, id))
        const result = await approve(getOperation(proposal.operation), proposal, reason, context)
        return { proposal: show(id, context), result: result as never }
      },
    }),

    operation({
      name: 'reject_proposal',
      title: 'Reject proposal',
      summary: 'End a proposal without effect: by whoever may approve it, or its author.',
      effect: 'write',
      consent: 'none',
      scope: 'read',
      route: 'POST /proposals/{id}/reject',
      input: z.strictObject({ id: ProposalId, reason: Reason }),
      output: Proposal,
      run: ({ id, reason }, context) => {
        const proposal = context.read((reader) => getProposal(reader, id))
        reject(getOperation(proposal.operation), proposal, reason, context)
        return show(id, context)
      },
    }),
  ]
}

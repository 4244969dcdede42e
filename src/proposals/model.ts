import { z } from 'zod'
import { outsideText, outsideValue, ownText } from '../operation/lockdown/disclosure.ts'

export const proposalStatuses = ['open', 'approved', 'rejected', 'failed', 'expired'] as const
export type ProposalStatus = (typeof proposalStatuses)[number]

const Members = z.record(ownText(), outsideValue())

/** A change, as the audit trail has it. */
const Change = z.object({
  action: ownText().describe('create, update, delete, certify, deprecate or triage.'),
  kind: ownText().describe('Kind of object: term, metric, placement, finding, …'),
  name: ownText().describe('Its slug or id; * for several findings.'),
  before: Members.nullable().describe('What differs, as it was when this was proposed; null: it did not exist.'),
  after: Members.nullable().describe('What differs, as it is to become; null: deleted.'),
})
export type Change = z.infer<typeof Change>

export const ProposalItem = z.object({
  id: ownText().describe('Id of the proposal.'),
  operation: ownText().describe('The operation that an approval runs.'),
  summary: ownText().describe('What it does, in one line.'),
  status: z.enum(proposalStatuses).describe('open until it is decided, fails or expires.'),
  proposedBy: ownText().describe('Who proposed it.'),
  via: ownText().describe('Interface used: http, mcp or cli.'),
  client: ownText().describe('Client program, as it names itself.').optional(),
  createdAt: ownText().describe('When it was proposed.'),
  expiresAt: ownText().describe('Until when it can be approved.'),
  decidedBy: ownText().describe('Who approved or rejected it.').optional(),
  decidedAt: ownText().describe('When.').optional(),
  reason: ownText().describe('The reason given, or why it failed.').optional(),
})

export type ProposalItem = z.infer<typeof ProposalItem>

export const Proposal = ProposalItem.extend({
  scope: ownText().describe('The scope that an approval requires.'),
  details: z.array(outsideText()).describe('What it is about, while it is open.'),
  input: Members.describe('The input of the operation.'),
  impact: z
    .object({
      operation: ownText().describe('get_metric_impact or get_term_impact.'),
      input: Members.describe('Its input.'),
    })
    .describe('While it is open and changes numbers: the call that says how.')
    .optional(),
  changes: z.array(Change).describe('Everything that it changes, before and after.'),
})
export type Proposal = z.infer<typeof Proposal>

/** The answer to a call that became a proposal. */
export const Proposed = z.object({
  status: z.literal('proposed').describe('Nothing was changed yet.'),
  proposal: z
    .object({
      id: ownText().describe('Id of the proposal.'),
      operation: ownText().describe('The operation that an approval runs.'),
      summary: ownText().describe('What it does, in one line.'),
      expiresAt: ownText().describe('Until when it can be approved.'),
      approveUrl: ownText().describe('Where a person approves or rejects it; alone it starts at this server.'),
    })
    .describe('What waits for a person.'),
})
export type Proposed = z.infer<typeof Proposed>

import { AppError } from '../kernel/errors.ts'
import { CONSENT_REQUIRED, isProposable } from '../operation/consent.ts'
import type { WriteContext } from '../operation/context.ts'
import { call, type Operation } from '../operation/operation.ts'
import type { Proposed } from './model.ts'

interface Asked<Answer> {
  operations: readonly Operation[]
  operation: Operation
  input: unknown
  /** Presents the output of a call that changes nothing, so that it need not be proposed. */
  toAnswer(output: unknown): Answer
}

const PROPOSE = 'propose_change'

/**
 * Runs a call by `work`; one that the caller may not make alone becomes a proposal.
 * @throws AppError any error of the operation; `forbidden` where neither is possible
 */
export async function orPropose<Answer>(
  { operations, operation, input, toAnswer }: Asked<Answer>,
  context: WriteContext,
  work: () => Promise<Answer>,
): Promise<{ answer: Answer } | { proposed: Proposed }> {
  try {
    return { answer: await work() }
  } catch (error) {
    const propose = operations.find(({ name }) => name === PROPOSE)
    if (!isConsentMissing(error) || !isProposable(operation) || propose === undefined) throw error
    const made = (await call(propose, { operation: operation.name, input }, context)) as Proposed | { output: unknown }
    return 'proposal' in made ? { proposed: made } : { answer: toAnswer(made.output) }
  }
}

export const isConsentMissing = (error: unknown): error is AppError =>
  error instanceof AppError && error.facts.reason === CONSENT_REQUIRED

/** The answer with the whole address at which it is approved. */
export const locate = ({ status, proposal }: Proposed, address: string): Proposed => ({
  status,
  proposal: { ...proposal, approveUrl: `${address.replace(/\/+$/, '')}${proposal.approveUrl}` },
})

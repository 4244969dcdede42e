import { isDeepStrictEqual } from 'node:util'
import { isActor } from '../audit/actors.store.ts'
import { appendAudit } from '../audit/audit.store.ts'
import { toSafeValue } from '../detectors/safe-text.ts'
import { count } from '../kernel/count.ts'
import { conflict } from '../kernel/errors.ts'
import { authorOf } from '../operation/author.ts'
import type { WriteContext } from '../operation/context.ts'
import { type Operation, parseInput } from '../operation/operation.ts'
import { areSameChanges, recordChanges, withWrite } from './changes.ts'
import type { Change } from './model.ts'
import { findProposal, insertProposal, listOpenProposals, type ProposalRecord } from './proposals.store.ts'

const MAX_OPEN = 1000
const MAX_OPEN_OF_ONE = 100

/** Ends a dry run at its first write. */
class Changing extends Error {
  readonly changes: readonly Change[]

  constructor(changes: readonly Change[]) {
    super('changing')
    this.changes = changes
  }
}

/**
 * Proposes an operation, or returns its output where it changes nothing. A proposal that the caller has made already is
 * not made again.
 * @throws AppError any error of the operation, `conflict` when too many proposals are open
 */
export async function propose(
  operation: Operation,
  raw: object,
  context: WriteContext,
): Promise<{ proposal: ProposalRecord } | { output: unknown }> {
  const input = parseInput(operation.input, toSafeValue(raw, 'definition')) as Record<string, unknown>
  const tried = await tryOut(operation, input, context)
  if ('output' in tried) return tried
  const author = authorOf(context)
  const { changes } = tried
  const proposal = context.store.write(
    (writer) => {
      const open = listOpenProposals(writer, author.at)
      const own = open.filter(({ proposer, proposer_id }) => isActor({ name: proposer, id: proposer_id }, author))
      const made = own.find(
        (other) =>
          other.operation === operation.name &&
          isDeepStrictEqual(other.input, input) &&
          areSameChanges(other.changes, changes),
      )
      if (made !== undefined) return made
      if (open.length >= MAX_OPEN || own.length >= MAX_OPEN_OF_ONE) {
        throw conflict('Too many proposals are open; have some of them approved or rejected first.', {
          reason: 'too_many_proposals',
        })
      }
      const draft = { operation: operation.name, summary: summarize(operation, changes), input, changes }
      const id = insertProposal(writer, draft, author)
      const { changes: _, ...after } = draft
      appendAudit(writer, author, { action: 'propose', kind: 'proposal', name: String(id), after })
      return findProposal(writer, id)
    },
    { durable: true },
  )
  if (proposal === undefined) throw new TypeError('the proposal was not stored')
  return { proposal }
}

/** Runs an operation as its approval will, up to the end of its first transaction, which is rolled back. */
async function tryOut(
  operation: Operation,
  input: object,
  context: WriteContext,
): Promise<{ changes: readonly Change[] } | { output: unknown }> {
  const { needsConsent: _, ...caller } = context.caller
  const { scope } = operation
  const proposal = { name: caller.name, id: caller.id ?? null, proposal: '' }
  const store = withWrite(context.store, (work) => {
    const { output, changes } = context.store.dryRun((writer) => recordChanges(writer, work))
    if (changes.length > 0) throw new Changing(changes)
    return output
  })
  try {
    const output = await operation.run(input as never, {
      ...context,
      // Nothing that requires a further scope can be proposed.
      ...{ caller: { ...caller, scopes: new Set(['read', scope]), proposal }, store },
      scans: { start: () => {}, cancel: () => {} },
      fourEyes: 'never',
    })
    return { output: operation.output.parse(output) }
  } catch (error) {
    if (error instanceof Changing) return { changes: error.changes }
    throw error
  }
}

function summarize({ title }: Operation, changes: readonly Change[]): string {
  const [first, ...more] = changes
  const { status, ...after } = { ...first?.after }
  // The first transaction of a large triage says how many findings all of them change.
  const findings = after.ofFindings ?? after.findings
  const what = typeof findings === 'number' ? `${count(findings, 'finding')} to ${String(status)}` : (first?.name ?? '')
  return `${title}: ${what}${more.length === 0 ? '' : ` and ${more.length} more`}`
}

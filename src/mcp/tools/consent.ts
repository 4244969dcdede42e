import { hash } from 'node:crypto'
import { AppError } from '../../kernel/errors.ts'
import { isObject } from '../../kernel/json-object.ts'
import { joinShown, line, type PrintableText, showCode, showJson, showName, showSentence } from '../../kernel/shown.ts'
import { CONSENT_REQUIRED, mustPropose } from '../../operation/consent.ts'
import { principalOf } from '../../operation/context.ts'
import { findImpact, type Operation } from '../../operation/operation.ts'
import { isConsentMissing, locate, orPropose } from '../../proposals/calling.ts'
import type { Proposal, Proposed } from '../../proposals/model.ts'
import type { McpRequest, Question, ToolAnswer } from '../protocol.ts'
import type { Readers } from '../resources/resources.ts'
import { toAnswer } from './answer.ts'

interface ConsentRequest {
  operations: readonly Operation[]
  operation: Operation
  input: Record<string, unknown>
  exchange: McpRequest
  readers: Readers
  /** Where the console is, and where it will be while no server runs. */
  console: { findAddress: () => string | undefined; usualAddress: string }
}

/** The maximum length of each member's value; all members are shown, so that no long one can hide another. */
const MAX_SHOWN = 200
const MAX_DETAIL = 600

/**
 * Runs a call that may need a person's consent. A client that supports elicitation by forms is asked first. Without it,
 * only a caller with a token, created by a person for such calls, may proceed; the call of any other, and of one whose
 * token may only propose it, becomes a proposal, and a client that supports elicitation by pages opens it.
 * @throws AppError `forbidden`, reason `declined`, or `consent_required` for what cannot be proposed
 */
export async function withConsent(
  request: ConsentRequest,
  work: (exchange: McpRequest) => Promise<ToolAnswer>,
): Promise<ToolAnswer | Question> {
  const { operation, input, exchange } = request
  const { caller, answers, clientCapabilities: askable } = exchange
  const isProposed = mustPropose(operation, caller)
  const canAsk = askable.has('elicitation') && !isProposed
  if (!isProposed && (operation.consent === 'none' || (caller.token === true && !canAsk))) return work(exchange)
  const call = hash('sha256', `${principalOf(caller)} ${operation.name} ${JSON.stringify(input)}`, 'base64url')
  const state = toState(exchange.state, call)
  if (answers.consent !== undefined && state !== undefined) {
    if (isYes(answers.consent)) return work(exchange)
    throw toDeclined(operation)
  }
  if (answers.approval !== undefined && state?.proposed !== undefined) return afterVisit(request, state.proposed)
  const asking = () => work({ ...exchange, caller: { ...caller, needsConsent: true } })
  if (!canAsk) return proposeOr(request, call, asking)
  try {
    return await asking()
  } catch (error) {
    if (!isConsentMissing(error)) throw error
    const { what = operation.title, details = [] } = (error.facts.facts ?? {}) as { what?: string; details?: string[] }
    const lines = [
      line`An assistant asks for your consent: ${showSentence(what)}.`,
      ...details.map((detail) => line`- ${showSentence(detail, MAX_DETAIL)}`),
      ...(await listImpact(request)).map((said) => line`- ${said}`),
      line`It wants to call ${showCall(operation.name, hideSecrets(input) as Record<string, unknown>)}.`,
    ]
    return toQuestion(lines, { call })
  }
}

/** Runs a call, or proposes it where a person has to agree. */
async function proposeOr(
  request: ConsentRequest,
  call: string,
  work: () => Promise<ToolAnswer>,
): Promise<ToolAnswer | Question> {
  const { operations, operation, input, exchange, readers, console } = request
  const address = console.findAddress()
  try {
    const asked = {
      ...{ operations, operation, input },
      toAnswer: (output: unknown) => toAnswer(operation, output, input),
    }
    const outcome = await orPropose(asked, readers.contextFor(exchange), work)
    if ('proposed' in outcome) {
      const proposed = locate(outcome.proposed, address ?? console.usualAddress)
      const impact = await listImpact(request)
      const canOpen = address !== undefined && exchange.clientCapabilities.has('url')
      return canOpen ? toVisit(proposed, impact, call) : toProposedAnswer(proposed, impact, address !== undefined)
    }
    return outcome.answer
  } catch (error) {
    if (!isConsentMissing(error)) throw error
    const place = `${address ?? console.usualAddress}/console/`
    throw new AppError('forbidden', `${error.message.replace(/\.$/, '')}, who does it in the console: ${place}`, {
      reason: CONSENT_REQUIRED,
      facts: { console: place },
    })
  }
}

/** What a call would do to numbers, in lines; none where that cannot be said. */
async function listImpact({ operations, operation, input, exchange, readers }: ConsentRequest) {
  const asked = findImpact(operations, operation, input)
  if (asked === undefined) return []
  try {
    const impact = await readers.run(asked.operation.name, asked.input, exchange)
    return asked.operation.render?.(impact as never, asked.input) ?? []
  } catch (error) {
    if (error instanceof AppError) return []
    throw error
  }
}

function toProposedAnswer(proposed: Proposed, impact: readonly PrintableText[], isServed: boolean): ToolAnswer {
  const { id, summary, expiresAt, approveUrl } = proposed.proposal
  const place = isServed
    ? line`at ${showSentence(approveUrl)}`
    : line`with assay approve ${showCode(id)}, or once assay serve runs at ${showSentence(approveUrl)}`
  const text = line`Proposed, not done yet: ${showSentence(summary)}. A person approves or rejects it until ${showCode(expiresAt)} ${place}`
  return { content: [{ type: 'text', text: [text, ...impact].join('\n') }], structuredContent: { ...proposed } }
}

/** Asks the client to open the page on which a person decides. */
const toVisit = (proposed: Proposed, impact: readonly PrintableText[], call: string): Question => ({
  ask: {
    approval: {
      method: 'elicitation/create',
      params: {
        mode: 'url',
        message: [
          line`An assistant asks for your approval: ${showSentence(proposed.proposal.summary)}.`,
          ...impact,
        ].join('\n'),
        url: proposed.proposal.approveUrl,
        elicitationId: `proposal-${proposed.proposal.id}`,
      },
    },
  },
  state: { call, proposed },
})

/** What came of a proposal whose page the client was asked to open. */
async function afterVisit({ operation, exchange, readers }: ConsentRequest, proposed: Proposed): Promise<ToolAnswer> {
  const { id } = proposed.proposal
  if (Object(exchange.answers.approval).action === 'decline') {
    await readers.run('reject_proposal', { id, reason: 'declined in the assistant' }, exchange)
    throw toDeclined(operation)
  }
  const decided = (await readers.run('get_proposal', { id }, exchange)) as Proposal
  const { status, decidedBy, reason } = decided
  if (status === 'open') return toProposedAnswer(proposed, [], true)
  const by = decidedBy === undefined ? line`` : line` by ${showName(decidedBy)}`
  const why = reason === undefined ? line`` : line`: ${showSentence(reason)}`
  const text = line`${showSentence(decided.summary)}: ${showCode(status)}${by}${why}`
  if (status === 'approved')
    return { content: [{ type: 'text', text }], structuredContent: { status, proposal: decided } }
  throw new AppError('forbidden', text, { reason: status })
}

const toDeclined = ({ name }: Operation) =>
  new AppError('forbidden', `The person did not agree to ${name}; nothing was changed.`, { reason: 'declined' })

/** The input with `***` for the credentials of a source, which its member `masked` holds. */
function hideSecrets(value: unknown, isMasked = false): unknown {
  if (Array.isArray(value)) return value.map((each) => hideSecrets(each, isMasked))
  if (isObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, hideSecrets(member, isMasked || key === 'masked')]),
    )
  }
  return isMasked ? '***' : value
}

function showCall(name: string, input: Record<string, unknown>): PrintableText {
  const members = Object.entries(input).map(
    ([key, value]) => line`${showCode(key)}: ${showSentence(showJson(value), MAX_SHOWN)}`,
  )
  return line`${showCode(name)} with ${joinShown(members)}`
}

function toQuestion(lines: readonly PrintableText[], state: object): Question {
  const agree = { type: 'boolean', title: 'I agree', description: 'I agree to this change.', default: false }
  const requestedSchema = { type: 'object', properties: { agree }, required: ['agree'] }
  return {
    ask: {
      consent: { method: 'elicitation/create', params: { mode: 'form', message: lines.join('\n'), requestedSchema } },
    },
    state,
  }
}

/** The state that was carried over from a question about the same call. */
const toState = (returned: unknown, call: string): { proposed?: Proposed } | undefined =>
  isObject(returned) && returned.call === call ? returned : undefined

function isYes(answer: unknown): boolean {
  if (typeof answer !== 'object' || answer === null) return false
  const { action, content } = answer as { action?: unknown; content?: { agree?: unknown } }
  return action === 'accept' && content?.agree === true
}

import { hash } from 'node:crypto'
import { AppError } from '../../kernel/errors.ts'
import { isObject } from '../../kernel/json-object.ts'
import { quoteJson } from '../../kernel/quoted-json.ts'
import { joinShown, line, type PrintableText, showCode, showJson, showSentence } from '../../kernel/shown.ts'
import { CONSENT_REQUIRED } from '../../operation/consent.ts'
import { principalOf } from '../../operation/context.ts'
import type { Operation } from '../../operation/operation.ts'
import type { McpRequest, Question, ToolAnswer } from '../protocol.ts'

interface ConsentRequest {
  operation: Operation
  input: Record<string, unknown>
  exchange: McpRequest
  /** Options of the suggested terminal command. */
  commandOptions: string
}

/** The maximum length of each member's value; all members are shown, so that no long one can hide another. */
const MAX_SHOWN = 200
const MAX_DETAIL = 600

/**
 * Runs a call that may need a person's consent. A client that supports elicitation is asked first; without it, only a
 * caller with a token, created by a person for such calls, may proceed.
 * @throws AppError `forbidden`, reason `declined` or `consent_required`; the latter with a command for a terminal
 */
export async function withConsent(
  { operation, input, exchange, commandOptions }: ConsentRequest,
  work: (exchange: McpRequest) => Promise<ToolAnswer>,
): Promise<ToolAnswer | Question> {
  const { caller, answers, clientCapabilities: askable } = exchange
  const canAsk = askable.has('elicitation')
  if (operation.consent === 'none' || (caller.token === true && !canAsk)) return work(exchange)
  const call = `${operation.name} ${JSON.stringify(input)}`
  const state = {
    call: hash('sha256', `${principalOf(caller)} ${call}`, 'base64url'),
  }
  if (answers.consent !== undefined && isSame(exchange.state, state)) {
    if (isYes(answers.consent)) return work(exchange)
    throw new AppError('forbidden', `The person did not agree to ${operation.name}; nothing was changed.`, {
      reason: 'declined',
    })
  }
  try {
    return await work({ ...exchange, caller: { ...caller, needsConsent: true } })
  } catch (error) {
    if (!(error instanceof AppError) || error.facts.reason !== CONSENT_REQUIRED) throw error
    const { what = operation.title, details = [] } = (error.facts.facts ?? {}) as { what?: string; details?: string[] }
    const shown = hideSecrets(input) as Record<string, unknown>
    if (canAsk) {
      const lines = [
        line`An assistant asks for your consent: ${showSentence(what)}.`,
        ...details.map((detail) => line`- ${showSentence(detail, MAX_DETAIL)}`),
        line`It wants to call ${showCall(operation.name, shown)}.`,
      ]
      return toQuestion(lines, state)
    }
    const command = ['assay call', commandOptions, operation.name, quoteJson(shown)]
      .filter((part) => part !== '')
      .join(' ')
    throw new AppError(
      'forbidden',
      `${what} requires the consent of a person, and this client cannot ask for it; have them run in a terminal: ${command}`,
      { reason: CONSENT_REQUIRED, facts: { command } },
    )
  }
}

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

const isSame = (returned: unknown, expected: { call: string }) =>
  typeof returned === 'object' && returned !== null && 'call' in returned && returned.call === expected.call

function isYes(answer: unknown): boolean {
  if (typeof answer !== 'object' || answer === null) return false
  const { action, content } = answer as { action?: unknown; content?: { agree?: unknown } }
  return action === 'accept' && content?.agree === true
}

import { createHash } from 'node:crypto'
import { AppError } from '../kernel/errors.ts'
import { principalOf } from '../operation/context.ts'
import { type Operation, parseInput } from '../operation/operation.ts'
import type { Exchange, Question } from './protocol.ts'

/**
 * Certifying is a person's act: an assistant's call needs a token with that scope, or the person's yes to a question
 * that the client puts. Answers with the question while it is open, with undefined once the call may run.
 * @throws AppError `forbidden` when the person declined or cannot be asked.
 */
export function askConsent(
  operation: Operation,
  input: Record<string, unknown>,
  exchange: Exchange,
): Question | undefined {
  if (operation.scope !== 'certify' || exchange.caller.token === true) return undefined
  parseInput(operation.input, input)
  const call = `${operation.name} ${JSON.stringify(input)}`
  const asked = `${principalOf(exchange.caller)} ${call}`
  const state = { call: createHash('sha256').update(asked).digest('base64url') }
  const answer = exchange.answers.consent
  if (answer !== undefined && isSame(exchange.state, state)) {
    if (isYes(answer)) return undefined
    throw new AppError('forbidden', `The person did not agree to ${operation.name}; nothing was changed.`, {
      reason: 'declined',
    })
  }
  if (!exchange.askable.has('elicitation')) {
    const command = `assay call ${operation.name} '${JSON.stringify(input).replaceAll("'", "'\\''")}'`
    throw new AppError(
      'forbidden',
      `${operation.name} needs a person, and this client cannot ask one; let them run in a terminal: ${command}`,
      { reason: 'consent_required', facts: { command } },
    )
  }
  return {
    ask: {
      consent: {
        method: 'elicitation/create',
        params: {
          mode: 'form',
          message: `${operation.title}? An assistant wants to call ${call.slice(0, 500)}`,
          requestedSchema: {
            type: 'object',
            properties: {
              agree: { type: 'boolean', title: 'I agree', description: 'Certify in my name.', default: false },
            },
            required: ['agree'],
          },
        },
      },
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

import { AppError } from '../kernel/errors.ts'
import type { Caller, Scope } from '../operation/context.ts'
import type { Coercion } from '../operation/input/coerce.ts'

/** A question for the query thread, its input already checked. */
export interface CheckedQuestion {
  operation: string
  input: object
  caller: Caller
  coerced: readonly Coercion[] | undefined
}

export const toCancelled = () =>
  new AppError('unavailable', 'The question was cancelled; ask it again.', { reason: 'cancelled' })

/** The same as JSON. */
type SentQuestion = Omit<CheckedQuestion, 'caller'> & {
  caller: Omit<Caller, 'scopes'> & { scopes: readonly Scope[] }
}

/** Where a server answers the questions of other processes on its data folder. */
export const QUESTIONS_PATH = '/questions'

export function writeQuestion({ caller, ...question }: CheckedQuestion): string {
  const sent: SentQuestion = { ...question, caller: { ...caller, scopes: [...caller.scopes] } }
  return JSON.stringify(sent)
}

/** What `writeQuestion` has written, parsed as JSON. */
export function toQuestion(sent: unknown): CheckedQuestion {
  const { caller, ...question } = sent as SentQuestion
  return { ...question, caller: { ...caller, scopes: new Set(caller.scopes) } }
}

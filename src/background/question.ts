import type { Caller, Scope } from '../operation/context.ts'
import type { Coercion } from '../operation/input/coerce.ts'

/** A question for the thread that has the engine, its input already checked. */
export interface CheckedQuestion {
  operation: string
  input: object
  caller: Caller
  coerced: readonly Coercion[] | undefined
}

/** The same as JSON. */
export type SentQuestion = Omit<CheckedQuestion, 'caller'> & {
  caller: Omit<Caller, 'scopes'> & { scopes: readonly Scope[] }
}

import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Caller, type OperationFacts, principalOf } from '../operation/context.ts'
import { createConcurrencyLimit } from './limits.ts'

const QUESTIONS = { inFlight: 4, queued: 64 }

/** Runs the work of an operation when it is its turn. */
export type QueryLimiter = (operation: OperationFacts, caller: Caller, work: () => Promise<unknown>) => Promise<unknown>

/** Of operations that compute, few run at once for holders of tokens: the others wait, and too many are refused. */
export function createQueryLimiter(): QueryLimiter {
  const gate = createConcurrencyLimit(QUESTIONS)
  return ({ cost }, caller, work) => {
    if (cost !== 'computed' || caller.token !== true) return work()
    return gate.run(principalOf(caller), async () => {
      await nextTurn()
      return work()
    })
  }
}

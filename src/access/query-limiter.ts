import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Caller, type OperationFacts, principalOf } from '../operation/context.ts'
import { createConcurrencyLimit } from './limits.ts'

const QUERY_LIMITS = { inFlight: 4, queued: 64 }

/** Runs the work of an operation when a slot is free. */
export type QueryLimiter = (operation: OperationFacts, caller: Caller, work: () => Promise<unknown>) => Promise<unknown>

/**
 * Limits how many operations of cost `computed` run at once for holders of tokens: others wait, and are refused when
 * too many wait.
 */
export function createQueryLimiter(): QueryLimiter {
  const gate = createConcurrencyLimit(QUERY_LIMITS)
  return ({ cost }, caller, work) => {
    if (cost !== 'computed' || caller.token !== true) return work()
    return gate.run(principalOf(caller), async () => {
      await nextTurn()
      return work()
    })
  }
}

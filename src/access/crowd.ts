import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Operation } from '../operation/operation.ts'
import { createGate } from './limits.ts'

const QUESTIONS = { inFlight: 4, queued: 64 }

/** The same operations; of those that compute, few at once for holders of tokens: the others wait, and too many are refused. */
export function boundQuestions(operations: readonly Operation[]): readonly Operation[] {
  const gate = createGate(QUESTIONS)
  return operations.map((operation) => {
    if (operation.effect !== 'read' || operation.route?.startsWith('POST ') !== true) return operation
    return {
      ...operation,
      run: (input, context) => {
        if (context.caller.token !== true) return operation.run(input, context)
        return gate.run(async () => {
          await nextTurn()
          return operation.run(input, context)
        })
      },
    }
  })
}

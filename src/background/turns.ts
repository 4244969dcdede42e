import { LruMap } from '../kernel/recent.ts'

const MAX_KINDS = 1_000
/** What has waited for this many times its duration is not overtaken any more. */
const PATIENCE = 20

interface Waiting {
  expectedMs: number
  since: number
  begin: () => void
}

/**
 * Runs work one after the other: first what is expected to end first, by the last duration of its kind.
 * @param ready settled when the next one may begin; what arrives until then is compared with it
 */
export function createTurns(ready: () => Promise<unknown>) {
  const durations = new LruMap<{ ms: number }>(MAX_KINDS)
  const waiting: Waiting[] = []
  let isRunning = false

  const next = async () => {
    if (isRunning || waiting.length === 0) return
    isRunning = true
    await ready()
    const rank = ({ expectedMs, since }: Waiting) => since + PATIENCE * expectedMs
    const [first] = waiting.toSorted((one, other) => rank(one) - rank(other))
    if (first === undefined) return
    waiting.splice(waiting.indexOf(first), 1)
    first.begin()
  }

  return async <Result>(kind: string, work: () => Promise<Result>): Promise<Result> => {
    const known = durations.use(kind, () => ({ ms: 0 }))
    await new Promise<void>((begin) => {
      waiting.push({ expectedMs: known.ms, since: performance.now(), begin })
      void next()
    })
    const startedAt = performance.now()
    const measure = () => performance.now() - startedAt
    try {
      const result = await work()
      known.ms = measure()
      return result
    } catch (error) {
      // It may have ended early.
      known.ms = Math.max(known.ms, measure())
      throw error
    } finally {
      isRunning = false
      void next()
    }
  }
}

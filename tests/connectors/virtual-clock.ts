import { onTestFinished, vi } from 'vitest'

interface Sleeper {
  at: number
  wake: () => void
}

let now = 0
let sleepers: Sleeper[] = []

/** Stands in for `setTimeout` of `node:timers/promises`: nothing passes but what `runVirtually` lets pass. */
export function virtualSleep(ms = 0, _value?: undefined, options: { signal?: AbortSignal } = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    const { signal } = options
    if (signal?.aborted) return reject(signal.reason as Error)
    const sleeper = { at: now + ms, wake: resolve }
    sleepers.push(sleeper)
    signal?.addEventListener('abort', () => {
      sleepers = sleepers.filter((other) => other !== sleeper)
      reject(signal.reason as Error)
    })
  })
}

export const virtualNow = () => now

/** Lets virtual time pass, from one sleeper to the next, until the work is done. */
export async function runVirtually<T>(work: () => Promise<T>): Promise<T> {
  now = 1_000_000
  sleepers = []
  const spy = vi.spyOn(performance, 'now').mockImplementation(virtualNow)
  onTestFinished(() => spy.mockRestore())
  let done = false
  const promise = work().finally(() => {
    done = true
  })
  promise.catch(() => {})
  while (!done) {
    await new Promise(setImmediate)
    if (done) break
    const [next] = sleepers.sort((a, b) => a.at - b.at)
    if (next === undefined) continue
    sleepers = sleepers.slice(1)
    now = Math.max(now, next.at)
    next.wake()
  }
  return promise
}

import { useEffect, useState } from 'preact/hooks'
import { toTook } from '../charts/times.ts'

/** When the value arrived that is still shown although the server is gone, by question; 0 where there is none. */
const outages = new Map<object, number>()
const listeners = new Set<() => void>()

/** Reports that the server did not answer a question, or, with undefined, that it did or that no page asks it. */
export function setOutage(question: object, shownAt: number | undefined): void {
  if (shownAt === undefined && !outages.has(question)) return
  if (shownAt === undefined) outages.delete(question)
  else outages.set(question, shownAt)
  for (const listener of listeners) listener()
}

/** Says that the server is gone, and how old the answers are that the page still shows. */
export function OutageBar() {
  const [, setCount] = useState(0)
  useEffect(() => {
    const listener = () => setCount((count) => count + 1)
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  }, [])
  if (outages.size === 0) return null
  const times = [...outages.values()].filter((shownAt) => shownAt > 0)
  return (
    <p class="banner bad" role="status">
      The server does not answer; trying again. {/* It changes with each attempt, which need not be read aloud. */}
      {times.length === 0 ? null : (
        <span aria-live="off">What is shown is {toTook(Date.now() - Math.min(...times))} old.</span>
      )}
    </p>
  )
}

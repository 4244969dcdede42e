import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type ServerProblem, toProblem } from './client.ts'
import { setOutage } from './outage.tsx'

export interface Asked<Value> {
  value: Value | undefined
  /** Why there is no newer value; a server that is gone is shown by the bar of the frame instead. */
  problem: ServerProblem | undefined
  /** A newer answer is on its way; the value is the one before. */
  isWaiting: boolean
  /** When the value arrived. */
  at: number
}

type Answer<Value> = Omit<Asked<Value>, 'isWaiting'> & { to: string }

const MIN_RETRY_MS = 1000
const MAX_RETRY_MS = 10_000

let version = 0
const listeners = new Set<() => void>()

/** Asks all questions on the page again, after something was changed. */
export function refresh(): void {
  version += 1
  for (const listener of listeners) listener()
}

/**
 * Asks whenever `key` changes, and keeps the last value until the next one arrives. A server that is gone or busy is
 * asked again until it answers.
 */
export function useAnswer<Value>(key: string, ask: (signal: AbortSignal) => Promise<Value>): Asked<Value> {
  const [answer, setAnswer] = useState<Answer<Value>>({ value: undefined, problem: undefined, at: 0, to: '' })
  const [count, setCount] = useState(version)
  const question = `${count} ${key}`
  const asked = useRef(ask)
  asked.current = ask
  const arrivedAt = useRef(0)
  useEffect(() => {
    const listener = () => setCount(version)
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
      setOutage(asked, undefined)
    }
  }, [])
  // An effect would begin a frame later.
  useLayoutEffect(() => {
    const aborter = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    let pause = MIN_RETRY_MS
    const run = () => {
      asked.current(aborter.signal).then(
        (value) => {
          if (aborter.signal.aborted) return
          arrivedAt.current = Date.now()
          setAnswer({ value, problem: undefined, at: arrivedAt.current, to: question })
          setOutage(asked, undefined)
        },
        (error: unknown) => {
          if (aborter.signal.aborted) return
          const problem = toProblem(error)
          const isGone = problem.status === 0
          setAnswer((before) => ({
            ...before,
            problem: isGone ? undefined : problem,
            // A page without any answer still waits for its first one.
            to: isGone && before.value === undefined ? before.to : question,
          }))
          setOutage(asked, isGone ? arrivedAt.current : undefined)
          if (!isGone && problem.status !== 429 && problem.status !== 503) return
          timer = setTimeout(run, problem.retryAfter === undefined ? pause : problem.retryAfter * 1000)
          pause = Math.min(MAX_RETRY_MS, pause * 2)
        },
      )
    }
    run()
    return () => {
      aborter.abort()
      clearTimeout(timer)
    }
  }, [question])
  return { ...answer, isWaiting: answer.to !== question }
}

/** A function that stays the same while its body changes, so that what it is given to need not be drawn again. */
export function useStable<Given extends unknown[]>(run: (...given: Given) => void): (...given: Given) => void {
  const current = useRef(run)
  current.current = run
  return useRef((...given: Given) => current.current(...given)).current
}

const CALM_MS = 250

/** A value once it has stayed the same for a moment, as while a user types. */
export function useCalm<Value>(value: Value): Value {
  const [calm, setCalm] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setCalm(value), CALM_MS)
    return () => clearTimeout(timer)
  }, [value])
  return calm
}

/** Calls `react` for keys pressed outside of fields and without modifiers; single keys can be turned off. */
export function useKeys(react: (key: string, event: KeyboardEvent) => boolean | undefined): void {
  const current = useRef(react)
  current.current = react
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
      const { target } = event
      if (target instanceof HTMLElement && target.closest('input, textarea, select, dialog') !== null) return
      if (event.key.length === 1 && areKeysOff()) return
      if (current.current(event.key, event) === true) event.preventDefault()
    }
    addEventListener('keydown', listener)
    return () => removeEventListener('keydown', listener)
  }, [])
}

const KEYS = 'assay.keys'
export const areKeysOff = (): boolean => localStorage.getItem(KEYS) === 'off'
export const switchKeys = (on: boolean): void => localStorage.setItem(KEYS, on ? 'on' : 'off')

import { createScanThread, type ScanThread, type ScanThreadOptions } from './scan-thread.ts'

/** How many scans run at once, and how many while each of the others has run for more than LONG_MS. */
const PLACES = 2
const MAX_PLACES = 3
const LONG_MS = 5_000
/** After this time, a scan lets a waiting one take its place, at its next batch. */
const SLICE_MS = 60_000
const CHECK_MS = 1_000

export interface ScanThreadsOptions extends Omit<ScanThreadOptions, 'onSettled'> {
  sliceMs?: number
}

interface Running {
  thread: ScanThread
  since: number
  /** It was asked to let another one take its place. */
  isYielding: boolean
}

/**
 * Runs each scan in a thread of its own, so that one that blocks or exhausts its thread affects no other; imports and
 * operations have a further thread. A scan that takes long does not keep others waiting: after some time it continues
 * after them.
 */
export function createScanThreads({ sliceMs = SLICE_MS, ...options }: ScanThreadsOptions): ScanThread {
  const calls = createScanThread(options)
  const idle: ScanThread[] = []
  const running = new Map<string, Running>()
  const waiting: string[] = []
  let check: NodeJS.Timeout | undefined
  let closed = false

  const open = (): ScanThread => {
    const thread = createScanThread({ ...options, onSettled: (scanUid) => free(scanUid, thread) })
    return thread
  }

  const free = (scanUid: string, thread: ScanThread) => {
    const isYielding = running.get(scanUid)?.isYielding === true
    running.delete(scanUid)
    idle.push(thread)
    // One that is over ends at once when it is started again.
    if (isYielding) waiting.push(scanUid)
    fill()
  }

  const ageOf = ({ since }: Running) => performance.now() - since

  const hasPlace = () =>
    running.size < PLACES || (running.size < MAX_PLACES && [...running.values()].every((each) => ageOf(each) > LONG_MS))

  /** Starts waiting scans; asks for places for those that remain. */
  const fill = () => {
    while (!closed && waiting.length > 0 && hasPlace()) {
      const scanUid = waiting.shift() ?? ''
      const thread = idle.pop() ?? open()
      running.set(scanUid, { thread, since: performance.now(), isYielding: false })
      thread.start(scanUid)
    }
    const leaving = [...running.values()].filter(({ isYielding }) => isYielding).length
    const oldest = [...running].filter(([, each]) => !each.isYielding && ageOf(each) > sliceMs)
    for (const [scanUid, each] of oldest.slice(0, Math.max(0, waiting.length - leaving))) {
      each.isYielding = true
      each.thread.yield(scanUid)
    }
    clearInterval(check)
    if (waiting.length > 0 && !closed) check = setInterval(fill, CHECK_MS).unref()
  }

  return {
    start: (scanUid) => {
      if (closed || running.has(scanUid) || waiting.includes(scanUid)) return
      waiting.push(scanUid)
      fill()
    },
    cancel: (scanUid) => running.get(scanUid)?.thread.cancel(scanUid),
    yield: (scanUid) => running.get(scanUid)?.thread.yield(scanUid),
    importFindings: calls.importFindings,
    run: calls.run,
    close: async () => {
      closed = true
      clearInterval(check)
      waiting.length = 0
      const threads = [calls, ...idle, ...[...running.values()].map(({ thread }) => thread)]
      await Promise.all(threads.map((thread) => thread.close()))
    },
  }
}

import process from 'node:process'
import { getEnvironmentData, isMainThread, setEnvironmentData, type Worker } from 'node:worker_threads'

// A thread that loads a native module while it is terminated, or begins to afterwards, aborts the process: the module
// cannot call scripts any more. So loading and terminating exclude each other by a lock that all threads share, and a
// thread loads nothing once it, or a thread that started it, is to end.

const NAME = 'native-load'
const FREE = 0
const TAKEN = 1
const ENDED = 1
/** A thread that runs out of memory while it loads leaves the lock taken. */
const LONGEST_LOAD_MS = 2000

interface Shared {
  lock: Int32Array
  /** Of the process, and of each thread down to this one. */
  ends: readonly Int32Array[]
}

const shareNumber = () => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))

const shared = (getEnvironmentData(NAME) as Shared | undefined) ?? { lock: shareNumber(), ends: [shareNumber()] }
const { lock, ends } = shared
setEnvironmentData(NAME, shared)

function withLock<Result>(run: () => Result): Result {
  const until = Date.now() + LONGEST_LOAD_MS
  while (Atomics.compareExchange(lock, 0, FREE, TAKEN) === TAKEN && Date.now() < until) {
    Atomics.wait(lock, 0, TAKEN, LONGEST_LOAD_MS)
  }
  try {
    return run()
  } finally {
    Atomics.store(lock, 0, FREE)
    Atomics.notify(lock, 0)
  }
}

/** @throws Error if this thread is being terminated */
export const loadNative = <Result>(load: () => Result): Result =>
  withLock(() => {
    if (ends.some((end) => Atomics.load(end, 0) === ENDED)) throw new Error('the thread is being terminated')
    return load()
  })

/** Starts a thread that may load native modules, and can be terminated at any moment. */
export function startThread(start: () => Worker): { worker: Worker; terminate: () => Promise<unknown> } {
  const end = shareNumber()
  setEnvironmentData(NAME, { lock, ends: [...ends, end] })
  const worker = start()
  setEnvironmentData(NAME, shared)
  const terminate = () =>
    withLock(() => {
      Atomics.store(end, 0, ENDED)
      return worker.terminate()
    })
  return { worker, terminate }
}

// The end of the process terminates all threads.
if (isMainThread) process.once('exit', () => withLock(() => ends.map((end) => Atomics.store(end, 0, ENDED))))

import type { ChildProcess } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'

// Watches how the processes and threads end that tests start; the next test would not notice that one has crashed.

const MAX_TAIL = 2_000
const MAX_WAIT_MS = 10_000
/** Exit codes of Node.js for its own failures; those above 128 are signals, as a shell reports them. */
const FATAL_CODES = [5, 6, 7]
/** What the log says of a thread that failed, also in another process. */
const LOST_THREAD = '"event":"thread_lost"'

const faults: string[] = []
const running = new Set<ChildProcess>()
/** The signals that tests have sent. */
const sent = new WeakMap<ChildProcess, Set<unknown>>()

/** Copies what arrives, without reading it in place of the test. */
function keepTail(stream: Readable | null): () => string {
  let tail = ''
  if (stream !== null) {
    const push = stream.push.bind(stream)
    stream.push = (chunk: unknown, encoding) => {
      if (chunk !== null) tail = (tail + String(chunk)).slice(-MAX_TAIL)
      return push(chunk, encoding)
    }
  }
  return () => tail
}

function watchProcess(child: ChildProcess): void {
  const own = new Set<unknown>()
  sent.set(child, own)
  const kill = child.kill.bind(child)
  child.kill = (name = 'SIGTERM') => {
    own.add(name)
    return kill(name)
  }
  child.once('spawn', () => {
    const tail = keepTail(child.stderr)
    running.add(child)
    child.once('exit', () => running.delete(child))
    child.once('close', (code: number | null, signal: NodeJS.Signals | null) => {
      const isBad = signal === null ? FATAL_CODES.includes(code ?? 0) || (code ?? 0) > 128 : !own.has(signal)
      if (!isBad && !tail().includes(LOST_THREAD)) return
      faults.push(`${child.spawnargs.join(' ').slice(0, 300)} ended with ${signal ?? code}: ${tail()}`)
    })
  })
}

function watchThread(worker: Worker): void {
  let isAsked = false
  let failure: unknown
  const terminate = worker.terminate.bind(worker)
  worker.terminate = () => {
    isAsked = true
    return terminate()
  }
  // In place of a listener, which would keep the failure from the test.
  const emit = worker.emit.bind(worker)
  worker.emit = (event: string | symbol, ...values: unknown[]) => {
    if (event === 'error') failure = values[0]
    return emit(event as 'error', ...(values as [Error]))
  }
  worker.once('exit', (code) => {
    if (code !== 0 && !isAsked) faults.push(`a thread ended with ${code}: ${failure ?? ''}`)
  })
}

subscribe('child_process', (message) => watchProcess((message as { process: ChildProcess }).process))
subscribe('worker_threads', (message) => watchThread((message as { worker: Worker }).worker))

/** Announces a SIGKILL to a process that is sent by another means than its `kill`. */
export const expectKill = (child: ChildProcess): unknown => sent.get(child)?.add('SIGKILL')

/** How processes and threads have ended that should not have; a test that makes one crash takes this itself. */
export const takeFaults = (): string[] => faults.splice(0)

/** Waits for processes that tests have sent a signal to. */
export async function untilEnded(): Promise<void> {
  const asked = [...running].filter((child) => child.killed)
  await Promise.race([
    Promise.all(asked.map((child) => once(child, 'close'))),
    sleep(MAX_WAIT_MS, undefined, { ref: false }),
  ])
}

import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { createUpstreamTally, type UpstreamCounts } from '../connectors/http/upstream.ts'
import { toLoggedText } from '../detectors/safe-text.ts'
import { type ImportFormat, importFindings } from '../imports/imports.ts'
import { AppError, type ErrorReport, toErrorReport } from '../kernel/errors.ts'
import type { Caller, Scope } from '../operation/context.ts'
import { createLog, type LogLevel } from '../runtime/log.ts'
import { lowerThreadPriority } from '../runtime/thread-priority.ts'
import { openVault } from '../store/keys/vault-file.ts'
import { Store } from '../store/store.ts'
import { scanThreadOperations } from './scan-operations.ts'
import { createScanRunner } from './scan-runner.ts'

/** The worker data of the scan thread. */
export interface ScanThreadSettings {
  home: string
  /** The environment variables for a key that is not in the data folder. */
  keys: Readonly<Record<string, string | undefined>>
  logLevel: LogLevel
  /** How other threads and processes identify this one. */
  owner: string
  processMark: string
}

/** Messages to the scan thread. */
export type ScanThreadRequest =
  | { kind: 'start'; scanUid: string }
  | { kind: 'cancel'; scanUid: string }
  | { kind: 'import'; id: number; stream: ReadableStream<Uint8Array>; request: ImportRequest; caller: { name: string } }
  | { kind: 'call'; id: number; operation: string; input: object; caller: SentCaller }
  | { kind: 'abort'; id: number }
  | { kind: 'stop' }

/** A caller in serializable form. */
type SentCaller = Omit<Caller, 'scopes'> & { scopes: Scope[] }

export interface ImportRequest {
  source: string
  format: ImportFormat
}

/** Messages from the scan thread; `stopped` is the last one. */
export type ScanThreadReply =
  | { kind: 'log'; line: string }
  | { kind: 'upstream'; counts: UpstreamCounts }
  | { kind: 'settled'; scanUid: string }
  | { kind: 'done'; id: number; result: unknown }
  | { kind: 'refused'; id: number; error: ErrorReport }
  | { kind: 'stopped' }

const MEGABYTE = 1024 * 1024
const REPORT_INTERVAL_MS = 1_000
lowerThreadPriority()
const { home, keys, logLevel, owner } = workerData as ScanThreadSettings
const report = (message: ScanThreadReply) => parentPort?.postMessage(message)
const now = () => Date.now()
const log = createLog({ level: logLevel, write: (line) => report({ kind: 'log', line }), now, hide: toLoggedText })
const store = Store.open(join(home, 'assay.db'), {
  now,
  // A scan reads each page once: a large cache would only grow with the size of the tenant.
  readCacheBytes: 8 * MEGABYTE,
  writeCacheBytes: 16 * MEGABYTE,
  // The thread that started this one has already checked the location of the folder.
  networkFolder: true,
  mustExist: true,
})
const vault = openVault({ store, home, env: keys, now })
const closing = new AbortController()
const upstream = createUpstreamTally()
const scans = createScanRunner({
  store,
  vault,
  log,
  now,
  signal: closing.signal,
  owner: { name: owner, release: () => {} },
  upstream,
})
const tasks = new Map<number, { stop: AbortController; done: Promise<void> }>()

function tellUpstream(): void {
  const counts = upstream.take()
  if (counts !== undefined) report({ kind: 'upstream', counts })
}
setInterval(tellUpstream, REPORT_INTERVAL_MS).unref()

function start(scanUid: string): void {
  scans.start(scanUid)
  void scans.settled(scanUid).then(() => {
    tellUpstream()
    report({ kind: 'settled', scanUid })
  })
}

type Task = Extract<ScanThreadRequest, { kind: 'import' | 'call' }>

function work(task: Task, signal: AbortSignal): Promise<unknown> | unknown {
  if (task.kind === 'import') {
    return importFindings(task.stream, task.request, { store, vault, log, now, signal, caller: task.caller })
  }
  const operation = scanThreadOperations.find(({ name }) => name === task.operation)
  if (operation === undefined) throw new RangeError(`there is no operation ${task.operation} in this thread`)
  const caller = { ...task.caller, scopes: new Set(task.caller.scopes) }
  const read: Store['read'] = (read) => store.read(read)
  const progress = () => {}
  return operation.run(task.input as never, { read, store, vault, log, now, signal, caller, progress, scans })
}

async function runTask(task: Task, signal: AbortSignal) {
  const { id } = task
  try {
    report({ kind: 'done', id, result: await work(task, signal) })
  } catch (error) {
    if (!(error instanceof AppError)) log.error('what a thread was told to do failed', { kind: task.kind, error })
    report({ kind: 'refused', id, error: error instanceof AppError ? toErrorReport(error) : unexplained })
  } finally {
    tasks.delete(id)
  }
}

const unexplained: ErrorReport = { code: 'internal', message: 'It failed; see the log.', facts: {} }

async function stop(): Promise<void> {
  closing.abort()
  for (const { stop } of tasks.values()) stop.abort()
  await Promise.allSettled([...tasks.values()].map(({ done }) => done))
  await scans.close()
  tellUpstream()
  store.close()
  report({ kind: 'stopped' })
}

parentPort?.on('message', (order: ScanThreadRequest) => {
  if (order.kind === 'start') start(order.scanUid)
  else if (order.kind === 'cancel') scans.cancel(order.scanUid)
  else if (order.kind === 'abort') tasks.get(order.id)?.stop.abort()
  else if (order.kind === 'stop') void stop()
  else {
    const stop = new AbortController()
    tasks.set(order.id, { stop, done: runTask(order, AbortSignal.any([stop.signal, closing.signal])) })
  }
})

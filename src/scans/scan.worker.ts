import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { createUpstreamTally, type UpstreamCounts } from '../connectors/upstream.ts'
import { AppError, type ErrorReport, toErrorReport } from '../kernel/errors.ts'
import { createLog, type LogLevel } from '../kernel/log.ts'
import { goBehindAnswers } from '../kernel/thread-priority.ts'
import { Store } from '../store/store.ts'
import { openVault } from '../store/vault-file.ts'
import { type ImportFormat, type ImportResult, importFindings } from './imports.ts'
import { createScanRunner } from './runner.ts'

/** What the thread is started with. */
export interface ThreadSettings {
  home: string
  /** Where the key is found, when it is not in the data folder. */
  keys: Readonly<Record<string, string | undefined>>
  logLevel: LogLevel
  /** As other threads and processes see this one. */
  owner: string
  processMark: string
}

/** What the thread is told. */
export type Order =
  | { kind: 'start'; scanUid: string }
  | { kind: 'cancel'; scanUid: string }
  | { kind: 'import'; id: number; stream: ReadableStream<Uint8Array>; request: ImportRequest; caller: { name: string } }
  | { kind: 'abort'; id: number }
  | { kind: 'stop' }

export interface ImportRequest {
  source: string
  format: ImportFormat
}

/** What the thread tells; `stopped` is its last word. */
export type Report =
  | { kind: 'log'; line: string }
  | { kind: 'upstream'; counts: UpstreamCounts }
  | { kind: 'settled'; scanUid: string }
  | { kind: 'imported'; id: number; result: ImportResult }
  | { kind: 'refused'; id: number; error: ErrorReport }
  | { kind: 'stopped' }

const MEGABYTE = 1024 * 1024
const TELL_EVERY_MS = 1_000
goBehindAnswers()
const { home, keys, logLevel, owner } = workerData as ThreadSettings
const report = (message: Report) => parentPort?.postMessage(message)
const now = () => Date.now()
const log = createLog({ level: logLevel, write: (line) => report({ kind: 'log', line }), now })
const store = Store.open(join(home, 'assay.db'), {
  now,
  // A scan comes by each page once: a large cache would only grow with the tenant.
  readCacheBytes: 8 * MEGABYTE,
  writeCacheBytes: 16 * MEGABYTE,
  // Whoever started the thread has looked at the place of the folder.
  networkFolder: true,
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
const imports = new Map<number, { stop: AbortController; done: Promise<void> }>()

function tellUpstream(): void {
  const counts = upstream.take()
  if (counts !== undefined) report({ kind: 'upstream', counts })
}
setInterval(tellUpstream, TELL_EVERY_MS).unref()

function start(scanUid: string): void {
  scans.start(scanUid)
  void scans.settled(scanUid).then(() => {
    tellUpstream()
    report({ kind: 'settled', scanUid })
  })
}

async function runImport({ id, stream, request, caller }: Extract<Order, { kind: 'import' }>, signal: AbortSignal) {
  try {
    const result = await importFindings(stream, request, { store, vault, log, now, signal, caller })
    report({ kind: 'imported', id, result })
  } catch (error) {
    if (!(error instanceof AppError)) log.error('an import failed', { error })
    report({ kind: 'refused', id, error: error instanceof AppError ? toErrorReport(error) : unexplained })
  } finally {
    imports.delete(id)
  }
}

const unexplained: ErrorReport = { code: 'internal', message: 'The import failed; see the log.', facts: {} }

async function stop(): Promise<void> {
  closing.abort()
  for (const { stop } of imports.values()) stop.abort()
  await Promise.allSettled([...imports.values()].map(({ done }) => done))
  await scans.close()
  tellUpstream()
  store.close()
  report({ kind: 'stopped' })
}

parentPort?.on('message', (order: Order) => {
  if (order.kind === 'start') start(order.scanUid)
  else if (order.kind === 'cancel') scans.cancel(order.scanUid)
  else if (order.kind === 'abort') imports.get(order.id)?.stop.abort()
  else if (order.kind === 'stop') void stop()
  else {
    const stop = new AbortController()
    imports.set(order.id, { stop, done: runImport(order, AbortSignal.any([stop.signal, closing.signal])) })
  }
})

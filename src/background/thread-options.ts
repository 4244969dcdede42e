import type { WorkerOptions } from 'node:worker_threads'
import { getProxySettings, type ProxySettings } from '../connectors/http/proxy.ts'
import type { Log, LogLevel } from '../runtime/log.ts'
import type { SharedConnections, Store } from '../store/store.ts'
import type { StorePlace } from '../store/store-place.ts'

/** Limit of the young generation of the heap of a thread whose calls are short; by default it may grow to 48 MB. */
export const YOUNG_MEGABYTES = 12

/** What a thread on an opened data folder needs. */
export interface ThreadOptions {
  store: Store
  home: string
  /** The environment variables that may contain the key of the data folder. */
  env: Readonly<Record<string, string | undefined>>
  log: Log
  logLevel: LogLevel
  /** Receives the log lines of the thread. */
  writeLine: (line: string) => void
  /** The worker script, replaced in tests. */
  script?: URL | undefined
}

/** The same as worker data. */
export interface ThreadSettings {
  home: string
  place: StorePlace
  /** Only on a server of databases; for one thread. */
  connections: SharedConnections | undefined
  /** The environment variables for a key that is not in the data folder. */
  keys: Readonly<Record<string, string | undefined>>
  logLevel: LogLevel
  proxy: ProxySettings
}

export function toThreadSettings({ store, home, env, logLevel }: ThreadOptions): ThreadSettings {
  const { ASSAY_KEY, ASSAY_KEY_FILE } = env
  const [connections, keys] = [store.server?.shareConnections(), { ASSAY_KEY, ASSAY_KEY_FILE }]
  return { home, place: store.place, connections, keys, logLevel, proxy: getProxySettings() }
}

/** Options of a worker with this worker data. */
export const toWorkerOptions = (workerData: ThreadSettings): WorkerOptions => ({
  workerData,
  transferList: workerData.connections === undefined ? [] : [workerData.connections.port],
  stdout: true,
})

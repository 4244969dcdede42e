import { getProxySettings, type ProxySettings } from '../connectors/http/proxy.ts'
import type { Log, LogLevel } from '../runtime/log.ts'
import type { Store } from '../store/store.ts'
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
  /** The environment variables for a key that is not in the data folder. */
  keys: Readonly<Record<string, string | undefined>>
  logLevel: LogLevel
  proxy: ProxySettings
}

export function toThreadSettings({ store, home, env, logLevel }: ThreadOptions): ThreadSettings {
  const { ASSAY_KEY, ASSAY_KEY_FILE } = env
  return { home, place: store.place, keys: { ASSAY_KEY, ASSAY_KEY_FILE }, logLevel, proxy: getProxySettings() }
}

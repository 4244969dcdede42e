import { useProxies } from '../connectors/http/proxy.ts'
import { toLoggedText } from '../detectors/safe-text.ts'
import { createLog, type Log } from '../runtime/log.ts'
import { openStore } from '../store/open-store.ts'
import type { Store } from '../store/store.ts'
import type { ThreadSettings } from './thread-options.ts'

interface OpenedThread {
  now: () => number
  log: Log
  store: Store
}

/** Opens what a thread works with, by its worker data; `write` passes its log lines on. */
export async function openThread(
  { place, connections, logLevel, proxy }: ThreadSettings,
  write: (line: string) => void,
): Promise<OpenedThread> {
  useProxies(proxy)
  const now = () => Date.now()
  const log = createLog({ level: logLevel, write, now, hide: toLoggedText })
  // The thread that started this one has already checked the location of the folder.
  const store = await openStore(place, { now, networkFolder: true, mustExist: true, connections })
  return { now, log, store }
}

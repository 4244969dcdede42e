import { mkdirSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { operations } from './catalogue.ts'
import type { Config } from './config.ts'
import { createLog, type Log } from './kernel/log.ts'
import { type Caller, type Progress, scopes, type WriteContext } from './operation/context.ts'
import type { Operation } from './operation/operation.ts'
import { startLoop } from './scans/loop.ts'
import { createScanThread, type ScanThread } from './scans/thread.ts'
import { Store } from './store/store.ts'
import type { Vault } from './store/vault.ts'
import { openVault } from './store/vault-file.ts'

/** An opened data folder with everything that works on it. */
export interface OpenedApp {
  config: Config
  operations: readonly Operation[]
  store: Store
  vault: Vault
  log: Log
  /** The person at this machine. */
  caller: Caller
  /** Takes in a file of findings away from this thread. */
  importFindings: ScanThread['importFindings']
  contextFor(options: { caller: Caller; signal: AbortSignal; progress?: (progress: Progress) => void }): WriteContext
  /** Runs due scans in this process whenever no other process does. */
  startBackground(): void
  close(): Promise<void>
}

/** The only place that builds things. @throws AppError `unavailable` when the data folder cannot be used. */
export async function openApp(config: Config, env: NodeJS.ProcessEnv): Promise<OpenedApp> {
  const now = () => Date.now()
  const { home, logLevel } = config
  const writeLine = (line: string) => process.stderr.write(line)
  const log = createLog({ level: logLevel, write: writeLine, now })
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const store = Store.open(join(home, 'assay.db'), { now })
  const vault = openVault({ store, home, env, now })
  const closing = new AbortController()
  const scans = createScanThread({ store, home, env, log, logLevel, writeLine, now })
  let loop: { stop(): Promise<void> } | undefined
  return {
    config,
    operations: config.readOnly ? operations.filter(({ effect }) => effect === 'read') : operations,
    store,
    vault,
    log,
    caller: { name: localName(), via: 'cli', scopes: new Set(scopes) },
    importFindings: scans.importFindings,
    contextFor: ({ caller, signal, progress }) => ({
      read: (work) => store.read(work),
      now,
      caller,
      signal: AbortSignal.any([signal, closing.signal]),
      log,
      progress: progress ?? (() => {}),
      vault,
      store,
      scans,
    }),
    startBackground: () => {
      loop ??= startLoop({ store, scans, log, now, signal: closing.signal })
    },
    close: async () => {
      closing.abort()
      await loop?.stop()
      await scans.close()
      store.close()
    },
  }
}

function localName(): string {
  try {
    return userInfo().username
  } catch {
    return 'local'
  }
}

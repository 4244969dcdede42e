import { join } from 'node:path'
import { chainMigratedEntries } from '../audit/audit-chain.store.ts'
import type { Config } from '../config.ts'
import { useProxies } from '../connectors/http/proxy.ts'
import { AppError } from '../kernel/errors.ts'
import { type Caller, scopes } from '../operation/context.ts'
import { localName } from '../runtime/local-name.ts'
import { createLog, deferLog, type Log } from '../runtime/log.ts'
import { openLogFile } from '../runtime/log-file.ts'
import { toReadableLine } from '../runtime/log-line.ts'
import { makeFolder } from '../runtime/make-folder.ts'
import { sealDefinitions } from '../store/digests.store.ts'
import { type KeyedVault, openVault } from '../store/keys/vault-file.ts'
import { openStore } from '../store/open-store.ts'
import { requireOwnFolder } from '../store/own-folder.ts'
import { describeFolderLocation } from '../store/place.ts'
import type { SchemaUpgrade, Store } from '../store/store.ts'
import { toStorePlace } from '../store/store-place.ts'

/** An opened data folder: its persistent state, without any services running on it. */
export interface Folder {
  config: Config
  store: Store
  vault: KeyedVault
  log: Log
  /** Writes the log lines of this and other threads. */
  writeLine: (line: string) => void
  /** The local user. */
  caller: Caller
  now: () => number
  env: NodeJS.ProcessEnv
  close(): void
}

/** For a database on a server; one in the data folder is created and upgraded by every command. */
export interface OpenOptions {
  /** It must have been prepared before. */
  mustExist?: boolean | undefined
  /** An older schema is upgraded. */
  mayUpgrade?: boolean | undefined
}

/**
 * @throws AppError `unavailable` when the data folder or its database cannot be used, or others may write to it
 */
export async function openFolder(
  config: Config,
  env: NodeJS.ProcessEnv,
  { mustExist = false, mayUpgrade = false }: OpenOptions = {},
): Promise<Folder> {
  const now = () => Date.now()
  const place = toStorePlace(config.home, env)
  useProxies(config.proxy)
  makeDataFolder(config.home)
  requireOwnFolder(config.home)
  const logFile = config.logFile ? openLogFile({ folder: join(config.home, 'logs') }) : undefined
  const isTerminal = process.stderr.isTTY === true
  const writeLine = (line: string) => {
    process.stderr.write(isTerminal ? toReadableLine(line) : line)
    logFile?.write(line)
  }
  const lines = { level: config.logLevel, write: writeLine, now }
  const log = deferLog(lines, async () => {
    const { toLoggedText } = await import('../detectors/safe-text.ts')
    return createLog({ ...lines, hide: toLoggedText })
  })
  const { networkFolder } = config
  // A database file that is missing is reported before.
  const store = await openStore(place, {
    ...{ now, networkFolder },
    ...(place.kind === 'file' ? {} : { mustExist }),
    ...(mayUpgrade ? { onUpgrade: (upgrade) => logUpgrade(log, upgrade) } : {}),
  })
  const close = () => {
    store.close()
    log.flush()
    logFile?.close()
  }
  try {
    if (mayUpgrade) {
      // Loaded late, because an assistant waits for its first list of tools.
      const { recordSchema } = await import('../audit/maintenance.ts')
      recordSchema(store, now())
    }
    return { ...openVaultAndCaller(config, env, { store, log, now }), store, log, writeLine, now, env, close }
  } catch (error) {
    close()
    throw error
  }
}

function logUpgrade(log: Log, { from, to, others }: SchemaUpgrade): void {
  log.info('the schema of the database was upgraded', { from, to })
  if (others === 0) return
  log.warn('processes of an earlier version of Assay are refused from now on; replace them', { connections: others })
}

/** The startup steps that need the open database: seals the definitions and the audit trail, and opens the vault. */
function openVaultAndCaller(
  config: Config,
  env: NodeJS.ProcessEnv,
  { store, log, now }: Pick<Folder, 'store' | 'log' | 'now'>,
): Pick<Folder, 'config' | 'vault' | 'caller'> {
  sealDefinitions(store)
  chainMigratedEntries(store)
  const { sync } = describeFolderLocation(config.home)
  if (sync !== undefined) {
    log.warn('the data folder is in a synchronised folder, which can damage the database', { sync })
  }
  const vault = openVault({ store, home: config.home, env, now })
  const caller: Caller = { name: localName(), via: 'cli', scopes: new Set(scopes) }
  return { config, vault, caller }
}

function makeDataFolder(home: string): void {
  try {
    makeFolder(home, 0o700)
  } catch (cause) {
    const text = 'The data folder cannot be created; name a writable one with --home or ASSAY_HOME.'
    throw new AppError('unavailable', text, { reason: 'not_writable', cause })
  }
}

import { startBackground } from './background/background.ts'
import { createLookupThread } from './background/lookup-thread.ts'
import type { Lookups } from './background/lookups.ts'
import type { Loop } from './background/loop.ts'
import { createLoopThread } from './background/loop-thread.ts'
import { createQueryThread, type QueryThread } from './background/query-thread.ts'
import type { ScanThread } from './background/scan-thread.ts'
import { createScanThreads } from './background/scan-threads.ts'
import { createSharedAnswers, type SharedAnswers } from './background/shared-answers.ts'
import { listOfferedOperations } from './catalogue.ts'
import { type Folder, type OpenOptions, openFolder } from './commands/data-folder.ts'
import { createOperationThreads, type OperationThreads } from './commands/operation-threads.ts'
import type { Config } from './config.ts'
import { createUpstreamTally, type UpstreamTally } from './connectors/http/upstream.ts'
import type { Caller, Progress, WriteContext } from './operation/context.ts'
import type { Operation } from './operation/operation.ts'
import type { Log } from './runtime/log.ts'
import type { KeyedVault } from './store/keys/vault-file.ts'
import type { Store } from './store/store.ts'
import type { ReadElsewhere } from './watches/operations.ts'
import { followWatches } from './watches/revisions.ts'

/** An opened data folder and everything that works on it. */
export interface OpenedApp {
  config: Config
  operations: readonly Operation[]
  store: Store
  vault: KeyedVault
  log: Log
  /** What a server reads and records itself. */
  openLookups(): Promise<Lookups>
  /** Counts of the requests of scans to tenants, since they were last taken. */
  upstream: UpstreamTally
  /** The user of this machine. */
  caller: Caller
  /** Imports a file of findings on the scan thread. */
  importFindings: ScanThread['importFindings']
  contextFor(options: { caller: Caller; signal: AbortSignal; progress?: (progress: Progress) => void }): WriteContext
  /** Starts the threads that answer: queries over many findings, and on a server of databases all operations. */
  startAnswering(): void
  /** Whether the queries over many findings are answered by another process. */
  isAnsweredElsewhere(): boolean
  /** Runs due scans in this process whenever no other process does. */
  startBackground(): void
  /** Calls `listener` soon after watches or their states changed, in any process. */
  followWatches(listener: () => void): void
  close(): Promise<void>
}

/** @throws AppError `unavailable` when the data folder cannot be used. */
export async function openApp(config: Config, env: NodeJS.ProcessEnv, options?: OpenOptions): Promise<OpenedApp> {
  return createApp(await openFolder(config, env, options))
}

/** Composition root: the only place that builds the parts of the application. */
export function createApp(folder: Folder): OpenedApp {
  const { config, store, vault, log, writeLine, now, env } = folder
  const { home, logLevel } = config
  const closing = new AbortController()
  const upstream = createUpstreamTally()
  const threads = { store, home, env, log, logLevel, writeLine }
  let shared: SharedAnswers | undefined
  let answers: QueryThread | undefined
  let running: OperationThreads | undefined
  let loop: Loop | undefined
  const ownLookups = store.files === undefined ? createLookupThread({ ...threads, vault }) : undefined
  const scans = createScanThreads({
    ...{ ...threads, now, upstream },
    ...(ownLookups === undefined ? {} : { ending: ownLookups }),
  })
  let lookups: Promise<Lookups> | undefined
  // Commands that end at once do not load what only servers need.
  const openLookups = () => {
    lookups ??= (async () => {
      if (ownLookups !== undefined) return ownLookups
      const { createLookups } = await import('./background/lookups.ts')
      return createLookups({ store, vault, log, now })
    })()
    return lookups
  }
  return {
    config,
    operations: listOfferedOperations(config.readOnly),
    store,
    vault,
    log,
    openLookups,
    upstream,
    caller: folder.caller,
    importFindings: scans.importFindings,
    contextFor: (about) => ({
      read: (work) => store.read(work),
      now,
      caller: about.caller,
      // Combining signals costs more than most answers, so it is done only when `signal` is read.
      get signal() {
        return AbortSignal.any([about.signal, closing.signal])
      },
      log,
      progress: about.progress ?? (() => {}),
      vault,
      // At the end the thread cancels its calls itself, so no signals have to be combined.
      runOnQueryThread: (operation, input, { caller, coerced }) =>
        answers?.answer(operation, input, { caller, coerced, signal: about.signal }),
      answerByCounts: (question) => shared?.answerByCounts(question),
      ...(running === undefined ? {} : toThreads(running, about.caller)),
      runOnScanThread: (operation, input, asking) =>
        answers?.isNeeded() === true ? scans.run(operation, input, asking) : undefined,
      ...(ownLookups === undefined ? {} : { listCodes: ownLookups.listCodes }),
      lockdown: config.lockdown,
      lockdownCodes: config.lockdownCodes,
      readOnly: config.readOnly,
      store,
      waitForWriteLock: () => store.waitForWriteLock(),
      webhookHosts: config.webhookHosts,
      scans,
    }),
    startAnswering: () => {
      if (answers !== undefined) return
      if (ownLookups === undefined) answers = shared = createSharedAnswers({ ...threads, vault })
      else {
        const { lockdown, lockdownCodes, readOnly, webhookHosts } = config
        const settings = { lockdown, lockdownCodes, readOnly, webhookHosts }
        answers = createQueryThread({ ...threads, count: ownLookups.countFindings })
        running = createOperationThreads({ ...threads, settings, scans })
      }
    },
    isAnsweredElsewhere: () => shared?.isElsewhere() === true,
    startBackground: () => {
      const { signal } = closing
      const { lockdown, lockdownCodes, publicUrl, webhookHosts } = config
      const settings = { lockdown, lockdownCodes, publicUrl, webhookHosts }
      const answer: ReadElsewhere = (operation, input) =>
        answers?.answer(operation, input, { caller: folder.caller, signal })
      loop ??=
        store.files === undefined
          ? createLoopThread({ ...threads, settings, scans, answer })
          : startBackground({ store, vault, log, now, signal, settings, scans, answer })
    },
    followWatches: (listener) =>
      followWatches(
        { readRevision: async () => (await openLookups()).readWatchRevision(), log, signal: closing.signal },
        listener,
      ),
    close: async () => {
      closing.abort()
      await Promise.all([loop?.stop(), answers?.close(), running?.close()])
      await scans.close()
      await ownLookups?.close()
      folder.close()
    },
  }
}

/** The hooks by which operations run on other threads. */
const toThreads = (
  threads: OperationThreads,
  caller: Caller,
): Pick<WriteContext, 'runOnOperationThread' | 'writeOnOperationThread'> => ({
  runOnOperationThread: threads.run,
  writeOnOperationThread: (operation, format, raw) => threads.write(operation, format, raw, caller),
})

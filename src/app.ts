import { startBackground } from './background/background.ts'
import type { Lookups } from './background/lookups.ts'
import type { Loop } from './background/loop.ts'
import { createQueryThread, type QueryThread } from './background/query-thread.ts'
import type { ScanThread } from './background/scan-thread.ts'
import { createScanThreads } from './background/scan-threads.ts'
import { createServedAnswers, type ServedAnswers } from './background/served-answers.ts'
import { listOfferedOperations } from './catalogue.ts'
import { type Folder, type OpenOptions, openFolder } from './commands/data-folder.ts'
import { createDatabaseThreads, type DatabaseThreads } from './commands/database-threads.ts'
import { createLoopThread } from './commands/loop-thread.ts'
import type { Config } from './config.ts'
import { createUpstreamTally, type UpstreamTally } from './connectors/http/upstream.ts'
import type { QuestionOptions } from './http/questions.ts'
import type { Caller, Progress, WriteContext } from './operation/context.ts'
import type { Operation } from './operation/operation.ts'
import type { Log } from './runtime/log.ts'
import { LOCK_TIMEOUT_MS } from './store/connection.ts'
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
  /**
   * Starts the threads that answer: queries over many findings, and on a server of databases all operations.
   * `asksServer`: a server on the data folder is asked instead while there is one.
   */
  startAnswering(options?: { asksServer?: boolean }): void
  /** Answers a question that another process on the data folder has checked. */
  answerQuestion: QuestionOptions['answer']
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
  let served: ServedAnswers | undefined
  let answers: QueryThread | undefined
  let isAnswering = false
  let loop: Loop | undefined
  const { lockdown, lockdownCodes, readOnly, webhookHosts, oidc } = config
  const fourEyes = !config.fourEyes ? 'never' : oidc === undefined ? 'withTokens' : 'always'
  const database =
    store.files === undefined
      ? createDatabaseThreads({
          ...{ ...threads, vault, settings: { lockdown, lockdownCodes, readOnly, webhookHosts, fourEyes } },
          scans: { start: (scanUid) => scans.start(scanUid), cancel: (scanUid) => scans.cancel(scanUid) },
        })
      : undefined
  const scans = createScanThreads({
    ...{ ...threads, now, upstream },
    ...(database === undefined ? {} : { ending: database.lookups }),
  })
  let lookups: Promise<Lookups> | undefined
  // Commands that end at once do not load what only servers need.
  const openLookups = () => {
    lookups ??= (async () => {
      if (database !== undefined) return database.lookups
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
      ...(database !== undefined && isAnswering ? toThreads(database, about.caller) : {}),
      // What reads a tenant takes long in any case, a change only where there are many findings.
      runOnScanThread: ({ name, effect }, input, asking) =>
        isAnswering && (effect === 'read' || answers?.isNeeded() === true) ? scans.run(name, input, asking) : undefined,
      ...(database === undefined ? {} : { listCodes: database.lookups.listCodes }),
      lockdown,
      lockdownCodes,
      readOnly,
      store,
      waitForWriteLock: () => store.waitForWriteLock({ limitMs: LOCK_TIMEOUT_MS }),
      webhookHosts,
      fourEyes,
      scans,
    }),
    startAnswering: ({ asksServer = false } = {}) => {
      if (isAnswering) return
      isAnswering = true
      if (asksServer && store.files !== undefined) served = createServedAnswers({ home, file: store.files.file, log })
      answers = createQueryThread({
        ...threads,
        ...(served === undefined ? {} : { served }),
        ...(database === undefined ? {} : { count: database.lookups.countFindings }),
      })
    },
    answerQuestion: ({ operation, input, ...asking }, signal) =>
      answers?.answer(operation, input, { ...asking, signal }),
    startBackground: () => {
      const { signal } = closing
      const settings = { lockdown, lockdownCodes, publicUrl: config.publicUrl, webhookHosts }
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
      await Promise.all([loop?.stop(), answers?.close()])
      await scans.close()
      await database?.close()
      folder.close()
    },
  }
}

/** The hooks by which operations run on other threads. */
const toThreads = (
  threads: DatabaseThreads,
  caller: Caller,
): Pick<WriteContext, 'runOnOperationThread' | 'writeOnOperationThread'> => ({
  runOnOperationThread: threads.run,
  writeOnOperationThread: (operation, format, raw) => threads.write(operation, format, raw, caller),
})

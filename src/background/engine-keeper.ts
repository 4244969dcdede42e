import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { Engine } from '../engine/columnar-index.ts'
import { addSomeWords } from '../engine/load.store.ts'
import { findLogPosition, type LogPosition } from '../engine/snapshot/snapshot.store.ts'
import { findSnapshot, saveSnapshot } from '../engine/snapshot/snapshot.ts'
import { countFindings, MIN_FINDINGS_FOR_INDEX } from '../findings/counts.store.ts'
import { hasAllIndexes } from '../findings/deferred-indexes.store.ts'
import { AppError } from '../kernel/errors.ts'
import { attachEngine, findEngine, followChanges } from '../query/engine/executor.ts'
import type { Log } from '../runtime/log.ts'
import { openWorker, type WorkerClient } from '../runtime/worker-rpc.ts'
import type { Store } from '../store/store.ts'
import type { EngineThreadProtocol, OpenedEngine } from './engine.worker.ts'
import { loadEngine } from './engine-loader.ts'
import type { ThreadSettings } from './thread-options.ts'

const SCRIPT = 'background/engine.worker'
/** How often the change log is polled while there is work, and while there is none. */
const BUSY_MS = 20
const CALM_MS = 250
const REBUILD_MS = 60_000
/** How long a question waits for a snapshot that is being read. */
const MAX_WAIT_MS = 3_000
/** A snapshot is refreshed when the change logs are further ahead of it than this. */
const MAX_BEHIND: LogPosition = { seq: 500, assetSeq: 5_000 }
/** At the end it is written when they are further ahead than this; reading fewer entries takes no noticeable time. */
const MAX_BEHIND_AT_END: LogPosition = { seq: 20, assetSeq: 200 }
/** The time between two attempts to refresh it, and after a failure. Processes do not try at the same time. */
const REFRESH_MS = 60_000
const RETRY_MS = 1_800_000
const END_MS = 700

export interface KeeperOptions {
  store: Store
  log: Log
  settings: ThreadSettings
  /** Receives the log lines of the thread that builds the engine. */
  writeLine: (line: string) => void
  minFindings?: number
  /** The script of that thread, replaced in tests. */
  script?: URL | undefined
}

export interface EngineKeeper {
  /** Resolves when there is nothing that a question should wait for: it is then answered by the engine, counts or SQL. */
  readonly ready: Promise<void>
  /**
   * Rebuilds the engine if needed; call it after every answer, which may have detached an engine that cannot be
   * updated.
   */
  rebuildIfNeeded(): void
  /** Ends the thread of the engine. */
  close(): void
  /** Writes the snapshot if it is outdated, unless that takes too long; nothing else may use the engine meanwhile. */
  saveAtEnd(): void
}

/**
 * Maintains an engine for the reader of a store. A thread of its own reads it from its snapshot or builds it from the
 * tables; here the change log is applied between questions. An engine is replaced when the log no longer reaches back
 * far enough. Meanwhile counts of combinations or SQL answer.
 */
export function keepEngine(options: KeeperOptions): EngineKeeper {
  const { store, log, settings, writeLine, minFindings = MIN_FINDINGS_FOR_INDEX, script = SCRIPT } = options
  const { home } = settings
  let thread: WorkerClient<EngineThreadProtocol> | undefined
  let working: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false
  let isFailing = false
  let saved: LogPosition | undefined
  let mayRefreshAt = Number.NEGATIVE_INFINITY
  let [builtAt, failedAt] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]
  const { promise: settled, resolve: setReady } = Promise.withResolvers<void>()
  const ready = Promise.race([settled, sleep(MAX_WAIT_MS, undefined, { ref: false })])

  /**
   * An engine with an incomplete history can still answer about the present, and one with an oversized history can
   * answer everything; both are rebuilt, but only `REBUILD_MS` after the last build.
   */
  const isPresent = () => {
    const engine = store.read(findEngine)
    if (engine === undefined) return false
    const { isComplete: isWhole, needsCompaction: isWorn } = engine.history
    return (isWhole && !isWorn) || performance.now() < builtAt + REBUILD_MS
  }

  /** Calls the thread of the engine, which lives for one call. */
  const callThread = async <Name extends keyof EngineThreadProtocol['calls']>(
    name: Name,
    input: EngineThreadProtocol['calls'][Name]['input'],
  ) => {
    const own = openWorker<EngineThreadProtocol>({
      script,
      settings: { workerData: settings, stdout: true },
      events: { log: writeLine, building: setReady },
      log,
    })
    thread = own
    try {
      return await own.call(name, input)
    } finally {
      thread = undefined
      void own.terminate()
    }
  }

  /**
   * Reads the snapshot in this thread, which is faster, unless that would delay answers: of the present engine, or by
   * many changes that have to be applied.
   */
  const load = async () => {
    const [found, present] = store.read((reader) => [findSnapshot(reader, home), findLogPosition(reader)])
    const isBuilt = found === undefined
    if (isBuilt || isBehind(found, present, MAX_BEHIND) || store.read(findEngine) !== undefined) {
      return openInThread(isBuilt)
    }
    return (await loadEngine({ store, home, log })) ?? openInThread(true)
  }

  const openInThread = async (isBuilt: boolean): Promise<{ engine: Engine; position: LogPosition | undefined }> => {
    if (isBuilt) setReady()
    const { image, saved } = await callThread('open', { isBuilt })
    const engine = Engine.restore(image)
    while (!closed && store.read((reader) => addSomeWords(reader, engine))) await nextTurn()
    return { engine, position: saved }
  }

  const open = async () => {
    try {
      const { engine, position } = await load()
      if (closed) return
      attach(engine)
      builtAt = performance.now()
      setSaved(position)
      log.info('the engine is ready', { findings: engine.count })
    } catch (error) {
      if (closed) return
      failedAt = performance.now()
      log.warn('the engine could not be built; SQL answers most queries', { error })
    } finally {
      setReady()
    }
  }

  const attach = (engine: Engine) => store.read((reader) => attachEngine(reader, engine))

  const setSaved = (position: OpenedEngine['saved']) => {
    saved = position
    mayRefreshAt = performance.now() + (position === undefined ? RETRY_MS : REFRESH_MS * (1 + Math.random()))
  }

  const refresh = async () => {
    try {
      setSaved(await callThread('refresh', undefined))
    } catch (error) {
      if (closed) return
      setSaved(undefined)
      log.warn('the snapshot of the engine could not be written', { error })
    }
  }

  const work = (run: () => Promise<void>) => {
    working = run().finally(() => {
      working = undefined
    })
  }

  const buildIfNeeded = () => {
    if (closed || working !== undefined) return
    if (isPresent()) {
      const engine = store.read(findEngine)
      if (performance.now() > mayRefreshAt && engine !== undefined && isBehind(saved, engine, MAX_BEHIND)) {
        work(refresh)
      }
      return
    }
    if (performance.now() < failedAt + REBUILD_MS) return
    // A large import recreates the indexes at its end; without them, the table cannot be read in pages efficiently.
    if (!store.read((reader) => countFindings(reader) >= minFindings && hasAllIndexes(reader))) return
    work(open)
  }

  /** A database that cannot be read does not end the process: each question reports the problem itself. */
  const attempt = (work: () => void) => {
    try {
      work()
      isFailing = false
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      if (!isFailing) log.warn('the engine could not be updated from the database', { error })
      isFailing = true
    }
  }

  const tick = () => {
    let worked = false
    attempt(() => {
      // One unit of work for each tick, which bounds the wait of a question that arrives meanwhile.
      worked = store.read(followChanges) || store.read(findEngine)?.runMaintenanceStep() === true
      buildIfNeeded()
    })
    if (!closed) timer = setTimeout(tick, worked ? BUSY_MS : CALM_MS)
  }
  tick()
  if (working === undefined) setReady()

  return {
    ready,
    rebuildIfNeeded: () => attempt(buildIfNeeded),
    close: () => {
      closed = true
      clearTimeout(timer)
      setReady()
      void thread?.terminate()
    },
    saveAtEnd: () => {
      const until = performance.now() + END_MS
      try {
        const [engine, found] = store.read((reader) => [findEngine(reader), findSnapshot(reader, home)])
        if (engine === undefined || !isSavable(engine, found)) return
        saveSnapshot({ store, home }, engine, () => performance.now() > until)
      } catch (error) {
        log.warn('the snapshot of the engine could not be written', { error })
      }
    },
  }
}

const isBehind = (saved: LogPosition | undefined, { seq, assetSeq }: LogPosition, most: LogPosition): boolean =>
  saved === undefined || seq - saved.seq > most.seq || assetSeq - saved.assetSeq > most.assetSeq

/** Whether the snapshot, which another process may have replaced meanwhile, is too old compared with an engine. */
const isSavable = (engine: Engine, saved: LogPosition | undefined): boolean =>
  engine.history.isComplete && !engine.history.needsCompaction && isBehind(saved, engine, MAX_BEHIND_AT_END)

import { join } from 'node:path'
import { workerData } from 'node:worker_threads'
import { toLoggedText } from '../detectors/safe-text.ts'
import type { Engine } from '../engine/columnar-index.ts'
import type { EngineImage } from '../engine/image.ts'
import { buildEngine, catchUp } from '../engine/load.store.ts'
import { findLogPosition, findSnapshot, type LogPosition } from '../engine/snapshot/snapshot.store.ts'
import { loadSnapshot, saveSnapshot } from '../engine/snapshot/snapshot.ts'
import { UnusableSnapshot } from '../engine/snapshot/snapshot-file.ts'
import { AppError } from '../kernel/errors.ts'
import { createLog } from '../runtime/log.ts'
import { openEvents, serveCalls, Transferred } from '../runtime/worker-rpc.ts'
import { type Reader, Store } from '../store/store.ts'
import type { ThreadSettings } from './thread-options.ts'

export interface OpenedEngine {
  image: EngineImage
  /** What the snapshot beside the database includes; undefined without one. */
  saved: LogPosition | undefined
}

export type EngineThreadProtocol = {
  calls: {
    /** An engine that is current with the database, from its snapshot or else from its tables. */
    open: { input: undefined; reply: OpenedEngine }
    /** Brings the snapshot up to date; undefined when that was not possible. */
    refresh: { input: undefined; reply: LogPosition | undefined }
  }
  notices: Record<never, never>
  events: {
    log: string
    /** There is no usable snapshot, so that `open` takes long. */
    building: undefined
  }
}

const MEGABYTE = 1024 * 1024
/** The snapshot may be replaced by other processes while it is being opened. */
const ATTEMPTS = 3

const { home, logLevel } = workerData as ThreadSettings
const emit = openEvents<EngineThreadProtocol>()
const now = () => Date.now()
const log = createLog({ level: logLevel, write: (line) => emit('log', line), now, hide: toLoggedText })
const store = Store.open(join(home, 'assay.db'), {
  now,
  readCacheBytes: 8 * MEGABYTE,
  writeCacheBytes: 8 * MEGABYTE,
  // The thread that started this one has already checked the location of the folder.
  networkFolder: true,
  mustExist: true,
})

function inSnapshot<Result>(work: (reader: Reader) => Result): Result {
  // The change log has the ends of decisions only where they are recorded.
  const snapshot = store.openSnapshot({ asRecorded: true })
  try {
    return work(snapshot.reader)
  } finally {
    snapshot.close()
  }
}

interface Loaded {
  engine: Engine
  position: LogPosition
}

/** The engine of the snapshot; undefined when there is none that can be used. */
function load(): Loaded | undefined {
  const startedAt = performance.now()
  for (let attempt = 1; ; attempt++) {
    const found = store.read(findSnapshot)
    try {
      const loaded = inSnapshot((reader) => loadSnapshot(reader, store.file))
      if (loaded === undefined) return undefined
      const ms = Math.round(performance.now() - startedAt)
      log.info('the engine is read from its snapshot', { findings: loaded.engine.count, ms })
      return loaded
    } catch (error) {
      if (!(error instanceof UnusableSnapshot)) throw error
      const isReplaced = store.read(findSnapshot)?.mark !== found?.mark
      if (isReplaced && attempt < ATTEMPTS) continue
      log.warn('the snapshot of the engine is ignored, and the engine is built from the tables', {
        reason: error.message,
      })
      return undefined
    }
  }
}

function build(): Loaded | { engine: Engine; position: undefined } {
  const startedAt = performance.now()
  const engine = inSnapshot((reader) => buildEngine(reader))
  log.info('the engine is built', { findings: engine.count, ms: Math.round(performance.now() - startedAt) })
  // What was written meanwhile is applied here rather than between questions.
  inSnapshot((reader) => catchUp(reader, engine))
  return { engine, position: trySave(engine) }
}

function trySave(engine: Engine): LogPosition | undefined {
  const startedAt = performance.now()
  try {
    const position = saveSnapshot(store, engine)
    const ms = Math.round(performance.now() - startedAt)
    if (position === undefined) log.warn('there is no room for a snapshot of the engine')
    else log.info('the snapshot of the engine is written', { findings: engine.count, ms })
    return position
  } catch (error) {
    if (!(error instanceof AppError) && !isSystemError(error)) throw error
    log.warn('the snapshot of the engine could not be written', { error })
    return undefined
  }
}

const isSystemError = (error: unknown) => error instanceof Error && 'syscall' in error

function open(): Transferred<OpenedEngine> {
  let opened: ReturnType<typeof build> | undefined = load()
  if (opened === undefined) {
    emit('building', undefined)
    opened = build()
  }
  const image = opened.engine.toImage()
  const buffers = new Set(image.map(({ column }) => column.buffer as ArrayBuffer))
  return new Transferred({ image, saved: opened.position }, [...buffers])
}

function refresh(): LogPosition | undefined {
  const [found, present] = store.read((reader) => [findSnapshot(reader), findLogPosition(reader)])
  if (found?.seq === present.seq && found.assetSeq === present.assetSeq) return found
  const loaded = load()
  return loaded === undefined ? build().position : trySave(loaded.engine)
}

serveCalls<EngineThreadProtocol>({
  calls: { open, refresh },
  logFault: (error, { name }) => log.warn('the thread of the engine failed', { kind: name, error }),
  stop: () => store.close(),
})

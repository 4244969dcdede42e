import { workerData } from 'node:worker_threads'
import type { Engine } from '../engine/columnar-index.ts'
import type { EngineImage } from '../engine/image.ts'
import { buildEngine, catchUp } from '../engine/load.store.ts'
import { findLogPosition, type LogPosition } from '../engine/snapshot/snapshot.store.ts'
import { findSnapshot, saveSnapshot } from '../engine/snapshot/snapshot.ts'
import { AppError } from '../kernel/errors.ts'
import { openEvents, serveCalls, Transferred } from '../runtime/worker-rpc.ts'
import { inRecordedSnapshot, loadEngine } from './engine-loader.ts'
import { openThread } from './open-thread.ts'
import type { ThreadSettings } from './thread-options.ts'

export interface OpenedEngine {
  image: EngineImage
  /** What the snapshot in the data folder includes; undefined without one. */
  saved: LogPosition | undefined
}

export type EngineThreadProtocol = {
  calls: {
    /** An engine that is current with the database, from its snapshot, unless `isBuilt`, or else from its tables. */
    open: { input: { isBuilt: boolean }; reply: OpenedEngine }
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

const emit = openEvents<EngineThreadProtocol>()

async function main(): Promise<void> {
  const settings = workerData as ThreadSettings
  const { log, store } = await openThread(settings, (line) => emit('log', line))
  store.files?.limitCaches()
  const folder = { store, home: settings.home, log }

  async function build(): Promise<{ engine: Engine; position: LogPosition | undefined }> {
    const startedAt = performance.now()
    const engine = await inRecordedSnapshot(store, (reader) => buildEngine(reader))
    log.info('the engine is built', { findings: engine.count, ms: Math.round(performance.now() - startedAt) })
    // What was written meanwhile is applied here rather than between questions.
    await inRecordedSnapshot(store, (reader) => catchUp(reader, engine))
    return { engine, position: trySave(engine) }
  }

  function trySave(engine: Engine): LogPosition | undefined {
    const startedAt = performance.now()
    try {
      const position = saveSnapshot(folder, engine)
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

  async function open({ isBuilt }: { isBuilt: boolean }): Promise<Transferred<OpenedEngine>> {
    const loaded = isBuilt ? undefined : await loadEngine(folder)
    if (loaded === undefined) emit('building', undefined)
    const { engine, position } = loaded ?? (await build())
    const image = engine.toImage()
    const buffers = new Set(image.map(({ column }) => column.buffer as ArrayBuffer))
    return new Transferred({ image, saved: position }, [...buffers])
  }

  async function refresh(): Promise<LogPosition | undefined> {
    const [found, present] = store.read((reader) => [findSnapshot(reader, settings.home), findLogPosition(reader)])
    if (found?.seq === present.seq && found.assetSeq === present.assetSeq) return found
    const loaded = await loadEngine(folder)
    return loaded === undefined ? (await build()).position : trySave(loaded.engine)
  }

  serveCalls<EngineThreadProtocol>({
    calls: { open, refresh },
    logFault: (error, { name }) => log.warn('the thread of the engine failed', { kind: name, error }),
    stop: () => store.close(),
  })
}

void main()

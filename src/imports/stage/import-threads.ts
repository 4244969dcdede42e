import { availableParallelism } from 'node:os'
import { AppError } from '../../kernel/errors.ts'
import { exportMaskedForms } from '../../kernel/redaction.ts'
import { openWorker, type WorkerClient, WorkerLost } from '../../runtime/worker-rpc.ts'
import { allocateAssets } from './asset-numbers.ts'
import type { ConverterProtocol, ConverterSettings } from './import.worker.ts'
import { findBounds } from './import-block.ts'
import { type Conversion, createConverter } from './import-convert.ts'
import type { Partition } from './staging.ts'

const SCRIPT = 'imports/stage/import.worker'
const MAX_THREADS = 4
/** Maximum number of pieces given to a thread: one being converted and one queued. */
const PIECES_OF_THREAD = 2
/** Up to this size, a file is converted in the calling thread, because workers take time to start. */
const SMALL_FILE_BYTES = 4 * 1024 * 1024
/** Number of parts in which the findings of larger files are staged. */
const PARTS = 16
/** Bytes of the first piece from which the bounds of the parts are estimated. */
const SAMPLE_BYTES = 256 * 1024
/**
 * A part begins a new group once one holds this many findings, bytes or blocks: a group is sorted and stored as a whole.
 * Pieces that are being converted may exceed the limits.
 */
const ROWS_OF_GROUP = 64_000
const BYTES_OF_GROUP = 6 * 1024 * 1024
const BLOCKS_OF_GROUP = 500

/** Limits of the heap of a thread in megabytes: what it makes of lines and blocks is short-lived. */
export const heapLimits = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 128 }

type Converter = WorkerClient<ConverterProtocol>

interface ConvertOptions {
  /** The latest allowed date of a finding. */
  latest?: number
  threadCount?: number
}

/** Converts the pieces of a file in threads and yields the results in the order of the pieces. */
export async function* convertPieces(
  pieces: AsyncIterable<Uint8Array<ArrayBuffer>>,
  fingerprintKey: Uint8Array,
  { latest, threadCount = Math.min(MAX_THREADS, availableParallelism()) }: ConvertOptions = {},
): AsyncGenerator<Conversion> {
  const held: Uint8Array<ArrayBuffer>[] = []
  const waiting: Promise<Conversion>[] = []
  const groups = new PartGroups()
  let threads: Converter[] = []
  let bounds: string[] = []
  let heldBytes = 0
  try {
    for await (const piece of pieces) {
      held.push(piece)
      heldBytes += piece.length
      if (heldBytes <= SMALL_FILE_BYTES) continue
      if (threads.length === 0) {
        bounds = findBounds(sampleKeys(held[0] ?? piece), PARTS)
        const shared = { fingerprintKey, latest, masked: exportMaskedForms(), memory: allocateAssets() }
        threads = openThreads(shared, threadCount)
      }
      for (const one of held.splice(0)) {
        waiting.push(convertInThread(threads, one, { bounds, groups: groups.present }))
      }
      while (waiting.length > threads.length * PIECES_OF_THREAD) {
        const first = await waiting.shift()
        if (first !== undefined) yield groups.count(first)
      }
    }
    for (const one of waiting.splice(0)) yield await one
    const convert = createConverter(fingerprintKey, { latest })
    for (const one of held) yield convert(one, {})
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()))
  }
}

/** Keys of assets in the first lines of a piece, as far as these have one. */
function sampleKeys(piece: Uint8Array): string[] {
  const lines = Buffer.from(piece.subarray(0, SAMPLE_BYTES)).toString().split('\n')
  return lines.flatMap((line) => {
    try {
      const { asset } = JSON.parse(line) as { asset?: { key?: unknown } }
      return typeof asset?.key === 'string' ? [asset.key] : []
    } catch {
      return []
    }
  })
}

/** The present group of each part, by what its blocks hold so far. */
class PartGroups {
  present: readonly number[] = new Array<number>(PARTS).fill(0)
  readonly #held = Array.from({ length: PARTS }, () => ({ rows: 0, bytes: 0, blocks: 0 }))

  count(conversion: Conversion): Conversion {
    if ('refused' in conversion) return conversion
    const groups = [...this.present]
    for (const { part, group, size, data } of conversion.blocks) {
      const held = this.#held[part]
      if (held === undefined || group !== groups[part]) continue
      held.rows += size
      held.bytes += data.length
      held.blocks++
      if (held.rows < ROWS_OF_GROUP && held.bytes < BYTES_OF_GROUP && held.blocks < BLOCKS_OF_GROUP) continue
      groups[part] = group + 1
      this.#held[part] = { rows: 0, bytes: 0, blocks: 0 }
    }
    this.present = groups
    return conversion
  }
}

/** Threads inherit the priority of the thread that starts them. */
const openThreads = (shared: Omit<ConverterSettings, 'converter'>, count: number): Converter[] =>
  Array.from({ length: count }, (_, number) => {
    const workerData: ConverterSettings = { ...shared, converter: number + 1 }
    return openWorker<ConverterProtocol>({
      script: SCRIPT,
      settings: { workerData, resourceLimits: heapLimits },
      events: {},
    })
  })

const INTERRUPTED = 'The import was interrupted; nothing was imported. Try again.'
const OUT_OF_MEMORY = 'The import ran out of memory, and nothing was imported; split the file, or shorten its lines.'

const isOutOfMemory = (cause: unknown) =>
  cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY'

/** Transfers a piece to the least busy thread. */
function convertInThread(
  threads: readonly Converter[],
  bytes: Uint8Array<ArrayBuffer>,
  partition: Partition,
): Promise<Conversion> {
  const thread = threads.reduce((best, each) => (each.pending < best.pending ? each : best))
  const converted = thread.call('convert', { bytes, ...partition }, { transfer: [bytes.buffer] }).catch((error) => {
    if (!(error instanceof WorkerLost)) throw error
    throw isOutOfMemory(error.cause)
      ? new AppError('unavailable', OUT_OF_MEMORY)
      : (error.cause ?? new AppError('unavailable', INTERRUPTED))
  })
  // A rejection is handled when the promise is awaited.
  converted.catch(() => {})
  return converted
}

import { availableParallelism } from 'node:os'
import { AppError } from '../../kernel/errors.ts'
import { exportMaskedForms } from '../../kernel/redaction.ts'
import { isOutOfMemory, openWorker, type WorkerClient, WorkerLost } from '../../runtime/worker-rpc.ts'
import { type Conversion, createConverter } from './convert.ts'
import type { ConverterProtocol, ConverterSettings } from './import.worker.ts'

const SCRIPT = 'imports/stage/import.worker'
const MAX_THREADS = 4
/** Maximum number of pieces given to a thread: one being converted and one queued. */
const PIECES_OF_THREAD = 2
/** Up to this size, a file is converted in the calling thread, because workers take time to start. */
const SMALL_FILE_BYTES = 4 * 1024 * 1024
/** Limits of the heap of a thread in megabytes: what it makes of lines is short-lived. */
const resourceLimits = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 128 }

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
  let threads: Converter[] = []
  let heldBytes = 0
  try {
    for await (const piece of pieces) {
      held.push(piece)
      heldBytes += piece.length
      if (heldBytes <= SMALL_FILE_BYTES) continue
      if (threads.length === 0) {
        threads = openThreads({ fingerprintKey, latest, masked: exportMaskedForms() }, threadCount)
      }
      for (const one of held.splice(0)) waiting.push(convertInThread(threads, one))
      while (waiting.length > threads.length * PIECES_OF_THREAD) {
        const first = await waiting.shift()
        if (first !== undefined) yield first
      }
    }
    for (const one of waiting.splice(0)) yield await one
    const convert = createConverter(fingerprintKey, { latest })
    for (const one of held) yield convert(one)
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()))
  }
}

/** Threads inherit the priority of the thread that starts them. */
const openThreads = (workerData: ConverterSettings, count: number): Converter[] =>
  Array.from({ length: count }, () =>
    openWorker<ConverterProtocol>({ script: SCRIPT, settings: { workerData, resourceLimits }, events: {} }),
  )

const INTERRUPTED = 'The import was interrupted; nothing was imported. Try again.'
const OUT_OF_MEMORY = 'The import ran out of memory, and nothing was imported; split the file, or shorten its lines.'

/** Transfers a piece to the least busy thread. */
function convertInThread(threads: readonly Converter[], bytes: Uint8Array<ArrayBuffer>): Promise<Conversion> {
  const thread = threads.reduce((best, each) => (each.pending < best.pending ? each : best))
  const converted = thread.call('convert', bytes, { transfer: [bytes.buffer] }).catch((error) => {
    if (!(error instanceof WorkerLost)) throw error
    throw isOutOfMemory(error.cause)
      ? new AppError('unavailable', OUT_OF_MEMORY)
      : (error.cause ?? new AppError('unavailable', INTERRUPTED))
  })
  // A rejection is handled when the promise is awaited.
  converted.catch(() => {})
  return converted
}

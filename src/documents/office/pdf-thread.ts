import { isOutOfMemory, openWorker, type WorkerClient } from '../../runtime/worker-rpc.ts'
import type { AssayDocument } from '../document.ts'
import { MAX_PDF_BYTES, MAX_PDF_MS } from '../limits.ts'
import type { UnreadableFile } from './archive.ts'
import type { PdfProtocol } from './pdf.worker.ts'

const SCRIPT = 'documents/office/pdf.worker'
const HEAP_MEGABYTES = 96
/** What a page may take after the time limit, to end with the pages before it. */
const LAST_PAGE_MS = 5_000
const CHECK_MS = 20
/** The thread ends by itself when it has had no work for this long. */
const IDLE_MS = 1_000

let thread: WorkerClient<PdfProtocol> | undefined
let idle: NodeJS.Timeout | undefined
let previous: Promise<unknown> = Promise.resolve()

/**
 * Parses a PDF in a thread, one at a time, which is ended when it exceeds its limits of time or memory: a small file may
 * unpack to any size within one call of the parser.
 */
export function readPdf(bytes: Uint8Array, site?: string): Promise<AssayDocument | UnreadableFile> {
  const read = previous.then(() => parseInThread(bytes, site))
  previous = read.catch(() => {})
  return read
}

async function parseInThread(bytes: Uint8Array, site: string | undefined): Promise<AssayDocument | UnreadableFile> {
  clearTimeout(idle)
  if (thread === undefined || thread.isLost) thread = open()
  const worker = thread
  const end = performance.now() + MAX_PDF_MS + LAST_PAGE_MS
  const maxBytes = MAX_PDF_BYTES + 2 * bytes.length
  let ended: Promise<void> | undefined
  const check = setInterval(async () => {
    const used = await worker.countMemory()
    if (used <= maxBytes && performance.now() <= end) return
    ended ??= worker.terminate()
  }, CHECK_MS)
  try {
    return await worker.call('parse', { bytes, site })
  } catch (error) {
    if (ended === undefined && !isOutOfMemory(error)) throw error
    // Its memory is freed before another PDF is read.
    await ended
    return { status: 'skipped_too_large', reason: 'Reading the PDF takes too much time or memory.' }
  } finally {
    clearInterval(check)
    idle = setTimeout(() => void worker.terminate(), IDLE_MS).unref()
  }
}

const open = () =>
  openWorker<PdfProtocol>({
    script: SCRIPT,
    settings: { stdout: true, resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES } },
    events: {},
  })

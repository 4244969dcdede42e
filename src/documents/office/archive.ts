import { Unzip, UnzipInflate } from 'fflate'
import { MAX_INFLATE_RATIO, MAX_INFLATED_BYTES, MAX_ZIP_ENTRIES } from '../limits.ts'

export type UnreadStatus = 'unsupported' | 'encrypted' | 'damaged' | 'skipped_too_large'

/** Why no text was extracted from a file. */
export interface UnreadableFile {
  status: UnreadStatus
  reason: string
  /** True where its bytes show a format without text, such as a picture. */
  isTextless?: boolean
}

const CHUNK_BYTES = 16_384
/** Below this size the compression ratio is not checked. */
const SMALL_BYTES = 1024 * 1024

/**
 * Extracts the wanted files of a zip archive. Limits apply to the bytes actually inflated, because sizes in the headers
 * may be false.
 */
export function readArchive(
  bytes: Uint8Array,
  wanted: (name: string) => boolean,
): Map<string, Uint8Array> | UnreadableFile {
  if (((bytes[6] ?? 0) & 1) === 1) return { status: 'encrypted', reason: 'The archive is protected by a password.' }
  const files = new Map<string, Uint8Array>()
  let entries = 0
  let inflated = 0
  let unread: UnreadableFile | undefined
  const tooLarge = (reason: string) => {
    unread ??= { status: 'skipped_too_large', reason }
  }

  const unzip = new Unzip((file) => {
    entries++
    if (entries > MAX_ZIP_ENTRIES) tooLarge(`The archive contains more than ${MAX_ZIP_ENTRIES} files.`)
    if (unread !== undefined || !wanted(file.name)) return
    const chunks: Uint8Array[] = []
    let size = 0
    file.ondata = (error, chunk, final) => {
      if (error !== null) unread ??= { status: 'damaged', reason: 'The archive cannot be unpacked.' }
      if (unread !== undefined) return
      size += chunk.length
      inflated += chunk.length
      if (inflated > MAX_INFLATED_BYTES) tooLarge('The archive is too large when unpacked.')
      else if (inflated > SMALL_BYTES && inflated > bytes.length * MAX_INFLATE_RATIO) {
        tooLarge('The compression ratio of the archive is too high for a document.')
      } else chunks.push(chunk)
      if (final && unread === undefined) files.set(file.name, Buffer.concat(chunks, size))
    }
    file.start()
  })
  unzip.register(UnzipInflate)
  try {
    for (let at = 0; at < bytes.length && unread === undefined; at += CHUNK_BYTES) {
      unzip.push(bytes.subarray(at, at + CHUNK_BYTES), at + CHUNK_BYTES >= bytes.length)
    }
  } catch {
    unread ??= { status: 'damaged', reason: 'The archive cannot be unpacked.' }
  }
  return unread ?? files
}

export function isUnread(result: object): result is UnreadableFile {
  return 'status' in result && 'reason' in result
}

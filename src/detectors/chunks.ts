import type { AssayDocument, Part } from '../documents/document.ts'

export const MAX_PART_LENGTH = 2 * 1024 * 1024
const CHUNK = 256 * 1024
/** Longer than any single match: a private key is up to 12 KiB. */
const OVERLAP = 16 * 1024

/** A part, or a stretch of a long one, as a detector sees it. */
export interface TextChunk {
  part: Part
  /** The part it was cut from, and its index in the document. */
  whole: Part
  index: number
  /** Where the piece begins in that part. */
  offset: number
}

/** Cuts long parts into overlapping pieces, so that no detector works on more than one chunk at a time. */
export function toPieces(document: AssayDocument): { pieces: TextChunk[]; truncated: boolean } {
  const pieces: TextChunk[] = []
  let truncated = false
  document.parts.forEach((whole, index) => {
    if (whole.text.length <= CHUNK) {
      pieces.push({ part: whole, whole, index, offset: 0 })
      return
    }
    const length = Math.min(whole.text.length, MAX_PART_LENGTH)
    truncated ||= length < whole.text.length
    for (let offset = 0; offset < length; offset += CHUNK - OVERLAP) {
      const text = whole.text.slice(offset, Math.min(length, offset + CHUNK))
      pieces.push({ part: { ...whole, text }, whole, index, offset })
      if (offset + CHUNK >= length) break
    }
  })
  return { pieces, truncated }
}

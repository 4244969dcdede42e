import type { AssayDocument, Part } from '../documents/document.ts'

export const MAX_PART_LENGTH = 2 * 1024 * 1024
const CHUNK = 256 * 1024
/** In characters; longer than any single match: a private key has up to 12 KiB. */
const OVERLAP = 16 * 1024

/** A part, or a piece of a long part, as passed to a detector. */
export interface TextChunk {
  part: Part
  /** The part that it was cut from, and the index of that part in the document. */
  whole: Part
  index: number
  /** Offset of the piece in that part. */
  offset: number
}

/** Splits long parts into overlapping pieces, so that a detector processes at most one chunk at a time. */
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

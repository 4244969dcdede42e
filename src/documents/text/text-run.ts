import { cutText } from '../../kernel/well-formed.ts'
import { MAX_PART_CHARS } from '../limits.ts'

/** A text assembled from pieces of a source, with a map of offsets back to it. */
export interface TextRun {
  readonly length: number
  readonly full: boolean
  /** True at the start and right after a line break. */
  readonly atLineStart: boolean
  /**
   * Adds text that replaces `width` characters of the source at `at`. Returns the number of characters that did not
   * fit.
   */
  add(text: string, at: number, width: number): number
  toText(): { text: string; map?: readonly number[] }
}

export function createTextRun(): TextRun {
  const pieces: string[] = []
  const map: number[] = []
  let length = 0
  let expected = -1
  let sourceEnd = 0
  let atLineStart = true

  return {
    get length() {
      return length
    },
    get full() {
      return length >= MAX_PART_CHARS
    },
    get atLineStart() {
      return atLineStart
    },
    add(text, at, width) {
      if (text === '') return 0
      const room = MAX_PART_CHARS - length
      if (room <= 0) return text.length
      const kept = cutText(text, room)
      if (at !== expected) map.push(length, at)
      expected = width === text.length ? at + kept.length : -1
      sourceEnd = width === text.length ? at + kept.length : at + width
      pieces.push(kept)
      length += kept.length
      atLineStart = kept.endsWith('\n')
      return text.length - kept.length
    },
    toText() {
      const text = pieces.join('').toWellFormed()
      if (expected === -1 && length > 0) map.push(length, sourceEnd)
      const straight = map.length === 2 && map[0] === 0 && map[1] === 0
      return straight ? { text } : { text, map }
    },
  }
}

import type { AssayDocument } from '../../documents/document.ts'
import { isUnspaced, wordsOf } from '../words.ts'

/** Words per shingle, or characters for scripts without spaces. */
const WORDS_PER_SHINGLE = 5
const CHARACTERS_PER_SHINGLE = 8
/** Only the beginning of longer texts is compared. */
const MAX_WORDS = 50_000

/** The normalized words that a reader sees; for BI items also names and formulas, which make up their text. */
export function toWords(document: AssayDocument, asset: { kind: string; name: string }): string[] {
  const isModel = asset.kind.startsWith('bi.')
  const words: string[] = []
  for (const { kind, text, path } of document.parts) {
    const counts = isModel
      ? (kind === 'name' && path !== 'name') || kind === 'expression' || kind === 'text'
      : kind === 'text' || kind === 'cell' || kind === 'code'
    if (!counts) continue
    for (const word of wordsOf(text.normalize('NFKC').toLowerCase())) {
      words.push(word)
      if (words.length >= MAX_WORDS) return words
    }
  }
  return words
}

/** The distinct word sequences as 32-bit hashes, in ascending order. The secret `seed` prevents looking hashes up. */
export function toShingles(words: readonly string[], seed: number): Uint32Array {
  const hashes = words.map((word) => hashWord(word, seed))
  const unspaced = words.reduce((count, word) => count + (isUnspaced(word) ? 1 : 0), 0)
  const size = unspaced * 2 > words.length ? CHARACTERS_PER_SHINGLE : WORDS_PER_SHINGLE
  const distinct = new Set<number>()
  for (let at = 0; at + size <= hashes.length; at++) {
    let hash = seed
    for (let offset = 0; offset < size; offset++) {
      hash = Math.imul(hash ^ (hashes[at + offset] ?? 0), 0x85ebca6b)
      hash = ((hash << 13) | (hash >>> 19)) + 0x9e3779b9
    }
    distinct.add(mix(hash))
  }
  return Uint32Array.from(distinct).sort()
}

function hashWord(word: string, seed: number): number {
  let hash = seed ^ word.length
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193)
  return mix(hash)
}

/** The finalizer of MurmurHash3, which spreads similar inputs. */
export function mix(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

/** The number of common values of two ascending lists. */
export function countShared(a: Uint32Array, b: Uint32Array): number {
  let shared = 0
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const [left = 0, right = 0] = [a[i], b[j]]
    if (left === right) {
      shared++
      i++
      j++
    } else if (left < right) i++
    else j++
  }
  return shared
}

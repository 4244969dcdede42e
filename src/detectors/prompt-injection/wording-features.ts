import { languages, type SlotHit, slotNumber } from './slot-hits.ts'
import type { Tokens } from './tokens.ts'

/** Number of weights of the model; with its header, the file has 256 KiB. */
export const BUCKETS = 2 ** 18 - 64

const NO_TAG = 255
/** In runs of slots, words without a slot keep their identity only up to this length, in characters. */
const SHORT_WORD = 3
const MAX_RUN = 3
const PAIR_REACH = 8
const MAX_RECENT = 6
/** `mark` words indicate a language, not an intention. */
const untagged = new Set<number>([slotNumber.mark])

/** The slot of each word, or NO_TAG; a word of several languages gets the slot of the first one. */
export function tagWords({ count, starts, ends }: Tokens, hits: readonly SlotHit[]): Uint8Array {
  const tags = new Uint8Array(count).fill(NO_TAG)
  const owners = new Uint8Array(count).fill(languages.length + 1)
  let from = 0
  for (const { slot, language, start, end } of hits) {
    if (untagged.has(slot)) continue
    while (from < count && (ends[from] ?? 0) <= start) from++
    for (let at = from; at < count && (starts[at] ?? 0) < end; at++) {
      if (language >= (owners[at] ?? 0)) continue
      tags[at] = slot
      owners[at] = language < 0 ? 0 : language
    }
  }
  return tags
}

/** Collects the distinct features of a range of words, as bucket numbers. */
export class FeatureCollector {
  readonly features = new Int32Array(2 ** 16)
  count = 0
  readonly #seen = new Uint32Array(BUCKETS)
  #round = 0
  readonly #recentTags = new Uint8Array(MAX_RECENT)
  readonly #recentPlaces = new Int32Array(MAX_RECENT)

  #add(hash: number, seed: number): void {
    let mixed = Math.imul(hash ^ seed, 0x85ebca6b)
    mixed ^= mixed >>> 15
    mixed = Math.imul(mixed, 0xc2b2ae35)
    const bucket = ((mixed ^ (mixed >>> 16)) >>> 0) % BUCKETS
    if (this.#seen[bucket] === this.#round || this.count >= this.features.length) return
    this.#seen[bucket] = this.#round
    this.features[this.count++] = bucket
  }

  /** Features: words, pairs of words, runs of slots, and pairs of slots close to each other. */
  collect({ hashes, starts, ends }: Tokens, tags: Uint8Array, from: number, to: number): void {
    this.#round++
    this.count = 0
    let recent = 0
    for (let at = from; at < to; at++) {
      const hash = hashes[at] ?? 0
      this.#add(hash, 0x1f123bb5)
      if (at + 1 < to) this.#add(Math.imul(hash, 31) ^ (hashes[at + 1] ?? 0), 0x27d4eb2f)
      const tag = tags[at] ?? NO_TAG
      let run = 0
      let isNamed = false
      for (let next = at; next < to && next < at + MAX_RUN; next++) {
        const nextTag = tags[next] ?? NO_TAG
        if (nextTag !== NO_TAG) {
          isNamed = true
          run = Math.imul(run, 0x01000193) ^ (nextTag + 1)
        } else {
          const isShort = (ends[next] ?? 0) - (starts[next] ?? 0) <= SHORT_WORD
          run = Math.imul(run, 0x01000193) ^ (isShort ? (hashes[next] ?? 0) : 0x5bd1e995)
        }
        if (isNamed) this.#add(run, 0x165667b1 + next - at)
      }
      if (tag === NO_TAG) continue
      for (let each = Math.max(0, recent - MAX_RECENT); each < recent; each++) {
        const slot = each % MAX_RECENT
        if (at - (this.#recentPlaces[slot] ?? 0) <= PAIR_REACH)
          this.#add(((this.#recentTags[slot] ?? 0) << 8) | tag, 0x9e3779b1 | 0)
      }
      this.#recentTags[recent % MAX_RECENT] = tag
      this.#recentPlaces[recent % MAX_RECENT] = at
      recent++
    }
  }
}

/** Index of the first word of each sentence, followed by the number of words. */
export function toSentenceStarts({ count, sentences }: Tokens): number[] {
  const bounds: number[] = []
  for (let at = 0; at < count; at++) if (at === 0 || sentences[at] !== sentences[at - 1]) bounds.push(at)
  bounds.push(count)
  return bounds
}

import type { Signal } from './clusters.ts'
import { type Combination, combinations } from './combinations.ts'
import { addDerived } from './derived-slots.ts'
import { slots } from './lexicon/slots.ts'
import { isMarked, languages, NEUTRAL, type SlotHit, slotNumber } from './slot-hits.ts'
import type { Tokens } from './tokens.ts'

/** A set of slots as bits of two integers. */
interface Mask {
  low: number
  high: number
}

interface Prepared extends Combination {
  masks: readonly Mask[]
}

const derivedSlots = new Set([
  slotNumber.own,
  slotNumber.ownBounds,
  slotNumber.ownTask,
  slotNumber.newTask,
  slotNumber.addressed,
])
const WORD_BITS = 31
const toMask = (slots: readonly number[]): Mask =>
  slots.reduce(
    ({ low, high }, slot) =>
      slot < WORD_BITS ? { low: low | (1 << slot), high } : { low, high: high | (1 << (slot - WORD_BITS)) },
    { low: 0, high: 0 },
  )
const masksOfSlots = slots.map((_, slot) => toMask([slot]))
const shares = (a: Mask, b: Mask) => (a.low & b.low) !== 0 || (a.high & b.high) !== 0
const fills = ({ slot }: SlotHit, mask: Mask) => shares(masksOfSlots[slot] ?? { low: 0, high: 0 }, mask)
const prepared: readonly Prepared[] = combinations.map((combination) => ({
  ...combination,
  masks: combination.groups.map((group) => toMask(group.map((slot) => slotNumber[slot]))),
}))

/** Limit on hits of one slot in one sentence or window; further ones add no information. */
const MAX_ALIKE = 12

/** Signals from combinations of slots within two neighbouring sentences. */
export function findSlotSignals(tokens: Tokens, found: readonly SlotHit[]): Signal[] {
  const { text } = tokens
  const hits = addDerived(limitAlike(found), tokens)
  const signals: Signal[] = []
  for (let from = 0; from < hits.length; ) {
    const sentence = hits[from]?.sentence ?? 0
    let next = from
    while (next < hits.length && hits[next]?.sentence === sentence) next++
    let end = next
    while (end < hits.length && hits[end]?.sentence === sentence + 1) end++
    if (end - from > 1) addSignals(text, signals, hits.slice(from, end))
    from = next
  }
  return signals
}

/** At most MAX_ALIKE hits of one slot and language in each sentence. */
function limitAlike(hits: readonly SlotHit[]): readonly SlotHit[] {
  if (hits.length <= MAX_ALIKE) return hits
  let sentence = -1
  return hits.filter((hit) => {
    if (hit.sentence !== sentence) {
      sentence = hit.sentence
      alike.fill(0)
    }
    const kind = hit.slot * (languages.length + 1) + hit.language - NEUTRAL
    const count = alike[kind] ?? 0
    alike[kind] = Math.min(count + 1, MAX_ALIKE)
    return count < MAX_ALIKE
  })
}

const alike = new Uint8Array(slots.length * (languages.length + 1))
const lows = new Int32Array(languages.length)
const highs = new Int32Array(languages.length)
const markBit = masksOfSlots[slotNumber.mark] ?? { low: 0, high: 0 }
function addSignals(text: string, signals: Signal[], hits: readonly SlotHit[]): void {
  let neutralLow = 0
  let neutralHigh = 0
  const present: number[] = []
  for (const { slot, language } of hits) {
    const { low = 0, high = 0 } = masksOfSlots[slot] ?? {}
    if (language === NEUTRAL) {
      neutralLow |= low
      neutralHigh |= high
      continue
    }
    if (!present.includes(language)) {
      present.push(language)
      lows[language] = 0
      highs[language] = 0
    }
    lows[language] = (lows[language] ?? 0) | low
    highs[language] = (highs[language] ?? 0) | high
  }
  for (const language of present) {
    const mask = { low: (lows[language] ?? 0) | neutralLow, high: (highs[language] ?? 0) | neutralHigh }
    if (isMarked[language] === true && !shares(mask, markBit)) continue
    let own: readonly SlotHit[] | undefined
    for (const each of prepared) {
      if (!holdsAll(mask, each.masks)) continue
      own ??= select(hits, language)
      const span = findTogether(text, own, each)
      if (span === undefined) continue
      const { id, type, severity, confidence } = each
      signals.push({ rule: id, type, severity, confidence, ...span })
    }
  }
}

function holdsAll(present: Mask, groups: readonly Mask[]): boolean {
  for (const group of groups) if (!shares(present, group)) return false
  return true
}

/** Hits that count for one language, at most MAX_ALIKE per slot. */
function select(hits: readonly SlotHit[], language: number): SlotHit[] {
  const counts = new Uint8Array(slots.length)
  return hits.filter((hit) => {
    if (hit.language !== language && hit.language !== NEUTRAL) return false
    const count = (counts[hit.slot] ?? 0) + 1
    counts[hit.slot] = Math.min(count, MAX_ALIKE + 1)
    return count <= MAX_ALIKE
  })
}

/** A bracket that opens or closes between the words: one of them is an aside. */
const aside = /\s\([^()]*$|^[^()]*\)\s/

/** The first range in which different hits fill all groups within the maximum distance. */
function findTogether(
  text: string,
  hits: readonly SlotHit[],
  { masks, within, inSentence }: Prepared,
): { start: number; end: number } | undefined {
  const [first, ...others] = masks
  if (first === undefined) return undefined
  for (const anchor of hits) {
    if (!fills(anchor, first)) continue
    const taken = [anchor]
    const candidates = inSentence ? hits.filter(({ sentence }) => sentence === anchor.sentence) : hits
    for (const mask of others) {
      const best = nearest(candidates, mask, anchor, taken, within)
      if (best === undefined) break
      taken.push(best)
    }
    if (taken.length < masks.length) continue
    const start = Math.min(...taken.map((hit) => hit.start))
    const end = Math.max(...taken.map((hit) => hit.end))
    if (end - start <= within && !(inSentence && aside.test(text.slice(start, end)))) return { start, end }
  }
  return undefined
}

/** A word may fill only one group, except that derived slots may include words of others. */
const overlaps = (a: SlotHit, b: SlotHit) =>
  a.start < b.end && b.start < a.end && !derivedSlots.has(a.slot) && !derivedSlots.has(b.slot)

const gap = (a: SlotHit, b: SlotHit) => Math.max(a.start - b.end, b.start - a.end, 0)

function nearest(hits: readonly SlotHit[], mask: Mask, anchor: SlotHit, taken: readonly SlotHit[], within: number) {
  let best: SlotHit | undefined
  for (const hit of hits) {
    if (!fills(hit, mask) || gap(hit, anchor) > within) continue
    if (taken.some((other) => overlaps(hit, other))) continue
    if (best === undefined || gap(hit, anchor) < gap(best, anchor)) best = hit
  }
  return best
}

import type { DuplicateConfig, DuplicateType } from './config.ts'
import type { TextDigest } from './digest.ts'
import { countShared, mix } from './shingles.ts'

/** A text to compare with others. */
export interface ComparedText {
  id: number
  /** Only texts of the same group are compared; the empty string is also a group. */
  group: string
  /** Creation time as far as known; of two similar texts, the older is the original. */
  at: number
  digest: Omit<TextDigest, 'shingles'>
  /** The number of shingles, and a sample of them that selects the same shingles in every text. */
  size: number
  anchors: Uint32Array
}

export interface Likeness {
  type: DuplicateType
  id: number
  /** Id of the older text. */
  of: number
  /** 0..1: for a contained text the share of its shingles in the other; otherwise the Jaccard index of both. */
  share: number
  /** CONTAINED: true where the older text is the smaller one. */
  holds?: boolean
}

/** Share of the smaller text's shingles that the larger one must have, and the maximum ratio of their sizes. */
const CONTAINED_SHARE = 0.9
const CONTAINED_RATIO = 0.6
/** A small text that more texts contain is boilerplate. */
const MAX_HOLDERS = 10
/** At most one in ANCHOR_SPACING shingles is an anchor, and about MAX_ANCHORS anchors are held in memory. */
const ANCHOR_SPACING = 4
const MAX_ANCHORS = 500_000
/** Share of a small text's anchors that a larger text must have; below CONTAINED_SHARE to allow for sampling error. */
const ANCHOR_SHARE = 0.6
/** In larger buckets, which result from templates, texts are compared only with the first OLDEST texts. */
const MAX_BUCKET = 200
const OLDEST = 60
/** Number of comparisons, and of texts, processed between two yields. */
const STEPS_PER_TURN = 2_000
const TEXTS_PER_TURN = 5_000
/** Limit on texts, so that a text's index and an anchor or band fit into one double without loss. */
const MAX_TEXTS = 2 ** 21

/** The sampled shingles by which contained texts are found; `total` is the number of shingles in all texts. */
export function toAnchors(shingles: Uint32Array, total: number): Uint32Array {
  const spacing = Math.max(ANCHOR_SPACING, Math.ceil(total / MAX_ANCHORS))
  return shingles.filter((shingle) => mix(shingle) % spacing === 0)
}

type Shingles = (id: number) => Uint32Array

/** A generator that yields regularly, so that its caller can let other work run. */
type Paced<T> = Generator<undefined, T>

/**
 * For each text that resembles an older one, returns the best relation: exact, then near, then contained; among equals
 * the larger share, then the older original. Bands and anchors only provide candidates; shares are computed from all
 * shingles.
 */
export function* compareTexts(
  texts: readonly ComparedText[],
  shinglesOf: Shingles,
  config: Pick<DuplicateConfig, 'types' | 'similarity' | 'minimumWords' | 'largestGroup'>,
): Paced<Likeness[]> {
  const eligible = texts.filter(({ digest }) => digest.words >= config.minimumWords).sort(olderFirst)
  const wanted = new Set<DuplicateType>(config.types)
  const best = new Map<number, Likeness>()
  const originals: ComparedText[] = []
  const seen = new Map<string, ComparedText>()
  for (const text of eligible) {
    const key = `${text.group}\n${text.digest.whole}`
    const original = seen.get(key)
    if (original === undefined) {
      seen.set(key, text)
      originals.push(text)
    } else if (wanted.has('EXACT_DUPLICATE')) {
      best.set(text.id, { type: 'EXACT_DUPLICATE', id: text.id, of: original.id, share: 1 })
    }
  }
  const near = yield* findNearPairs(originals, shinglesOf, config.similarity)
  const nearGroups = groupsOf(near)
  for (const { older, newer, share } of near) {
    const likeness: Likeness = { type: 'NEAR_DUPLICATE', id: newer.id, of: older.id, share }
    const isTemplate = (nearGroups.get(newer.id) ?? 0) > config.largestGroup
    if (!isTemplate && wanted.has('NEAR_DUPLICATE') && isBetter(likeness, best.get(newer.id))) {
      best.set(newer.id, likeness)
    }
  }
  if (!wanted.has('CONTAINED_DUPLICATE')) return [...best.values()]
  const contained = yield* findContained(originals, shinglesOf)
  for (const { older, newer, share, holds } of contained) {
    const likeness: Likeness = { type: 'CONTAINED_DUPLICATE', id: newer.id, of: older.id, share, holds }
    if (isBetter(likeness, best.get(newer.id))) best.set(newer.id, likeness)
  }
  return [...best.values()]
}

/** Cost of an exact comparison, in steps. */
const costOf = (a: ComparedText, b: ComparedText) => 10 + Math.ceil((a.size + b.size) / 100)
const olderFirst = (a: ComparedText, b: ComparedText) => a.at - b.at || a.id - b.id
const rank: Record<DuplicateType, number> = { EXACT_DUPLICATE: 2, NEAR_DUPLICATE: 1, CONTAINED_DUPLICATE: 0 }

/** Pairs are sorted by their older text, so a later pair with an equal relation has a younger original. */
function isBetter(likeness: Likeness, than: Likeness | undefined): boolean {
  if (than === undefined) return true
  const by = rank[likeness.type] - rank[than.type]
  return by > 0 || (by === 0 && likeness.share > than.share)
}

export interface NearPair {
  older: ComparedText
  newer: ComparedText
  share: number
}

/** All pairs whose exact Jaccard index is at least `similarity`. */
export function* findNearPairs(
  texts: readonly ComparedText[],
  shinglesOf: Shingles,
  similarity: number,
): Paced<NearPair[]> {
  const ordered = texts.toSorted(olderFirst).slice(0, MAX_TEXTS)
  const pairs: NearPair[] = []
  const checked = new Set<number>()
  // Band and text index combined in one number: after sorting, texts of one bucket are adjacent, oldest first.
  const places = new Float64Array(ordered.length)
  let steps = 0
  for (const [band] of (ordered[0]?.digest.bands ?? []).entries()) {
    for (const [index, { digest }] of ordered.entries()) {
      places[index] = (digest.bands[band] ?? 0) * MAX_TEXTS + index
      if (index % TEXTS_PER_TURN === 0) yield
    }
    places.sort()
    yield
    for (let from = 0, to = 0; from < places.length; from = to) {
      const key = bandAt(from)
      for (to = from + 1; to < places.length && bandAt(to) === key; ) to++
      const largest = to - from > MAX_BUCKET ? OLDEST : to - from
      for (let newer = from + 1; newer < to; newer++) {
        const last = Math.min(newer, from + largest)
        for (let older = from; older < last; older++) {
          steps++
          if (steps >= STEPS_PER_TURN) {
            steps = 0
            yield
          }
          const pair = check(textAt(older), textAt(newer))
          if (pair !== undefined) pairs.push(pair)
        }
      }
    }
    yield
  }
  return pairs.sort((a, b) => olderFirst(a.older, b.older))

  function bandAt(at: number): number {
    return Math.floor((places[at] ?? 0) / MAX_TEXTS)
  }

  function textAt(at: number): number {
    return (places[at] ?? 0) % MAX_TEXTS
  }

  function check(olderAt: number, newerAt: number): NearPair | undefined {
    const [older, newer] = [ordered[olderAt], ordered[newerAt]]
    if (older === undefined || newer === undefined || older.group !== newer.group) return undefined
    // Texts of too different sizes cannot reach the required similarity.
    if (Math.min(older.size, newer.size) < similarity * Math.max(older.size, newer.size)) return undefined
    const key = newerAt * ordered.length + olderAt
    if (checked.has(key)) return undefined
    checked.add(key)
    steps += costOf(older, newer)
    const shared = countShared(shinglesOf(older.id), shinglesOf(newer.id))
    const share = shared / (older.size + newer.size - shared)
    return share >= similarity ? { older, newer, share } : undefined
  }
}

/** The size of the connected group of each text in the pairs. */
function groupsOf(pairs: readonly NearPair[]): Map<number, number> {
  const parent = new Map<number, number>()
  const rootOf = (id: number): number => {
    let root = id
    for (let up = parent.get(root); up !== undefined && up !== root; up = parent.get(root)) root = up
    parent.set(id, root)
    return root
  }
  for (const { older, newer } of pairs) parent.set(rootOf(newer.id), rootOf(older.id))
  const sizes = new Map<number, number>()
  for (const id of parent.keys()) sizes.set(rootOf(id), (sizes.get(rootOf(id)) ?? 0) + 1)
  return new Map([...parent.keys()].map((id) => [id, sizes.get(rootOf(id)) ?? 1]))
}

interface ContainedPair extends NearPair {
  holds: boolean
}

/** Pairs in which the larger text contains nearly all of a much smaller one. */
function* findContained(texts: readonly ComparedText[], shinglesOf: Shingles): Paced<ContainedPair[]> {
  const holders = yield* indexAnchors(texts)
  const pairs: ContainedPair[] = []
  let steps = 0
  for (const small of texts) {
    const hits = new Map<number, number>()
    let counted = 0
    for (const anchor of small.anchors) {
      const list = holders(anchor)
      // A shingle that many texts share is no evidence.
      if (list.length > MAX_HOLDERS + 1) continue
      counted++
      for (const at of list) hits.set(at, (hits.get(at) ?? 0) + 1)
      steps += list.length
    }
    const found: ContainedPair[] = []
    for (const [at, count] of hits) {
      const large = texts[at]
      if (large === undefined || large.group !== small.group || count < counted * ANCHOR_SHARE) continue
      if (small.size >= large.size * CONTAINED_RATIO) continue
      steps += costOf(small, large)
      const share = countShared(shinglesOf(small.id), shinglesOf(large.id)) / small.size
      if (share < CONTAINED_SHARE) continue
      const smallIsOlder = olderFirst(small, large) < 0
      const [older, newer] = smallIsOlder ? [small, large] : [large, small]
      found.push({ older, newer, share, holds: smallIsOlder })
    }
    if (found.length <= MAX_HOLDERS) pairs.push(...found)
    if (steps >= STEPS_PER_TURN) {
      steps = 0
      yield
    }
  }
  return pairs.sort((a, b) => olderFirst(a.older, b.older))
}

/**
 * Maps anchors to the texts that have them; lists are truncated once they exceed what is useful. A sorted array needs
 * little memory.
 */
function* indexAnchors(texts: readonly ComparedText[]): Paced<(anchor: number) => number[]> {
  const compared = texts.slice(0, MAX_TEXTS)
  const entries = new Float64Array(compared.reduce((sum, { anchors }) => sum + anchors.length, 0))
  let length = 0
  let steps = 0
  for (const [at, { anchors }] of compared.entries()) {
    for (const anchor of anchors) entries[length++] = anchor * MAX_TEXTS + at
    steps += anchors.length
    if (steps >= STEPS_PER_TURN * 5) {
      steps = 0
      yield
    }
  }
  entries.sort()
  return (anchor) => {
    let [low, high] = [0, entries.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((entries[middle] ?? 0) < anchor * MAX_TEXTS) low = middle + 1
      else high = middle
    }
    const list: number[] = []
    const end = (anchor + 1) * MAX_TEXTS
    for (let at = low; at < entries.length && list.length <= MAX_HOLDERS + 1; at++) {
      const entry = entries[at] ?? end
      if (entry >= end) break
      list.push(entry % MAX_TEXTS)
    }
    return list
  }
}

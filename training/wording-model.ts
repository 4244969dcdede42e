import { detectText } from '../src/detectors/detect-text.ts'
import { toCanonical } from '../src/detectors/prompt-injection/canonical.ts'
import { findSlotHits } from '../src/detectors/prompt-injection/slot-hits.ts'
import { toTokens } from '../src/detectors/prompt-injection/tokens.ts'
import {
  BUCKETS,
  FeatureCollector,
  tagWords,
  toSentenceStarts,
} from '../src/detectors/prompt-injection/wording-features.ts'
import {
  findSpeakingWindows,
  LENGTH_EXPONENT,
  replaceModel,
  type WordingModel,
} from '../src/detectors/prompt-injection/wording-model.ts'
import { type DetectionCase, QUOTING_FAMILY } from '../tests/bench/detect/cases.ts'

/** Sentences of a text that are looked at. */
const MAX_SENTENCES = 400
const EPOCHS = 5
const SEEDS: readonly number[] = [1, 2, 3, 4, 5, 6, 7, 8]
const RATE = 0.25
const DECAY = 2e-6
/** Half of the buckets rest in every step, another half each time: no weight can rely on one wording. */
const RESTING = 0.5
const FIRST_BIAS = -2

interface Window {
  first: number
  last: number
  size: number
  inside: boolean
  outside: boolean
  score: number
}

interface Example {
  source: string
  isClean: boolean
  isQuoting: boolean
  hasSpans: boolean
  features: Int32Array[]
  windows: Window[]
}

function toExample(each: DetectionCase, collector: FeatureCollector): Example {
  const canonical = toCanonical(each.text)
  const tokens = toTokens(canonical.text)
  const tags = tagWords(tokens, findSlotHits(tokens))
  const bounds = toSentenceStarts(tokens).slice(0, MAX_SENTENCES + 1)
  const features: Int32Array[] = []
  const places: { start: number; end: number }[] = []
  for (let at = 0; at + 1 < bounds.length; at++) {
    const [from = 0, to = 0] = [bounds[at], bounds[at + 1]]
    collector.collect(tokens, tags, from, to)
    features.push(collector.features.slice(0, collector.count))
    const start = canonical.toOriginal(tokens.starts[from] ?? 0)
    places.push({ start, end: canonical.toOriginal((tokens.ends[to - 1] ?? 1) - 1) + 1 })
  }
  const windows = features.flatMap((_, first) =>
    [first, first + 1].flatMap((last): Window[] => {
      const [from, to] = [places[first], places[last]]
      if (from === undefined || to === undefined) return []
      const [start, end] = [from.start, to.end]
      const overlaps = each.expected.map((span) => ({
        span,
        shared: Math.min(span.end, end) - Math.max(span.start, start),
      }))
      const inside = overlaps.some(({ span, shared }) => shared > 0.5 * Math.min(span.end - span.start, end - start))
      const size = (features[first]?.length ?? 0) + (last > first ? (features[last]?.length ?? 0) : 0)
      return [{ first, last, size, inside, outside: overlaps.every(({ shared }) => shared <= 0), score: 0 }]
    }),
  )
  const [only] = each.expected
  return {
    source: each.source,
    isClean: each.expected.length === 0,
    isQuoting: each.family === QUOTING_FAMILY,
    hasSpans: only !== undefined && (each.expected.length > 1 || only.end - only.start < each.text.length),
    features,
    windows,
  }
}

const rests = (bucket: number, pass: number) => ((Math.imul(bucket, 0x9e3779b1) ^ pass) >>> 8) % 1_000 < RESTING * 1_000

function toRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const bestOf = (windows: readonly Window[]) => windows.reduce((best, each) => (each.score > best.score ? each : best))

/** The mean of trainings in different orders, which depends less on chance than one of them. */
export function trainModel(cases: readonly DetectionCase[]): WordingModel {
  const collector = new FeatureCollector()
  const examples = cases.map((each) => toExample(each, collector)).filter(({ windows }) => windows.length > 0)
  const mean = new Float32Array(BUCKETS)
  for (const seed of SEEDS)
    for (const [bucket, weight] of trainWeights(examples, seed).entries())
      mean[bucket] = (mean[bucket] ?? 0) + weight / SEEDS.length
  return quantise(mean)
}

/** Logistic regression over windows; of a text that is an attempt only the best window and one other are asked to be one. */
function trainWeights(all: readonly Example[], seed: number): Float32Array {
  const examples = [...all]
  const weights = new Float32Array(BUCKETS)
  const squares = new Float32Array(BUCKETS).fill(1e-4)
  const perSource = new Map<string, number>()
  for (const { source } of examples) perSource.set(source, (perSource.get(source) ?? 0) + 1)
  const random = toRandom(seed)
  const pick = <Item>(list: readonly Item[]) => list[Math.floor(random() * list.length)]
  const scoreAll = ({ features, windows }: Example, pass: number) => {
    const sums = features.map((buckets) => {
      let sum = 0
      for (const bucket of buckets) if (!rests(bucket, pass)) sum += weights[bucket] ?? 0
      return sum / (1 - RESTING)
    })
    for (const window of windows) {
      const sum = (sums[window.first] ?? 0) + (window.last > window.first ? (sums[window.last] ?? 0) : 0)
      window.score = FIRST_BIAS + sum / window.size ** LENGTH_EXPONENT
    }
  }
  const learn = ({ features }: Example, window: Window | undefined, target: number, weight: number, pass: number) => {
    if (window === undefined) return
    const error = (1 / (1 + Math.exp(-window.score)) - target) * weight
    if (Math.abs(error) < 0.01) return
    const gradient = error / window.size ** LENGTH_EXPONENT
    for (let at = window.first; at <= window.last; at++) {
      for (const bucket of features[at] ?? []) {
        if (rests(bucket, pass)) continue
        const step = gradient + DECAY * (weights[bucket] ?? 0)
        squares[bucket] = (squares[bucket] ?? 0) + step * step
        weights[bucket] = (weights[bucket] ?? 0) - (RATE * step) / Math.sqrt(squares[bucket] ?? 1)
      }
    }
  }
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    for (let last = examples.length - 1; last > 0; last--) {
      const other = Math.floor(random() * (last + 1))
      const [a, b] = [examples[last], examples[other]]
      if (a !== undefined && b !== undefined) [examples[last], examples[other]] = [b, a]
    }
    for (const example of examples) {
      const { windows, isClean, isQuoting, hasSpans, source } = example
      const pass = 1 + Math.floor(random() * 2 ** 31)
      scoreAll(example, pass)
      // Large sources must not drown small ones.
      const weight = Math.min(2, Math.max(0.4, Math.sqrt(150 / (perSource.get(source) ?? 1))))
      if (isClean) {
        const hardest = windows.toSorted((a, b) => b.score - a.score).slice(0, 3)
        for (const window of [...hardest, pick(windows), pick(windows)])
          learn(example, window, 0, (isQuoting ? 0.2 : 1) * weight, pass)
        continue
      }
      const inside = hasSpans ? windows.filter((window) => window.inside) : windows
      if (inside.length === 0) continue
      learn(example, epoch < 2 && !hasSpans ? pick(inside) : bestOf(inside), 1, 3 * weight, pass)
      learn(example, pick(inside), 1, (hasSpans ? 2 : 0.75) * weight, pass)
      const outside = hasSpans ? windows.filter((window) => window.outside) : []
      if (outside.length > 0) learn(example, bestOf(outside), 0, 0.5 * weight, pass)
    }
  }
  return weights
}

/** One signed byte a weight; the few largest are cut off. */
function quantise(weights: Float32Array): WordingModel {
  const sorted = Float32Array.from(weights, Math.abs).sort()
  const top = sorted[Math.floor(sorted.length * 0.9995)] || 1
  const bytes = Int8Array.from(weights, (weight) => Math.max(-127, Math.min(127, Math.round((weight / top) * 127))))
  return { weights: bytes, scale: top / 127, bias: FIRST_BIAS, strong: Infinity, weak: Infinity }
}

/** The scores of the best window of a text, and of the best one that would be sufficient alone. */
function scoreText(text: string, model: WordingModel): { any: number; speaking: number } {
  const tokens = toTokens(toCanonical(text).text)
  const windows = findSpeakingWindows(tokens, findSlotHits(tokens), model, Number.NEGATIVE_INFINITY)
  const best = (kept: typeof windows) => Math.max(LOWEST, ...kept.map(({ score }) => score))
  return { any: best(windows), speaking: best(windows.filter(({ speaks }) => speaks)) }
}

function isReported(text: string, model: WordingModel): boolean {
  replaceModel(model)
  return detectText({ id: '', text, types: ['PROMPT_INJECTION'] }).findings.length > 0
}

const LOWEST = -100
const WEAK_SHARE = 0.02
const ABOVE = 1e-6

/**
 * The same model with thresholds by clean texts: the lower one is reached by 1 of 50, the upper one by none that would
 * be reported because of it. Texts that quote attacks are left out.
 */
export function withThresholds(model: WordingModel, cases: readonly DetectionCase[]): WordingModel {
  const clean = cases.filter(({ expected, family }) => expected.length === 0 && family !== QUOTING_FAMILY)
  const scored = clean.map(({ text }) => ({ text, ...scoreText(text, model) })).sort((a, b) => b.any - a.any)
  const weak = (scored[Math.floor(scored.length * WEAK_SHARE)]?.any ?? Infinity) + ABOVE
  const highest = scored
    .toSorted((a, b) => b.speaking - a.speaking)
    .find(
      ({ text, speaking }) =>
        !isReported(text, { ...model, weak, strong: Infinity }) &&
        isReported(text, { ...model, weak, strong: speaking }),
    )
  return { ...model, weak, strong: (highest?.speaking ?? LOWEST) + ABOVE }
}

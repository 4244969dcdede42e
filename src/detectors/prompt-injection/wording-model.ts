import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { packageFile } from '../../runtime/package-files.ts'
import type { Signal } from './clusters.ts'
import { type SlotHit, slotNumber } from './slot-hits.ts'
import type { Tokens } from './tokens.ts'
import { BUCKETS, FeatureCollector, tagWords, toSentenceStarts } from './wording-features.ts'

/** A linear model over hashed features of one sentence or two neighbouring ones. */
export interface WordingModel {
  weights: Int8Array
  scale: number
  bias: number
  /** Threshold from which a window is sufficient alone; no clean page of the development cases is reported because of it. */
  strong: number
  /** Threshold that the best window reaches on 1 of 50 clean pages. */
  weak: number
}

export const MODEL_FILE = 'models/prompt-injection.bin'
const MAGIC = 'ASPI'
/** Incremented when the features or the file layout change. */
export const MODEL_VERSION = 1
const HEADER_BYTES = 64
const DIGEST_AT = 32
/** The sum of a window is divided by its number of features raised to this power. */
export const LENGTH_EXPONENT = 0.35

const digestOf = (weights: Uint8Array) => hash('sha256', weights, 'buffer')

/**
 * Header: magic, version, number of weights, scale, bias, both thresholds, SHA-256 of the weights; the weights follow.
 */
export function encodeModel({ weights, scale, bias, strong, weak }: WordingModel): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.write(MAGIC, 0, 'latin1')
  header.writeUInt32LE(MODEL_VERSION, 4)
  header.writeUInt32LE(weights.length, 8)
  for (const [index, value] of [scale, bias, strong, weak].entries()) header.writeFloatLE(value, 12 + 4 * index)
  const bytes = Buffer.from(weights.buffer, weights.byteOffset, weights.length)
  digestOf(bytes).copy(header, DIGEST_AT)
  return Buffer.concat([header, bytes])
}

/** @throws Error that states what is wrong with the file */
export function decodeModel(file: Buffer): WordingModel {
  const refuse = (why: string) => new Error(`${MODEL_FILE} ${why}; install the package again.`)
  if (file.length < HEADER_BYTES || file.toString('latin1', 0, 4) !== MAGIC) throw refuse('is not a model file')
  if (file.readUInt32LE(4) !== MODEL_VERSION)
    throw refuse(`is of version ${file.readUInt32LE(4)}, not ${MODEL_VERSION}`)
  const bytes = file.subarray(HEADER_BYTES)
  if (file.readUInt32LE(8) !== BUCKETS || bytes.length !== BUCKETS) throw refuse('is not of the expected size')
  if (!digestOf(bytes).equals(file.subarray(DIGEST_AT, HEADER_BYTES))) throw refuse('is damaged')
  return {
    weights: new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length),
    scale: file.readFloatLE(12),
    bias: file.readFloatLE(16),
    strong: file.readFloatLE(20),
    weak: file.readFloatLE(24),
  }
}

let loaded: WordingModel | undefined

/** The model of the package, loaded on first use. */
export function loadModel(): WordingModel {
  loaded ??= decodeModel(readFileSync(packageFile(MODEL_FILE)))
  return loaded
}

/** Replaces the loaded model, for example with one that was trained without a source. */
export function replaceModel(model: WordingModel): void {
  loaded = model
}

/** A sentence, or two neighbouring ones, with its score; offsets are into the canonical text. */
export interface ScoredWindow {
  start: number
  end: number
  score: number
}

let collector: FeatureCollector | undefined

/** Windows with a score of at least `least`; where windows overlap, the best one. */
export function findWindows(
  tokens: Tokens,
  hits: readonly SlotHit[],
  { weights, scale, bias }: WordingModel,
  least: number,
): ScoredWindow[] {
  collector ??= new FeatureCollector()
  const tags = tagWords(tokens, hits)
  const bounds = toSentenceStarts(tokens)
  const windows: ScoredWindow[] = []
  let lastSum = 0
  let lastSize = 0
  const consider = (first: number, end: number, sum: number, size: number) => {
    const score = bias + (sum * scale) / size ** LENGTH_EXPONENT
    if (score < least || end - first < MIN_WORDS) return
    const start = tokens.starts[first] ?? 0
    const window = { start, end: tokens.ends[end - 1] ?? start, score }
    const previous = windows.at(-1)
    if (previous === undefined || previous.end <= start) windows.push(window)
    else if (previous.score < score) windows[windows.length - 1] = window
  }
  for (let at = 0; at + 1 < bounds.length; at++) {
    const [from = 0, to = 0] = [bounds[at], bounds[at + 1]]
    collector.collect(tokens, tags, from, to)
    let sum = 0
    for (let index = 0; index < collector.count; index++) sum += weights[collector.features[index] ?? 0] ?? 0
    if (at > 0) consider(bounds[at - 1] ?? 0, to, lastSum + sum, lastSize + collector.count)
    consider(from, to, sum, collector.count)
    lastSum = sum
    lastSize = collector.count
  }
  return windows
}

/** Fewer words, such as a heading, are too little to judge. */
const MIN_WORDS = 5
const STRONG_CONFIDENCE = 0.55
const WEAK_CONFIDENCE = 0.3

/** A text that speaks to its reader or to a machine holds one of these; without any, the model is not sufficient. */
const speaking = new Set(
  (['self', 'machine', 'helper', 'dismiss', 'orders', 'prompt', 'goods', 'asked', 'hoard', 'quiet'] as const).map(
    (slot) => slotNumber[slot],
  ),
)

/** Windows with a score of at least `least`, and whether one of those words is in them. */
export function findSpeakingWindows(tokens: Tokens, hits: readonly SlotHit[], model: WordingModel, least: number) {
  const spoken = hits.filter(({ slot }) => speaking.has(slot))
  let next = 0
  return findWindows(tokens, hits, model, least).map((window) => {
    // Windows do not overlap and are in text order, as the hits are.
    while (next < spoken.length && (spoken[next]?.end ?? 0) <= window.start) next++
    return { ...window, speaks: (spoken[next]?.start ?? window.end) < window.end }
  })
}

/** Signals of the model: sufficient alone above the strong threshold, otherwise one signal among others. */
export function findModelSignals(tokens: Tokens, hits: readonly SlotHit[]): Signal[] {
  const model = loadModel()
  return findSpeakingWindows(tokens, hits, model, model.weak).map(({ start, end, score, speaks }) => ({
    rule: 'wording-model',
    type: 'SUSPICIOUS_WORDING',
    severity: 'MEDIUM',
    confidence: speaks && score >= model.strong ? STRONG_CONFIDENCE : WEAK_CONFIDENCE,
    start,
    end,
    wide: true,
  }))
}

import { createHash, hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { lexicons } from '../src/detectors/prompt-injection/lexicon/all.ts'
import { findSlotHits } from '../src/detectors/prompt-injection/slot-hits.ts'
import { toTokens } from '../src/detectors/prompt-injection/tokens.ts'
import { FeatureCollector, tagWords, toSentenceStarts } from '../src/detectors/prompt-injection/wording-features.ts'

/** What the model in the package was trained from; every value is a SHA-256 but the names of skipped sources. */
export interface TrainingRecord {
  model: string
  /** The texts to learn from and those that set the thresholds, in the order in which they were given. */
  train: readonly string[]
  clean: readonly string[]
  skipped: readonly string[]
  /** The features of all words of the lexicons. */
  features: string
}

export const RECORD_FILE = new URL('record.json', import.meta.url)

export const digest = (data: string | Uint8Array) => hash('sha256', data)

export const readRecord = (): TrainingRecord => JSON.parse(readFileSync(RECORD_FILE, 'utf8'))

/** Changes with the lexicons, and with the way in which texts are split and described to the model. */
export function digestFeatures(): string {
  const sum = createHash('sha256')
  const collector = new FeatureCollector()
  for (const { language, words } of lexicons) {
    for (const [slot, list] of Object.entries(words)) {
      const tokens = toTokens(
        `${list.replaceAll(/[_*]/g, ' ')}. ${list.replaceAll(' ', '. ').replaceAll(/[_*]/g, ' ')}`,
      )
      const tags = tagWords(tokens, findSlotHits(tokens))
      const starts = toSentenceStarts(tokens)
      sum.update(`${language} ${slot}`)
      for (let at = 0; at + 1 < starts.length; at++) {
        collector.collect(tokens, tags, starts[at] ?? 0, starts[at + 1] ?? 0)
        sum.update(collector.features.slice(0, collector.count).join())
      }
    }
  }
  return sum.digest('hex')
}

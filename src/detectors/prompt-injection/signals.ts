import { joinRanges, type Range } from '../../kernel/ranges.ts'
import { createKeywordIndex } from '../keyword-index.ts'
import type { CanonicalText } from './canonical.ts'
import type { Signal } from './clusters.ts'
import { findDisguised } from './obfuscation.ts'
import { findSlotHits } from './slot-hits.ts'
import { findSlotSignals } from './slot-signals.ts'
import { structureRules } from './structure-rules.ts'
import { toTokens } from './tokens.ts'
import { findModelSignals } from './wording-model.ts'

/** Characters before and after a trigger in which its pattern is tried. */
const BEFORE = 200
const AFTER = 400

const MENTIONED_WEIGHT = 0.5

const triggers = [...new Set(structureRules.flatMap((rule) => rule.triggers))]
const rulesOf = triggers.map((trigger) => structureRules.filter((rule) => rule.triggers.includes(trigger)))
const index = createKeywordIndex(triggers)
const originals = new Map(
  structureRules.flatMap(({ id, original }): [string, RegExp][] => (original === undefined ? [] : [[id, original]])),
)

/** All signals of a text, weak and strong, with offsets into the original. */
export function findSignals({ text, toOriginal }: CanonicalText, original: string): Signal[] {
  const tokens = toTokens(text)
  const hits = findSlotHits(tokens)
  const found = [
    ...findSlotSignals(tokens, hits),
    ...findModelSignals(tokens, hits),
    ...findDisguised(tokens),
    ...findStructures(text),
  ]
  return found
    .map((signal) => ({ ...signal, start: toOriginal(signal.start), end: toOriginal(signal.end - 1) + 1 }))
    .filter(({ rule, start, end }) => originals.get(rule)?.test(original.slice(start, end)) !== false)
}

function findStructures(text: string): Signal[] {
  const windows = structureRules.map((): Range[] => [])
  index.scan(text, (keyword, start, end) => {
    for (const rule of rulesOf[keyword] ?? [])
      windows[structureRules.indexOf(rule)]?.push({
        start: Math.max(0, start - BEFORE),
        end: Math.min(text.length, end + AFTER),
      })
  })
  return structureRules.flatMap(({ id, type, severity, confidence, pattern, isMention }, number) =>
    joinRanges(windows[number] ?? []).flatMap(({ start, end }) =>
      [...text.slice(start, end).matchAll(pattern)].map(({ 0: match, index: at }): Signal => {
        const from = start + at + match.length - match.trimStart().length
        const to = start + at + match.length
        const weight = isMention?.(text, from, to) === true ? MENTIONED_WEIGHT : 1
        return { rule: id, type, severity, confidence: confidence * weight, start: from, end: to }
      }),
    ),
  )
}

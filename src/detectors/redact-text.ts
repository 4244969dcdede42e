import { memoize } from '../kernel/memoize.ts'
import { joinRanges, type Range } from '../kernel/ranges.ts'
import type { SafeText } from '../kernel/safe-text.ts'
import { MASK_TEXT } from './excerpt.ts'
import { piiDetector } from './pii/index.ts'
import { ReportedValues } from './reported-values.ts'
import { type DetectorRun, findMatches } from './runner.ts'
import { toSafeTextOnce } from './safe-text.ts'
import { secretsDetector } from './secrets/index.ts'

const TEXTS_AT_ONCE = 50
const MAX_TEXT = 1_000_000
const detectors: readonly DetectorRun[] = [
  { detector: secretsDetector, config: secretsDetector.config.parse({}) },
  { detector: piiDetector, config: piiDetector.config.parse({}) },
]

/** A text without credentials and personal data, and these. */
export interface RedactedText {
  text: SafeText
  values: readonly string[]
}

const MAX_CACHED = 5_000

/** A name that other items repeat, without what the detectors would report in it; names recur, so it is cached. */
export const toSafeName: (name: string) => SafeText = memoize(MAX_CACHED, (name) =>
  new ReportedValues(redactTexts([name])[0]?.values).hide(toSafeTextOnce(name, 'prose')),
)

/** Masks all credentials and personal data in texts that were taken from a source by another program. */
export function redactTexts(texts: readonly string[]): RedactedText[] {
  const redacted: RedactedText[] = []
  for (let at = 0; at < texts.length; at += TEXTS_AT_ONCE)
    redacted.push(...redactSome(texts.slice(at, at + TEXTS_AT_ONCE)))
  return redacted
}

function redactSome(texts: readonly string[]): RedactedText[] {
  const { reported, warnings } = findMatches(
    {
      mime: 'text/plain',
      parts: texts.map((text, index) => ({ kind: 'text', path: String(index), text })),
      links: [],
    },
    {
      asset: { key: '', kind: 'text', name: '', url: '' },
      detectors,
      now: 0,
      inlineSuppression: false,
      occurrences: 'all',
      fingerprint: (canonical) => canonical,
    },
  )
  // Findings are limited per document, so texts that together exceed the limit are redacted one by one.
  if (warnings.length > 0 && texts.length > 1) return texts.flatMap((text) => redactSome([text]))
  const ranges = texts.map((): Range[] => [])
  for (const { match } of reported) ranges[match.part]?.push(match)
  return texts.map((text, index) => veil(text, ranges[index] ?? []))
}

function veil(text: string, ranges: readonly Range[]): RedactedText {
  const values = new ReportedValues()
  let veiled = ''
  let at = 0
  for (const { start, end } of joinRanges(ranges)) {
    veiled += text.slice(at, start) + MASK_TEXT
    values.add(text.slice(start, end))
    at = end
  }
  const safe = toSafeTextOnce(veiled + text.slice(at), 'excerpt', MAX_TEXT, values)
  return { text: values.hide(safe), values: [...values] }
}

import { joinRanges } from '../kernel/ranges.ts'
import type { SafeText } from '../kernel/safe-text.ts'
import type { RedactedFinding } from './detector.ts'
import { MASK_TEXT } from './excerpt.ts'
import { piiDetector } from './pii/index.ts'
import { ReportedValues } from './reported-values.ts'
import { type DetectorRun, runDetectors } from './runner.ts'
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

/** Masks all credentials and personal data in texts that were taken from a source by another program. */
export function redactTexts(texts: readonly string[]): RedactedText[] {
  const redacted: RedactedText[] = []
  for (let at = 0; at < texts.length; at += TEXTS_AT_ONCE)
    redacted.push(...redactSome(texts.slice(at, at + TEXTS_AT_ONCE)))
  return redacted
}

function redactSome(texts: readonly string[]): RedactedText[] {
  const { findings, warnings } = runDetectors(
    {
      mime: 'text/plain',
      parts: texts.map((text, index) => ({ kind: 'text', path: String(index), text })),
      links: [],
    },
    {
      asset: { key: '', kind: 'text', name: '', url: '' },
      detectors,
      veiling: detectors,
      now: 0,
      inlineSuppression: false,
      occurrences: 'all',
      fingerprint: (canonical) => canonical,
    },
  )
  // Findings are limited per document, so texts that together exceed the limit are redacted one by one.
  if (warnings.length > 0 && texts.length > 1) return texts.flatMap((text) => redactSome([text]))
  return texts.map((text, index) => veil(text, findings, String(index)))
}

function veil(text: string, findings: readonly RedactedFinding[], path: string): RedactedText {
  const values = new ReportedValues()
  let veiled = ''
  let at = 0
  const ranges = findings
    .filter(({ location }) => location.path === path)
    .map(({ location }) => ({ start: location.start ?? 0, end: location.end ?? 0 }))
  for (const { start, end } of joinRanges(ranges)) {
    veiled += text.slice(at, start) + MASK_TEXT
    values.add(text.slice(start, end))
    at = end
  }
  const safe = toSafeTextOnce(veiled + text.slice(at), 'excerpt', MAX_TEXT, values)
  return { text: values.hide(safe), values: [...values] }
}

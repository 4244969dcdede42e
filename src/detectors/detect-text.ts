import { randomBytes } from 'node:crypto'
import type { AssayDocument } from '../documents/document.ts'
import { parseStorage } from '../documents/markup/confluence-storage.ts'
import { parseHtml } from '../documents/markup/html.ts'
import { readText } from '../documents/reader.ts'
import type { RedactedFinding } from './detector.ts'
import { createFingerprinter } from './fingerprint.ts'
import { documentDetectors } from './index.ts'
import { findReason, toRule } from './reasons.ts'
import { runRequest } from './request.ts'

export interface TextToDetect {
  id: string
  text: string
  mime?: string | undefined
  path?: string | undefined
  /** Detector types; default: all that need only the text. */
  types?: readonly string[] | undefined
  /** Whether findings say why they were reported. */
  explain?: boolean | undefined
}

/** `start` and `end` are UTF-16 offsets into the text. */
export interface TextFinding
  extends Pick<RedactedFinding, 'detectorType' | 'findingType' | 'severity' | 'confidence' | 'excerpt'> {
  start: number
  end: number
  /** Why it was reported, in words. */
  reason?: string | undefined
}

const markup =
  /<\/?(?:p|div|span|table|t[dhr]|img|a|br|ul|ol|li|h[1-6]|b|i|em|strong|input|script|(?:ac|ri):[a-z-]{2,40})(?:\s[^<>]{0,2000})?\/?>|<!--/i

/** All findings of a text, including repeated values, ordered by location. */
export function detectText(input: TextToDetect): { id: string; findings: TextFinding[] } {
  const { id, text, path = '', types, explain } = input
  const wanted = documentDetectors.filter(({ type }) => types === undefined || types.includes(type))
  const { findings } = runRequest(
    toDocument(input),
    {
      asset: { key: id, kind: 'text', name: path, url: '' },
      detectors: wanted.map(({ type }) => ({ type })),
      now: Date.now(),
      occurrences: 'all',
    },
    { fingerprint: createFingerprinter(randomBytes(32)) },
  )
  return {
    id,
    findings: findings
      .map(({ detectorType, findingType, severity, confidence, location, excerpt, rule }) => {
        const { start = 0, end = text.length } = location
        const reason = explain ? { reason: findReason(toRule(detectorType, rule)) } : {}
        return {
          detectorType,
          findingType,
          severity,
          confidence,
          start,
          end: Math.min(end, text.length),
          excerpt,
          ...reason,
        }
      })
      .sort((a, b) => a.start - b.start || a.end - b.end),
  }
}

/** Text of unknown type is read as plain text and, where it looks like markup, additionally as markup. */
function toDocument({ text, mime, path }: TextToDetect): AssayDocument {
  const plain = readText(text, { mime, filename: path })
  if (plain.mime !== 'text/plain' || !markup.test(text)) return plain
  const marked = /<(?:ac|ri):/.test(text) ? parseStorage(text) : parseHtml(text)
  return { ...plain, parts: [...plain.parts, ...marked.parts] }
}

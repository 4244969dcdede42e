import { type AssayDocument, findLineColumn } from '../documents/document.ts'
import type { RedactedFinding } from './detector.ts'
import { toExcerpt } from './excerpt.ts'
import type { Located, Reported } from './resolution.ts'
import { toLowerAscii, toVisibleLine } from './text.ts'

/** Shorter values occur inside ordinary words, so masking them everywhere would mask those words. */
const MIN_VALUE_LENGTH = 3

/** Converts matches to findings as they are stored. `veiled` are all matches that no excerpt may display. */
export function toFindings(
  document: AssayDocument,
  reported: readonly Reported[],
  veiled: readonly Located[],
): RedactedFinding[] {
  const values = new Set<string>()
  const rangesOf = new Map<number, Located[]>()
  for (const match of veiled) {
    const ranges = rangesOf.get(match.part) ?? []
    rangesOf.set(match.part, ranges)
    ranges.push(match)
    const value = toLowerAscii(toVisibleLine(document.parts[match.part]?.text.slice(match.start, match.end) ?? ''))
    if (value.length >= MIN_VALUE_LENGTH) values.add(value)
  }
  const hasSections = document.parts.some(({ section }) => section !== undefined)
  return reported.map(({ match, sections, fingerprint, valueFingerprint }) => {
    const part = document.parts[match.part]
    return {
      detectorType: match.detectorType,
      findingType: match.findingType,
      category: match.category,
      severity: match.severity,
      confidence: Math.round(match.confidence * 100) / 100,
      ...(match.customDetectorKey === undefined ? {} : { customDetectorKey: match.customDetectorKey }),
      location: {
        path: match.path,
        ...(part === undefined ? {} : findLineColumn(document, part, match.start)),
        start: match.from,
        end: match.to,
      },
      ...(hasSections ? { sections: [...sections].sort() } : {}),
      excerpt: part === undefined ? '' : toExcerpt(part.text, match, rangesOf.get(match.part) ?? [], values),
      fingerprint,
      valueFingerprint,
    }
  })
}

import { type AssayDocument, findLineColumn } from '../documents/document.ts'
import type { Range } from '../kernel/ranges.ts'
import type { RedactedFinding } from './detector.ts'
import { findHiddenAround, toExcerpt } from './excerpt.ts'
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
  if (reported.length === 0) return []
  const values = new Set<string>()
  const rangesOf = new Map<number, Range[]>()
  for (const match of veiled) {
    const ranges = rangesOf.get(match.part) ?? []
    rangesOf.set(match.part, ranges)
    ranges.push(match)
    const value = toLowerAscii(toVisibleLine(document.parts[match.part]?.text.slice(match.start, match.end) ?? ''))
    if (value.length >= MIN_VALUE_LENGTH) values.add(value)
  }
  for (const [index, matches] of byPart(reported)) {
    const hidden = findHiddenAround(document.parts[index]?.text ?? '', matches)
    rangesOf.set(index, [...(rangesOf.get(index) ?? []), ...hidden])
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

function byPart(reported: readonly Reported[]): Map<number, Range[]> {
  const parts = new Map<number, Range[]>()
  for (const { match } of reported) {
    const list = parts.get(match.part)
    if (list === undefined) parts.set(match.part, [match])
    else list.push(match)
  }
  return parts
}

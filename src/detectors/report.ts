import { type AssayDocument, findLineColumn } from '../documents/document.ts'
import { memoize } from '../kernel/memoize.ts'
import type { Range } from '../kernel/ranges.ts'
import type { RedactedFinding } from './detector.ts'
import { findHiddenAround, toExcerpt } from './excerpt.ts'
import { ReportedValues } from './reported-values.ts'
import type { Located, Reported } from './resolution.ts'
import { toSafeText } from './safe-text.ts'

/**
 * Converts matches to findings as they are stored. `veiled` are all matches that no excerpt may display, `known` are
 * values that none may contain either.
 */
export function toFindings(
  document: AssayDocument,
  reported: readonly Reported[],
  veiled: readonly Located[],
  known: Iterable<string>,
): RedactedFinding[] {
  if (reported.length === 0) return []
  const values = new ReportedValues(known)
  const rangesOf = new Map<number, Range[]>()
  for (const match of veiled) {
    const ranges = rangesOf.get(match.part) ?? []
    rangesOf.set(match.part, ranges)
    ranges.push(match)
    if (match.isName !== true) values.add(document.parts[match.part]?.text.slice(match.start, match.end) ?? '')
  }
  for (const [index, matches] of byPart(reported)) {
    const hidden = findHiddenAround(document.parts[index]?.text ?? '', matches, values)
    rangesOf.set(index, [...(rangesOf.get(index) ?? []), ...hidden])
  }
  // First what is recognized by itself: with a part of it masked, the rest would not be.
  const toSafePath = memoize(reported.length, (path) => values.hide(toSafeText(path, 'prose')))
  const hasSections = document.parts.some(({ section }) => section !== undefined)
  return reported.map(({ match, sections, fingerprint, valueFingerprint, valueId }) => {
    const part = document.parts[match.part]
    return {
      detectorType: match.detectorType,
      findingType: match.findingType,
      category: match.category,
      severity: match.severity,
      ...(match.rule === undefined ? {} : { rule: match.rule }),
      confidence: Math.round(match.confidence * 100) / 100,
      ...(match.customDetectorKey === undefined ? {} : { customDetectorKey: match.customDetectorKey }),
      location: {
        path: toSafePath(match.path),
        ...(part?.heading === undefined ? {} : { heading: toSafePath(part.heading) }),
        ...(part?.kind === 'cell' && part.label !== undefined && { label: toSafePath(part.label) }),
        ...(part === undefined ? {} : findLineColumn(document, part, match.start)),
        start: match.from,
        end: match.to,
      },
      ...(hasSections ? { sections: [...sections].sort() } : {}),
      excerpt: part === undefined ? '' : toExcerpt(part.text, match, rangesOf.get(match.part) ?? []),
      fingerprint,
      valueFingerprint,
      ...(valueId === undefined ? {} : { valueId }),
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

import { type Range, RangeSet } from '../kernel/ranges.ts'
import { type Match, severities } from './detector.ts'
import { toValue } from './value.ts'

/** Matches below it are not reported. */
export const MIN_CONFIDENCE = 0.5
export const MAX_FINDINGS = 200

/** A match located in the whole document; it still contains the raw value. */
export interface Located extends Match {
  detectorType: string
  category: string
  path: string
  /** Identifies the text that `from` and `to` refer to: matches of different texts never overlap. */
  source: string
  section: string
  identity: string
  /** Offsets in the source. */
  from: number
  to: number
}

export interface Reported {
  match: Located
  /** All sections that contain the value. */
  sections: Set<string>
  fingerprint: string
  /** The same wherever the value occurs. */
  valueFingerprint: string
  /** See `RedactedFinding`. */
  valueId: string | undefined
}

const gravity = (match: Located) => severities.indexOf(match.severity)

/**
 * Of overlapping matches of one detector, keeps the one with the highest confidence, then severity, then length; then
 * drops matches that overlap those of a detector in `yields`. The result is in document order.
 */
export function resolveOverlaps(found: readonly Located[], yields: ReadonlyMap<string, readonly string[]>): Located[] {
  const surestFirst = found.toSorted(
    (a, b) =>
      b.confidence - a.confidence || gravity(a) - gravity(b) || b.to - b.from - (a.to - a.from) || a.from - b.from,
  )
  const taken = new Map<string, RangeSet<Range & { confidence: number }>>()
  const place = (type: string, { customDetectorKey = '', source }: Located) =>
    `${type}\n${customDetectorKey}\n${source}`
  const kept = surestFirst.filter((match) => {
    const key = place(match.detectorType, match)
    const set = taken.get(key) ?? new RangeSet()
    taken.set(key, set)
    return set.add({ start: match.from, end: match.to, confidence: match.confidence })
  })
  return kept
    .filter((match) =>
      (yields.get(match.detectorType) ?? []).every((winner) => {
        const other = taken.get(place(winner, match))?.find({ start: match.from, end: match.to })
        return other === undefined || other.confidence < MIN_CONFIDENCE
      }),
    )
    .sort((a, b) => a.part - b.part || a.start - b.start)
}

/** One entry per value, at its match of highest confidence, or one per match where `occurrences` is `all`. */
export function distinct(
  matches: readonly Located[],
  options: { asset: { key: string }; fingerprint: (canonical: string) => string; occurrences?: 'first' | 'all' },
): Reported[] {
  const known = new Map<string, Reported>()
  const reported: Reported[] = []
  for (const match of matches) {
    const { detectorType, findingType, customDetectorKey, identity } = match
    const type = customDetectorKey === undefined ? findingType : `${findingType}:${customDetectorKey}`
    const fingerprint = options.fingerprint(`${detectorType}|${type}|${options.asset.key}|${identity}`)
    const earlier = known.get(fingerprint)
    if (earlier === undefined || options.occurrences === 'all') {
      const valueFingerprint = options.fingerprint(`${detectorType}|${type}|value|${identity}`)
      const value = toValue(match)
      const valueId = value === undefined ? undefined : options.fingerprint(value)
      const entry = { match, sections: new Set([match.section]), fingerprint, valueFingerprint, valueId }
      known.set(fingerprint, entry)
      reported.push(entry)
    } else {
      earlier.sections.add(match.section)
      if (match.confidence > earlier.match.confidence) earlier.match = match
    }
  }
  return reported
}

/** Keeps at most MAX_FINDINGS findings per detector, the most severe ones; `dropped` counts the others by detector. */
export function cap(reported: readonly Reported[]): { reported: Reported[]; dropped: Map<string, number> } {
  const counts = new Map<string, number>()
  const gravestFirst = reported.toSorted((a, b) => gravity(a.match) - gravity(b.match))
  const kept = new Set(
    gravestFirst.filter(({ match: { detectorType } }) => {
      const count = (counts.get(detectorType) ?? 0) + 1
      counts.set(detectorType, count)
      return count <= MAX_FINDINGS
    }),
  )
  const over = [...counts].filter(([, count]) => count > MAX_FINDINGS)
  return {
    reported: reported.filter((entry) => kept.has(entry)),
    dropped: new Map(over.map(([type, count]) => [type, count - MAX_FINDINGS])),
  }
}

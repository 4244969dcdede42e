import { type Range, RangeSet } from '../kernel/ranges.ts'
import { type Match, severities } from './detector.ts'

/** Below it a match is not reported. */
export const MIN_CONFIDENCE = 0.5
export const MAX_FINDINGS = 200

/** A match with its place in the whole document; it still holds what tells its value. */
export interface Located extends Match {
  detectorType: string
  category: string
  path: string
  /** The text that `from` and `to` count in: matches of several texts never overlap. */
  source: string
  section: string
  identity: string
  /** Offsets in the source. */
  from: number
  to: number
}

export interface Reported {
  match: Located
  /** All sections in which the value stands. */
  sections: Set<string>
  fingerprint: string
  /** The same wherever the value stands. */
  valueFingerprint: string
}

const gravity = (match: Located) => severities.indexOf(match.severity)

/**
 * Of overlapping matches of one detector the surest stays, then the gravest, then the longest; after that a detector
 * gives way to those it yields to. In the order of the document.
 */
export function resolveOverlaps(found: readonly Located[], yields: ReadonlyMap<string, readonly string[]>): Located[] {
  const surestFirst = [...found].sort(
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

/** One entry for each value (its surest place), or for each place where `all` occurrences are wanted. */
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
      const entry = { match, sections: new Set([match.section]), fingerprint, valueFingerprint }
      known.set(fingerprint, entry)
      reported.push(entry)
    } else {
      earlier.sections.add(match.section)
      if (match.confidence > earlier.match.confidence) earlier.match = match
    }
  }
  return reported
}

/** At most 200 findings of each detector, the gravest; `dropped` counts the others by detector. */
export function cap(reported: readonly Reported[]): { reported: Reported[]; dropped: Map<string, number> } {
  const counts = new Map<string, number>()
  const gravestFirst = [...reported].sort((a, b) => gravity(a.match) - gravity(b.match))
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

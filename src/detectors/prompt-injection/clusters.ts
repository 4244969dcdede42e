import { type Severity, severities } from '../detector.ts'

export interface Signal {
  rule: string
  type: string
  severity: Severity
  confidence: number
  start: number
  end: number
  /** True for a quoted example, which is no evidence for surrounding signals. */
  quoted?: boolean
  /** True where the range covers whole sentences instead of the exact words. */
  wide?: boolean
}

/** Signals at most this many characters apart belong to the same attempt. */
const NEAR = 250
const PER_FURTHER_TYPE = 0.1
const MAX_ENTRIES = 0.99

/**
 * Joins neighbouring signals. The confidence of a cluster is that of its strongest signal, raised for each further type
 * of signal; weak signals alone are combined as independent evidence. Quoted examples add nothing, regardless of their
 * number.
 */
export function toClusters(signals: readonly Signal[]): Signal[] {
  const ordered = signals.toSorted((a, b) => a.start - b.start)
  const groups: Signal[][] = []
  let reach = Number.NEGATIVE_INFINITY
  for (const signal of ordered) {
    const last = groups.at(-1)
    if (last !== undefined && signal.start - reach <= NEAR) last.push(signal)
    else groups.push([signal])
    reach = Math.max(signal.end, last !== undefined && signal.start - reach <= NEAR ? reach : 0)
  }
  return groups.flatMap((group) => {
    const strong = group.filter((signal) => signal.confidence >= 0.5)
    const worded = strong.filter(({ wide }) => wide !== true)
    const [span = group] = [worded, strong].filter((each) => each.length > 0)
    const [best] = span.toSorted((a, b) => b.confidence - a.confidence)
    if (best === undefined) return []
    const telling = group.filter(({ quoted }) => quoted !== true)
    const byRule = new Map(telling.map((signal) => [signal.rule, signal]))
    const weak = [...byRule.values()].filter((signal) => signal.confidence < 0.5)
    const evidence = 1 - weak.reduce((doubt, signal) => doubt * (1 - signal.confidence), 1)
    const further = Math.max(0, new Set(telling.map((signal) => signal.type)).size - 1)
    const surest = Math.max(...group.map((signal) => signal.confidence))
    const confidence = Math.min(MAX_ENTRIES, Math.max(surest + further * PER_FURTHER_TYPE, evidence))
    const gravest = Math.min(...span.map((signal) => severities.indexOf(signal.severity)))
    return {
      ...best,
      confidence,
      severity: severities[gravest] ?? best.severity,
      start: Math.min(...span.map((signal) => signal.start)),
      end: Math.max(...span.map((signal) => signal.end)),
    }
  })
}

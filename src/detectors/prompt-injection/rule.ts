import type { Severity } from '../detector.ts'

/** A structural pattern instead of words: control tokens, markup, addresses. Matched in canonical text. */
export interface StructureRule {
  id: string
  type: string
  severity: Severity
  /** Below 0.5, the rule only counts together with another one nearby. */
  confidence: number
  /** The pattern is tried only around an occurrence of one of these. */
  triggers: readonly string[]
  pattern: RegExp
  /** Must also match the original spelling, including letter case. */
  original?: RegExp
  /** Whether a match only names what it is, which counts for less; offsets are into the canonical text. */
  isMention?: (text: string, start: number, end: number) => boolean
}

import type { Severity } from '../detector.ts'

/** A form that words do not tell: control tokens, markup, addresses. It is looked for in canonical text. */
export interface StructureRule {
  id: string
  type: string
  severity: Severity
  /** Below 0.5 a rule only counts together with another one nearby. */
  confidence: number
  /** Tried only around one of these. */
  triggers: readonly string[]
  pattern: RegExp
  /** Must also hold for the original spelling of the match, letter case included. */
  original?: RegExp
}

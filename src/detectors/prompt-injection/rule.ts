import type { Severity } from '../detector.ts'
import type { Phrase } from './phrase.ts'

/** A wording that tries to steer whoever reads the text as a machine; it is looked for in canonical text. */
export interface InjectionRule {
  id: string
  type: string
  severity: Severity
  /** Below 0.5 a rule only counts together with another one nearby. */
  confidence: number
  /** Any of these wordings. */
  phrases?: readonly Phrase[]
  /** For what is not made of words: control tokens, markup, addresses. Tried only around `triggers`. */
  pattern?: RegExp
  triggers?: readonly string[]
  /** Must also hold for the original spelling of the match, letter case included. */
  original?: RegExp
}

import type { Severity } from '../detector.ts'

/** A wording that tries to steer whoever reads the text as a machine. Patterns see canonical text. */
export interface InjectionRule {
  id: string
  type: string
  severity: Severity
  /** Below 0.5 a rule only counts together with another one nearby. */
  confidence: number
  /** The pattern is tried only around these words. */
  triggers: readonly string[]
  pattern: RegExp
  /** Must also hold for the original spelling of the match, letter case included. */
  original?: RegExp
}

/** What may stand between two words: blanks, and the marks that people put in to hide a wording. */
const gap = String.raw`[\s_*"'~.,:;!\x60-]{1,4}`
const word = String.raw`[a-z0-9\u00c0-\uffff]{1,16}`

/**
 * Writes a pattern over words: `~` is a gap, `<3>` up to three words with their gaps, `{name}` the alternatives of a
 * vocabulary.
 */
export function wording(source: string, vocabulary: Readonly<Record<string, string>> = {}): RegExp {
  const spelled = source
    .replace(/\{([a-z]+)\}/gi, (_, name: string) => `(?:${vocabulary[name] ?? ''})`)
    .replace(/~/g, gap)
    .replace(/<(\d)>/g, (_, most: string) => `(?:${word}${gap}){0,${most}}`)
  return new RegExp(spelled, 'g')
}

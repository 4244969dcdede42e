import type { Severity } from '../detector.ts'

/** A credential that is known by how it begins. */
export interface TokenShape {
  type: string
  /** What it begins with, or holds, as a literal in lower case; the pattern is tried only there. */
  literal: string
  pattern: RegExp
  severity: Severity
  confidence: number
  /** How many characters stand before the literal at most; 0: the token begins with it. */
  lead: number
  /** The body after the prefix ends in a CRC-32: a wrong one lowers the confidence. */
  crcAfter?: string
  /** Published samples of this shape are as real as any: words such as EXAMPLE do not speak against it. */
  trusted?: boolean
  /** The shape alone says little: a body that counts through the alphabet is none. */
  strict?: boolean
}

export type TokenShapeRow = readonly [
  type: string,
  literals: string,
  source: string,
  grade?: Grade,
  options?: Partial<TokenShape>,
]
type Grade = 'live' | 'scoped' | 'test' | 'public'

export const grades: Record<Grade, readonly [Severity, number]> = {
  live: ['CRITICAL', 0.95],
  scoped: ['HIGH', 0.93],
  test: ['LOW', 0.91],
  public: ['LOW', 0.6],
}

/** No letter, digit or dash may follow: most tokens have a fixed length. */
export const END = '(?![A-Za-z0-9_-])'

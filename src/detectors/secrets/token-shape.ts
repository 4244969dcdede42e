import type { Severity } from '../detector.ts'

/** A credential recognized by its prefix. */
export interface TokenShape {
  type: string
  /** Its prefix or a part of it in lower case; the pattern is tried only at occurrences of this literal. */
  literal: string
  pattern: RegExp
  severity: Severity
  confidence: number
  /** Maximum number of characters before the literal; 0: the token starts with it. */
  lead: number
  /** Prefix after which the body ends in a CRC-32; a wrong checksum lowers the confidence. */
  crcAfter?: string
  /** Words such as EXAMPLE do not lower the confidence. */
  trusted?: boolean
  /** The shape alone is weak evidence: bodies that follow the alphabet are rejected. */
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

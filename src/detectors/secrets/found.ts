import type { Severity } from '../detector.ts'

/** A secret found in a text; offsets are into that text. */
export interface Found {
  type: string
  start: number
  end: number
  severity: Severity
  confidence: number
  value?: string
  shown?: string
  /** What shows that it is one: a key of `reasons`; absent: its type says it. */
  rule?: string
}

/** How far a text has been searched, so that nothing is read again at each further occurrence of a literal. */
export interface SearchProgress {
  readFrom: number
  /** The instant of the scan, in milliseconds since the epoch. */
  now: number
}

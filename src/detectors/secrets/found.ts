import type { Severity } from '../detector.ts'

/** A secret that a reader found. Offsets are into the text that was looked at. */
export interface Found {
  type: string
  start: number
  end: number
  severity: Severity
  confidence: number
  value?: string
  shown?: string
}

/** Where the next look is worth it: what was read already is not read again, however often the literal stands there. */
export interface SearchProgress {
  readFrom: number
  /** The instant of the scan, in milliseconds since the epoch. */
  now: number
}

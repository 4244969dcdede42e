/** A match of one kind; `start` and `end` are offsets into the part's text. */
export interface PiiMatch {
  type: string
  start: number
  end: number
  confidence: number
  severity: 'CRITICAL' | 'HIGH' | 'MEDIUM' | 'LOW' | 'INFO'
  identity: string
  /** See `Match`. */
  value?: string
  shown: string
  /** See `Match`. */
  isName?: boolean
}

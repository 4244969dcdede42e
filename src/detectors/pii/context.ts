import type { Part } from '../../documents/document.ts'

const BEFORE = 48
const AFTER = 16

/** What stands around a candidate: the words before and after it, and what the part itself is called. */
export interface TextContext {
  before: string
  after: string
  /** Column header, attribute name or nearest heading. */
  label: string
}

export function surroundingsOf(part: Part, start: number, end: number): TextContext {
  return {
    before: part.text.slice(Math.max(0, start - BEFORE), start).toLowerCase(),
    after: part.text.slice(end, end + AFTER).toLowerCase(),
    label: (part.label ?? part.headings?.at(-1) ?? '').toLowerCase(),
  }
}

export function says({ before, after, label }: TextContext, words: RegExp): boolean {
  return words.test(label) || words.test(before) || words.test(after)
}

/** What a candidate of one kind is; `start` and `end` are offsets into the part's text. */
export interface PiiMatch {
  type: string
  start: number
  end: number
  confidence: number
  severity: 'CRITICAL' | 'HIGH' | 'MEDIUM' | 'LOW' | 'INFO'
  identity: string
  shown: string
}

import type { Severity } from '../detector.ts'

/** Invisible characters that carry or hide text. */
export interface UnseenRun {
  type: 'UNICODE_TAGS' | 'VARIATION_SELECTOR' | 'ZERO_WIDTH' | 'BIDI'
  start: number
  end: number
  confidence: number
  severity: Severity
}

/** Region flags consist of a black flag, tag letters and a cancel tag. */
const regionFlag = /\u{1f3f4}[\u{e0061}-\u{e007a}\u{e0030}-\u{e0039}]{2,6}\u{e007f}/gu
const tags = /[\u{e0000}-\u{e007f}]+/gu
const selectors = /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{3,}/gu
const invisible = /[\u200b-\u200d\u2060-\u2064\ufeff\u180e]{6,}/gu
/** Latin words repeatedly split by invisible characters. */
const splitWord = /[a-z]{1,3}(?:[\u200b-\u200d\u2060-\u2064\ufeff\u180e][a-z ]{1,3}){5,}/giu
const overrides = /[\u202d\u202e][^\u202c\n]{2,200}/gu
const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u

export function* findUnseen(text: string): Generator<UnseenRun> {
  if (!/[^\0-\u17ff]/.test(text)) return
  const flags = [...text.matchAll(regionFlag)].map(({ 0: flag, index }) => ({ start: index, end: index + flag.length }))
  for (const { 0: run, index } of text.matchAll(tags)) {
    if (flags.some((flag) => flag.start < index && index < flag.end)) continue
    const long = run.length >= 8
    yield toRun('UNICODE_TAGS', index, run, long ? 0.99 : 0.7, long ? 'CRITICAL' : 'HIGH')
  }
  for (const { 0: run, index } of text.matchAll(selectors))
    yield toRun('VARIATION_SELECTOR', index, run, 0.95, 'CRITICAL')
  for (const { 0: run, index } of text.matchAll(invisible)) yield toRun('ZERO_WIDTH', index, run, 0.95, 'HIGH')
  for (const { 0: run, index } of text.matchAll(splitWord)) yield toRun('ZERO_WIDTH', index, run, 0.8, 'HIGH')
  if (rightToLeft.test(text)) return
  for (const { 0: run, index } of text.matchAll(overrides)) yield toRun('BIDI', index, run, 0.8, 'MEDIUM')
}

function toRun(type: UnseenRun['type'], start: number, run: string, confidence: number, severity: Severity): UnseenRun {
  return { type, start, end: start + run.length, confidence, severity }
}

import { isDigit, isWordCode } from '../text.ts'

export interface DigitGroup {
  start: number
  end: number
  digits: string
}

/** Digits with short separators between them, as in card, phone and identity numbers. */
export interface NumberRun {
  /** From the first digit, or a `+` or `(` before it, to the end of the last digit. */
  start: number
  end: number
  text: string
  groups: readonly DigitGroup[]
  /** Separators between the groups. */
  separators: readonly string[]
}

const run = /[+(]{0,2}\d(?:[ \u00a0\u202f()./\u2010-\u2013-]{0,3}\d){6,39}/g
const digitGroup = /\d+/g

/** All runs of 7 to 40 digits, from left to right. */
export function* numberRuns(text: string): Generator<NumberRun> {
  for (const found of text.matchAll(run)) {
    const start = found.index
    const groups: DigitGroup[] = []
    const separators: string[] = []
    for (const group of found[0].matchAll(digitGroup)) {
      const last = groups.at(-1)
      const from = start + group.index
      if (last !== undefined) separators.push(text.slice(last.end, from))
      groups.push({ start: from, end: from + group[0].length, digits: group[0] })
    }
    yield { start, end: start + found[0].length, text: found[0], groups, separators }
  }
}

/** Scripts from here on put no blank between a word and a number. */
const FIRST_UNSPACED = 0x2e80
const isSpacedWord = (code: number) => code < FIRST_UNSPACED && isWordCode(code)
/**
 * Whether a number is part of something larger: a word, a decimal, an identifier, an address, a parameter, a hash.
 */
export function isPartOfSomething(text: string, start: number, end: number): boolean {
  const [before, two] = [text.charAt(start - 1), text.charCodeAt(start - 2)]
  if (start > 0 && (isSpacedWord(before.charCodeAt(0)) || '@%$€£&\\'.includes(before))) return true
  if (
    start > 1 &&
    '.,-/=_:+#'.includes(before) &&
    (isDigit(two) || (isWordCode(two) && before !== ':' && before !== '='))
  ) {
    return true
  }
  const [after, beyond] = [text.charAt(end), text.charCodeAt(end + 1)]
  if (end < text.length && (isSpacedWord(after.charCodeAt(0)) || '@%€£'.includes(after))) return true
  return end + 1 < text.length && '.,:'.includes(after) && isDigit(beyond)
}

import { isAlphanumeric, isDigit } from '../text.ts'

/** Bits of `lookAtNumbers`, each a condition without which one kind of search finds nothing. */
export const Looks = {
  /** A form of an id, an account or a document. */
  ids: 1,
  dates: 2,
  /** Seven digits with short separators, as in telephone numbers and cards. */
  runs: 4,
  ibans: 8,
  /** Four numbers with points between them, two colons in a row, or a colon beside a hexadecimal number. */
  addresses: 16,
  wallets: 32,
  /** Seven digits close together, as in ids that are recognized without a label. */
  unlabelled: 64,
} as const
const ALL = 127

const MAX_GAP = 3
const MIN_RUN_DIGITS = 7
/** Ids of digits with single separators have at least this many digits, */
const MIN_ID_DIGITS = 6
/** ids with letters this many digits in a row, */
const MIN_ROW = 5
/** or this many in at least this many characters. */
const MIN_MIXED_DIGITS = 4
const MIN_MIXED = 8
const MAX_ID = 24
const YEAR = 4
const MIN_WALLET = 26

const COLON = 58
const DASH = 45
const POINT = 46
const SPACE = 32
const isHexadecimal = (code: number) => isDigit(code) || ((code | 32) >= 97 && (code | 32) <= 102)
const isLetter = (code: number) => (code | 32) >= 97 && (code | 32) <= 122
const codesOf = (characters: string) => new Set([...characters].map((character) => character.charCodeAt(0)))
/** Final letters of Maltese ids. */
const finalLetters = codesOf('MGAPLHBZ')
const idSeparators = codesOf(' .-/+')
const dateSeparators = codesOf('./-')

const nextDigit = /\d/g
const closeDigits = /(?:\d\D{0,3}){4}/
/** Text between a day or the name of a month and the year, */
const beforeYear = /^(?:(?:st|nd|rd|th|er|\.)?(?: de| of)? \p{L}{3,12}\.?,?(?: de)? |(?:st|nd|rd|th)?,? )$/u
/** and between a year and a day or a month. */
const afterYear = /^(?:\. \p{L}{3,12} | ?[年년] ?)$/u
const MAX_DATE_GAP = 30
/** `85 T 10`: part of an Italian code that is written with spaces. */
const spacedCode = /^(?: [A-Z] ?| ?[A-Z] )\d/i
const capitals = /^[A-Z\d]+$/

/**
 * Forms of numbers in a text, as bits of `Looks`, found in one pass over its digits, so that most texts are not
 * searched for most kinds of numbers. Digits are found by an expression, which is faster than a loop.
 */
export function lookAtNumbers(text: string): number {
  nextDigit.lastIndex = 0
  if (!nextDigit.test(text)) return 0
  let looks = holdsWallet(text) ? Looks.wallets : 0
  if (text.includes('::')) looks |= Looks.addresses
  const areClose = closeDigits.test(text)
  /** Digits with up to three other characters between them; the same without letters; with single separators. */
  let close = 0
  let plain = 0
  let separated = 0
  let groups = 0
  let firstRow = 0
  let points = 0
  let dateSigns = 0
  let lastEnd = -MAX_DATE_GAP * 2
  let lastRow = 0
  let lastSign = 0
  const endSeparated = () => {
    const isDate = groups === 3 && separated === 8 && (firstRow === YEAR || lastRow === YEAR)
    if (separated >= MIN_ID_DIGITS && !isDate) looks |= Looks.ids
  }
  do {
    const at = nextDigit.lastIndex - 1
    let end = at + 1
    while (isDigit(text.charCodeAt(end))) end++
    const row = end - at
    const gap = at - lastEnd
    const sign = text.charCodeAt(lastEnd)
    if ((looks & Looks.ids) === 0) {
      if (mayBeId(text, at, end)) looks |= Looks.ids
      if (gap === 1 && idSeparators.has(sign)) {
        separated += row
        groups++
      } else {
        endSeparated()
        separated = firstRow = row
        groups = 1
      }
    }
    if (areClose) {
      if (gap > MAX_GAP) close = plain = points = 0
      else {
        for (let between = lastEnd; between < at; between++) if (isLetter(text.charCodeAt(between))) plain = 0
        points = gap === 1 && sign === POINT ? points + 1 : 0
        if (points === 3) looks |= Looks.addresses
      }
      close += row
      plain += row
      if (close >= MIN_RUN_DIGITS) looks |= Looks.unlabelled
      if (plain >= MIN_RUN_DIGITS) looks |= Looks.runs
      if ((looks & Looks.dates) === 0) {
        const isSign = gap === 1 || (gap === 2 && text.charCodeAt(at - 1) === SPACE)
        if (!isSign || !dateSeparators.has(sign)) dateSigns = 0
        else dateSigns = dateSigns > 0 && sign === lastSign && lastRow <= 2 ? 2 : 1
        lastSign = sign
        if (dateSigns === 2 || isYearApart(text, lastEnd, at, lastRow, row)) looks |= Looks.dates
      }
      if (row >= 2 && (looks & Looks.ibans) === 0 && isAfterCountry(text, at)) looks |= Looks.ibans
      if ((looks & Looks.addresses) === 0 && isBesideColon(text, at, end)) looks |= Looks.addresses
    }
    lastEnd = end
    lastRow = row
    nextDigit.lastIndex = end
  } while (looks !== ALL && nextDigit.test(text))
  endSeparated()
  return looks
}

/** Whether the digits are part of a row of letters and digits that may be an id. */
function mayBeId(text: string, start: number, end: number): boolean {
  let from = start
  while (from > 0 && end - from <= MAX_ID && isAlphanumeric(text.charCodeAt(from - 1))) from--
  let to = end
  while (to - from <= MAX_ID && isAlphanumeric(text.charCodeAt(to))) to++
  const length = to - from
  if (length > MAX_ID) return false
  const row = end - start
  if (row >= MIN_ROW || length === 16 || length === 17) return true
  if (row >= 3 && to > end && finalLetters.has(text.charCodeAt(end))) return true
  if (length === 4)
    return text.charCodeAt(to) === DASH && isDigit(text.charCodeAt(from)) && isDigit(text.charCodeAt(to - 1))
  if (row === 2 && spacedCode.test(text.slice(end, end + 4))) return true
  if (length < MIN_MIXED) return false
  const code = text.slice(from, to)
  return code.replace(/\D/g, '').length >= MIN_MIXED_DIGITS || (length <= 11 && length >= 10 && capitals.test(code))
}

function isYearApart(text: string, from: number, to: number, before: number, after: number): boolean {
  if (to - from > MAX_DATE_GAP || (before < YEAR && after < YEAR)) return false
  const between = text.slice(from, to)
  return (after >= YEAR && beforeYear.test(between)) || (before >= YEAR && afterYear.test(between))
}

/** Whether two letters that may be the code of a country, and at most one space, are before the offset. */
function isAfterCountry(text: string, at: number): boolean {
  const end = text.charCodeAt(at - 1) === SPACE ? at - 1 : at
  return (
    end >= 2 &&
    isLetter(text.charCodeAt(end - 1)) &&
    isLetter(text.charCodeAt(end - 2)) &&
    !(end >= 3 && isAlphanumeric(text.charCodeAt(end - 3)))
  )
}

/** Whether the number is part of a hexadecimal group of an address, with a colon and another group beside it. */
function isBesideColon(text: string, start: number, end: number): boolean {
  let to = end
  while (to - end < 3 && isHexadecimal(text.charCodeAt(to))) to++
  if (text.charCodeAt(to) === COLON && isHexadecimal(text.charCodeAt(to + 1))) return true
  let from = start
  while (start - from < 3 && isHexadecimal(text.charCodeAt(from - 1))) from--
  return text.charCodeAt(from - 1) === COLON && isHexadecimal(text.charCodeAt(from - 2))
}

/** Whether the text contains as many letters and digits in a row as a wallet has. */
function holdsWallet(text: string): boolean {
  // Such a row covers one of these offsets.
  for (let at = MIN_WALLET - 1; at < text.length; at += MIN_WALLET) {
    if (!isAlphanumeric(text.charCodeAt(at))) continue
    let from = at
    while (from > 0 && at - from < MIN_WALLET && isAlphanumeric(text.charCodeAt(from - 1))) from--
    let to = at + 1
    while (to < text.length && to - from < MIN_WALLET && isAlphanumeric(text.charCodeAt(to))) to++
    if (to - from >= MIN_WALLET) return true
  }
  return false
}

import type { Part } from '../../documents/document.ts'
import { isWordCode } from '../text.ts'
import type { PartLabels } from './labels.ts'
import type { PiiMatch } from './match.ts'
import { topicOf } from './topics.ts'

const topics = [topicOf('BIRTH')]
const BEFORE = 24
const AFTER = 72
const ONE_YEAR_MS = 365.25 * 86_400_000
const OLDEST = 120

const year = /\d{4}/
const numeric = /(\d{1,2})([./-]) ?(\d{1,2})\2 ?(\d{4}|\d{2})|(\d{4})([./-]) ?(\d{1,2})\6 ?(\d{1,2})/g
const counted = /(\d{4}) ?[年년] ?(\d{1,2}) ?[月월] ?(\d{1,2}) ?[日일]/g
const worded =
  /(\d{1,2})(?:st|nd|rd|th|er|\.)?(?: de| of)? \p{L}{3,12}\.?,?(?: de)? (\d{4})|\p{L}{3,12}\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})|(\d{4})\. \p{L}{3,12} (\d{1,2})/gu

const isYear = (year: number, thisYear: number) => year <= thisYear && year >= thisYear - OLDEST
const isDayAndMonth = (a: number, b: number) => a >= 1 && b >= 1 && Math.min(a, b) <= 12 && Math.max(a, b) <= 31

function isNumericDate(found: RegExpExecArray, thisYear: number): boolean {
  const [, a, , b, year, first, , c, d] = found
  if (first !== undefined)
    return isYear(Number(first), thisYear) && Number(c) <= 12 && isDayAndMonth(Number(c), Number(d))
  const isShort = year?.length === 2
  return isDayAndMonth(Number(a), Number(b)) && (isShort || isYear(Number(year), thisYear))
}

const kinds: readonly (readonly [RegExp, (found: RegExpExecArray, thisYear: number) => boolean])[] = [
  [numeric, isNumericDate],
  [counted, ([, year, month, day], now) => isYear(Number(year), now) && isDayAndMonth(Number(month), Number(day))],
  [
    worded,
    ([, day, year, day2, year2, year3, day3], now) =>
      isYear(Number(year ?? year2 ?? year3), now) && isDayAndMonth(1, Number(day ?? day2 ?? day3)),
  ],
]

/** `nata a Roma il`, `geboren in Ulm am`: the place precedes the date. */
const bornIn =
  /(?:nat[oa] a|nata\/o a|n[ée]e? à|geboren in|born in|nacid[oa] en|nascid[oa] em|urodzon[ya] w|geboren te) \p{L}[\p{L} '-]{1,24},?(?: il| le| am| on| el| em| dnia| op)?:? $/iu
/** Without accents, or in upper case, these are different words. */
const otherWord = /^(?:ne|nee|nato)$/i
const byRelation = { cell: 0.95, adjacent: 0.92, after: 0.7, near: 0, other: 0 } as const

/** Dates described as a date of birth by a word beside them or by the heading of their column. */
export function* findBirthDates({ text }: Part, labels: PartLabels, now: number): Generator<PiiMatch> {
  const thisYear = 1970 + Math.floor(now / ONE_YEAR_MS)
  for (const place of labels.placesOf(topics)) {
    if (otherWord.test(text.slice(place.start, place.end))) continue
    const from = place.isCell ? place.start : Math.max(0, place.start - BEFORE)
    const slice = text.slice(from, place.isCell ? place.end : place.end + AFTER)
    for (const [pattern, isDate] of kinds) {
      if (pattern !== numeric && !year.test(slice)) continue
      for (const found of slice.matchAll(pattern)) {
        const start = from + found.index
        const end = start + found[0].length
        if (isGlued(text, start, end) || !isDate(found, thisYear)) continue
        const relation = labels.relate(topics, start, end, true)
        const isAtPlace = bornIn.test(text.slice(Math.max(0, start - BEFORE * 2), start))
        const confidence = isAtPlace ? byRelation.adjacent : relation === undefined ? 0 : byRelation[relation]
        if (confidence === 0) continue
        yield {
          type: 'DATE_OF_BIRTH',
          start,
          end,
          confidence,
          severity: 'MEDIUM',
          identity: found[0].replace(/\s+/g, ' '),
          shown: '•••',
        }
      }
    }
  }
}

function isGlued(text: string, start: number, end: number): boolean {
  const [before, after] = [text.charCodeAt(start - 1), text.charCodeAt(end)]
  return (before < 128 && isWordCode(before)) || (after < 128 && isWordCode(after))
}

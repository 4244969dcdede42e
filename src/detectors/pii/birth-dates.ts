import type { Part } from '../../documents/document.ts'
import { isWordCode } from '../text.ts'
import { type PiiMatch, surroundingsOf } from './context.ts'

const dates = [
  /\d{1,4}[./-]\d{1,2}[./-]\d{2,4}/g,
  /\d{1,2}(?:st|nd|rd|th|\.)? [A-Za-zäé]{3,9}\.? \d{4}/g,
  /[A-Z][a-z]{2,8} \d{1,2},? \d{4}/g,
]
const words =
  /\b(?:born|birth ?date|date of birth|d\.?o\.?b|birthday|geburtsdatum|geboren|geb|n[ée]e? le|nacid[oa]|nascimento)\b[^\n]{0,20}$/i
const ONE_YEAR_MS = 365.25 * 86_400_000

/** Dates that the words before them call a birthday, of a person between 10 and 120 years old. */
export function* findBirthDates(part: Part, now: number): Generator<PiiMatch> {
  const thisYear = 1970 + Math.floor(now / ONE_YEAR_MS)
  for (const { 0: found, index } of dates.flatMap((date) => [...part.text.matchAll(date)])) {
    if (isWordCode(part.text.charCodeAt(index - 1)) || isWordCode(part.text.charCodeAt(index + found.length))) continue
    const { before, label } = surroundingsOf(part, index, index + found.length)
    if (!words.test(before) && !words.test(label)) continue
    const year = Number(/\d{4}/.exec(found)?.[0])
    if (year < thisYear - 120 || year > thisYear - 10) continue
    yield {
      type: 'DATE_OF_BIRTH',
      start: index,
      end: index + found.length,
      confidence: 0.7,
      severity: 'MEDIUM',
      identity: found,
      shown: '•••',
    }
  }
}

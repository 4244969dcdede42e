const DAY_MS = 86_400_000
const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Maximum number of cached months; imports need the same ones repeatedly. */
const MAX_MONTHS = 5_000
const monthStarts = new Map<number, number>()

function startOfMonth(year: number, month: number): number {
  const number = year * 12 + month
  const known = monthStarts.get(number)
  if (known !== undefined) return known
  const start = Date.UTC(year, month - 1, 1)
  if (monthStarts.size < MAX_MONTHS) monthStarts.set(number, start)
  return start
}

/** The texts read last with their times, in places by their seconds: each time of a line is needed several times. */
const recentTexts = Array.from({ length: 16 }, () => '')
const recentTimes = new Float64Array(recentTexts.length)
const placeOf = (text: string) => (text.charCodeAt(18) ^ text.charCodeAt(15)) & (recentTexts.length - 1)

/** The digit at a position; NaN for any other character. */
function toDigit(text: string, at: number): number {
  const digit = text.charCodeAt(at) - 48
  return digit >= 0 && digit <= 9 ? digit : Number.NaN
}

const twoDigits = (text: string, at: number): number => toDigit(text, at) * 10 + toDigit(text, at + 1)

/**
 * Milliseconds of `2026-01-31T08:00:00Z` or `2026-01-31T08:00:00.000Z`, years 1000 to 9999; undefined for every other
 * form, valid or not, and for 29 February.
 */
export function readInstant(text: string): number | undefined {
  const { length } = text
  if (length !== 24 && length !== 20) return undefined
  const place = placeOf(text)
  if (recentTexts[place] === text) return recentTimes[place]
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2)
  const month = twoDigits(text, 5)
  const day = twoDigits(text, 8)
  const hour = twoDigits(text, 11)
  const minute = twoDigits(text, 14)
  const second = twoDigits(text, 17)
  const millisecond = length === 24 ? twoDigits(text, 20) * 10 + toDigit(text, 22) : 0
  const isShaped =
    text.charCodeAt(4) === 45 &&
    text.charCodeAt(7) === 45 &&
    text.charCodeAt(10) === 84 &&
    text.charCodeAt(13) === 58 &&
    text.charCodeAt(16) === 58 &&
    text.charCodeAt(length - 1) === 90 &&
    (length === 20 || text.charCodeAt(19) === 46)
  if (!isShaped || !(year >= 1000 && month >= 1 && month <= 12 && day >= 1 && day <= (monthDays[month - 1] ?? 0))) {
    return undefined
  }
  if (!(hour <= 23 && minute <= 59 && second <= 59 && millisecond <= 999)) return undefined
  const time = ((hour * 60 + minute) * 60 + second) * 1000 + millisecond
  const instant = startOfMonth(year, month) + (day - 1) * DAY_MS + time
  recentTexts[place] = text
  recentTimes[place] = instant
  return instant
}

/** Milliseconds of an ISO 8601 timestamp. */
export const toMs = (text: string): number => readInstant(text) ?? Date.parse(text)

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
function toDigit(bytes: Uint8Array, at: number): number {
  const digit = (bytes[at] ?? 0) - 48
  return digit >= 0 && digit <= 9 ? digit : Number.NaN
}

const twoDigits = (bytes: Uint8Array, at: number): number => toDigit(bytes, at) * 10 + toDigit(bytes, at + 1)

/**
 * Milliseconds of `2026-01-31T08:00:00Z` or `2026-01-31T08:00:00.000Z`, years 1000 to 9999, from its bytes; undefined
 * for every other form, valid or not, and for 29 February.
 */
export function readInstantAt(bytes: Uint8Array, from: number, end: number): number | undefined {
  const length = end - from
  if (length !== 24 && length !== 20) return undefined
  const year = twoDigits(bytes, from) * 100 + twoDigits(bytes, from + 2)
  const month = twoDigits(bytes, from + 5)
  const day = twoDigits(bytes, from + 8)
  const hour = twoDigits(bytes, from + 11)
  const minute = twoDigits(bytes, from + 14)
  const second = twoDigits(bytes, from + 17)
  const millisecond = length === 24 ? twoDigits(bytes, from + 20) * 10 + toDigit(bytes, from + 22) : 0
  const isShaped =
    bytes[from + 4] === 45 &&
    bytes[from + 7] === 45 &&
    bytes[from + 10] === 84 &&
    bytes[from + 13] === 58 &&
    bytes[from + 16] === 58 &&
    bytes[end - 1] === 90 &&
    (length === 20 || bytes[from + 19] === 46)
  if (!isShaped || !(year >= 1000 && month >= 1 && month <= 12 && day >= 1 && day <= (monthDays[month - 1] ?? 0))) {
    return undefined
  }
  if (!(hour <= 23 && minute <= 59 && second <= 59 && millisecond <= 999)) return undefined
  const time = ((hour * 60 + minute) * 60 + second) * 1000 + millisecond
  return startOfMonth(year, month) + (day - 1) * DAY_MS + time
}

const scratch = Buffer.alloc(32)

/** The same of a text. */
export function readInstant(text: string): number | undefined {
  if (text.length !== 24 && text.length !== 20) return undefined
  const place = placeOf(text)
  if (recentTexts[place] === text) return recentTimes[place]
  const instant = readInstantAt(scratch, 0, scratch.write(text))
  if (instant === undefined) return undefined
  recentTexts[place] = text
  recentTimes[place] = instant
  return instant
}

/** Milliseconds of an ISO 8601 timestamp. */
export const toMs = (text: string): number => readInstant(text) ?? Date.parse(text)

const HOUR = 3_600_000
const hoursOf: Readonly<Record<string, number>> = {
  hour: 1,
  day: 24,
  week: 7 * 24,
  month: 30 * 24,
  quarter: 91 * 24,
  year: 365 * 24,
}

/** Likely ISO 8601 readings of other text, most likely first: relative times, or dates in another order. */
export function suggestInstants(text: string, now: number): string[] {
  const words = suggestInstant(text, now)
  return words === undefined ? suggestDates(text) : [words]
}

/** Both day-month and month-day order are tried; a day beyond the end of its month becomes the last day. */
function suggestDates(text: string): string[] {
  const [, year = '', month = '', day = ''] = /^\s*(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})\s*$/.exec(text) ?? []
  const [, first = '', second = '', lastYear = ''] = /^\s*(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})\s*$/.exec(text) ?? []
  const read = [
    toDate(year, month, day),
    ...(text.includes('/')
      ? [toDate(lastYear, first, second), toDate(lastYear, second, first)]
      : [toDate(lastYear, second, first), toDate(lastYear, first, second)]),
  ]
  return [...new Set(read.flatMap((date) => date ?? []))]
}

function toDate(...parts: [year: string, month: string, day: string]): string | undefined {
  const [year, month, day] = parts.map(Number)
  if (parts.includes('') || !year || !month || !day || month > 12 || day > 31) return undefined
  const last = new Date(Date.UTC(year, month, 0)).getUTCDate()
  return toDay(Date.UTC(year, month - 1, Math.min(day, last)))
}

/** The likely start meant by words such as `yesterday`, `last 30 days` or `2 weeks ago`. */
function suggestInstant(words: string, now: number): string | undefined {
  const text = words.trim().toLowerCase()
  if (text === 'now') return new Date(now).toISOString()
  if (text === 'today') return toDay(now)
  if (text === 'yesterday') return toDay(now - 24 * HOUR)
  const [, before, after, unit = ''] =
    /^(?:(?:(?:the )?(?:last|past|previous)\s*(\d{1,4})?)|(\d{1,4}))\s*(hour|day|week|month|quarter|year)s?(?: ago)?$/.exec(
      text,
    ) ?? []
  const hours = hoursOf[unit]
  if (hours === undefined) return undefined
  const start = now - Number(before ?? after ?? 1) * hours * HOUR
  return unit === 'hour' ? new Date(start).toISOString() : toDay(start)
}

const toDay = (instant: number) => new Date(instant).toISOString().slice(0, 10)

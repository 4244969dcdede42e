const HOUR = 3_600_000
const hoursOf: Readonly<Record<string, number>> = {
  hour: 1,
  day: 24,
  week: 7 * 24,
  month: 30 * 24,
  quarter: 91 * 24,
  year: 365 * 24,
}

/** The timestamp that words such as `yesterday`, `last 30 days` or `2 weeks ago` most likely mean as a start. */
export function suggestInstant(words: string, now: number): string | undefined {
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

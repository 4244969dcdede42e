import { utcDay, type Zone } from './zone.ts'

const HOUR = 3_600_000

/** A half-open range `[from, to)` in milliseconds; an absent end is unbounded. */
export interface TimeRange {
  from?: number
  to?: number
}

/** What the ends of every range mean, for descriptions. */
export const startMeaning = 'Start: a date, month or ISO 8601 timestamp.'
export const endMeaning = 'End: through a date or month, or up to a timestamp.'

export type Bound = 'from' | 'to'
/** The ends of a range as they were written. */
export type WrittenRange = { readonly [bound in Bound]?: string | undefined }

export const reversedRange = 'must not be after the end of the range.'

const timestamp =
  /^(\d{4})-(\d{2})(?:-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?)?$/i

/**
 * Reads an ISO 8601 timestamp; without an offset it is local time in the zone. A bare date or month is that local day or
 * month: its start for `from`, its end for `to`. A text is what is wrong with another one.
 */
export function readBound(text: string, bound: Bound, zone: Pick<Zone, 'toInstant'>): number | string {
  const match = timestamp.exec(text.trim())
  if (match === null) return 'is not an ISO 8601 date or timestamp'
  const [year = 0, month = 0] = match.slice(1, 3).map(Number)
  const [, , , day, hour, minute = '0', second = '0', fraction = '', offset] = match
  if (month < 1 || month > 12) return 'is not an existing date'
  if (day === undefined) return zone.toInstant(utcDay(year, bound === 'to' ? month + 1 : month, 1))
  const date = utcDay(year, month, Number(day))
  if (new Date(date).getUTCDate() !== Number(day)) return 'is not an existing date'
  if (hour === undefined) return zone.toInstant(bound === 'to' ? utcDay(year, month, Number(day) + 1) : date)
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return 'is not a valid time of day'
  const clock = Number(hour) * HOUR + Number(minute) * 60_000 + Number(second) * 1000
  const local = date + clock + Number(fraction.padEnd(3, '0').slice(0, 3))
  if (offset === undefined) return zone.toInstant(local)
  if (offset.toUpperCase() === 'Z') return local
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(3).replace(':', '') || '0')]
  if (hours > 18 || minutes > 59) return 'has an offset that does not exist'
  return local - (offset.startsWith('-') ? -1 : 1) * (hours * HOUR + minutes * 60_000)
}

/** Reads the ends of a range, or says which of them is wrong, and what is; that a range is reversed is said of `from`. */
export function readRange(
  written: WrittenRange,
  zone: Pick<Zone, 'toInstant'>,
): TimeRange | { bound: Bound; problem: string } {
  const range: TimeRange = {}
  for (const bound of ['from', 'to'] as const) {
    const text = written[bound]
    const read = text === undefined ? undefined : readBound(text, bound, zone)
    if (typeof read === 'string') return { bound, problem: read }
    if (read !== undefined) range[bound] = read
  }
  if (range.from === undefined || range.to === undefined) return range
  const isReversed = range.from > range.to || (range.from === range.to && isDayAfter(written))
  return isReversed ? { bound: 'from', problem: reversedRange } : range
}

/**
 * True where both ends are dates or months. If their instants are equal, the range is from one day to the day before:
 * a `to` means its end.
 */
const isDayAfter = ({ from, to }: WrittenRange) => [from, to].every((text) => text !== undefined && !/T/i.test(text))

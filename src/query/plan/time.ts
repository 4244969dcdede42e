import { invalidInput } from '../../kernel/errors.ts'
import { quote } from '../../kernel/shown.ts'
import { closest } from '../../kernel/suggest.ts'
import type { TimeRange } from '../../kernel/time-range.ts'
import { findZone, utcDay, type Zone } from '../../kernel/zone.ts'
import type { CalendarPeriod } from '../../metrics/model.ts'
import { fromAfterTo } from '../../operation/input/range.ts'

export const granularities = ['hour', 'day', 'week', 'month'] as const
export type Granularity = (typeof granularities)[number]
export const weekDays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const
export type WeekDay = (typeof weekDays)[number]

const MAX_BUCKETS = 10_000
const HOUR = 3_600_000
const DAY = 24 * HOUR

/** The default length of a series in buckets, including the current one. */
const defaultBuckets: Record<Granularity, number> = { hour: 48, day: 30, week: 26, month: 12 }

export interface Bucket {
  /** Calendar start and end, even if the range cuts the bucket. */
  start: number
  end: number
  /** False when the range cuts it, or it has not ended yet. */
  complete: boolean
}

export interface Buckets {
  range: { from: number; to: number }
  buckets: Bucket[]
}

/** @throws AppError `invalid_input` that suggests the closest names. */
export function getZone(name: string): Zone {
  const zone = findZone(name)
  if (zone !== undefined) return zone
  const known = closest(name, Intl.supportedValuesOf('timeZone'), (candidate) => candidate, 3)
  const example = known.length === 0 ? ' such as UTC or Europe/Berlin' : ''
  throw invalidInput(`timeZone ${quote(name)} is not the name of an IANA time zone${example}.`, {
    reason: 'unknown_time_zone',
    issues: [{ path: 'timeZone', message: `must be the name of an IANA time zone${example}.` }],
    suggestions: known.map((value) => ({ value, kind: 'time zone' })),
  })
}

/** The range of the same length directly before; it has both ends. */
export function previousPeriod({ from, to }: { from: number; to: number }): TimeRange {
  return { from: from - (to - from), to: from }
}

/** The same local time `years` later (or earlier); 29 February becomes the last day of February. */
export function shiftYears(instant: number, zone: Zone, years: number): number {
  return shiftMonths(instant, zone, years * 12)
}

function shiftMonths(instant: number, zone: Zone, months: number): number {
  const local = new Date(zone.toLocal(instant))
  const month = local.getUTCFullYear() * 12 + local.getUTCMonth() + months
  const [year, index] = [Math.floor(month / 12), ((month % 12) + 12) % 12]
  const lastDay = new Date(utcDay(year, index + 2, 0)).getUTCDate()
  const clock = local.getTime() - utcDay(local.getUTCFullYear(), local.getUTCMonth() + 1, local.getUTCDate())
  return zone.toInstant(utcDay(year, index + 1, Math.min(local.getUTCDate(), lastDay)) + clock)
}

/** The instant `count` windows earlier: hours as elapsed time; days, weeks and months by the calendar. */
export function beforeWindow(instant: number, zone: Zone, window: string, count = 1): number {
  const [, digits = '0', unit] = /^(\d+)(h|d|w|mo)$/.exec(window) ?? []
  const length = Number(digits) * count
  if (unit === 'h') return instant - length * HOUR
  if (unit === 'mo') return shiftMonths(instant, zone, -length)
  return zone.toInstant(zone.toLocal(instant) - length * (unit === 'w' ? 7 : 1) * DAY)
}

/**
 * The buckets that cover a range, aligned to the calendar of the zone. An open `to` is now; an open `from` is the
 * default number of buckets earlier.
 * @throws AppError `invalid_input` for more than 10,000 buckets.
 */
export function toBuckets(
  range: TimeRange,
  options: { granularity: Granularity; zone: Zone; weekStart: WeekDay; now: number },
): Buckets {
  const { granularity, zone, weekStart, now } = options
  const to = range.to ?? now
  const from = range.from ?? defaultFrom(to, granularity, zone, weekStart)
  if (from > to) throw fromAfterTo('from')
  if (from === to) return { range: { from, to }, buckets: [] }
  const edges = granularity === 'hour' ? hourEdges(from, to, zone) : calendarEdges(from, to, options)
  const buckets = edges.slice(1).map((end, index) => {
    const start = edges[index] ?? end
    return { start, end, complete: start >= from && end <= to && end <= now }
  })
  return { range: { from, to }, buckets }
}

/** A granularity that divides a range into a readable number of buckets; weeks for a range without a start. */
export function toGranularity({ from, to }: TimeRange, now: number): Granularity {
  if (from === undefined) return 'week'
  const length = (to ?? now) - from
  if (length <= 2 * DAY) return 'hour'
  if (length <= 31 * DAY) return 'day'
  return length <= 366 * DAY ? 'week' : 'month'
}

function defaultFrom(to: number, granularity: Granularity, zone: Zone, weekStart: WeekDay): number {
  const count = defaultBuckets[granularity] - 1
  // The current bucket is the one that contains the last instant before the end.
  const last = to - 1
  if (granularity === 'hour') return (hourEdges(last, to, zone)[0] ?? to) - count * HOUR
  const local = floorLocal(zone.toLocal(last), granularity, weekStart)
  return zone.toInstant(stepLocal(local, granularity, -count))
}

/** Hours of the local clock under one UTC offset, so that an hour repeated at a clock change makes two buckets. */
function hourEdges(from: number, to: number, zone: Zone): number[] {
  const edges: number[] = []
  // One day earlier, so that the first span is not cut just before the hour begins.
  for (const { start, end, offsetMs } of zone.spans(from - DAY, to)) {
    if (end <= from) continue
    const first = Math.max(start, Math.floor((from + offsetMs) / HOUR) * HOUR - offsetMs)
    let edge = first
    while (edge < end && edge < to) {
      addEdge(edges, edge, 'hour')
      edge = (Math.floor((edge + offsetMs) / HOUR) + 1) * HOUR - offsetMs
    }
    if (edge < to || to > end) continue
    addEdge(edges, Math.min(edge, end), 'hour')
    break
  }
  return edges
}

function calendarEdges(
  from: number,
  to: number,
  { granularity, zone, weekStart }: { granularity: Granularity; zone: Zone; weekStart: WeekDay },
): number[] {
  let edges: number[] = []
  let local = floorLocal(zone.toLocal(from), granularity, weekStart)
  for (;;) {
    const edge = zone.toInstant(local)
    if (edge <= from) edges = [edge]
    else if (edge !== edges.at(-1)) addEdge(edges, edge, granularity)
    if (edge >= to) return edges
    local = stepLocal(local, granularity, 1)
  }
}

function addEdge(edges: number[], edge: number, granularity: Granularity): void {
  if (edges.length > MAX_BUCKETS) {
    const coarser = granularities.slice(granularities.indexOf(granularity) + 1)
    throw invalidInput(
      `The range holds more than ${MAX_BUCKETS} buckets; shorten it or choose a coarser granularity.`,
      {
        reason: 'too_many_buckets',
        issues: [{ path: 'granularity', message: 'is too fine for this range; choose a coarser one.' }],
        suggestions: coarser.map((value) => ({ value, kind: 'granularity' })),
      },
    )
  }
  edges.push(edge)
}

/** The local time at which the calendar period of a local time begins. */
export function floorLocal(local: number, period: Granularity | CalendarPeriod, weekStart: WeekDay): number {
  const date = new Date(local)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  if (period === 'year') return utcDay(year, 1, 1)
  if (period === 'quarter') return utcDay(year, month - (month % 3) + 1, 1)
  if (period === 'month') return utcDay(year, month + 1, 1)
  const day = Math.floor(local / DAY) * DAY
  if (period !== 'week') return day
  return day - ((date.getUTCDay() - weekDays.indexOf(weekStart) + 7) % 7) * DAY
}

function stepLocal(local: number, granularity: Granularity, count: number): number {
  if (granularity !== 'month') return local + count * (granularity === 'week' ? 7 : 1) * DAY
  const date = new Date(local)
  return utcDay(date.getUTCFullYear(), date.getUTCMonth() + 1 + count, 1)
}

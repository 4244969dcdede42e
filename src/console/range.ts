import { floorTime } from '../charts/scale.ts'
import { type Bound, readRange, type TimeRange } from '../kernel/time-range.ts'
import { findZone, utc, type Zone } from '../kernel/zone.ts'
import type { PageQuestion, State } from './model.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const WEEK = 7 * DAY

export type RangeName = '30d' | '90d' | '12m' | '2y'
type Grain = (typeof grains)[number]

interface NamedRange {
  label: string
  before: string
  grain: 'day' | 'week'
  /** Buckets, the running one included. */
  count: number
}

export const ranges: Readonly<Record<RangeName, NamedRange>> = {
  '30d': { label: '30 days', before: 'the 30 days before', grain: 'day', count: 30 },
  '90d': { label: '90 days', before: 'the 90 days before', grain: 'day', count: 90 },
  '12m': { label: '12 months', before: 'the 12 months before', grain: 'week', count: 52 },
  '2y': { label: '2 years', before: 'the 2 years before', grain: 'week', count: 104 },
}

export interface ResolvedRange {
  name: RangeName | undefined
  /** Undefined where the address names only an end. */
  from: number | undefined
  to: number
  /** What the server is asked for. */
  asked: Pick<PageQuestion, Bound>
  /** Undefined: the server chooses. */
  grain: Grain | undefined
  /** The same part of the time before, at whole buckets from this one. */
  compared: { from: number; to: number } | undefined
  before: string
  brush: { from: number; to: number } | undefined
}

const isName = (name: string | undefined): name is RangeName => name !== undefined && Object.hasOwn(ranges, name)
export const grains = ['hour', 'day', 'week', 'month'] as const
const isGrain = (text: string | undefined): text is Grain => grains.some((grain) => grain === text)

/** The zone of the days that an address names. */
export const zoneOf = (state: State): Zone => findZone(state.tz?.[0] ?? 'UTC') ?? utc

/** The range that `from` and `to` of an address name; words that are no range are asked as they are, and refused. */
export function readTimes(state: State): { range: TimeRange; asked: Pick<PageQuestion, Bound> } {
  const toWritten = (each: (bound: Bound) => string | undefined) =>
    Object.fromEntries(
      (['from', 'to'] as const).flatMap((bound) => (each(bound) === undefined ? [] : [[bound, each(bound)]])),
    )
  const written: Pick<PageQuestion, Bound> = toWritten((bound) => state[bound]?.join(','))
  const range = readRange(written, zoneOf(state))
  if ('problem' in range) return { range: {}, asked: written }
  return { range, asked: toWritten((bound) => (range[bound] === undefined ? undefined : toIso(range[bound]))) }
}

/** Reads the range from the address; without one it is 12 months. */
export function resolveRange(state: State, now: number): ResolvedRange {
  // A whole minute that is not over: nothing that exists is left out, and equal questions stay equal.
  const end = Math.ceil((now + 1) / MINUTE) * MINUTE
  const { range, asked } = readTimes(state)
  const given = isGrain(state.grain?.[0]) ? state.grain[0] : undefined
  const brush = readSpan(state.brush?.[0], zoneOf(state))
  if (asked.from !== undefined || asked.to !== undefined) {
    const { from, to = Math.max(end, from ?? end) } = range
    const own = { name: undefined, from, to, asked, before: 'the same time before', brush }
    if (from === undefined) return { ...own, grain: given, compared: undefined }
    const grain = given ?? (to - from <= 2 * DAY ? 'hour' : to - from <= 100 * DAY ? 'day' : 'week')
    const shift = Math.ceil((to - from) / (grain === 'week' ? WEEK : DAY)) * (grain === 'week' ? WEEK : DAY)
    return { ...own, grain, compared: { from: from - shift, to: to - shift } }
  }
  const chosen = state.range?.[0]
  const name = isName(chosen) ? chosen : '12m'
  const { grain, count, before } = ranges[name]
  const step = grain === 'week' ? WEEK : DAY
  const start = floorTime(now, grain) - (count - 1) * step
  const shift = count * step
  return {
    name,
    from: start,
    to: end,
    asked: { from: toIso(start), to: toIso(end) },
    grain: given === 'hour' ? grain : (given ?? grain),
    compared: { from: start - shift, to: end - shift },
    before,
    brush,
  }
}

/** Two ends of a range joined by `..`. */
function readSpan(text: string | undefined, zone: Zone): { from: number; to: number } | undefined {
  const [from, to] = (text ?? '').split('..')
  if (from === undefined || to === undefined) return undefined
  const span = readRange({ from, to }, zone)
  return 'problem' in span || span.from === undefined || span.to === undefined
    ? undefined
    : { from: span.from, to: span.to }
}

export const toSpan = (from: number, to: number, zone: Zone): string =>
  `${toStamp(from, 'from', zone)}..${toStamp(to, 'to', zone)}`

/** How an address names an end of a range: by a day where one begins or ends there, or as an instant. */
export function toStamp(time: number, bound: Bound, zone: Zone = utc): string {
  const local = zone.toLocal(time)
  if (local % DAY !== 0 || zone.toInstant(local) !== time) return toIso(time)
  return toIso(bound === 'to' ? local - DAY : local).slice(0, 10)
}
const toIso = (time: number) => new Date(time).toISOString()

/** The members of a question about a range. */
export function toAsked(
  { asked, grain, compared, brush }: ResolvedRange,
  compare: boolean,
): Pick<PageQuestion, 'from' | 'to' | 'granularity' | 'compare' | 'focus'> {
  return {
    ...asked,
    ...(grain === undefined ? {} : { granularity: grain }),
    ...(compare && compared !== undefined ? { compare: { from: toIso(compared.from), to: toIso(compared.to) } } : {}),
    ...(brush === undefined ? {} : { focus: { from: toIso(brush.from), to: toIso(brush.to) } }),
  }
}

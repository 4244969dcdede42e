import { floorTime } from '../charts/scale.ts'
import type { PageQuestion } from './model.ts'
import type { State } from './route.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const WEEK = 7 * DAY

export type RangeName = '30d' | '90d' | '12m' | '2y'
type Grain = 'hour' | 'day' | 'week' | 'month'

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
  from: number
  to: number
  grain: Grain
  /** The same part of the time before, at whole buckets from this one. */
  compared: { from: number; to: number }
  before: string
  brush: { from: number; to: number } | undefined
}

const isName = (name: string | undefined): name is RangeName => name !== undefined && Object.hasOwn(ranges, name)
const grains: readonly string[] = ['hour', 'day', 'week', 'month']
const isGrain = (text: string | undefined): text is Grain => text !== undefined && grains.includes(text)

/** Reads the range from the address; what cannot be read is the default of 12 months. */
export function resolveRange(state: State, now: number): ResolvedRange {
  // A whole minute that is not over: nothing that exists is left out, and equal questions stay equal.
  const end = Math.ceil((now + 1) / MINUTE) * MINUTE
  const [from, to] = [Date.parse(state.from?.[0] ?? ''), Date.parse(state.to?.[0] ?? '')]
  const given = state.grain?.[0]
  const brush = readSpan(state.brush?.[0])
  if (from < to) {
    const grain = isGrain(given) ? given : to - from <= 2 * DAY ? 'hour' : to - from <= 100 * DAY ? 'day' : 'week'
    const shift = Math.ceil((to - from) / (grain === 'week' ? WEEK : DAY)) * (grain === 'week' ? WEEK : DAY)
    const compared = { from: from - shift, to: to - shift }
    return { name: undefined, from, to, grain, compared, before: 'the same time before', brush }
  }
  const asked = state.range?.[0]
  const name = isName(asked) ? asked : '12m'
  const { grain, count, before } = ranges[name]
  const step = grain === 'week' ? WEEK : DAY
  const start = floorTime(now, grain) - (count - 1) * step
  const shift = count * step
  return {
    name,
    from: start,
    to: end,
    grain: isGrain(given) && given !== 'hour' ? given : grain,
    compared: { from: start - shift, to: end - shift },
    before,
    brush,
  }
}

/** Two dates joined by `..`, the second one exclusive. */
function readSpan(text: string | undefined): { from: number; to: number } | undefined {
  const [from, to] = (text ?? '').split('..').map(Date.parse)
  return from !== undefined && to !== undefined && from < to ? { from, to } : undefined
}

export const toSpan = (from: number, to: number): string => `${toStamp(from)}..${toStamp(to)}`
/** A date, or with its time of day where it is not midnight. */
export const toStamp = (time: number): string => {
  const text = new Date(time).toISOString()
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text
}
const toIso = (time: number) => new Date(time).toISOString()

/** The members of a question about a range. */
export function toAsked(
  { from, to, grain, compared, brush }: ResolvedRange,
  compare: boolean,
): Pick<PageQuestion, 'from' | 'to' | 'granularity' | 'compare' | 'focus'> {
  return {
    from: toIso(from),
    to: toIso(to),
    granularity: grain,
    ...(compare ? { compare: { from: toIso(compared.from), to: toIso(compared.to) } } : {}),
    ...(brush === undefined ? {} : { focus: { from: toIso(brush.from), to: toIso(brush.to) } }),
  }
}

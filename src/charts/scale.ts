import { nice, ticks } from 'd3-array'
import { utcDay, utcMonday, utcTicks } from 'd3-time'
import { utcFormat } from 'd3-time-format'

export interface Tick {
  /** Position in pixels. */
  at: number
  label: string
  value: number
}

export interface Scale {
  toPixel(value: number): number
  ticks: readonly Tick[]
}

const MAX_VALUE_TICKS = 5
const WEEK = 604_800_000

export const toLinear =
  ([from, to]: readonly [number, number], [start, end]: readonly [number, number]) =>
  (value: number) =>
    start + ((value - from) / (to - from)) * (end - start)

/** A vertical scale with 0 and round limits; the top of the drawing is pixel 0. */
export function toValueScale(
  values: readonly (number | null)[],
  height: number,
  toLabel: (value: number) => string,
  isWhole = false,
): Scale {
  const known = values.filter((value): value is number => value !== null && Number.isFinite(value))
  const lowest = Math.min(0, ...known)
  const highest = Math.max(0, ...known)
  const [low, high] = nice(lowest, lowest === highest ? 1 : highest, MAX_VALUE_TICKS - 1)
  const toPixel = toLinear([low, high], [height, 0])
  const marked = ticks(low, high, MAX_VALUE_TICKS - 1)
    .filter((value) => !isWhole || Number.isInteger(value))
    .map((value) => ({ at: toPixel(value), label: toLabel(value), value }))
  return { toPixel, ticks: marked }
}

const hour = utcFormat('%H:%M')
const day = utcFormat('%-d %b')
const month = utcFormat('%b')
const monthOfYear = utcFormat('%b %Y')

/** The label of a tick; the first one, and each January, has the year. */
function toTimeLabel(date: Date, stepMs: number, isFirst: boolean): string {
  if (date.getUTCHours() !== 0 || stepMs < 86_400_000) return date.getUTCHours() === 0 ? day(date) : hour(date)
  if (date.getUTCDate() !== 1 || stepMs < 27 * 86_400_000) return day(date)
  return isFirst || date.getUTCMonth() === 0 ? monthOfYear(date) : month(date)
}

/** The start of the day, or of the week from Monday, in UTC. */
export const floorTime = (time: number, grain: 'day' | 'week'): number =>
  Number((grain === 'day' ? utcDay : utcMonday).floor(new Date(time)))

/** Pixels between the middles of labels. */
const GAP = 72

/** A horizontal scale of time in UTC. */
export function toTimeScale(from: number, to: number, width: number): Scale {
  const toPixel = toLinear([from, to], [0, width])
  const usual = utcTicks(new Date(from), new Date(to), Math.max(2, Math.floor(width / GAP)))
  const stepMs = usual.length < 2 ? to - from : Number(usual[1]) - Number(usual[0])
  // Buckets of weeks begin on Mondays, the usual ticks on Sundays.
  const dates = stepMs === WEEK ? utcMonday.range(new Date(from), new Date(to + 1)) : usual
  let last = Number.NEGATIVE_INFINITY
  const marked = dates.flatMap((date, index) => {
    const at = toPixel(Number(date))
    // A label at an edge would be cut, and one beside another would cover it.
    if (at < GAP / 4 || at > width - GAP / 4 || at - last < GAP * 0.75) return []
    const isFirst = last === Number.NEGATIVE_INFINITY && index <= 1
    last = at
    return [{ at, label: toTimeLabel(date, stepMs, isFirst), value: Number(date) }]
  })
  return { toPixel, ticks: marked }
}

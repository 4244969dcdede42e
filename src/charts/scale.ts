import { scaleLinear, scaleUtc } from 'd3-scale'
import { utcDay, utcMonday } from 'd3-time'
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

/** A vertical scale with 0 and round limits; the top of the drawing is pixel 0. */
export function toValueScale(
  values: readonly (number | null)[],
  height: number,
  toLabel: (value: number) => string,
  isWhole = false,
): Scale {
  const known = values.filter((value): value is number => value !== null && Number.isFinite(value))
  const low = Math.min(0, ...known)
  const high = Math.max(0, ...known)
  const scale = scaleLinear()
    .domain(low === high ? [0, 1] : [low, high])
    .range([height, 0])
    .nice(MAX_VALUE_TICKS - 1)
  const ticks = scale
    .ticks(MAX_VALUE_TICKS - 1)
    .filter((value) => !isWhole || Number.isInteger(value))
    .map((value) => ({ at: scale(value), label: toLabel(value), value }))
  return { toPixel: scale, ticks }
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

/** A horizontal scale of time in UTC whose labels keep `gap` pixels between their middles. */
export function toTimeScale(from: number, to: number, width: number, gap = 72): Scale {
  const scale = scaleUtc().domain([from, to]).range([0, width])
  const dates = scale.ticks(Math.max(2, Math.floor(width / gap)))
  const stepMs = dates.length < 2 ? to - from : Number(dates[1]) - Number(dates[0])
  let last = Number.NEGATIVE_INFINITY
  const ticks = dates.flatMap((date, index) => {
    const at = scale(date)
    // A label at an edge would be cut, and one beside another would cover it.
    if (at < gap / 4 || at > width - gap / 4 || at - last < gap * 0.75) return []
    const isFirst = last === Number.NEGATIVE_INFINITY && index <= 1
    last = at
    return [{ at, label: toTimeLabel(date, stepMs, isFirst), value: Number(date) }]
  })
  return { toPixel: (value) => scale(value), ticks }
}

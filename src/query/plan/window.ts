import type { CalendarPeriod, MetricWindow } from '../../metrics/model.ts'
import { type Cell, emptyPartial, isMergeable, mergePartials, type Partial, toGroupId } from './cells.ts'
import type { Plan } from './plan.ts'
import { beforeWindow, floorLocal, type WeekDay } from './time.ts'
import type { Zone } from './zone.ts'

/** Both ends of a window, in milliseconds. */
interface WindowRange {
  from: number
  to: number
}

const lengths: Readonly<Record<CalendarPeriod, string>> = { week: '1w', month: '1mo', quarter: '3mo', year: '12mo' }

/** The window that ends at an instant; a period to date begins with the period of the last millisecond before it. */
export function toWindow({ last, toDate }: MetricWindow, to: number, zone: Zone, weekStart: WeekDay): WindowRange {
  if (toDate === undefined) return { from: beforeWindow(to, zone, last ?? ''), to }
  return { from: zone.toInstant(floorLocal(zone.toLocal(to - 1), toDate, weekStart)), to }
}

/** The end of the window directly before: one length earlier, or of a window to date one period. */
export function toPreviousEnd({ last, toDate }: MetricWindow, to: number, zone: Zone): number {
  return beforeWindow(to, zone, toDate === undefined ? (last ?? '') : lengths[toDate])
}

/** Answers a plan once for each window, which may overlap; `bucket` is the index of the window. */
export function runWindows(
  plan: Plan,
  windows: readonly WindowRange[],
  run: (plan: Plan) => readonly Cell[],
): Cell[] {
  if (!isMergeable(plan)) {
    return windows.flatMap((range, bucket) => run({ ...plan, range }).map((cell) => ({ ...cell, bucket })))
  }
  const borders = [...new Set(windows.flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b)
  const [from, to] = [borders[0], borders.at(-1)]
  if (from === undefined || to === undefined) return []
  const placeOf = new Map(borders.map((border, index) => [border, index]))
  const groups = new Map<string, { key: Cell['key']; parts: (Partial | undefined)[] }>()
  for (const cell of run({ ...plan, range: { from, to }, edges: borders.slice(1, -1) })) {
    const id = toGroupId(cell.key)
    const group = groups.get(id) ?? { key: cell.key, parts: [] }
    group.parts[cell.bucket] = cell
    groups.set(id, group)
  }
  return [...groups.values()].flatMap(({ key, parts }) =>
    windows.flatMap((window, bucket): Cell[] => {
      const covered = parts.slice(placeOf.get(window.from), placeOf.get(window.to)).filter((part) => part !== undefined)
      return covered.length === 0 ? [] : [{ ...mergePartials(covered), key, bucket }]
    }),
  )
}

import type { Zone } from '../../kernel/zone.ts'
import type { CalendarPeriod, MetricWindow } from '../../metrics/model.ts'
import { beforeWindow, floorLocal, type WeekDay } from './time.ts'

/** Both ends of a window, in milliseconds. */
export interface WindowRange {
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

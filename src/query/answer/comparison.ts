import { toSafeMessage } from '../../detectors/safe-text.ts'
import { invalidInput } from '../../kernel/errors.ts'
import type { TimeRange } from '../../kernel/time-range.ts'
import { utc, type Zone } from '../../kernel/zone.ts'
import type { MetricRecord } from '../../metrics/model.ts'
import type { Coercion } from '../../operation/input/coerce.ts'
import { parseRange } from '../../operation/input/range.ts'
import type { MetricQuestion, QueryWarning } from '../model.ts'
import { toTrendWindows } from '../plan/plan.ts'
import { beforeWindow, floorLocal, previousPeriod, shiftYears } from '../plan/time.ts'
import { toPreviousEnd } from '../plan/window.ts'

const DAY = 24 * 3_600_000

/**
 * The range that a question compares with; undefined when it compares with none.
 * @throws AppError `invalid_input`, reason `range_required` or `compare_required`
 */
export function toComparedRange(
  { compare, orderBy = 'value', explain }: MetricQuestion,
  asked: { metric: MetricRecord; range: TimeRange; zone: Zone; now: number },
): TimeRange | undefined {
  if (compare !== undefined) return toRange(compare, asked)
  if (explain === true) throw needsComparison('explain', 'explains a change, which needs compare')
  if (orderBy !== 'value') throw needsComparison('orderBy', `is ${orderBy}, which needs compare`)
  return undefined
}

/** A warning about two ranges of different lengths, of which counts cannot be compared as they are. */
export function warnOfLength(range: TimeRange, compared: TimeRange, zone: Zone, now: number): QueryWarning[] {
  // A moment has no length.
  if (range.from === undefined && compared.from === undefined) return []
  const lengthIn = ({ toLocal }: Zone, { from, to = now }: TimeRange) =>
    from === undefined ? undefined : toLocal(to) - toLocal(from)
  if ([zone, utc].some((each) => lengthIn(each, range) === lengthIn(each, compared))) return []
  const [asked, before] = [range, compared].map((each) => showLength(lengthIn(zone, each)))
  const message = `The two ranges differ in length (${asked}, compared with ${before}), so part of the change may be that.`
  return [{ code: 'length_differs', message: toSafeMessage(message) }]
}

/** Whole months compared with as many days before them, which are not the months before. */
export function noteMonths(
  { compare }: Pick<MetricQuestion, 'compare'>,
  { from, to }: TimeRange,
  compared: TimeRange | undefined,
  zone: Zone,
): Coercion[] {
  const startsMonth = (instant: number) => {
    const local = zone.toLocal(instant)
    return floorLocal(local, 'month', 'monday') === local
  }
  const isWhole = from !== undefined && to !== undefined && startsMonth(from) && startsMonth(to)
  if (compare !== 'previous_period' || !isWhole || compared?.from === undefined || startsMonth(compared.from)) return []
  const monthNumber = (instant: number) => {
    const local = new Date(zone.toLocal(instant))
    return local.getUTCFullYear() * 12 + local.getUTCMonth()
  }
  const count = monthNumber(to) - monthNumber(from)
  const monthOf = (instant: number) => new Date(zone.toLocal(instant)).toISOString().slice(0, 7)
  const before = { from: monthOf(beforeWindow(from, zone, `${count}mo`)), to: monthOf(from - 1) }
  const message = `previous_period is as many days before, not the calendar ${count === 1 ? 'month' : 'months'} before; for that give ${JSON.stringify(before)}.`
  return [{ path: 'compare', message }]
}

const showLength = (ms: number | undefined): string =>
  ms === undefined ? 'no start' : `${Number((ms / DAY).toFixed(1))} days`

function needsComparison(path: string, problem: string) {
  return invalidInput(`${path} ${problem}; add compare, such as previous_period.`, {
    reason: 'compare_required',
    issues: [{ path, message: `${problem}; add compare: previous_period, previous_year or {from, to}.` }],
  })
}

function toRange(
  compare: NonNullable<MetricQuestion['compare']>,
  { metric, range, zone, now }: { metric: MetricRecord; range: TimeRange; zone: Zone; now: number },
): TimeRange {
  if (typeof compare === 'object') return parseRange(compare, zone, 'compare')
  const to = range.to ?? now
  const window = metric.type === 'SIMPLE' ? metric.definition.window : undefined
  if (window !== undefined && compare === 'previous_period') return { to: toPreviousEnd(window, to, zone) }
  if (compare === 'previous_year') {
    const before = { to: shiftYears(to, zone, -1) }
    return range.from === undefined ? before : { ...before, from: shiftYears(range.from, zone, -1) }
  }
  const from =
    metric.type === 'TREND' ? toTrendWindows(metric.definition, { range, now, zone }).current.from : range.from
  if (from === undefined) {
    throw invalidInput('compare previous_period needs a range with a start; give from, or compare with {from, to}.', {
      reason: 'range_required',
      issues: [{ path: 'from', message: 'is required to determine the length of the previous period.' }],
    })
  }
  return previousPeriod({ from, to })
}

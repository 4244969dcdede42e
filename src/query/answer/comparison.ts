import { invalidInput } from '../../kernel/errors.ts'
import type { TimeRange } from '../../kernel/time-range.ts'
import type { Zone } from '../../kernel/zone.ts'
import type { MetricRecord } from '../../metrics/model.ts'
import { parseRange } from '../../operation/input/range.ts'
import type { MetricQuestion } from '../model.ts'
import { toTrendWindows } from '../plan/plan.ts'
import { previousPeriod, shiftYears } from '../plan/time.ts'
import { toPreviousEnd } from '../plan/window.ts'

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

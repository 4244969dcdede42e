import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { toSafeMessage } from '../detectors/safe-text.ts'
import { AppError } from '../kernel/errors.ts'
import { toInstantOrNull } from '../kernel/instant.ts'
import type { SafeText } from '../kernel/safe-text.ts'
import { findMetricBySlug } from '../metrics/metrics.store.ts'
import { metricFormats } from '../metrics/model.ts'
import type { Coercion } from '../operation/input/coerce.ts'
import { parseRange } from '../operation/input/range.ts'
import { outsideText, ownText } from '../operation/lockdown/disclosure.ts'
import { evaluateMetric } from '../query/answer/evaluate.ts'
import { toFormatted } from '../query/answer/format.ts'
import { warnOfCoercions } from '../query/answer/warnings.ts'
import { Freshness, MetricAnswer, MetricQuestion, type QueryWarning } from '../query/model.ts'
import { getZone } from '../query/plan/time.ts'
import type { Log } from '../runtime/log.ts'
import type { Reader } from '../store/store.ts'
import { listPlacements } from './dashboards.store.ts'
import { DashboardName, Placement } from './model.ts'
import { getDashboard } from './placements.ts'

export const DashboardQuestion = MetricQuestion.pick({ from: true, to: true, timeZone: true, weekStart: true }).extend({
  dashboard: DashboardName.describe('Name, such as discovery.'),
})
export type DashboardQuestion = z.infer<typeof DashboardQuestion>

const DashboardItem = z.object({
  ...Placement.omit({ dashboard: true }).shape,
  ...MetricAnswer.pick({
    value: true,
    formatted: true,
    reason: true,
    numerator: true,
    denominator: true,
    current: true,
    previous: true,
    delta: true,
    warnings: true,
  }).shape,
  format: z.enum(metricFormats).describe('Format of the value.'),
  unit: ownText().describe('Unit; may be empty.'),
  trust: MetricAnswer.shape.trust.optional(),
  applied: MetricAnswer.shape.applied
    .omit({ filters: true })
    .describe('What the metric counted; absent with an error.')
    .optional(),
  error: z
    .object({ code: ownText().describe('Error code.'), message: outsideText().describe('What to do.') })
    .optional()
    .describe('Why this metric has no value.'),
})
type DashboardItem = z.infer<typeof DashboardItem>

export const DashboardAnswer = z.object({
  dashboard: ownText().describe('Name of the dashboard.'),
  metrics: z.array(DashboardItem).describe('The metrics, by position.'),
  applied: MetricAnswer.shape.applied.pick({ from: true, to: true, timeZone: true }).describe('The requested range.'),
  freshness: Freshness,
  warnings: MetricAnswer.shape.warnings,
})
export type DashboardAnswer = z.infer<typeof DashboardAnswer>

export interface EvaluationOptions {
  now: number
  log: Log
  coerced?: readonly Coercion[] | undefined
}

/**
 * Evaluates every metric of a dashboard in the snapshot of the reader; a metric that fails carries its own error.
 * @throws AppError `not_found` for an unknown dashboard, `invalid_input` for an invalid range
 */
export function evaluateDashboard(
  reader: Reader,
  { dashboard: name, ...question }: DashboardQuestion,
  options: EvaluationOptions,
): DashboardAnswer {
  const zone = getZone(question.timeZone ?? 'UTC')
  const range = parseRange(question, zone)
  const dashboard = getDashboard(reader, name)
  const answers = listPlacements(reader, dashboard).map((placement) => {
    const { item, freshness } = evaluatePlacement(reader, placement, question, options)
    return { item, sources: freshness?.sources ?? [] }
  })
  const sources = new Map(answers.flatMap((answer) => answer.sources).map((source) => [source.name, source]))
  const items = answers.map(({ item }) => item)
  const common = listCommon(items)
  return {
    dashboard: dashboard.name,
    metrics: items.map((item) => ({
      ...item,
      warnings: item.warnings.filter((warning) => !common.has(keyOf(warning))),
    })),
    applied: { from: toInstantOrNull(range.from), to: toInstantOrNull(range.to), timeZone: question.timeZone ?? 'UTC' },
    freshness: { asOf: new Date(options.now).toISOString(), sources: [...sources.values()] },
    warnings: [...warnOfCoercions(options.coerced ?? []), ...common.values()],
  }
}

function evaluatePlacement(
  reader: Reader,
  { dashboard, ...placement }: Placement,
  question: Omit<DashboardQuestion, 'dashboard'>,
  { now, log }: EvaluationOptions,
): { item: DashboardItem; freshness?: Freshness } {
  try {
    const { metricSlug, pinnedFilters } = placement
    const answer = evaluateMetric(reader, { ...question, metricSlug }, { now, pinnedFilters: pinnedFilters ?? {} })
    const { breakdown, metric, applied, freshness, diagnosis, comparison, totalGroups, truncated, other, ...value } =
      answer
    const { filters, ...range } = applied
    return { item: { ...placement, ...value, format: metric.format, unit: metric.unit, applied: range }, freshness }
  } catch (error) {
    const metric = findMetricBySlug(reader, placement.metricSlug)
    const nothing = {
      value: null,
      formatted: toFormatted(null, 'number', ''),
      warnings: [],
      error: toItemError(error, log),
    }
    return { item: { ...placement, ...nothing, format: metric?.format ?? 'number', unit: metric?.unit ?? '' } }
  }
}

function toItemError(error: unknown, log: Log): { code: string; message: SafeText } {
  if (error instanceof AppError && error.code !== 'internal')
    return { code: error.code, message: toSafeMessage(error.message) }
  const id = randomUUID()
  log.error('a metric of a dashboard failed', { id, error })
  return {
    code: 'internal',
    message: toSafeMessage(`An internal error occurred; the log has the cause under ${id}.`),
  }
}

const keyOf = ({ code, message }: QueryWarning) => `${code} ${message}`

/** The warnings common to all metrics, which are reported once. */
function listCommon(items: readonly DashboardItem[]): Map<string, QueryWarning> {
  const [first, ...others] = items.filter(({ error }) => error === undefined)
  const shared = (first?.warnings ?? []).filter(
    (warning) =>
      others.length > 0 && others.every(({ warnings }) => warnings.some((other) => keyOf(other) === keyOf(warning))),
  )
  return new Map(shared.map((warning) => [keyOf(warning), warning]))
}

import { z } from 'zod'
import { betterDirections, CreateMetric, dimensions } from '../metrics/model.ts'
import { ownText, ownValue } from '../operation/lockdown/disclosure.ts'
import { FailedMetric, MetricAnswer, MetricQuestion, Point } from './model.ts'
import { granularities } from './plan/time.ts'

const MAX_BOARDS = 12
const MAX_BOARD_ENTRIES = 100
export const DEFAULT_BOARD_ENTRIES = 8
/** Two years of days. */
export const MAX_VIEW_BUCKETS = 750

const { metricSlug, glossaryTermSlug, filters, from, to, timeZone, weekStart, compare, alsoMetrics } =
  MetricQuestion.shape

export const ViewQuestion = z.strictObject({
  metricSlug,
  glossaryTermSlug,
  filters,
  search: z.string().trim().min(1).max(200).describe('Words that findings have, as in search_findings.').optional(),
  from,
  to,
  focus: z
    .strictObject({ from: from.unwrap(), to: to.unwrap() })
    .describe('Part of the range for values and breakdowns; the series still cover all of it.')
    .optional(),
  timeZone,
  weekStart,
  granularity: z.enum(granularities).describe('Length of a bucket; default: by the length of the range.').optional(),
  compare,
  dimensions: z
    .array(z.string().max(100))
    .max(MAX_BOARDS)
    .describe(`Up to ${MAX_BOARDS} dimensions, a breakdown for each.`)
    .optional(),
  onlyAllowed: z.boolean().describe('Omit dimensions that the metric does not allow.').optional(),
  limit: z.int().min(1).max(MAX_BOARD_ENTRIES).describe('Maximum number of groups of a breakdown (8).').optional(),
  alsoMetrics,
  draft: CreateMetric.omit({ slug: true, displayName: true })
    .partial()
    .describe('Members with which the metric is tried, or a new one; nothing is stored.')
    .optional(),
})
export type ViewQuestion = z.infer<typeof ViewQuestion>

const ViewSeries = z
  .object({
    granularity: z.enum(granularities).describe('Length of a bucket.'),
    timeSeries: z.array(Point).describe('Every bucket of the range.'),
    previous: z.array(Point).describe('Every bucket of the compared range.').optional(),
  })
  .describe('The values over time.')
export type ViewSeries = z.infer<typeof ViewSeries>

const ViewMetric = MetricAnswer.omit({
  breakdown: true,
  totalGroups: true,
  truncated: true,
  overlapping: true,
  other: true,
  drivers: true,
  driverDimensions: true,
  also: true,
}).extend({
  better: z.enum(betterDirections).nullable().describe('Which direction of change is good; null: neither.'),
  series: ViewSeries,
})
export type ViewMetric = z.infer<typeof ViewMetric>

const FailedView = FailedMetric.extend({
  error: FailedMetric.shape.error
    .extend({
      suggestions: z
        .array(
          z.object({
            value: ownText().describe('Name to use instead.'),
            kind: z.enum(['metric', 'term']).describe('Of what.'),
            label: ownText().describe('Its name for people.').optional(),
          }),
        )
        .describe('What may have been meant.')
        .optional(),
      fix: z
        .object({
          tool: ownText().describe('Operation to call.'),
          arguments: z.record(ownText(), ownValue()).describe('Its input.'),
        })
        .describe('The corrected call, if only one is possible.')
        .optional(),
    })
    .describe('Why it has no value.'),
})
export type FailedView = z.infer<typeof FailedView>

const Board = MetricAnswer.pick({ totalGroups: true, overlapping: true, other: true, breakdown: true }).extend({
  dimension: z.enum(dimensions).describe('Dimension.'),
  label: ownText().describe('Its name for people.'),
  filterKey: ownText().describe('Filter key; this breakdown ignores the filter of that key.'),
})
export type Board = z.infer<typeof Board>

export const ViewAnswer = ViewMetric.extend({
  allowedDimensions: z.array(z.enum(dimensions)).describe('What the metric may be broken down by.'),
  observedFrom: ownText().nullable().describe('From when on any source in scope was observed.'),
  boards: z.array(Board).describe('One breakdown for each of the dimensions, in their order.'),
  also: z.array(z.union([ViewMetric, FailedView])).describe('Of alsoMetrics, in their order.'),
})
export type ViewAnswer = z.infer<typeof ViewAnswer>

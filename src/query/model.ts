import { z } from 'zod'
import { dimensionText, filterValueText, groupText } from '../findings/facet-texts.ts'
import { FilterMapping } from '../findings/filter.ts'
import { FindingAsset } from '../findings/model.ts'
import { endMeaning, startMeaning } from '../kernel/time-range.ts'
import { dimensions, metricFormats, metricStatuses, metricTypes, trustTiers } from '../metrics/model.ts'
import { wordSynonyms } from '../operation/input/coerce.ts'
import { outsideText, ownText, warningText } from '../operation/lockdown/disclosure.ts'
import { origins } from './plan/plan.ts'
import { granularities, weekDays } from './plan/time.ts'

const MAX_GROUPS = 1000
export const DEFAULT_GROUPS = 50
export const MAX_DIMENSIONS = 3
const MAX_ALSO = 8
export const groupOrders = ['value', 'previous', 'delta'] as const
export type GroupOrder = (typeof groupOrders)[number]

const Name = z.string().trim().min(1, 'must not be empty.').max(200)
const When = z.string().max(60)

const metricSlug = Name.describe('Metric: slug, id, name or synonym.')
const glossaryTermSlug = Name.describe('Restrict to a glossary term: slug, id, name or synonym.')
const from = When.describe(startMeaning).optional()
const to = When.describe(endMeaning).optional()
const timeZone = z.string().max(64).describe('IANA time zone; default UTC.').optional()
const weekStart = z.enum(weekDays).describe('First day of the week; default monday.').optional()
const filters = FilterMapping.optional()

const Compare = z
  .union([
    z.enum(['previous_period', 'previous_year']),
    z.strictObject({
      from: When.describe(startMeaning),
      to: When.describe(endMeaning),
    }),
  ])
  .describe('Compare with previous_period, previous_year or {from, to}.')

export const MetricQuestion = z.strictObject({
  metricSlug,
  dimensions: z.array(z.string().max(100)).max(20).describe('Break down by up to 3 allowed dimensions.').optional(),
  glossaryTermSlug: glossaryTermSlug.optional(),
  filters,
  from,
  to,
  timeZone,
  weekStart,
  limit: z.int().min(1).max(MAX_GROUPS).describe('Maximum number of groups; the rest is in other.').optional(),
  compare: Compare.optional(),
  alsoMetrics: z.array(Name).max(MAX_ALSO).describe('Up to 8 more metrics to ask the same of.').optional(),
  explain: z.boolean().describe('With compare: which groups the change comes from.').optional(),
  orderBy: z.enum(groupOrders).describe('Order of the groups; delta by its size.').optional(),
})
export type MetricQuestion = z.infer<typeof MetricQuestion>

export const SeriesQuestion = z.strictObject({
  metricSlug,
  granularity: z
    .enum(granularities)
    .register(wordSynonyms, { synonyms: { hourly: 'hour', daily: 'day', weekly: 'week', monthly: 'month' } })
    .describe('Length of a bucket.'),
  glossaryTermSlug: glossaryTermSlug.optional(),
  filters,
  from,
  to,
  timeZone,
  weekStart,
  dimension: z.string().max(100).describe('One series for each of its top values.').optional(),
})
export type SeriesQuestion = z.infer<typeof SeriesQuestion>

const warningCodes = [
  'draft',
  'deprecated',
  'drifted',
  'failing',
  'contradiction',
  'not_scanned',
  'unknown_value',
  'coerced',
  'truncated',
  'unknown_detector',
  'other_meaning',
  'counted_twice',
  'outside_term',
  'future_range',
  'undecided',
  'short_trend',
  'clock_moved',
  'tie_cut',
  'not_decomposable',
  'coverage_differs',
  'length_differs',
  'no_policy',
  'presence',
  'not_read',
  'history_not_read',
  'no_value_id',
  'coverage',
] as const

export const QueryWarning = z.object({
  code: z.enum(warningCodes).describe('What kind of warning.'),
  message: warningText().describe('What a reader should know.'),
  suggestions: z
    .array(
      z.object({
        key: ownText().describe('Filter key.'),
        value: outsideText().describe('A value that it has (untrusted content).'),
      }),
    )
    .describe('Of an unknown value: what may be meant.')
    .optional(),
})
export type QueryWarning = z.infer<typeof QueryWarning>

const number = (description: string) => z.number().nullable().describe(description)

export const AppliedFilter = z.object({
  origin: z.enum(origins).describe('Where it came from.'),
  key: ownText().describe('Filter key; exclude.<key> subtracts.'),
  values: z.array(filterValueText()).describe('Values, any of which match.'),
  term: ownText().optional().describe('Term it is part of.'),
  part: ownText().optional().describe('Part of the metric it applies to: numerator, denominator or an input.'),
})
export type AppliedFilter = z.infer<typeof AppliedFilter>

export const Applied = z
  .object({
    from: ownText().nullable().describe('Start of the range; null is open.'),
    to: ownText().nullable().describe('End of the range, exclusive; of a stock, its moment.'),
    asOf: ownText().optional().describe('Of a stock: the moment that it is counted at.'),
    atEnds: z
      .literal(true)
      .describe('Of a series of a stock: each value is the state at the end of its bucket.')
      .optional(),
    timeField: ownText().describe('Instant that places a row in time.'),
    timeZone: ownText().describe('Time zone of dates and buckets.'),
    filters: z.array(AppliedFilter).describe('Filters, combined with AND.'),
  })
  .describe('The query as it was run.')
export type Applied = z.infer<typeof Applied>

const MetricFacts = z
  .object({
    slug: ownText().describe('Slug.'),
    displayName: ownText().describe('Name.'),
    type: z.enum(metricTypes).describe('Type.'),
    status: z.enum(metricStatuses).describe('Status.'),
    version: z.number().describe('Version.'),
    format: z.enum(metricFormats).describe('Format.'),
    unit: ownText().describe('Unit.'),
    certifiedBy: ownText().nullable().describe('Who certified it.'),
    certifiedAt: ownText().nullable().describe('When.'),
  })
  .describe('The metric that answered.')
export type MetricFacts = z.infer<typeof MetricFacts>

const TrustFacts = z
  .object({
    tier: z.enum(trustTiers).describe('Trust tier.'),
    unreviewed: z.literal(true).describe('No person has reviewed its texts.').optional(),
    label: ownText().describe('Trust in one sentence.'),
  })
  .describe('Trust in the metric.')

export const Freshness = z
  .object({
    asOf: ownText().describe('Moment of the answer.'),
    sources: z
      .array(
        z.object({
          name: ownText().describe('Source.'),
          lastCompletedScanAt: ownText().nullable().describe('Its last completed scan.'),
          observedFrom: ownText().nullable().describe('From when on it was observed.'),
          stale: z.boolean().describe('Overdue, or older than a week.'),
        }),
      )
      .describe('Sources in scope.'),
  })
  .describe('Age of the data.')
export type Freshness = z.infer<typeof Freshness>

export const Diagnosis = z
  .object({
    summary: outsideText().describe('Why nothing matched.'),
    withoutFilter: z
      .array(AppliedFilter.extend({ count: z.number().describe('Rows that match without this filter.') }))
      .describe('Effect of each filter.'),
    withoutRange: z.number().optional().describe('Rows that match at any time.'),
    firstAt: ownText().optional().describe('Earliest row at any time.'),
    lastAt: ownText().optional().describe('Latest row at any time.'),
  })
  .describe('Only when nothing matched.')
export type Diagnosis = z.infer<typeof Diagnosis>

const parts = {
  reason: ownText().optional().describe('Why value is null.'),
  n: z.number().optional().describe('Rows behind an average.'),
  numerator: number('Of a RATIO.').optional(),
  denominator: number('Of a RATIO.').optional(),
}
const trend = {
  current: number('Of a TREND: the window that ends now.').optional(),
  previous: number('Previous value.').optional(),
  delta: number('Value less previous.').optional(),
}
const change = { ...trend, pctChange: number('Delta as a share of previous; null as in comparison.').optional() }

export const BreakdownEntry = z.object({
  dimensionValue: groupText().describe('Name of the group.'),
  value: number('Value.'),
  dimensions: z.record(ownText(), dimensionText()).describe('Value of each dimension.'),
  asset: FindingAsset.describe('With the dimension asset: which one it is.').optional(),
  ...parts,
  ...change,
})
export type BreakdownEntry = z.infer<typeof BreakdownEntry>

const Driver = z.object({
  dimension: z.enum(dimensions).describe('Dimension.'),
  dimensionValue: groupText().describe('Group.'),
  from: number('Its value in the compared range.'),
  to: number('Its value in the requested range.'),
  contribution: number('Its part of the delta; null if the change cannot be divided.'),
  delta: number('Its own change, where the whole cannot be divided.').optional(),
})

const DriverDimension = z.object({
  dimension: z.enum(dimensions).describe('Dimension.'),
  explained: number('Part of the delta that its listed groups explain beyond a uniform change.'),
  rest: z
    .object({
      groups: z.number().describe('Number of groups not listed.'),
      from: number('Their value in the compared range.'),
      to: number('Their value in the requested range.'),
      contribution: number('Their part of the delta.'),
    })
    .describe('All other groups combined.'),
})
export type DriverDimension = z.infer<typeof DriverDimension>

const OneMetricAnswer = z.object({
  value: number('The value; a percentage is a fraction.'),
  formatted: ownText().describe('The formatted value.'),
  ...parts,
  ...trend,
  breakdown: z.array(BreakdownEntry).describe('Groups, the greatest first.'),
  totalGroups: z.number().optional().describe('How many groups there are.'),
  truncated: z.boolean().optional().describe('Whether groups were cut.'),
  overlapping: z.literal(true).optional().describe('Groups by label share rows: they do not add up.'),
  other: z
    .object({
      groups: z.number().describe('Number of omitted groups.'),
      value: number('Their combined value.'),
      ...parts,
      ...change,
    })
    .optional()
    .describe('The omitted groups combined.'),
  comparison: z
    .object({
      from: ownText().nullable().describe('Start of the compared range.'),
      to: ownText().nullable().describe('Its end.'),
      value: number('Value in that range.'),
      delta: number('Current value less this value.'),
      pctChange: number('Delta as a fraction of this value; null from 0, and if coverage differs.'),
    })
    .optional()
    .describe('The compared range.'),
  drivers: z.array(Driver).describe('Groups that the delta comes from.').optional(),
  driverDimensions: z.array(DriverDimension).describe('Dimensions, most informative first.').optional(),
  metric: MetricFacts,
  applied: Applied,
  trust: TrustFacts,
  freshness: Freshness,
  warnings: z.array(QueryWarning).describe('Report these with the number.'),
  diagnosis: Diagnosis.optional(),
})
export type OneMetricAnswer = z.infer<typeof OneMetricAnswer>

export const FailedMetric = z.object({
  metric: z.object({ slug: ownText().describe('As asked.') }).describe('The metric that was asked of.'),
  value: z.null().describe('None.'),
  error: z
    .object({ code: ownText().describe('Code.'), message: outsideText().describe('What to do.') })
    .describe('Why it has no value.'),
})
export type FailedMetric = z.infer<typeof FailedMetric>

export const MetricAnswer = OneMetricAnswer.extend({
  also: z
    .array(z.union([OneMetricAnswer, FailedMetric]))
    .describe('Of alsoMetrics, in their order.')
    .optional(),
})
export type MetricAnswer = z.infer<typeof MetricAnswer>

export const Point = z.object({
  timestamp: ownText().describe('Start of the bucket, UTC.'),
  value: number('Value.'),
  complete: z.boolean().describe('False: cut by the range, or not over yet.'),
  observed: z.literal(false).describe('Before the first scan: the value says nothing.').optional(),
  n: z.number().optional().describe('Rows behind an average.'),
})
export type Point = z.infer<typeof Point>

export const SeriesAnswer = z.object({
  timeSeries: z.array(Point).describe('Every bucket of the range.'),
  granularity: z.enum(granularities).describe('Length of a bucket.'),
  dimension: ownText().optional().describe('Dimension of the series.'),
  series: z
    .array(
      z.object({
        dimensionValue: groupText().describe('Group.'),
        asset: FindingAsset.describe('With the dimension asset: which one it is.').optional(),
        timeSeries: z.array(Point).describe('Its buckets.'),
      }),
    )
    .optional()
    .describe('One for each top value.'),
  totalGroups: z.number().optional().describe('How many values there are.'),
  overlapping: z.literal(true).optional().describe('Series by label share rows: they do not add up.'),
  truncated: z.boolean().optional().describe('Whether values were left out.'),
  metric: MetricFacts,
  applied: Applied,
  trust: TrustFacts,
  freshness: Freshness,
  warnings: z.array(QueryWarning).describe('Report these with the numbers.'),
  diagnosis: Diagnosis.optional(),
})
export type SeriesAnswer = z.infer<typeof SeriesAnswer>

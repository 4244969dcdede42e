import { z } from 'zod'
import { groupText } from '../findings/facet-texts.ts'
import { Finding, FindingAsset } from '../findings/model.ts'
import { DisplayName, TermMapping, termMembers } from '../glossary/model.ts'
import { dimensions, metricFormats, metricMembers, metricTypes, OpenDefinition } from '../metrics/model.ts'
import { TestResult } from '../metrics/tests.ts'
import { ownText } from '../operation/lockdown/disclosure.ts'

export const MAX_EXAMPLES = 3

const dimension = z
  .enum(dimensions)
  .describe('Dimension of the groups; by default the first that is allowed.')
  .optional()

/** The members of a metric as an update would set them; for a metric that does not exist, as its creation would. */
export const MetricImpactQuestion = z.strictObject({
  slug: z.string().min(1).max(200).describe('Metric: slug, id, name or synonym; of a new metric its slug.'),
  displayName: DisplayName.describe('Display name.').optional(),
  type: z.enum(metricTypes).describe('Type of metric.').optional(),
  definition: OpenDefinition.optional(),
  ...metricMembers,
  dimension,
})

/** The members of a term as an update would set them; for a term that does not exist, as its creation would. */
export const TermImpactQuestion = z.strictObject({
  slug: z.string().min(1).max(200).describe('Term: slug, id, name or synonym; of a new term its slug.'),
  displayName: DisplayName.describe('Display name.').optional(),
  filterMapping: TermMapping.optional(),
  ...termMembers,
  dimension,
})

const number = (description: string) => z.number().nullable().describe(description)

const Sides = {
  before: number('Value as it is defined now; null without one.'),
  after: number('Value with the change; null without one.'),
}

const FormattedSides = z.object({
  ...Sides,
  formattedBefore: ownText().describe('The formatted value now; empty for a new definition.'),
  formattedAfter: ownText().describe('The formatted value with the change.'),
})

const Members = z.object({
  entity: z.enum(['finding', 'asset']).describe('What is counted.'),
  count: z.number().describe('How many.'),
  findings: z.array(Finding).max(MAX_EXAMPLES).describe('The newest of them.'),
  assets: z.array(FindingAsset).max(MAX_EXAMPLES).describe('Of a metric that counts assets: the newest of them.'),
})

export const Impact = z.object({
  slug: ownText().describe('The metric or term.'),
  isNew: z.literal(true).describe('It does not exist yet.').optional(),
  from: ownText().describe('Start of the range, 12 months before its end.'),
  to: ownText().describe('End of the range.'),
  value: FormattedSides.describe('Of a term: the number of its findings first detected in the range.'),
  format: z.enum(metricFormats).describe('Format of all values.'),
  unit: ownText().describe('Their unit; may be empty.'),
  dimension: z.enum(dimensions).nullable().describe('Dimension of the groups; null if none is allowed.'),
  groups: z
    .array(z.object({ dimensionValue: groupText().describe('Name of the group.'), ...Sides }))
    .describe('The greatest groups with the change, then those without it.'),
  totalGroups: z.number().describe('Number of groups.'),
  series: z
    .array(z.object({ timestamp: ownText().describe('Start of the month.'), ...Sides }))
    .describe('The values by month.'),
  gained: Members.describe('What is counted only with the change.'),
  lost: Members.describe('What is counted only without it.'),
  usedBy: z
    .object({
      metrics: z.array(ownText()).describe('Slugs of metrics.'),
      dashboards: z.array(ownText()).describe('Names of dashboards.'),
      watches: z.array(ownText()).describe('Slugs of watches.'),
      proposals: z.array(ownText()).describe('Ids of open proposals about it.'),
    })
    .describe('What depends on it.'),
  metrics: z
    .array(FormattedSides.extend({ slug: ownText().describe('A metric that is computed from it.') }))
    .describe('The values of the metrics that depend on it.'),
  tests: z.array(TestResult).describe('Of a metric: its tests, with the change.'),
})
export type Impact = z.infer<typeof Impact>

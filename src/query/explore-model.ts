import { z } from 'zod'
import { groupText } from '../findings/facet-texts.ts'
import { FilterMapping } from '../findings/filter.ts'
import { dimensions, trustTiers } from '../metrics/model.ts'
import { codeText, outsideText, ownText } from '../operation/lockdown/disclosure.ts'
import { Applied, Diagnosis, Freshness, MAX_DIMENSIONS, MetricQuestion, Point, QueryWarning } from './model.ts'
import { granularities } from './plan/time.ts'

export const ExploreQuestion = z.strictObject({
  glossaryTermSlug: MetricQuestion.shape.metricSlug.describe('Term: slug, id, name or synonym.'),
  dimensions: z
    .array(z.string().max(100))
    .max(MAX_DIMENSIONS)
    .describe('Up to 3 dimensions; default: the most informative.')
    .optional(),
  filters: MetricQuestion.shape.filters,
  from: MetricQuestion.shape.from,
  to: MetricQuestion.shape.to,
  timeZone: MetricQuestion.shape.timeZone,
  weekStart: MetricQuestion.shape.weekStart,
})
export type ExploreQuestion = z.infer<typeof ExploreQuestion>

const number = (description: string) => z.number().nullable().describe(description)

export const ExploreAnswer = z.object({
  term: z
    .object({
      slug: ownText().describe('Slug.'),
      displayName: ownText().describe('Name.'),
      description: ownText().describe('Meaning.'),
      filterMapping: FilterMapping.describe('What it counts.'),
    })
    .describe('The term.'),
  count: z.number().describe('Matching findings of every status, in the range.'),
  open: z.number().describe('Number of them that are open now.'),
  assets: z.number().describe('Assets they are in.'),
  metrics: z
    .array(
      z.object({
        metricSlug: ownText().describe('Metric.'),
        displayName: ownText().describe('Name.'),
        linked: z.boolean().describe('True: linked to the term. False: a general metric filtered by it.'),
        value: number('Value within the term.'),
        formatted: ownText().describe('Formatted value.'),
        trust: z.enum(trustTiers).describe('Trust in the metric.'),
        error: z
          .object({ code: ownText().describe('Code.'), message: outsideText().describe('What to do.') })
          .optional()
          .describe('Why it has no value.'),
      }),
    )
    .describe('Governed metrics within the term.'),
  breakdowns: z
    .array(
      z.object({
        dimension: z.enum(dimensions).describe('Dimension.'),
        totalGroups: z.number().describe('Number of values.'),
        entries: z
          .array(z.object({ dimensionValue: groupText().describe('Value.'), value: number('Findings.') }))
          .describe('The top values.'),
        other: z.number().optional().describe('Findings of the values not listed.'),
      }),
    )
    .describe('Counts by dimension.'),
  trend: z
    .object({
      granularity: z.enum(granularities).describe('Length of a bucket.'),
      timeSeries: z.array(Point).describe('New findings in each bucket.'),
    })
    .describe('New findings over time.'),
  examples: z
    .array(
      z.object({
        id: ownText().describe('Finding.'),
        detectorType: codeText().describe('Detector.'),
        findingType: codeText().describe('Type.'),
        severity: ownText().describe('Severity.'),
        status: ownText().describe('Status.'),
        confidence: z.number().describe('0 to 1.'),
        excerpt: outsideText().describe('Redacted, untrusted.'),
        page: outsideText().describe('Title, untrusted.'),
        url: outsideText().describe('Where to open it.'),
        container: outsideText().describe('Space or workspace.'),
        firstDetectedAt: ownText().describe('First seen.'),
      }),
    )
    .describe('Example findings, open and severe ones first.'),
  cut: z
    .object({
      examples: z
        .object({
          shown: z.number().describe('Examples listed.'),
          total: z.number().describe('All matching findings.'),
        })
        .describe('Of the findings.'),
    })
    .describe('Number of listed and of all items.'),
  applied: Applied,
  freshness: Freshness,
  warnings: z.array(QueryWarning).describe('Report these with the numbers.'),
  diagnosis: Diagnosis.optional(),
})
export type ExploreAnswer = z.infer<typeof ExploreAnswer>

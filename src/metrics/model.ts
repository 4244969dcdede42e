import { z } from 'zod'
import {
  assetFacetNames,
  dimensionSynonyms,
  type FacetName,
  type FacetRow,
  facetNames,
  facetRows,
  isManyValued,
} from '../findings/facets.ts'
import { FilterMapping } from '../findings/filter.ts'
import { Color, Description, DisplayName, Slug, Synonyms, type TermRecord } from '../glossary/model.ts'
import { endMeaning, startMeaning } from '../kernel/time-range.ts'
import { wordSynonyms } from '../operation/input/coerce.ts'

export const metricTypes = ['SIMPLE', 'RATIO', 'DERIVED', 'TREND'] as const
export type MetricType = (typeof metricTypes)[number]
export const metricStatuses = ['DRAFT', 'ACTIVE', 'DEPRECATED'] as const
export type MetricStatus = (typeof metricStatuses)[number]
export const metricFormats = ['number', 'percentage', 'duration'] as const
export type MetricFormat = (typeof metricFormats)[number]
export const betterDirections = ['lower', 'higher'] as const
export type BetterDirection = (typeof betterDirections)[number]
const aggregations = ['COUNT', 'COUNT_DISTINCT', 'SUM', 'AVG', 'MIN', 'MAX', 'MEDIAN', 'PERCENTILE'] as const
export type Aggregation = (typeof aggregations)[number]
const entities = ['finding', 'asset'] as const
export type Entity = (typeof entities)[number]
const modes = ['flow', 'stock'] as const

export const dimensions = facetNames
export type Dimension = FacetName
const DimensionName = z.enum(dimensions).register(wordSynonyms, { synonyms: dimensionSynonyms })

const fieldsOf = (rows: readonly FacetRow[]) => rows.flatMap(({ name, field }) => (isManyValued(name) ? [] : [field]))

/** The dimensions, numeric and distinct fields, and time fields of each entity. The first time field is the default. */
export const entityFacts = {
  finding: {
    dimensions,
    numericFields: ['confidence', 'resolutionHours', 'ageHours'],
    distinctFields: fieldsOf(facetRows),
    timeFields: ['firstDetectedAt', 'lastDetectedAt', 'resolvedAt'],
  },
  asset: {
    dimensions: assetFacetNames,
    numericFields: ['ageDays', 'openFindings'],
    distinctFields: fieldsOf(facetRows.filter(({ isOfAsset }) => isOfAsset)),
    timeFields: ['firstSeenAt', 'lastSeenAt', 'lastScannedAt', 'contentUpdatedAt'],
  },
} as const satisfies Record<Entity, Record<string, readonly string[]>>

type NumericField = (typeof entityFacts)[Entity]['numericFields'][number]
type DistinctField = (typeof entityFacts)[Entity]['distinctFields'][number]
export type MetricField = NumericField | DistinctField
export type TimeField = (typeof entityFacts)[Entity]['timeFields'][number]

const fields = [
  ...new Set(
    entities.flatMap((entity): MetricField[] => [
      ...entityFacts[entity].numericFields,
      ...entityFacts[entity].distinctFields,
    ]),
  ),
]
const timeFields = entities.flatMap((entity): TimeField[] => [...entityFacts[entity].timeFields])

const MetricFilters = FilterMapping.extend({
  scanned: z.boolean().describe('Assets only: whether they have been scanned.').optional(),
}).describe('Filters of the metric itself, in the form of a filterMapping.')

/** A duration in hours, days, weeks or months. */
export const Duration = z
  .string()
  .regex(/^[1-9]\d{0,3}(?:h|d|w|mo)$/, 'must be a number and h, d, w or mo, such as 12h, 7d, 2w or 3mo.')

export const calendarPeriods = ['week', 'month', 'quarter', 'year'] as const
export type CalendarPeriod = (typeof calendarPeriods)[number]

const MetricWindow = z
  .strictObject({
    last: Duration.describe('Rolling window of this length, such as 28d.').optional(),
    toDate: z.enum(calendarPeriods).describe('Cumulative from the start of this period.').optional(),
  })
  .describe('Window that ends at the end of the range, or of each bucket: either last or toDate.')
export type MetricWindow = z.infer<typeof MetricWindow>

export const SimpleDefinition = z.strictObject({
  aggregation: z.enum(aggregations).describe('Aggregation of the rows.'),
  entity: z.enum(entities).describe('What is counted.'),
  field: z.enum(fields).describe('Field to aggregate; not for COUNT.').optional(),
  p: z.number().min(0).max(1).describe('PERCENTILE only: the percentile, from 0 to 1.').optional(),
  filters: MetricFilters.optional(),
  timeField: z.enum(timeFields).describe('Timestamp by which a row falls into a time range.').optional(),
  mode: z
    .enum(modes)
    .describe('flow (default): what happened in the range. stock: the state at the end of the range.')
    .optional(),
  window: MetricWindow.optional(),
})
export type SimpleDefinition = z.infer<typeof SimpleDefinition>

export const MetricReference = z.strictObject({ metricSlug: Slug.describe('Slug of another metric.') })
export type MetricReference = z.infer<typeof MetricReference>

export const RatioPart = z.union([SimpleDefinition, MetricReference])
export type RatioPart = z.infer<typeof RatioPart>

const RatioDefinition = z.strictObject({
  numerator: RatioPart.describe('Numerator: an inline SIMPLE definition or a metricSlug.'),
  denominator: RatioPart.describe('Denominator: an inline SIMPLE definition or a metricSlug.'),
})
type RatioDefinition = z.infer<typeof RatioDefinition>

export const FORMULA_MAX_LENGTH = 2000

const DerivedDefinition = z.strictObject({
  formula: z
    .string()
    .min(1, 'must not be empty.')
    .max(FORMULA_MAX_LENGTH)
    .describe('+ - * / ( ), numbers, min max abs nullif coalesce, and inputs with _ for -.'),
  inputs: z
    .array(Slug)
    .min(1, 'must name at least one metric.')
    .max(30)
    .describe('Slugs of the metrics that the formula uses.'),
})
type DerivedDefinition = z.infer<typeof DerivedDefinition>

export const TrendDefinition = z.strictObject({
  baseMetricSlug: Slug.describe('Slug of the metric to compare over time.'),
  currentWindow: Duration.describe('The window that ends at the end of the range, such as 7d.'),
  compareWindow: Duration.describe('The window directly before it, of the same length.'),
})
export type TrendDefinition = z.infer<typeof TrendDefinition>

/** The schema of `definition` for each type of metric. */
export const definitionSchemas = {
  SIMPLE: SimpleDefinition,
  RATIO: RatioDefinition,
  DERIVED: DerivedDefinition,
  TREND: TrendDefinition,
} as const satisfies Record<MetricType, z.ZodType>

export type TypedDefinition =
  | { type: 'SIMPLE'; definition: SimpleDefinition }
  | { type: 'RATIO'; definition: RatioDefinition }
  | { type: 'DERIVED'; definition: DerivedDefinition }
  | { type: 'TREND'; definition: TrendDefinition }

/** A metric as stored, with its term; times in milliseconds. */
export type MetricRecord = TypedDefinition & {
  id: number
  uid: string
  slug: string
  displayName: string
  description: string
  allowedDimensions: Dimension[]
  format: MetricFormat
  unit: string
  status: MetricStatus
  term: TermRecord | null
  owner: string | null
  color: string | null
  synonyms: string[]
  /** The value of a SUM over no rows; null means the default, zero. */
  emptyAs: 'zero' | 'null' | null
  /** Which direction of change is good; null: neither. */
  better: BetterDirection | null
  tests: MetricTest[]
  /** The tests that failed when they were last run, in words; null: none failed, or none was run. */
  failing: string[] | null
  version: number
  certifiedBy: string | null
  certifiedAt: number | null
  certifiedVersion: number | null
  certifiedVia: 'http' | 'mcp' | 'cli' | null
  certifiedDigest: string | null
  deprecatedBy: string | null
  deprecatedAt: number | null
  deprecationReason: string | null
  replacedBy: string | null
  createdAt: number
  updatedAt: number
}

const listShapes = () =>
  metricTypes.map((type) => {
    const { $schema, ...shape } = z.toJSONSchema(definitionSchemas[type], { io: 'input' })
    return { title: type, ...shape }
  })

/** A definition not yet parsed by its type, which gives better error messages than a union of all shapes. */
export const OpenDefinition = z.record(z.string(), z.unknown()).meta({
  description: 'Definition; its shape depends on type.',
  // Most commands never describe it.
  get anyOf() {
    return listShapes()
  },
})

/** The rows that a test is about. */
const testScope = {
  filters: FilterMapping.describe('Only these rows.').optional(),
  range: z
    .strictObject({
      last: Duration.describe('The range of this length that ends now, such as 7d.').optional(),
      from: z.string().max(60).describe(startMeaning).optional(),
      to: z.string().max(60).describe(endMeaning).optional(),
    })
    .refine(({ last, from, to }) => last === undefined || (from === undefined && to === undefined), {
      message: 'must have either last, or from and to.',
    })
    .describe('Default: all time.')
    .optional(),
}

const tolerance = z.number().min(0).describe('Greatest allowed difference (0).').optional()

/** What must hold for the value of a metric. */
export const MetricTest = z
  .discriminatedUnion('kind', [
    z
      .strictObject({
        kind: z.literal('between').describe('The value is in these bounds, which it may equal.'),
        min: z.number().describe('Least value.').optional(),
        max: z.number().describe('Greatest value.').optional(),
        ...testScope,
      })
      .refine(({ min, max }) => min !== undefined || max !== undefined, { message: 'must have min, max or both.' })
      .refine(({ min, max }) => min === undefined || max === undefined || min <= max, {
        path: ['min'],
        message: 'must not be greater than max.',
      }),
    z
      .strictObject({
        kind: z.literal('equals').describe('The value equals that of another metric or a formula.'),
        metricSlug: Slug.describe('The other metric.').optional(),
        formula: z
          .string()
          .min(1)
          .max(FORMULA_MAX_LENGTH)
          .describe('A formula over metrics, with _ for - in their slugs.')
          .optional(),
        tolerance,
        ...testScope,
      })
      .refine(({ metricSlug, formula }) => (metricSlug === undefined) !== (formula === undefined), {
        message: 'must have either metricSlug or formula.',
      }),
    z.strictObject({
      kind: z.literal('sumOf').describe('The groups of a dimension add up to the value.'),
      dimension: DimensionName.describe('An allowed dimension.'),
      tolerance,
      ...testScope,
    }),
    z.strictObject({ kind: z.literal('notNull').describe('There is a value.'), ...testScope }),
  ])
  .describe('A test of the value.')
export const metricTestKinds = ['between', 'equals', 'sumOf', 'notNull'] as const satisfies MetricTest['kind'][]
export type MetricTest = z.infer<typeof MetricTest>

export const metricMembers = {
  description: Description.describe('What it means and counts.').optional(),
  allowedDimensions: z.array(DimensionName).max(50).describe('Allowed breakdowns.').optional(),
  format: z.enum(metricFormats).describe('Format of its value (number).').optional(),
  unit: z.string().max(50).describe('Unit, such as findings or %.').optional(),
  glossaryTermSlug: z.string().min(1).max(200).nullable().describe('A term that always filters it.').optional(),
  owner: z.string().max(200).nullable().describe('Owner.').optional(),
  color: Color.nullable().describe('Hex colour.').optional(),
  synonyms: Synonyms.describe('Other names.').optional(),
  emptyAs: z.enum(['zero', 'null']).nullable().describe('Value of a SUM over no rows (zero).').optional(),
  better: z.enum(betterDirections).nullable().describe('Good direction.').optional(),
  tests: z.array(MetricTest).max(20).describe('What must hold for its value.').optional(),
}

export const CreateMetric = z.strictObject({
  slug: Slug.describe('Permanent name in paths, such as open-findings.'),
  displayName: DisplayName.describe('Display name.'),
  type: z.enum(metricTypes).describe('Type of metric.'),
  definition: OpenDefinition,
  ...metricMembers,
})

export const trustTiers = ['certified', 'draft', 'drifted', 'failing', 'deprecated'] as const
export type TrustTier = (typeof trustTiers)[number]

export function isReference(part: RatioPart): part is MetricReference {
  return 'metricSlug' in part
}

/** The slugs of the direct inputs of a definition, without duplicates, in definition order. */
export function inputSlugs({ type, definition }: TypedDefinition): string[] {
  switch (type) {
    case 'SIMPLE':
      return []
    case 'RATIO':
      return [
        ...new Set(
          [definition.numerator, definition.denominator].flatMap((part) => (isReference(part) ? part.metricSlug : [])),
        ),
      ]
    case 'DERIVED':
      return [...new Set(definition.inputs)]
    case 'TREND':
      return [definition.baseMetricSlug]
  }
}

import { dashboardOperations } from '../../src/dashboards/operations.ts'
import { glossaryOperations } from '../../src/glossary/operations.ts'
import { metricOperations } from '../../src/query/metric-operations.ts'
import { queryOperations } from '../../src/query/operations.ts'
import { caller, openContext, type TestContext } from '../support/context.ts'
import { type EstateSeed, type FindingSeed, plant } from './estate.ts'

export const HOUR = 3_600_000
export const DAY = 24 * HOUR
export const at = (text: string) => Date.parse(text)

const operations = [...glossaryOperations, ...metricOperations, ...queryOperations, ...dashboardOperations]

export interface Asked {
  context: TestContext
  /** Calls any operation of the semantic layer. */
  ask: ReturnType<typeof caller>
  /** Creates a SIMPLE metric that allows every dimension of its entity, and gives its slug back. */
  simple(slug: string, definition: object, more?: object): Promise<string>
}

const findingDimensions = [
  'severity',
  'detectorType',
  'status',
  'findingType',
  'category',
  'customDetectorKey',
  'source',
  'sourceType',
  'assetKind',
  'container',
]
const assetDimensions = ['source', 'sourceType', 'assetKind', 'container']

export function openAsked(estate: EstateSeed, options: { now?: number } = {}): Asked {
  const context = openContext(options)
  plant(context.store, estate)
  const ask = caller(operations, context)
  const simple = async (slug: string, definition: object, more: object = {}) => {
    const full = { aggregation: 'COUNT', entity: 'finding', ...definition }
    await ask('create_metric', {
      slug,
      displayName: slug,
      type: 'SIMPLE',
      definition: full,
      allowedDimensions: full.entity === 'asset' ? assetDimensions : findingDimensions,
      ...more,
    })
    return slug
  }
  return { context, ask, simple }
}

/** A breakdown as `{name: value}`. */
export const toValues = (answer: { breakdown: { dimensionValue: string; value: number | null }[] }) =>
  Object.fromEntries(answer.breakdown.map(({ dimensionValue, value }) => [dimensionValue, value]))

/** The codes of an answer's warnings, without that of a draft. */
export const codesOf = (answer: { warnings: { code: string }[] }) =>
  answer.warnings.map(({ code }) => code).filter((code) => code !== 'draft')

export const now = at('2026-06-15T12:00:00Z')
/** So many days ago. */
export const day = (days: number) => now - days * DAY
export const finding = (seed: Partial<FindingSeed> = {}): FindingSeed => ({
  asset: 'page',
  firstDetectedAt: day(1),
  ...seed,
})

/** Ten open secrets, four false positives, two open and two resolved findings of personal data. */
export const secretsAndPersonalData: EstateSeed = {
  findings: [
    ...Array.from({ length: 10 }, () => finding({ severity: 'CRITICAL' })),
    ...Array.from({ length: 4 }, () => finding({ status: 'FALSE_POSITIVE' })),
    ...Array.from({ length: 2 }, () => finding({ detectorType: 'PII', severity: 'LOW', confidence: 0.5 })),
    ...Array.from({ length: 2 }, () => finding({ detectorType: 'PII', status: 'RESOLVED', resolvedAt: day(0.5) })),
  ],
}

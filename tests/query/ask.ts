import { dashboardOperations } from '../../src/dashboards/operations.ts'
import { glossaryOperations } from '../../src/glossary/operations.ts'
import { metricOperations } from '../../src/metrics/operations.ts'
import { queryOperations } from '../../src/query/operations.ts'
import { caller, openContext, type TestContext } from '../support/context.ts'
import { type EstateSeed, plant } from './estate.ts'

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

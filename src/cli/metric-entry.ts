import { given } from '../kernel/json-object.ts'
import { UsageError } from './exit.ts'
import type { Session } from './session.ts'

export interface MetricFlags {
  of: 'finding' | 'asset'
  aggregation: string
  field?: string
  percentile?: number
  mode?: 'flow' | 'stock'
  last?: string
  numerator?: string
  denominator?: string
  formula?: string
  trendOf?: string
  window?: string
  by?: string[]
}

interface Definition {
  type: 'SIMPLE' | 'RATIO' | 'DERIVED' | 'TREND'
  definition: Record<string, unknown>
  /** The metrics that it is made of. */
  inputs: string[]
}

const functions = new Set(['min', 'max', 'abs', 'nullif', 'coalesce'])

/** The definition that the options state. @throws UsageError for options of two types of metrics */
export function toDefinition(flags: MetricFlags, filters: Record<string, unknown>): Definition {
  const { numerator, denominator, formula, trendOf, window } = flags
  const isRatio = numerator !== undefined || denominator !== undefined
  const isTrend = trendOf !== undefined || window !== undefined
  if ([isRatio, formula !== undefined, isTrend].filter(Boolean).length > 1)
    throw new UsageError('Give a ratio (--numerator, --denominator), a --formula or a trend (--trend-of, --window).')
  const isComposed = isRatio || formula !== undefined || isTrend
  if (isComposed && Object.keys(filters).length > 0)
    throw new UsageError(
      'Filters belong to the metrics that a ratio, formula or trend is made of; leave them out here.',
    )
  if (isRatio) {
    if (numerator === undefined || denominator === undefined)
      throw new UsageError('A ratio needs both --numerator and --denominator.')
    const definition = { numerator: { metricSlug: numerator }, denominator: { metricSlug: denominator } }
    return { type: 'RATIO', definition, inputs: [numerator, denominator] }
  }
  if (formula !== undefined) {
    const names = [...formula.matchAll(/[a-z][a-z0-9_]*/gi)].map(([name]) => name)
    const inputs = [...new Set(names.filter((name) => !functions.has(name)).map((name) => name.replaceAll('_', '-')))]
    return { type: 'DERIVED', definition: { formula, inputs }, inputs }
  }
  if (isTrend) {
    if (trendOf === undefined || window === undefined)
      throw new UsageError('A trend needs both --trend-of and --window.')
    const definition = { baseMetricSlug: trendOf, currentWindow: window, compareWindow: window }
    return { type: 'TREND', definition, inputs: [trendOf] }
  }
  return { type: 'SIMPLE', definition: toSimple(flags, filters), inputs: [] }
}

function toSimple({ of, aggregation, field, percentile, mode, last }: MetricFlags, filters: Record<string, unknown>) {
  const members = { field, p: percentile, mode, window: last === undefined ? undefined : { last } }
  return {
    aggregation,
    entity: of,
    ...given(members),
    ...(Object.keys(filters).length === 0 ? {} : { filters }),
  }
}

/** The dimensions that a new metric may be broken down by: all that it can be. */
export async function listDimensions(session: Session, { inputs, definition }: Definition): Promise<string[]> {
  const { items } = await session.call<{ items: { name: string; ofAssets: boolean }[] }>('list_dimensions', {})
  const own = items.filter(({ ofAssets }) => definition.entity !== 'asset' || ofAssets).map(({ name }) => name)
  const allowed = await Promise.all(
    inputs.map(async (slug) => {
      const metric = await session.call<{ allowedDimensions: string[] }>('get_metric', { slug })
      return new Set(metric.allowedDimensions)
    }),
  )
  return own.filter((name) => allowed.every((names) => names.has(name)))
}

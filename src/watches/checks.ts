import type { Issue } from '../kernel/errors.ts'
import { listInline } from '../metrics/definition.ts'
import { listInputs } from '../metrics/dependencies.ts'
import type { Dimension, SimpleDefinition, TypedDefinition } from '../metrics/model.ts'
import type { WatchCondition } from './model.ts'

/** The members of a watch that must fit its metric. */
export interface WatchedQuestion {
  dimensions: readonly string[]
  last: string | null
  condition: WatchCondition
}

type WatchedMetric = TypedDefinition & { slug: string; allowedDimensions: readonly Dimension[] }

const MAX_DIMENSIONS = 3

/** The problems of a watch with its metric; `graph` contains the metrics that the metric is computed from. */
export function checkWatch(
  metric: WatchedMetric,
  graph: ReadonlyMap<string, TypedDefinition>,
  { dimensions, last, condition }: WatchedQuestion,
): Issue[] {
  return [
    ...checkDimensions(metric, dimensions),
    ...checkRange(metric, graph, last, condition),
    ...checkValue(condition),
  ]
}

function checkDimensions({ slug, allowedDimensions }: WatchedMetric, dimensions: readonly string[]): Issue[] {
  const issues = dimensions.flatMap((dimension, index): Issue[] => {
    const path = `dimensions[${index}]`
    if (dimensions.indexOf(dimension) < index) return [{ path, message: `names ${dimension} twice; keep one of them.` }]
    if (allowedDimensions.some((allowed) => allowed === dimension)) return []
    const allowed = allowedDimensions.length === 0 ? 'it allows none' : `it allows ${allowedDimensions.join(', ')}`
    return [{ path, message: `is not among the allowed dimensions of ${slug}; ${allowed}.` }]
  })
  if (dimensions.length <= MAX_DIMENSIONS) return issues
  return [...issues, { path: 'dimensions', message: `must name at most ${MAX_DIMENSIONS} dimensions.` }]
}

function checkRange(
  metric: WatchedMetric,
  graph: ReadonlyMap<string, TypedDefinition>,
  last: string | null,
  { kind }: WatchCondition,
): Issue[] {
  const isTrend = metric.type === 'TREND'
  if (kind === 'changeAbove' && isTrend) {
    return [
      { path: 'condition.kind', message: `cannot be used with ${metric.slug}, which already is a change; use above.` },
    ]
  }
  if (kind === 'changeAbove' && last === null) {
    return [
      {
        path: 'last',
        message: 'is required: the change is measured against the previous range of this length, such as 7d.',
      },
    ]
  }
  if (last === null) return []
  const counted = [metric, ...listInputs(graph, metric).values()].flatMap(listInline)
  if (isTrend || counted.some(hasWindow)) {
    return [{ path: 'last', message: `cannot be used with ${metric.slug}, which has its own window; leave it out.` }]
  }
  if (kind !== 'changeAbove' && counted.every(({ mode }) => mode === 'stock')) {
    return [
      { path: 'last', message: `cannot be used with ${metric.slug}, which is a stock and has no range; leave it out.` },
    ]
  }
  return []
}

const hasWindow = (definition: SimpleDefinition) => 'window' in definition

function checkValue({ kind, value }: WatchCondition): Issue[] {
  if (kind !== 'changeAbove' || value >= 0) return []
  return [{ path: 'condition.value', message: 'must not be negative: it is how much larger, such as 0.2 for a fifth.' }]
}

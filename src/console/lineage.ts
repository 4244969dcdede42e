import type { Metric } from '../metrics/view.ts'

/** What a metric is computed from. */
export interface MetricInputs {
  metrics: readonly string[]
  /** What its own definition counts, such as `findings`. */
  entities: readonly string[]
}

const toEntity = (part: unknown): string | undefined => {
  const entity = typeof part === 'object' && part !== null && 'entity' in part ? part.entity : undefined
  return typeof entity === 'string' ? `${entity}s` : undefined
}
const toSlug = (part: unknown): string | undefined => {
  const slug = typeof part === 'object' && part !== null && 'metricSlug' in part ? part.metricSlug : undefined
  return typeof slug === 'string' ? slug : undefined
}

export function listInputs({ type, definition }: Pick<Metric, 'type' | 'definition'>): MetricInputs {
  const parts =
    type === 'SIMPLE' ? [definition] : type === 'RATIO' ? [definition.numerator, definition.denominator] : []
  const named =
    type === 'DERIVED' && Array.isArray(definition.inputs)
      ? definition.inputs.map(String)
      : typeof definition.baseMetricSlug === 'string'
        ? [definition.baseMetricSlug]
        : []
  return {
    metrics: [...new Set([...parts.flatMap((part) => toSlug(part) ?? []), ...named])],
    entities: [...new Set(parts.flatMap((part) => toEntity(part) ?? []))],
  }
}

import { severities } from '../../detectors/detector.ts'
import { facetOf, facetRows, findDimensionByName } from '../../findings/facets.ts'
import { findingStatuses } from '../../findings/model.ts'
import { listTermNames } from '../../glossary/glossary.store.ts'
import { type AppError, invalidInput, type Suggestion } from '../../kernel/errors.ts'
import { quote } from '../../kernel/shown.ts'
import { closest, isSameName, likeness } from '../../kernel/suggest.ts'
import { listMetricNames } from '../../metrics/metrics.store.ts'
import { type Dimension, dimensions, type MetricRecord } from '../../metrics/model.ts'
import type { Coercion } from '../../operation/input/coerce.ts'
import type { Reader } from '../../store/store.ts'
import { MAX_DIMENSIONS } from '../model.ts'
import { granularities } from './time.ts'

/**
 * Resolves dimension names, without duplicates.
 * @throws AppError `invalid_input`, reason `unknown_dimension` or `dimension_not_allowed`, listing the valid ones.
 */
export function readDimensions(
  reader: Reader,
  metric: Allowing,
  given: readonly string[],
  toPath = (index: number): string => `dimensions[${index}]`,
): { dimensions: Dimension[]; coerced: Coercion[] } {
  const coerced: Coercion[] = []
  const found: Dimension[] = []
  for (const [index, name] of given.entries()) {
    const path = toPath(index)
    const dimension = findDimension(name)
    if (dimension === undefined) throw unknownDimension(reader, metric, name, path)
    if (!metric.allowedDimensions.includes(dimension)) throw notAllowed(metric, dimension, path)
    if (dimension !== name) coerced.push({ path, message: `was ${quote(name)}; read as ${quote(dimension)}.` })
    if (found.includes(dimension))
      coerced.push({ path, message: `named ${dimension} again; the repetition was ignored.` })
    else found.push(dimension)
  }
  if (found.length > MAX_DIMENSIONS) {
    throw invalidInput(`A breakdown takes at most ${MAX_DIMENSIONS} dimensions at once; ask again with fewer.`, {
      reason: 'too_many_dimensions',
      issues: [{ path: 'dimensions', message: `must name at most ${MAX_DIMENSIONS} dimensions.` }],
    })
  }
  return { dimensions: found, coerced }
}

/** The owner of allowed dimensions: a metric, or a term, which allows all. */
type Allowing = Pick<MetricRecord, 'slug' | 'allowedDimensions'>

const toSuggestions = (names: readonly string[]): Suggestion[] => names.map((value) => ({ value, kind: 'dimension' }))

function unknownDimension(reader: Reader, metric: Allowing, name: string, path: string): AppError {
  const allowed = metric.allowedDimensions
  const other = findOtherKind(reader, name)
  const near = [...(other?.dimension === undefined ? [] : [other.dimension]), ...closestDimensions(name)]
  const first = near.filter((known) => allowed.includes(known))
  const suggested = [...new Set([...first, ...allowed])]
  const what =
    other === undefined ? `${quote(name)} is not a dimension` : `${quote(name)} is ${other.kind}, not a dimension`
  const hint = allowed.length === 0 ? `${metric.slug} allows none` : `${metric.slug} allows ${allowed.join(', ')}`
  return invalidInput(`${what}; ${hint}.`, {
    reason: 'unknown_dimension',
    issues: [{ path, message: `${what}.` }],
    suggestions: toSuggestions(suggested),
  })
}

/** The dimensions closest to a name, by name or synonym. */
function closestDimensions(name: string): Dimension[] {
  const called = dimensions.flatMap((dimension) =>
    [dimension, ...facetOf(dimension).synonyms, ...facetOf(dimension).related].map((word) => ({ dimension, word })),
  )
  return [...new Set(closest(name, called, ({ word }) => word, 4).map(({ dimension }) => dimension))]
}

/** The one dimension that a name can mean: by its name or a synonym in another spelling, or by its filter key. */
function findDimension(name: string): Dimension | undefined {
  const dimension = findDimensionByName(name) ?? dimensions.find((known) => isSameName(name, known))
  return dimension ?? facetRows.find(({ filterKey }) => isSameName(name, filterKey))?.name
}

/** What a name refers to when it is not a dimension. */
function findOtherKind(reader: Reader, name: string): { kind: string; dimension?: Dimension } | undefined {
  const same = (known: string) => likeness(name, known) === 1
  const facet = facetRows.find(({ filterKey }) => same(filterKey))
  if (facet !== undefined) return { kind: 'a filter key', dimension: facet.name }
  if (granularities.some(same)) return { kind: 'a length of time (use query_metric_timeseries)' }
  if (severities.some(same)) return { kind: 'a severity', dimension: 'severity' }
  if (findingStatuses.some(same)) return { kind: 'a status', dimension: 'status' }
  if (listMetricNames(reader).some(({ slug, displayName }) => same(slug) || same(displayName))) {
    return { kind: 'a metric' }
  }
  if (listTermNames(reader).some(({ slug, displayName }) => same(slug) || same(displayName))) return { kind: 'a term' }
  return undefined
}

function notAllowed({ slug, allowedDimensions }: Allowing, dimension: Dimension, path: string): AppError {
  const instead =
    allowedDimensions.length === 0 ? 'it allows none; omit dimensions' : `it allows ${allowedDimensions.join(', ')}`
  const nearest = allowedDimensions.toSorted((a, b) => likeness(dimension, b) - likeness(dimension, a))
  return invalidInput(`${slug} cannot be broken down by ${dimension}; ${instead}.`, {
    reason: 'dimension_not_allowed',
    issues: [{ path, message: `${dimension} is not among the allowed dimensions of ${slug}.` }],
    suggestions: toSuggestions(nearest),
    facts: { allowedDimensions },
  })
}

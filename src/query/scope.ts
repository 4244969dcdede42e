import { severities } from '../detectors/detector.ts'
import { type FilterKey, type FilterMapping, filterKeys } from '../findings/filter.ts'
import { findingStatuses } from '../findings/model.ts'
import { listTermNames } from '../glossary/glossary.store.ts'
import type { TermRecord } from '../glossary/model.ts'
import { AppError, conflict, invalidInput, type Suggestion } from '../kernel/errors.ts'
import { closest, likeness } from '../kernel/suggest.ts'
import { loadInputs } from '../metrics/dependencies.ts'
import { listMetricNames } from '../metrics/metrics.store.ts'
import { type Dimension, dimensions, type MetricRecord } from '../metrics/model.ts'
import { resolveMetric, resolveTerm } from '../metrics/names.ts'
import type { Coercion } from '../operation/coerce.ts'
import type { Reader } from '../store/store.ts'
import { MAX_DIMENSIONS } from './model.ts'
import { type Condition, toScope } from './plan.ts'
import { listUnknownSources } from './words.store.ts'

/** What every question may narrow a metric by. */
export interface ScopeQuestion {
  metricSlug: string
  glossaryTermSlug?: string | undefined
  filters?: FilterMapping | undefined
}

/** Names resolved and scopes gathered: what a question asks of which metric. */
export interface Scope {
  metric: MetricRecord
  inputs: Map<string, MetricRecord>
  term: TermRecord | undefined
  conditions: Condition[]
}

/** Says where in the input an error of a lookup lies. */
function at<Found>(path: string, find: () => Found): Found {
  try {
    return find()
  } catch (error) {
    if (!(error instanceof AppError) || error.facts.issues !== undefined) throw error
    throw new AppError(error.code, error.message, { ...error.facts, issues: [{ path, message: error.message }] })
  }
}

/**
 * Finds what a question names, and puts the scopes together: all of them hold, none replaces another.
 * @throws AppError `not_found` for unknown names, `conflict` for a term that is not active.
 */
export function openScope(reader: Reader, question: ScopeQuestion, pinned: FilterMapping | undefined): Scope {
  const metric = at('metricSlug', () => resolveMetric(reader, question.metricSlug))
  const term = question.glossaryTermSlug === undefined ? undefined : getActiveTerm(reader, question.glossaryTermSlug)
  checkSources(reader, question.filters)
  const own = metric.term?.slug === term?.slug
  return {
    metric,
    inputs: loadInputs(reader, metric),
    term,
    conditions: [
      // The metric's own term is added with the metric.
      ...(term === undefined || own ? [] : toScope(term.filterMapping, { origin: 'term', term: term.slug })),
      ...toScope(question.filters ?? {}, { origin: 'caller' }),
      ...toScope(pinned ?? {}, { origin: 'placement' }),
    ],
  }
}

export function getActiveTerm(reader: Reader, name: string): TermRecord {
  const term = at('glossaryTermSlug', () => resolveTerm(reader, name))
  if (term.isActive) return term
  throw conflict(`The term ${term.slug} is not active; activate it, or query without it.`, {
    reason: 'inactive_term',
    issues: [{ path: 'glossaryTermSlug', message: 'is not active.' }],
  })
}

/** @throws AppError `not_found` when a filter names a source that does not exist. */
export function checkSources(reader: Reader, filters: FilterMapping | undefined): void {
  const named = [
    ...(filters?.sources ?? []).map((name, index) => ({ name, path: `filters.sources[${index}]` })),
    ...(filters?.exclude?.sources ?? []).map((name, index) => ({ name, path: `filters.exclude.sources[${index}]` })),
  ]
  const { unknown, known } = listUnknownSources(
    reader,
    named.map(({ name }) => name),
  )
  if (unknown.length === 0) return
  const issues = named.filter(({ name }) => unknown.includes(name))
  const [first] = unknown
  const near = closest(first ?? '', known, (name) => name, 5)
  const all = near.length > 0 ? near : known.slice(0, 5)
  const hint = all.length === 0 ? 'no source is registered yet.' : `the sources are ${all.join(', ')}.`
  throw new AppError('not_found', `No source is called '${first?.slice(0, 80)}'; ${hint}`, {
    reason: 'unknown_source',
    issues: issues.map(({ path, name }) => ({ path, message: `no source is called '${name.slice(0, 80)}'.` })),
    suggestions: all.map((value) => ({ value, kind: 'source' })),
  })
}

/**
 * The dimensions that a question means, each once.
 * @throws AppError `invalid_input`, reason `unknown_dimension` or `dimension_not_allowed`, naming those that are.
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
    const dimension = dimensions.find((known) => known.toLowerCase() === name.trim().toLowerCase())
    if (dimension === undefined) throw unknownDimension(reader, metric, name, path)
    if (!metric.allowedDimensions.includes(dimension)) throw notAllowed(metric, dimension, path)
    if (dimension !== name) coerced.push({ path, message: `was '${name}'; read as '${dimension}'.` })
    if (found.includes(dimension)) coerced.push({ path, message: `named ${dimension} again; it counts once.` })
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

/** What has dimensions: a metric, or a term, which has them all. */
type Allowing = Pick<MetricRecord, 'slug' | 'allowedDimensions'>

const toSuggestions = (names: readonly string[]): Suggestion[] => names.map((value) => ({ value, kind: 'dimension' }))

/** What a filter key or one of its values is a dimension of. */
const dimensionOfKey: Readonly<Record<FilterKey, Dimension>> = {
  detectorTypes: 'detectorType',
  severities: 'severity',
  statuses: 'status',
  findingTypes: 'findingType',
  categories: 'category',
  customDetectorKeys: 'customDetectorKey',
  sources: 'source',
  sourceTypes: 'sourceType',
  assetKinds: 'assetKind',
  containers: 'container',
}

function unknownDimension(reader: Reader, metric: Allowing, name: string, path: string): AppError {
  const allowed = metric.allowedDimensions
  const shown = name.slice(0, 80)
  const other = findOtherKind(reader, name)
  const near = [...(other?.dimension === undefined ? [] : [other.dimension]), ...closest(name, dimensions, String, 3)]
  const first = near.filter((known) => allowed.includes(known))
  const suggested = [...new Set([...first, ...allowed])]
  const what = other === undefined ? `'${shown}' is not a dimension` : `'${shown}' is ${other.kind}, not a dimension`
  const hint = allowed.length === 0 ? `${metric.slug} allows none` : `${metric.slug} allows ${allowed.join(', ')}`
  return invalidInput(`${what}; ${hint}.`, {
    reason: 'unknown_dimension',
    issues: [{ path, message: `${what}.` }],
    suggestions: toSuggestions(suggested),
  })
}

/** The dimension that a name can only mean: in another spelling, or by the filter key of its values. */
export function findDimension(name: string): Dimension | undefined {
  const dimension = dimensions.find((known) => likeness(name, known) === 1)
  if (dimension !== undefined) return dimension
  const key = filterKeys.find((known) => likeness(name, known) === 1)
  return key === undefined ? undefined : dimensionOfKey[key]
}

/** What else a name is that was taken for a dimension. */
function findOtherKind(reader: Reader, name: string): { kind: string; dimension?: Dimension } | undefined {
  const same = (known: string) => likeness(name, known) === 1
  const key = filterKeys.find(same)
  if (key !== undefined) return { kind: 'a filter key', dimension: dimensionOfKey[key] }
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
    allowedDimensions.length === 0
      ? 'it allows none; leave dimensions out'
      : `it allows ${allowedDimensions.join(', ')}`
  const nearest = [...allowedDimensions].sort((a, b) => likeness(dimension, b) - likeness(dimension, a))
  return invalidInput(`${slug} cannot be broken down by ${dimension}; ${instead}.`, {
    reason: 'dimension_not_allowed',
    issues: [{ path, message: `${dimension} is not among the allowed dimensions of ${slug}.` }],
    suggestions: toSuggestions(nearest),
    facts: { allowedDimensions },
  })
}

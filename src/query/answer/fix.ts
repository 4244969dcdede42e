import { severities } from '../../detectors/detector.ts'
import type { FilterMapping } from '../../findings/filter.ts'
import { findingStatuses } from '../../findings/model.ts'
import { AppError, type Fix } from '../../kernel/errors.ts'
import { likeness } from '../../kernel/suggest.ts'
import { resolveMetric, resolveTerm } from '../../metrics/names.ts'
import type { Reader } from '../../store/store.ts'
import { findDimension } from '../plan/dimensions.ts'
import { suggestInstants } from '../plan/relative-time.ts'
import { granularities } from '../plan/time.ts'
import { findMeanings } from './unknown-values.ts'

/** The members of a question that a fix may change or pass to another tool. */
interface Question {
  metricSlug?: string | undefined
  glossaryTermSlug?: string | undefined
  dimensions?: string[] | undefined
  dimension?: string | undefined
  filters?: FilterMapping | undefined
  from?: string | undefined
  to?: string | undefined
  timeZone?: string | undefined
  weekStart?: string | undefined
}

/** Answers a question; an error with exactly one possible fix carries the corrected call. */
export function answerOrFix<Answer>(
  reader: Reader,
  tool: string,
  question: Question,
  now: number,
  answer: () => Answer,
): Answer {
  try {
    return answer()
  } catch (error) {
    if (!(error instanceof AppError) || error.facts.fix !== undefined) throw error
    if (error.facts.reason === 'invalid_time') throw withInstant(question, error, now)
    const fix = findFix(reader, tool, question, error)
    throw fix === undefined ? error : new AppError(error.code, error.message, { ...error.facts, fix })
  }
}

/** Relative times in words are ambiguous and therefore not parsed; likely readings are suggested instead. */
function withInstant({ from, to }: Question, error: AppError, now: number): AppError {
  const path = error.facts.issues?.[0]?.path
  const suggestions = suggestInstants((path === 'to' ? to : from) ?? '', now).map((value) => ({ value, kind: 'time' }))
  return suggestions.length === 0 ? error : new AppError(error.code, error.message, { ...error.facts, suggestions })
}

function findFix(reader: Reader, tool: string, question: Question, error: AppError): Fix | undefined {
  const path = error.facts.issues?.[0]?.path ?? ''
  const replace = (change: Partial<Question>): Fix => ({ tool, arguments: plain({ ...question, ...change }) })
  if (error.facts.reason === 'unknown_dimension') {
    return fixGranularity(reader, question) ?? fixDimension(question, error, replace)
  }
  if (path.startsWith('filters.')) return fixSource(reader, question, error, path, replace)
  if (path !== 'metricSlug' && path !== 'glossaryTermSlug') return undefined
  const name = question[path] ?? ''
  const kind = path === 'metricSlug' ? 'metric' : 'term'
  const alike = (error.facts.suggestions ?? []).filter(
    ({ value, label, kind: suggested }) =>
      suggested === kind && (likeness(name, value) === 1 || likeness(name, label ?? '') === 1),
  )
  const [only] = alike
  if (error.code === 'not_found' && alike.length === 1 && only !== undefined) return replace({ [path]: only.value })
  if (error.facts.reason !== 'wrong_kind') return undefined
  return path === 'metricSlug'
    ? fixTermAsMetric(reader, question, name)
    : fixOtherAsTerm(reader, question, name, replace)
}

/** A granularity given as the only dimension is redirected to a time series. */
function fixGranularity(reader: Reader, question: Question): Fix | undefined {
  const { metricSlug, dimensions: asked = [], glossaryTermSlug, filters, from, to, timeZone, weekStart } = question
  const granularity = granularities.find((known) => likeness(asked[0] ?? '', known) === 1)
  if (asked.length !== 1 || granularity === undefined || metricSlug === undefined) return undefined
  if (tryTo(() => resolveMetric(reader, metricSlug))?.type !== 'SIMPLE') return undefined
  const narrowed = { metricSlug, granularity, glossaryTermSlug, filters, from, to, timeZone, weekStart }
  return { tool: 'query_metric_timeseries', arguments: plain(narrowed) }
}

function fixDimension(
  question: Question,
  { facts }: AppError,
  replace: (change: Partial<Question>) => Fix,
): Fix | undefined {
  const allowed = (facts.suggestions ?? []).map(({ value }) => value)
  const meant = (name: string) => {
    const found = findDimension(name)
    return found !== undefined && allowed.includes(found) ? found : undefined
  }
  if (question.dimension !== undefined) {
    const dimension = meant(question.dimension)
    return dimension === undefined ? undefined : replace({ dimension })
  }
  const corrected = (question.dimensions ?? []).map(meant)
  return corrected.includes(undefined) ? undefined : replace({ dimensions: corrected.flatMap((name) => name ?? []) })
}

/** The name of a term given as a metric is redirected to the term. */
function fixTermAsMetric(reader: Reader, question: Question, name: string): Fix | undefined {
  const term = tryTo(() => resolveTerm(reader, name))
  if (term === undefined || question.glossaryTermSlug !== undefined) return undefined
  const { filters, from, to, timeZone, weekStart } = question
  return {
    tool: 'explore_by_glossary_term',
    arguments: plain({
      glossaryTermSlug: term.slug,
      dimensions: question.dimensions,
      filters,
      from,
      to,
      timeZone,
      weekStart,
    }),
  }
}

/** A severity or status given as a term becomes a filter; the name of a metric becomes a metric question. */
function fixOtherAsTerm(
  reader: Reader,
  question: Question,
  name: string,
  replace: (change: Partial<Question>) => Fix,
): Fix | undefined {
  const severity = severities.find((known) => likeness(name, known) === 1)
  const status = findingStatuses.find((known) => likeness(name, known) === 1)
  const { filters = {} } = question
  if (question.metricSlug !== undefined) {
    if (severity !== undefined && filters.severities === undefined) {
      return replace({ glossaryTermSlug: undefined, filters: { ...filters, severities: [severity] } })
    }
    if (status !== undefined && filters.statuses === undefined) {
      return replace({ glossaryTermSlug: undefined, filters: { ...filters, statuses: [status] } })
    }
    return undefined
  }
  const metric = tryTo(() => resolveMetric(reader, name))
  if (metric === undefined) return undefined
  const { dimensions: asked, from, to, timeZone, weekStart } = question
  return {
    tool: 'query_metric',
    arguments: plain({
      metricSlug: metric.slug,
      dimensions: asked,
      filters: question.filters,
      from,
      to,
      timeZone,
      weekStart,
    }),
  }
}

function fixSource(
  reader: Reader,
  question: Question,
  { facts }: AppError,
  path: string,
  replace: (change: Partial<Question>) => Fix,
): Fix | undefined {
  const sources = question.filters?.sources
  const match = /^filters\.sources\[(\d+)\]$/.exec(path)
  if (match === null || sources === undefined || facts.issues?.length !== 1) return undefined
  const index = Number(match[1])
  const alike = (facts.suggestions ?? []).filter(({ value }) => likeness(sources[index] ?? '', value) === 1)
  const [only] = alike
  if (alike.length === 1 && only !== undefined) {
    return replace({ filters: { ...question.filters, sources: sources.with(index, only.value) } })
  }
  // The name of something else moves to the filter key of that.
  const [meaning, ...others] = findMeanings(reader, sources[index] ?? '', 'sources').flatMap(
    ({ suggestion }) => suggestion ?? [],
  )
  if (alike.length > 0 || meaning === undefined || others.length > 0) return undefined
  const { sources: _, ...rest }: Partial<Record<string, unknown>> = question.filters ?? {}
  const left = sources.toSpliced(index, 1)
  const { key, value } = meaning
  if (left.length > 0 || rest[key] !== undefined) return undefined
  return replace({ filters: { ...rest, [key]: [value] } })
}

function tryTo<Found>(find: () => Found): Found | undefined {
  try {
    return find()
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

/** Drops members that are undefined. */
function plain(members: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}

import { severities } from '../../detectors/detector.ts'
import type { FilterMapping } from '../../findings/filter.ts'
import { findingStatuses } from '../../findings/model.ts'
import { AppError, type Fix, type Suggestion } from '../../kernel/errors.ts'
import { given } from '../../kernel/json-object.ts'
import { quote } from '../../kernel/shown.ts'
import { isSameName } from '../../kernel/suggest.ts'
import { resolveMetric, resolveTerm } from '../../metrics/names.ts'
import type { Coercion } from '../../operation/input/coerce.ts'
import type { Reader } from '../../store/store.ts'
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

/**
 * Answers a question. A name in another spelling is read as the only one that it can mean, which is passed to `answer`;
 * any other error with exactly one possible fix carries the corrected call.
 */
export function answerOrFix<Asked extends Question, Answer>(
  reader: Reader,
  tool: string,
  question: Asked,
  now: number,
  answer: (question: Asked, respelled: readonly Coercion[]) => Answer,
): Answer {
  const respelled: Coercion[] = []
  let asked = question
  for (;;) {
    try {
      return answer(asked, respelled)
    } catch (error) {
      if (!(error instanceof AppError) || error.facts.fix !== undefined) throw error
      if (error.facts.reason === 'invalid_time') throw withInstant(asked, error, now)
      const respelling = respell(asked, error)
      if (respelling === undefined) {
        const fix = findFix(reader, tool, asked, error)
        throw fix === undefined ? error : new AppError(error.code, error.message, { ...error.facts, fix })
      }
      asked = { ...asked, ...respelling.change }
      respelled.push(respelling.coerced)
    }
  }
}

interface Respelling {
  change: Partial<Question>
  coerced: Coercion
}

/** Writes an unknown name as the only one that has the same words. */
function respell(question: Question, { code, facts }: AppError): Respelling | undefined {
  const { reason, suggestions = [] } = facts
  const path = facts.issues?.[0]?.path ?? ''
  if (code !== 'not_found' || reason === 'wrong_kind') return undefined
  const noted = (given: string, name: string): Coercion => ({
    path,
    message: `was ${quote(given)}; read as ${quote(name)}.`,
  })
  if (path === 'metricSlug' || path === 'glossaryTermSlug') {
    const given = question[path] ?? ''
    const name = findOnlySame(
      given,
      suggestions.filter(({ kind }) => kind === (path === 'metricSlug' ? 'metric' : 'term')),
    )
    return name === undefined ? undefined : { change: { [path]: name }, coerced: noted(given, name) }
  }
  const { filters, filters: { sources = [] } = {} } = question
  const index = toSourceIndex(path)
  const given = index === undefined ? undefined : sources[index]
  const name = given === undefined ? undefined : findOnlySame(given, suggestions)
  if (index === undefined || given === undefined || name === undefined) return undefined
  return { change: { filters: { ...filters, sources: sources.with(index, name) } }, coerced: noted(given, name) }
}

function findOnlySame(given: string, suggestions: readonly Suggestion[]): string | undefined {
  const [only, ...others] = suggestions.filter(
    ({ value, label = value }) => value !== given && (isSameName(given, value) || isSameName(given, label)),
  )
  return others.length === 0 ? only?.value : undefined
}

/** The position in `filters.sources` of a path. */
function toSourceIndex(path: string): number | undefined {
  const index = /^filters\.sources\[(\d+)\]$/.exec(path)?.[1]
  return index === undefined ? undefined : Number(index)
}

/** Relative times in words are ambiguous and therefore not parsed; likely readings are suggested instead. */
function withInstant({ from, to }: Question, error: AppError, now: number): AppError {
  const path = error.facts.issues?.[0]?.path
  const suggestions = suggestInstants((path === 'to' ? to : from) ?? '', now).map((value) => ({ value, kind: 'time' }))
  return suggestions.length === 0 ? error : new AppError(error.code, error.message, { ...error.facts, suggestions })
}

function findFix(reader: Reader, tool: string, question: Question, error: AppError): Fix | undefined {
  const path = error.facts.issues?.[0]?.path ?? ''
  const replace = (change: Partial<Question>): Fix => ({ tool, arguments: given({ ...question, ...change }) })
  if (error.facts.reason === 'unknown_dimension') return fixGranularity(reader, question)
  if (path.startsWith('filters.')) return fixSource(reader, question, error, path, replace)
  if (path !== 'metricSlug' && path !== 'glossaryTermSlug') return undefined
  const name = question[path] ?? ''
  if (error.facts.reason !== 'wrong_kind') return undefined
  return path === 'metricSlug'
    ? fixTermAsMetric(reader, question, name, error)
    : fixOtherAsTerm(reader, question, name, replace)
}

/** A granularity given as the only dimension is redirected to a time series. */
function fixGranularity(reader: Reader, question: Question): Fix | undefined {
  const { metricSlug, dimensions: asked = [], glossaryTermSlug, filters, from, to, timeZone, weekStart } = question
  const granularity = granularities.find((known) => isSameName(asked[0] ?? '', known))
  if (asked.length !== 1 || granularity === undefined || metricSlug === undefined) return undefined
  if (tryTo(() => resolveMetric(reader, metricSlug))?.type !== 'SIMPLE') return undefined
  const narrowed = { metricSlug, granularity, glossaryTermSlug, filters, from, to, timeZone, weekStart }
  return { tool: 'query_metric_timeseries', arguments: given(narrowed) }
}

/** The name of a term given as a metric is redirected to the term. */
function fixTermAsMetric(reader: Reader, question: Question, name: string, { facts }: AppError): Fix | undefined {
  const names = (facts.suggestions ?? []).filter(({ kind, value }) => kind === 'term' && isSameName(name, value))
  const [term] = [name, ...names.map(({ value }) => value)].flatMap(
    (each) => tryTo(() => resolveTerm(reader, each)) ?? [],
  )
  if (term === undefined || question.glossaryTermSlug !== undefined) return undefined
  const { filters, from, to, timeZone, weekStart } = question
  return {
    tool: 'explore_by_glossary_term',
    arguments: given({
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
  const severity = severities.find((known) => isSameName(name, known))
  const status = findingStatuses.find((known) => isSameName(name, known))
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
    arguments: given({
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
  const index = toSourceIndex(path)
  if (index === undefined || sources === undefined || facts.issues?.length !== 1) return undefined
  // The name of something else moves to the filter key of that.
  const [meaning, ...others] = findMeanings(reader, sources[index] ?? '', 'sources').flatMap(
    ({ suggestion }) => suggestion ?? [],
  )
  if (meaning === undefined || others.length > 0) return undefined
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

import { findTermBySlug, listTermNames } from '../glossary/glossary.store.ts'
import type { TermRecord } from '../glossary/model.ts'
import {
  filterValueNames,
  getTerm,
  matchName,
  type OtherName,
  searchTerms,
  toOtherNames,
  toSuggestion,
  unknownName,
} from '../glossary/names.ts'
import { searchPage } from '../glossary/search.ts'
import type { Suggestion } from '../kernel/errors.ts'
import { quote } from '../kernel/shown.ts'
import type { Reader } from '../store/store.ts'
import { findMetricBySlug, listMetricNames, listMetrics } from './metrics.store.ts'
import { dimensions, type MetricRecord } from './model.ts'

const dimensionNames: readonly OtherName[] = dimensions.map((name) => ({
  name,
  kind: 'dimension',
  use: 'name it in dimensions',
}))

const firstFew = { limit: 5, offset: 0 }

/**
 * Finds the metric by slug, id, display name or synonym.
 * @throws AppError `not_found` with the closest names and, if the name is of another kind, what it is; or
 * `invalid_input`, reason `ambiguous_name`, when several metrics have it
 */
export function resolveMetric(reader: Reader, name: string): MetricRecord {
  const exact = findMetricBySlug(reader, name)
  if (exact !== undefined) return exact
  const rows = listMetricNames(reader)
  const slug = matchName('metric', name, rows)
  const metric = slug === undefined ? undefined : findMetricBySlug(reader, slug)
  if (metric !== undefined) return metric
  const terms = listTermNames(reader)
  throw unknownName(
    'metric',
    name,
    rows,
    [
      ...dimensionNames,
      ...filterValueNames,
      ...toOtherNames('term', terms, (term) => `name it as glossaryTermSlug: ${quote(term)}`),
    ],
    {
      before: listLinked(reader, matchedTerm(name, terms)),
      behind: searchMetrics(reader, name),
      elsewhere: searchTerms(reader, name),
    },
  )
}

/** Finds the term by slug, id, display name or synonym; errors as for metrics. */
export function resolveTerm(reader: Reader, name: string): TermRecord {
  const exact = findTermBySlug(reader, name)
  if (exact !== undefined) return exact
  return getTerm(reader, name, [
    ...dimensionNames,
    ...filterValueNames,
    ...toOtherNames('metric', listMetricNames(reader), (metric) => `name it as metricSlug: ${quote(metric)}`),
  ])
}

function matchedTerm(name: string, terms: ReturnType<typeof listTermNames>): string | undefined {
  try {
    return matchName('term', name, terms)
  } catch {
    return undefined
  }
}

function listLinked(reader: Reader, termSlug: string | undefined): Suggestion[] {
  const term = termSlug === undefined ? undefined : findTermBySlug(reader, termSlug)
  if (term === undefined) return []
  return listMetrics(reader, { termId: term.id }, firstFew).metrics.map(toSuggestion('metric'))
}

function searchMetrics(reader: Reader, text: string): Suggestion[] {
  const found = searchPage(text, (match) => listMetrics(reader, { match }, firstFew), { metrics: [], total: 0 })
  return found.metrics.map(toSuggestion('metric'))
}

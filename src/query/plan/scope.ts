import type { FilterMapping, FindTerm } from '../../findings/filter.ts'
import { requireSources } from '../../findings/source-names.ts'
import { openTermFilters } from '../../findings/term-filters.store.ts'
import type { TermRecord } from '../../glossary/model.ts'
import { atPath, conflict } from '../../kernel/errors.ts'
import { loadInputs } from '../../metrics/dependencies.ts'
import type { MetricRecord } from '../../metrics/model.ts'
import { resolveMetric, resolveTerm } from '../../metrics/names.ts'
import type { Reader } from '../../store/store.ts'
import { type PlanCondition, toScope } from './plan.ts'

/** The members that narrow a metric, common to all questions. */
export interface ScopeQuestion {
  metricSlug: string
  glossaryTermSlug?: string | undefined
  filters?: FilterMapping | undefined
  /** Words that findings have. */
  search?: string | undefined
  /** The metric, if it is not the stored one of that name. */
  draft?: MetricRecord | undefined
}

/** A question with its names resolved and its scopes combined. */
export interface ResolvedQuestion {
  metric: MetricRecord
  inputs: Map<string, MetricRecord>
  term: TermRecord | undefined
  conditions: PlanCondition[]
  /** The filters of the terms that filters name. */
  termOf: FindTerm
}

/**
 * Resolves the names in a question and combines its scopes with AND.
 * @throws AppError `not_found` for unknown names, `conflict` for a term that is not active.
 */
export function openScope(
  reader: Reader,
  question: ScopeQuestion,
  pinned: FilterMapping | undefined,
): ResolvedQuestion {
  const { metric, inputs } = findMetric(reader, question)
  const term = question.glossaryTermSlug === undefined ? undefined : getActiveTerm(reader, question.glossaryTermSlug)
  requireSources(reader, question.filters, 'filters')
  const own = metric.term?.slug === term?.slug
  const termOf = openTermFilters(reader)
  return {
    metric,
    inputs,
    term,
    termOf,
    conditions: [
      // The metric's own term is added together with the metric.
      ...(term === undefined || own ? [] : toScope(term.filterMapping, { origin: 'term', term: term.slug }, termOf)),
      ...atPath('filters.terms', () => toScope(question.filters ?? {}, { origin: 'caller' }, termOf)),
      ...toScope(pinned ?? {}, { origin: 'placement' }, termOf),
      ...toSearch(question.search),
    ],
  }
}

const toSearch = (search: string | undefined): PlanCondition[] =>
  search === undefined ? [] : [{ key: 'search', values: [search], exclude: false, origin: 'caller' }]

function findMetric(
  reader: Reader,
  { metricSlug, draft }: Pick<ScopeQuestion, 'metricSlug' | 'draft'>,
): Pick<ResolvedQuestion, 'metric' | 'inputs'> {
  const metric = draft ?? atPath('metricSlug', () => resolveMetric(reader, metricSlug))
  return { metric, inputs: loadInputs(reader, metric) }
}

export function getActiveTerm(reader: Reader, name: string): TermRecord {
  const term = atPath('glossaryTermSlug', () => resolveTerm(reader, name))
  if (term.isActive) return term
  throw conflict(`The term ${term.slug} is inactive; activate it, or query without it.`, {
    reason: 'inactive_term',
    issues: [{ path: 'glossaryTermSlug', message: 'is not active.' }],
  })
}

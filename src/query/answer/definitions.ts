import type { FilterMapping, FindTerm } from '../../findings/filter.ts'
import { listPolicies } from '../../findings/sla.store.ts'
import { openTermFilters } from '../../findings/term-filters.store.ts'
import type { TermRecord } from '../../glossary/model.ts'
import { loadInputs } from '../../metrics/dependencies.ts'
import type { Dimension, MetricRecord } from '../../metrics/model.ts'
import type { Reader } from '../../store/store.ts'
import type { PlanContext } from '../plan/plan.ts'
import { planMetric, toScope, type ValueNode } from '../plan/plan.ts'
import type { ResolvedQuestion } from '../plan/scope.ts'

/** Definitions that are used in place of the stored ones of the same slugs. */
export interface ReplacedDefinitions {
  metric?: MetricRecord | undefined
  term?: TermRecord | undefined
}

/** Metrics by the definitions in a snapshot, of which some may be replaced. */
export interface Definitions {
  /** A metric with its inputs, without a scope of the caller. */
  scopeOf(metric: MetricRecord): Pick<ResolvedQuestion, 'metric' | 'inputs' | 'conditions' | 'termOf'>
  /** How the value of a metric is computed. */
  plan(
    metric: MetricRecord,
    context: Omit<PlanContext, 'inputs' | 'termOf' | 'dimensions'> & { dimensions?: readonly Dimension[] },
    filters?: FilterMapping,
  ): ValueNode
}

export function openDefinitions(reader: Reader, replaced: ReplacedDefinitions = {}): Definitions {
  const termOf = replaceTerm(reader, replaced.term)
  const withTerm = (metric: MetricRecord): MetricRecord =>
    replaced.term !== undefined && metric.term?.slug === replaced.term.slug
      ? { ...metric, term: replaced.term }
      : metric
  const scopeOf: Definitions['scopeOf'] = (given) => {
    const inputs = loadInputs(reader, given, replaced.metric)
    return {
      metric: withTerm(given),
      inputs: new Map([...inputs].map(([slug, input]) => [slug, withTerm(input)])),
      conditions: [],
      termOf,
    }
  }
  return {
    scopeOf,
    plan: (given, context, filters = {}) => {
      const { metric, inputs } = scopeOf(given)
      const conditions = toScope(filters, { origin: 'caller' }, termOf)
      return planMetric(metric, conditions, { dimensions: [], ...context, inputs, termOf })
    },
  }
}

/** The filters of terms, with that of one term replaced, also in the policies of due dates. */
function replaceTerm(reader: Reader, term: TermRecord | undefined): FindTerm {
  const stored = openTermFilters(reader)
  if (term === undefined) return stored
  const { slug, filterMapping } = term
  const policies = () =>
    listPolicies(reader).map((policy) => (policy.termSlug === slug ? { ...policy, mapping: filterMapping } : policy))
  return Object.assign((name: string) => (name === slug ? filterMapping : stored(name)), { policies })
}

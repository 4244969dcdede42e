import { z } from 'zod'
import { findTermBySlug } from '../glossary/glossary.store.ts'
import { Slug } from '../glossary/model.ts'
import { given } from '../kernel/json-object.ts'
import { previewMetric } from '../metrics/lifecycle.ts'
import { countEndedScans, findMetricBySlug } from '../metrics/metrics.store.ts'
import { resolveMetric, resolveTerm } from '../metrics/names.ts'
import { type Operation, operation } from '../operation/operation.ts'
import { metricImpact, termImpact } from './answer/impact.ts'
import { Impact, MetricImpactQuestion, TermImpactQuestion } from './impact-model.ts'
import { toImpactLines } from './impact-text.ts'
import { examineDefinition, MetricName } from './metric-operations.ts'
import { saveResults, TestedMetrics, testAll } from './metric-test-runs.ts'

const MAX_NAMED = 100

const ofMetrics = z
  .array(MetricName)
  .min(1)
  .max(MAX_NAMED)
  .describe('The metrics (default: all that have tests).')
  .optional()

/** The tests of metrics, without marking the metrics. */
export const previewMetricTests = operation({
  name: 'preview_metric_tests',
  title: 'Preview metric tests',
  summary: 'Run the tests of metrics now, and mark none of them.',
  effect: 'read',
  runsOn: 'query-thread',
  cost: 'computed',
  scope: 'read',
  route: 'POST /semantic/tests/preview',
  texts: 'own',
  input: z.strictObject({ metrics: ofMetrics }),
  output: TestedMetrics,
  run: ({ metrics }, context) => context.read((reader) => testAll(reader, metrics, context.now())),
})

const testMetrics = operation({
  name: 'test_metrics',
  title: 'Test metrics',
  summary: 'Run the tests of metrics now. A metric with a failing test is marked in its trust and its answers.',
  effect: 'write',
  changes: { kind: 'metrics', list: false },
  consent: 'none',
  scope: 'author',
  route: 'POST /semantic/tests',
  texts: 'own',
  input: z.strictObject({ metrics: ofMetrics }),
  output: TestedMetrics,
  run: ({ metrics }, context) => {
    const at = context.now()
    const { scans, results } = context.read((reader) => ({
      scans: countEndedScans(reader),
      results: testAll(reader, metrics, at),
    }))
    context.store.write((writer) => saveResults(writer, results, { scans, at }), { durable: true })
    return results
  },
})

/** What a change of a metric would do; a metric that does not exist yet is taken as a new one. */
const getMetricImpact = operation({
  name: 'get_metric_impact',
  title: 'Get metric impact',
  summary:
    'What a change of a metric would do to its value, groups and series of 12 months, to what depends on it, and which findings it would gain and lose.',
  effect: 'read',
  runsOn: 'query-thread',
  cost: 'computed',
  scope: 'read',
  route: 'POST /semantic/metrics/{slug}/impact',
  untrusted: true,
  input: MetricImpactQuestion,
  examine: examineDefinition,
  output: Impact,
  render: toImpactLines,
  run: ({ slug, dimension, ...change }, context) =>
    context.read((reader) => {
      const isNew =
        change.definition !== undefined && change.type !== undefined && findMetricBySlug(reader, slug) === undefined
      const before = isNew && Slug.safeParse(slug).success ? undefined : resolveMetric(reader, slug)
      const after = previewMetric(reader, before, slug, change)
      return metricImpact(reader, { before, after }, { dimension, now: context.now() })
    }),
})

const getTermImpact = operation({
  name: 'get_term_impact',
  title: 'Get term impact',
  summary:
    'What a change of a term would do to the number of its findings, to the metrics that it filters, and which findings it would gain and lose.',
  effect: 'read',
  runsOn: 'query-thread',
  cost: 'computed',
  scope: 'read',
  route: 'POST /semantic/glossary/{slug}/impact',
  untrusted: true,
  input: TermImpactQuestion,
  output: Impact,
  render: toImpactLines,
  run: ({ slug, dimension, filterMapping, ...change }, context) =>
    context.read((reader) => {
      const known = findTermBySlug(reader, slug)
      const isNew = known === undefined && filterMapping !== undefined && Slug.safeParse(slug).success
      const before = isNew ? undefined : (known ?? resolveTerm(reader, slug))
      const blank = { id: 0, uid: '', slug, displayName: slug, description: '', category: '', filterMapping: {} }
      const texts = { color: null, icon: null, synonyms: [], isActive: true, createdAt: 0, updatedAt: 0 }
      const after = { ...(before ?? { ...blank, ...texts }), ...given({ ...change, filterMapping }) }
      return termImpact(reader, { before, after }, { dimension, now: context.now() })
    }),
})

export const impactOperations: readonly Operation[] = [previewMetricTests, testMetrics, getMetricImpact, getTermImpact]

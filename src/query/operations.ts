import type { ReadContext } from '../operation/context.ts'
import type { Coercion } from '../operation/input/coerce.ts'
import { call, type Operation, operation } from '../operation/operation.ts'
import { requireTable, toMetricCsv, toSeriesCsv } from './answer/csv.ts'
import { type EvaluateOptions, evaluateMetric } from './answer/evaluate.ts'
import { exploreTerm } from './answer/explore.ts'
import { exploreView } from './answer/explore-view.ts'
import { answerOrFix } from './answer/fix.ts'
import { renderExplore, renderMetric, renderSeries } from './answer/render.ts'
import { evaluateSeries } from './answer/series.ts'
import { ExploreAnswer, ExploreQuestion } from './explore-model.ts'
import { MetricAnswer, MetricQuestion, SeriesAnswer, SeriesQuestion } from './model.ts'
import { ViewAnswer, ViewQuestion } from './view-model.ts'

const toOptions = ({ now, coerced = [] }: ReadContext, respelled: readonly Coercion[]): EvaluateOptions => ({
  now: now(),
  coerced: [...coerced, ...respelled],
})

const queryMetric: Operation = operation({
  name: 'query_metric',
  title: 'Query metric',
  summary:
    'Value of one governed metric, optionally broken down, filtered and compared. Find metrics with list_metrics.',
  effect: 'read',
  runsOn: 'query-thread',
  cost: 'computed',
  scope: 'read',
  route: 'POST /semantic/query',
  toolset: 'agent',
  isDrawn: true,
  untrusted: true,
  input: MetricQuestion,
  output: MetricAnswer,
  render: renderMetric,
  files: {
    csv: async function* (raw, context) {
      requireTable(raw)
      yield toMetricCsv((await call(queryMetric, raw, context)) as MetricAnswer, raw)
    },
  },
  run: (question, context) =>
    context.read((reader) =>
      answerOrFix(reader, 'query_metric', question, context.now(), (asked, respelled) =>
        evaluateMetric(reader, asked, { ...toOptions(context, respelled), isWhole: true }),
      ),
    ),
})

const exploreMetric = operation({
  name: 'explore_metric',
  title: 'Explore metric',
  summary: 'Value of one governed metric for a glossary term and dimensions; same as query_metric, for explorers.',
  effect: 'read',
  runsOn: 'query-thread',
  cost: 'computed',
  scope: 'read',
  route: 'POST /semantic/query/explore',
  untrusted: true,
  input: MetricQuestion,
  output: MetricAnswer,
  render: renderMetric,
  run: (question, context) =>
    context.read((reader) =>
      answerOrFix(reader, 'explore_metric', question, context.now(), (asked, respelled) =>
        evaluateMetric(reader, asked, { ...toOptions(context, respelled), isWhole: true }),
      ),
    ),
})

const queryMetricTimeseries: Operation = operation({
  name: 'query_metric_timeseries',
  title: 'Query metric over time',
  summary: 'A SIMPLE metric for every hour, day, week or month of a range.',
  effect: 'read',
  runsOn: 'query-thread',
  cost: 'computed',
  scope: 'read',
  route: 'POST /semantic/query/timeseries',
  toolset: 'agent',
  isDrawn: true,
  untrusted: true,
  input: SeriesQuestion,
  output: SeriesAnswer,
  render: renderSeries,
  files: {
    csv: async function* (raw, context) {
      yield toSeriesCsv((await call(queryMetricTimeseries, raw, context)) as SeriesAnswer)
    },
  },
  run: (question, context) =>
    context.read((reader) =>
      answerOrFix(reader, 'query_metric_timeseries', question, context.now(), (asked, respelled) =>
        evaluateSeries(reader, asked, toOptions(context, respelled)),
      ),
    ),
})

const exploreByGlossaryTerm = operation({
  name: 'explore_by_glossary_term',
  title: 'Explore by glossary term',
  summary: 'Start here from a business phrase: counts, metrics, breakdowns, trend and redacted examples of one term.',
  effect: 'read',
  runsOn: 'query-thread',
  cost: 'computed',
  scope: 'read',
  route: 'POST /semantic/glossary/{glossaryTermSlug}/explore',
  toolset: 'agent',
  isDrawn: true,
  untrusted: true,
  input: ExploreQuestion,
  output: ExploreAnswer,
  render: renderExplore,
  run: (question, context) =>
    context.read((reader) =>
      answerOrFix(reader, 'explore_by_glossary_term', question, context.now(), (asked, respelled) =>
        exploreTerm(reader, asked, toOptions(context, respelled)),
      ),
    ),
})

const exploreViewOperation = operation({
  name: 'explore_view',
  title: 'Explore view',
  summary:
    'Everything that a page about one metric shows, from one snapshot: value, change, series of any metric type, one breakdown for each dimension, and the same for other metrics.',
  effect: 'read',
  runsOn: 'query-thread',
  cost: 'computed',
  scope: 'read',
  route: 'POST /semantic/query/view',
  untrusted: true,
  input: ViewQuestion,
  output: ViewAnswer,
  run: (question, context) =>
    context.read((reader) =>
      answerOrFix(reader, 'explore_view', question, context.now(), (asked, respelled) =>
        exploreView(reader, asked, toOptions(context, respelled)),
      ),
    ),
})

export const queryOperations: readonly Operation[] = [
  queryMetric,
  exploreMetric,
  queryMetricTimeseries,
  exploreByGlossaryTerm,
  exploreViewOperation,
]

import { z } from 'zod'
import { FilterMapping } from '../findings/filter.ts'
import {
  joinShown,
  line,
  type PrintableText,
  showAmount,
  showCode,
  showJson,
  showName,
  showSentence,
} from '../kernel/shown.ts'
import { authorOf } from '../operation/author.ts'
import { type Operation, operation } from '../operation/operation.ts'
import { listDashboards, listPlacements } from './dashboards.store.ts'
import { DashboardAnswer, DashboardQuestion, evaluateDashboard } from './evaluation.ts'
import { ChartType, DashboardName, Placement, PlacementSize } from './model.ts'
import { getDashboard, removePlacement, setPlacement } from './placements.ts'

const dashboard = DashboardName.describe('Name, such as discovery.')
const metric = z.string().min(1).max(200).describe('Metric: slug, id, name or synonym.')

const listDashboardsOperation = operation({
  name: 'list_dashboards',
  title: 'List dashboards',
  summary: 'List the dashboards with their number of metrics.',
  effect: 'read',
  isRevalidated: true,
  scope: 'read',
  route: 'GET /semantic/dashboards',
  texts: 'own',
  input: z.strictObject({}),
  output: z.object({
    items: z
      .array(
        z.object({
          name: z.string().describe('Name of the dashboard.'),
          placements: z.number().describe('Number of metrics on it.'),
        }),
      )
      .describe('The dashboards, by name.'),
    total: z.number().describe('Number of dashboards.'),
  }),
  run: (_input, context) =>
    context.read((reader) => {
      const items = listDashboards(reader)
      return { items, total: items.length }
    }),
})

const getDashboardOperation = operation({
  name: 'get_dashboard',
  title: 'Get dashboard',
  summary: 'List the metrics placed on a dashboard, with their pinned filters.',
  effect: 'read',
  scope: 'read',
  route: 'GET /semantic/dashboards/{dashboard}',
  texts: 'own',
  input: z.strictObject({ dashboard }),
  output: z.object({
    dashboard: z.string().describe('Name of the dashboard.'),
    placements: z.array(Placement).describe('The placements, by position.'),
  }),
  run: (input, context) =>
    context.read((reader) => {
      const found = getDashboard(reader, input.dashboard)
      return { dashboard: found.name, placements: listPlacements(reader, found) }
    }),
})

const setPlacementOperation = operation({
  name: 'set_placement',
  title: 'Set placement',
  summary: 'Place a metric on a dashboard, or change its placement. The first creates it.',
  effect: 'write',
  changes: { kind: 'dashboards', list: true },
  consent: 'none',
  scope: 'author',
  route: 'PUT /semantic/dashboards/{dashboard}/metrics/{slug}',
  toolset: 'admin',
  idempotent: true,
  texts: 'own',
  input: z.strictObject({
    dashboard,
    slug: metric,
    pinnedFilters: FilterMapping.nullable().optional().describe('Filters always added; null removes them.'),
    size: PlacementSize.optional(),
    position: z.int().min(0).max(10_000).describe('Order, lowest first (last).').optional(),
    chartType: ChartType.optional(),
  }),
  output: Placement,
  run: ({ slug, ...change }, context) =>
    context.store.write((writer) => setPlacement(writer, { ...change, metric: slug }, authorOf(context)), {
      durable: true,
    }),
})

const removePlacementOperation = operation({
  name: 'remove_placement',
  title: 'Remove placement',
  summary: 'Remove a metric from a dashboard; removing the last deletes it.',
  effect: 'write',
  changes: { kind: 'dashboards', list: true },
  consent: 'always',
  scope: 'author',
  route: 'DELETE /semantic/dashboards/{dashboard}/metrics/{slug}',
  toolset: 'admin',
  destructive: true,
  texts: 'own',
  input: z.strictObject({ dashboard, slug: metric }),
  output: Placement,
  run: ({ slug, ...names }, context) =>
    context.store.write((writer) => removePlacement(writer, { ...names, metric: slug }, authorOf(context)), {
      durable: true,
    }),
})

const queryDashboard = operation({
  name: 'query_dashboard',
  title: 'Query dashboard',
  summary: 'Evaluate all metrics of a dashboard with their pinned filters.',
  effect: 'read',
  runsOn: 'query-thread',
  cost: 'computed',
  scope: 'read',
  route: 'POST /semantic/query/dashboard',
  toolset: 'admin',
  isDrawn: true,
  untrusted: true,
  input: DashboardQuestion,
  output: DashboardAnswer,
  run: (question, context) => {
    const { now, log, coerced } = context
    return context.read((reader) => evaluateDashboard(reader, question, { now: now(), log, coerced }))
  },
  render: (answer) => [
    line`${showName(answer.dashboard)} as of ${showCode(answer.freshness.asOf)}`,
    ...answer.metrics.map(renderItem),
    ...answer.warnings.map(renderWarning),
  ],
})

const renderWarning = ({ code, message }: DashboardAnswer['warnings'][number]): PrintableText =>
  line`warning ${showCode(code)}: ${showSentence(message)}`

const renderFact = (value: number | string | null | undefined): PrintableText =>
  typeof value === 'number' ? line`${value}` : showCode(String(value))

function renderItem(item: DashboardAnswer['metrics'][number]): PrintableText {
  const facts = [
    item.error === undefined
      ? line`${showAmount(String(item.formatted))} (value ${renderFact(item.value)})`
      : line`${showCode(item.error.code)}: ${showSentence(item.error.message)}`,
    ...(['reason', 'numerator', 'denominator', 'current', 'previous', 'delta'] as const)
      .filter((key) => item[key] !== undefined)
      .map((key) => line`${showCode(key)} ${renderFact(item[key])}`),
    ...(item.trust === undefined || item.trust.tier === 'certified' ? [] : [showSentence(item.trust.label)]),
    ...(item.pinnedFilters === null ? [] : [line`pinned ${showJson(item.pinnedFilters)}`]),
    ...item.warnings.map(renderWarning),
  ]
  return line`${item.position}. ${showName(item.displayName)} [${showCode(item.metricSlug)}]: ${joinShown(facts, '; ')}`
}

/** The read-only operation for queries. */
export const queryDashboardOperations: readonly Operation[] = [queryDashboard]

export const dashboardOperations: readonly Operation[] = [
  listDashboardsOperation,
  getDashboardOperation,
  setPlacementOperation,
  removePlacementOperation,
  queryDashboard,
]

import { evaluateDashboard } from '../../../src/dashboards/evaluation.ts'
import { evaluateMetric } from '../../../src/query/answer/evaluate.ts'
import { evaluateSeries } from '../../../src/query/answer/series.ts'
import { runOnEngine } from '../../../src/query/engine/engine-plan.ts'
import { findEngine, openEngineSnapshot } from '../../../src/query/engine/executor.ts'
import type { MetricQuestion, SeriesQuestion } from '../../../src/query/model.ts'
import type { Plan } from '../../../src/query/plan/plan.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import type { Reader, Store } from '../../../src/store/store.ts'
import { safe } from '../../support/safe-text.ts'
import { NOW, START } from './estate.ts'

const DAY = 24 * 3_600_000

/** One question to all: ours, in a snapshot, and as SQL over a table of a rival. */
export interface Question {
  name: string
  /** The numbers of the answer. */
  ask(reader: Reader): (number | null)[]
  sql(dialect: Dialect): string
  /** How many of the last columns are numbers of the answer; 1 unless said. */
  columns?: number
  /** One of the harder set, which only DuckDB is asked. */
  isHard?: boolean
}

/** What the tables of rivals do not have in common. */
export interface Dialect {
  table: string
  /** An instant as a literal. */
  at(instant: number): string
  /** A confidence of 0 to 1, from an expression over the column. */
  toShare(expression: string): string
  day: string
  hour: string
  /** Counts by month of Berlin's wall clock from the start of the data on. */
  byBerlinMonth: string
}

const iso = (instant: number) => new Date(instant).toISOString()
const days = (count: number) => ({ from: iso(NOW - count * DAY), to: iso(NOW) })
type Instant = Dialect['at']
const within = (at: Instant, from: number, to = NOW) => `t >= ${at(from)} AND t < ${at(to)}`

type Asking = Omit<MetricQuestion, 'metricSlug'>
const metric =
  (metricSlug: string, question: Asking = {}) =>
  (reader: Reader) => {
    const answer = evaluateMetric(reader, { metricSlug, ...question }, { now: NOW })
    return question.dimensions === undefined ? [answer.value] : answer.breakdown.map(({ value }) => value)
  }
/** The five largest contributions of each dimension, by size. */
const drivers =
  (metricSlug: string, question: Asking) =>
  (reader: Reader): (number | null)[] =>
    (evaluateMetric(reader, { metricSlug, explain: true, ...question }, { now: NOW }).drivers ?? []).map(
      ({ contribution }) => Math.abs(contribution ?? 0),
    )
const series = (metricSlug: string, question: Omit<SeriesQuestion, 'metricSlug'>) => (reader: Reader) =>
  evaluateSeries(reader, { metricSlug, ...question }, { now: NOW }).timeSeries.map(({ value }) => value)

const plain: Plan = {
  entity: 'finding',
  mode: 'flow',
  measure: { aggregation: 'COUNT' },
  conditions: [],
  timeField: 'firstDetectedAt',
  range: {},
  at: NOW,
  dimensions: [],
}
/** A plan that no single question of the query function makes. */
const plan = (change: Partial<Plan>) => (reader: Reader) => {
  const engine = findEngine(reader)
  const cells =
    engine === undefined
      ? undefined
      : runOnEngine(engine, { ...plain, ...change }, { ...openEngineSnapshot(reader), hasChanged: () => false })
  if (cells === undefined) throw new Error('the engine does not answer the plan')
  return cells.map(({ n }) => n)
}
const dayEdges = Array.from({ length: 729 }, (_, day) => START + (day + 1) * DAY)

const some = (names: string) => names.split(' ')
const detectors = some('SECRETS PII BROKEN_LINKS')
const high = some('HIGH CRITICAL')
const quoted = (names: readonly string[]) => names.map((name) => `'${name}'`).join(', ')
const isHigh = `severity IN (${quoted(high)})`

export const DASHBOARD = 'twelve'
/** What stands on the dashboard of 12: slug, definition, pinned filters, and the same as SQL. */
const open = { statuses: ['OPEN'] }
const finding = { entity: 'finding' }
export const benchMetrics: Record<string, object> = {
  'b-total': { aggregation: 'COUNT', ...finding },
  'b-open': { aggregation: 'COUNT', ...finding, filters: open, mode: 'stock' },
  'b-confidence': { aggregation: 'AVG', ...finding, field: 'confidence' },
  'b-assets': { aggregation: 'COUNT_DISTINCT', ...finding, field: 'assetId' },
  'b-assets-high': {
    aggregation: 'COUNT_DISTINCT',
    ...finding,
    field: 'assetId',
    filters: { ...open, severities: high },
  },
  'b-min': { aggregation: 'MIN', ...finding, field: 'confidence', filters: open },
  'b-max': { aggregation: 'MAX', ...finding, field: 'confidence', filters: open },
  'b-sure': { aggregation: 'COUNT', ...finding, filters: { ...open, minConfidence: 0.8 } },
  'b-rather-sure': { aggregation: 'COUNT', ...finding, filters: { minConfidence: 0.6 } },
  'b-assets-open': { aggregation: 'COUNT_DISTINCT', ...finding, field: 'assetId', filters: open },
  'b-median': { aggregation: 'MEDIAN', ...finding, field: 'confidence' },
  'b-explained': { aggregation: 'COUNT', ...finding },
  'b-false': {
    numerator: { aggregation: 'COUNT', ...finding, filters: { statuses: ['FALSE_POSITIVE'] } },
    denominator: { aggregation: 'COUNT', ...finding },
  },
  'b-resolved': {
    numerator: { aggregation: 'COUNT', ...finding, filters: { statuses: ['RESOLVED'] } },
    denominator: { aggregation: 'COUNT', ...finding },
  },
}
const onDashboard: [string, object | null, string][] = [
  ['b-total', null, 'SELECT count(*) FROM $'],
  ['b-open', null, `SELECT count(*) FROM $ WHERE status = 'OPEN'`],
  ['b-open', { severities: ['CRITICAL'] }, `SELECT count(*) FROM $ WHERE status = 'OPEN' AND severity = 'CRITICAL'`],
  [
    'b-open',
    { detectorTypes: detectors },
    `SELECT count(*) FROM $ WHERE status = 'OPEN' AND detector IN (${quoted(detectors)})`,
  ],
  ['b-open', { categories: ['SECURITY'] }, `SELECT count(*) FROM $ WHERE status = 'OPEN' AND category = 'SECURITY'`],
  ['b-false', null, `SELECT CAST(count(*) FILTER (WHERE status = 'FALSE_POSITIVE') AS DOUBLE) / count(*) FROM $`],
  ['b-resolved', null, `SELECT CAST(count(*) FILTER (WHERE status = 'RESOLVED') AS DOUBLE) / count(*) FROM $`],
  ['b-confidence', null, 'SELECT avg(conf) FROM $'],
  ['b-confidence', { severities: high }, `SELECT avg(conf) FROM $ WHERE ${isHigh}`],
  ['b-assets', null, 'SELECT count(DISTINCT asset) FROM $'],
  ['b-assets-open', null, `SELECT count(DISTINCT asset) FROM $ WHERE status = 'OPEN'`],
  ['b-assets-high', null, `SELECT count(DISTINCT asset) FROM $ WHERE status = 'OPEN' AND ${isHigh}`],
]

/** The dimensions that drivers are looked for in. */
const explained = ['severity', 'detectorType', 'findingType', 'category', 'source', 'container']

/** Defines the metrics and places the dashboard of 12; a metric stands on it once, so it is copied for each filter. */
export function plantQuestions(store: Store): void {
  store.write((writer) => {
    const insert = writer
      .prepare(
        `INSERT INTO metric (uid, slug, display_name, type, definition, allowed_dimensions, status, created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, 'DRAFT', 0, 0) RETURNING id`,
      )
      .pluck()
    const add = (slug: string, definition: object) =>
      Number(
        insert.write(
          safe(crypto.randomUUID()),
          safe(slug),
          safe(slug),
          'numerator' in definition ? 'RATIO' : 'SIMPLE',
          safe(JSON.stringify(definition)),
          safe(JSON.stringify(slug === 'b-explained' ? explained : [...explained, 'status', 'asset', 'owner'])),
        ),
      )
    for (const [slug, definition] of Object.entries(benchMetrics)) add(slug, definition)
    const dashboard = writer
      .prepare('INSERT INTO dashboard (name, created_at) VALUES (?, 0) RETURNING id')
      .pluck()
      .write(DASHBOARD)
    const place = writer.prepare(
      'INSERT INTO placement (dashboard_id, metric_id, pinned_filters, position) VALUES (?, ?, ?, ?)',
    )
    for (const [position, [slug, pinned]] of onDashboard.entries()) {
      const id = add(`${slug}-${position}`, benchMetrics[slug] ?? {})
      place.run(Number(dashboard), id, safe(pinned === null ? null : JSON.stringify(pinned)), position)
    }
  })
}

export const dashboardSql = ({ table, toShare }: Dialect): string[] =>
  onDashboard.map(([, , sql]) => sql.replace('avg(conf)', toShare('avg(conf)')).replace('$', table))
export const askDashboard = (reader: Reader): (number | null)[] =>
  evaluateDashboard(reader, { dashboard: DASHBOARD }, { now: NOW, log: silentLog }).metrics.map(({ value }) => value)

export const questions: readonly Question[] = [
  { name: 'total', ask: metric('b-total'), sql: (d) => `SELECT count(*) FROM ${d.table}` },
  { name: 'open', ask: metric('b-open'), sql: (d) => `SELECT count(*) FROM ${d.table} WHERE status = 'OPEN'` },
  {
    name: 'by severity, 3 detectors, 90 d',
    ask: metric('b-total', { ...days(90), dimensions: ['severity'], filters: { detectorTypes: detectors } }),
    sql: (d) =>
      `SELECT severity, count(*) FROM ${d.table} WHERE detector IN (${quoted(detectors)}) AND ${within(d.at, NOW - 90 * DAY)} GROUP BY 1`,
  },
  {
    name: 'by finding type',
    ask: metric('b-total', { dimensions: ['findingType'], limit: 100 }),
    sql: (d) => `SELECT ftype, count(*) FROM ${d.table} GROUP BY 1`,
  },
  {
    name: 'false positives by detector',
    ask: metric('b-false', { dimensions: ['detectorType'] }),
    sql: (d) =>
      `SELECT detector, CAST(count(*) FILTER (WHERE status = 'FALSE_POSITIVE') AS DOUBLE) / count(*) FROM ${d.table} GROUP BY 1`,
  },
  {
    name: 'average confidence by detector',
    ask: metric('b-confidence', { dimensions: ['detectorType'] }),
    sql: (d) => `SELECT detector, ${d.toShare('avg(conf)')} FROM ${d.table} GROUP BY 1`,
  },
  { name: 'distinct assets', ask: metric('b-assets'), sql: (d) => `SELECT count(DISTINCT asset) FROM ${d.table}` },
  {
    name: 'distinct assets, open HIGH+',
    ask: metric('b-assets-high'),
    sql: (d) => `SELECT count(DISTINCT asset) FROM ${d.table} WHERE status = 'OPEN' AND ${isHigh}`,
  },
  {
    name: 'daily 90 d, HIGH+',
    ask: series('b-total', { ...days(90), granularity: 'day', filters: { severities: ['HIGH', 'CRITICAL'] } }),
    sql: (d) =>
      `SELECT ${d.day}, count(*) FROM ${d.table} WHERE ${isHigh} AND ${within(d.at, NOW - 90 * DAY)} GROUP BY 1`,
  },
  {
    name: 'hourly 7 d',
    ask: series('b-total', { ...days(7), granularity: 'hour' }),
    sql: (d) => `SELECT ${d.hour}, count(*) FROM ${d.table} WHERE ${within(d.at, NOW - 7 * DAY)} GROUP BY 1`,
  },
  {
    name: 'monthly 2 y, Europe/Berlin',
    ask: series('b-total', { from: iso(START), to: iso(NOW), granularity: 'month', timeZone: 'Europe/Berlin' }),
    sql: (d) => d.byBerlinMonth,
  },
  {
    name: 'detector x severity, 2 categories, 365 d',
    ask: metric('b-total', {
      ...days(365),
      dimensions: ['detectorType', 'severity'],
      filters: { categories: ['SECURITY', 'PRIVACY'] },
    }),
    sql: (d) =>
      `SELECT detector, severity, count(*) FROM ${d.table} WHERE category IN ('SECURITY', 'PRIVACY') AND ${within(d.at, NOW - 365 * DAY)} GROUP BY 1, 2`,
  },
  {
    name: 'by source, unaligned 37 d',
    ask: metric('b-total', {
      from: iso(NOW - 37 * DAY - 12_345_678),
      to: iso(NOW - 1_234_567),
      dimensions: ['source'],
    }),
    sql: (d) =>
      `SELECT source, count(*) FROM ${d.table} WHERE ${within(d.at, NOW - 37 * DAY - 12_345_678, NOW - 1_234_567)} GROUP BY 1`,
  },
  {
    name: 'least and greatest confidence, open, 90 d',
    columns: 2,
    ask: (reader) => [...metric('b-min', days(90))(reader), ...metric('b-max', days(90))(reader)],
    sql: (d) =>
      `SELECT ${d.toShare('min(conf)')}, ${d.toShare('max(conf)')} FROM ${d.table} WHERE status = 'OPEN' AND ${within(d.at, NOW - 90 * DAY)}`,
  },
  {
    name: 'open, confidence >= 0.8, by severity',
    isHard: true,
    ask: metric('b-sure', { dimensions: ['severity'] }),
    sql: (d) => `SELECT severity, count(*) FROM ${d.table} WHERE status = 'OPEN' AND conf >= 8000 GROUP BY 1`,
  },
  {
    name: 'confidence >= 0.6 by severity, 90 d',
    isHard: true,
    ask: metric('b-rather-sure', { ...days(90), dimensions: ['severity'] }),
    sql: (d) =>
      `SELECT severity, count(*) FROM ${d.table} WHERE conf >= 6000 AND ${within(d.at, NOW - 90 * DAY)} GROUP BY 1`,
  },
  {
    name: 'weekly average confidence, 1 y',
    isHard: true,
    ask: series('b-confidence', {
      from: iso(NOW - 364 * DAY),
      to: iso(NOW),
      granularity: 'week',
      weekStart: 'wednesday',
    }),
    sql: (d) =>
      `SELECT floor(epoch_ms(t - ${d.at(NOW - 364 * DAY)}) / ${7 * DAY}), ${d.toShare('avg(conf)')} FROM ${d.table} WHERE ${within(d.at, NOW - 364 * DAY)} GROUP BY 1`,
  },
  {
    name: 'distinct assets per day, 30 d',
    isHard: true,
    ask: series('b-assets', { ...days(30), granularity: 'day', filters: open as never }),
    sql: (d) =>
      `SELECT date_trunc('day', t), count(DISTINCT asset) FROM ${d.table} WHERE status = 'OPEN' AND ${within(d.at, NOW - 30 * DAY)} GROUP BY 1`,
  },
  {
    name: 'distinct assets of 6 types, open',
    isHard: true,
    ask: metric('b-assets-open', {
      filters: { findingTypes: ['TYPE_1', 'TYPE_3', 'TYPE_5', 'TYPE_7', 'TYPE_9', 'TYPE_11'] },
    }),
    sql: (d) =>
      `SELECT count(DISTINCT asset) FROM ${d.table} WHERE status = 'OPEN' AND ftype IN ('TYPE_1', 'TYPE_3', 'TYPE_5', 'TYPE_7', 'TYPE_9', 'TYPE_11')`,
  },
  {
    name: 'distinct assets by detector',
    isHard: true,
    ask: metric('b-assets', { dimensions: ['detectorType'] }),
    sql: (d) => `SELECT detector, count(DISTINCT asset) FROM ${d.table} GROUP BY 1`,
  },
  {
    name: 'daily by severity, 2 y (plan)',
    isHard: true,
    ask: plan({ dimensions: ['severity'], range: { from: START, to: NOW }, edges: dayEdges }),
    sql: (d) =>
      `SELECT date_trunc('day', t), severity, count(*) FROM ${d.table} WHERE ${within(d.at, START)} GROUP BY 1, 2`,
  },
  {
    name: 'top 20 containers by open findings',
    isHard: true,
    ask: metric('b-open', { dimensions: ['container'], limit: 20 }),
    sql: (d) =>
      `SELECT container, count(*) FROM ${d.table} WHERE status = 'OPEN' GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 20`,
  },
  {
    name: 'top 20 assets',
    isHard: true,
    ask: metric('b-total', { dimensions: ['asset'], limit: 20 }),
    sql: (d) => `SELECT asset, count(*) FROM ${d.table} GROUP BY 1 ORDER BY 2 DESC LIMIT 20`,
  },
  {
    name: 'by owner',
    isHard: true,
    ask: metric('b-total', { dimensions: ['owner'] }),
    sql: (d) => `SELECT owner, count(*) FROM ${d.table} GROUP BY 1 ORDER BY 2 DESC LIMIT 50`,
  },
  {
    name: 'median confidence by severity',
    isHard: true,
    ask: metric('b-median', { dimensions: ['severity'] }),
    sql: (d) => `SELECT severity, ${d.toShare('quantile_cont(conf, 0.5)')} FROM ${d.table} GROUP BY 1`,
  },
  {
    name: 'explain over 6 dimensions, 90 d',
    isHard: true,
    ask: drivers('b-explained', { ...days(90), compare: 'previous_period' }),
    sql: (d) =>
      `WITH g AS (SELECT grouping(severity, detector, ftype, category, source, container) AS d,
         count(*) FILTER (WHERE t >= ${d.at(NOW - 90 * DAY)}) - count(*) FILTER (WHERE t < ${d.at(NOW - 90 * DAY)}) AS n
         FROM ${d.table} WHERE ${within(d.at, NOW - 180 * DAY)}
         GROUP BY GROUPING SETS ((severity), (detector), (ftype), (category), (source), (container))),
       r AS (SELECT n, row_number() OVER (PARTITION BY d ORDER BY abs(n) DESC) AS place FROM g)
       SELECT abs(n)::DOUBLE FROM r WHERE place <= 5`,
  },
  {
    name: 'open at the end of each week, 2 y',
    isHard: true,
    ask: series('b-open', { from: iso(NOW - 728 * DAY), to: iso(NOW), granularity: 'week', weekStart: 'wednesday' }),
    sql: ({ at }) =>
      `WITH e AS (SELECT since AS m, 1 AS d FROM spans UNION ALL SELECT until, -1 FROM spans WHERE until IS NOT NULL),
       w AS (SELECT greatest(0, floor(epoch_ms(m - ${at(NOW - 728 * DAY)}) / ${7 * DAY})) AS b, sum(d) AS n FROM e WHERE m < ${at(NOW)} GROUP BY 1)
       SELECT b, (sum(n) OVER (ORDER BY b))::DOUBLE FROM w ORDER BY 1`,
  },
]

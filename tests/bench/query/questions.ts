import { evaluateDashboard } from '../../../src/dashboards/evaluation.ts'
import { evaluateMetric } from '../../../src/query/answer/evaluate.ts'
import { evaluateSeries } from '../../../src/query/answer/series.ts'
import type { MetricQuestion, SeriesQuestion } from '../../../src/query/model.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import type { Reader, Store } from '../../../src/store/store.ts'
import { safe } from '../../support/safe-text.ts'
import { NOW, START } from './estate.ts'

const DAY = 24 * 3_600_000

/** One question to both: ours, in a snapshot, and as SQL over the table f of DuckDB. */
export interface Question {
  name: string
  /** The numbers of the answer. */
  ask(reader: Reader): (number | null)[]
  /** A statement, or those of a dashboard. */
  sql: string | string[]
}

const iso = (instant: number) => new Date(instant).toISOString()
const days = (count: number) => ({ from: iso(NOW - count * DAY), to: iso(NOW) })
const at = (instant: number) => `TIMESTAMP '${iso(instant).replace('T', ' ').slice(0, 23)}'`
const within = (from: number, to = NOW) => `t >= ${at(from)} AND t < ${at(to)}`

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

const some = (names: string) => names.split(' ')
const detectors = some('SECRETS PII BROKEN_LINKS')
const high = some('HIGH CRITICAL')
const quoted = (names: readonly string[]) => names.map((name) => `'${name}'`).join(', ')
const isHigh = `severity IN (${quoted(high)})`

const DASHBOARD = 'twelve'
/** What stands on the dashboard of 12: slug, definition, pinned filters, and the same as SQL. */
const open = { statuses: ['OPEN'] }
const finding = { entity: 'finding' }
const benchMetrics: Record<string, object> = {
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
  ['b-total', null, 'SELECT count(*) FROM f'],
  ['b-open', null, `SELECT count(*) FROM f WHERE status = 'OPEN'`],
  ['b-open', { severities: ['CRITICAL'] }, `SELECT count(*) FROM f WHERE status = 'OPEN' AND severity = 'CRITICAL'`],
  [
    'b-open',
    { detectorTypes: detectors },
    `SELECT count(*) FROM f WHERE status = 'OPEN' AND detector IN (${quoted(detectors)})`,
  ],
  ['b-open', { categories: ['SECURITY'] }, `SELECT count(*) FROM f WHERE status = 'OPEN' AND category = 'SECURITY'`],
  ['b-false', null, `SELECT CAST(count(*) FILTER (WHERE status = 'FALSE_POSITIVE') AS DOUBLE) / count(*) FROM f`],
  ['b-resolved', null, `SELECT CAST(count(*) FILTER (WHERE status = 'RESOLVED') AS DOUBLE) / count(*) FROM f`],
  ['b-confidence', null, 'SELECT avg(conf) / 10000 FROM f'],
  ['b-confidence', { severities: high }, `SELECT avg(conf) / 10000 FROM f WHERE ${isHigh}`],
  ['b-assets', null, 'SELECT count(DISTINCT asset) FROM f'],
  ['b-assets-open', null, `SELECT count(DISTINCT asset) FROM f WHERE status = 'OPEN'`],
  ['b-assets-high', null, `SELECT count(DISTINCT asset) FROM f WHERE status = 'OPEN' AND ${isHigh}`],
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

const askDashboard = (reader: Reader): (number | null)[] =>
  evaluateDashboard(reader, { dashboard: DASHBOARD }, { now: NOW, log: silentLog }).metrics.map(({ value }) => value)

const berlin = `timezone('Europe/Berlin', timezone('UTC', h))`
/** The months of hours, and not of rows: its fastest form by far. */
const toBerlinMonths = `SELECT date_trunc('month', ${berlin}), sum(n)::DOUBLE FROM
    (SELECT date_trunc('hour', t) AS h, count(*) AS n FROM f WHERE ${within(START)} GROUP BY 1) GROUP BY 1`

export const questions: readonly Question[] = [
  {
    name: 'dashboard of 12',
    ask: askDashboard,
    sql: onDashboard.map(([, , sql]) => sql),
  },
  { name: 'total', ask: metric('b-total'), sql: `SELECT count(*) FROM f` },
  {
    name: 'by severity, 3 detectors, 90 d',
    ask: metric('b-total', { ...days(90), dimensions: ['severity'], filters: { detectorTypes: detectors } }),
    sql: `SELECT severity, count(*) FROM f WHERE detector IN (${quoted(detectors)}) AND ${within(NOW - 90 * DAY)} GROUP BY 1`,
  },
  {
    name: 'false positives by detector',
    ask: metric('b-false', { dimensions: ['detectorType'] }),
    sql: `SELECT detector, CAST(count(*) FILTER (WHERE status = 'FALSE_POSITIVE') AS DOUBLE) / count(*) FROM f GROUP BY 1`,
  },
  {
    name: 'distinct assets, open HIGH+',
    ask: metric('b-assets-high'),
    sql: `SELECT count(DISTINCT asset) FROM f WHERE status = 'OPEN' AND ${isHigh}`,
  },
  {
    name: 'daily 90 d, HIGH+',
    ask: series('b-total', { ...days(90), granularity: 'day', filters: { severities: ['HIGH', 'CRITICAL'] } }),
    sql: `SELECT date_trunc('day', t), count(*) FROM f WHERE ${isHigh} AND ${within(NOW - 90 * DAY)} GROUP BY 1`,
  },
  {
    name: 'monthly 2 y, Europe/Berlin',
    ask: series('b-total', { from: iso(START), to: iso(NOW), granularity: 'month', timeZone: 'Europe/Berlin' }),
    sql: toBerlinMonths,
  },
  {
    name: 'detector x severity, 2 categories, 365 d',
    ask: metric('b-total', {
      ...days(365),
      dimensions: ['detectorType', 'severity'],
      filters: { categories: ['SECURITY', 'PRIVACY'] },
    }),
    sql: `SELECT detector, severity, count(*) FROM f WHERE category IN ('SECURITY', 'PRIVACY') AND ${within(NOW - 365 * DAY)} GROUP BY 1, 2`,
  },
  {
    name: 'by source, unaligned 37 d',
    ask: metric('b-total', {
      from: iso(NOW - 37 * DAY - 12_345_678),
      to: iso(NOW - 1_234_567),
      dimensions: ['source'],
    }),
    sql: `SELECT source, count(*) FROM f WHERE ${within(NOW - 37 * DAY - 12_345_678, NOW - 1_234_567)} GROUP BY 1`,
  },
  {
    name: 'confidence >= 0.6 by severity, 90 d',
    ask: metric('b-rather-sure', { ...days(90), dimensions: ['severity'] }),
    sql: `SELECT severity, count(*) FROM f WHERE conf >= 6000 AND ${within(NOW - 90 * DAY)} GROUP BY 1`,
  },
  {
    name: 'distinct assets by detector',
    ask: metric('b-assets', { dimensions: ['detectorType'] }),
    sql: `SELECT detector, count(DISTINCT asset) FROM f GROUP BY 1`,
  },
  {
    name: 'top 20 containers by open findings',
    ask: metric('b-open', { dimensions: ['container'], limit: 20 }),
    sql: `SELECT container, count(*) FROM f WHERE status = 'OPEN' GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 20`,
  },
  {
    name: 'median confidence by severity',
    ask: metric('b-median', { dimensions: ['severity'] }),
    sql: `SELECT severity, quantile_cont(conf, 0.5) / 10000 FROM f GROUP BY 1`,
  },
  {
    name: 'explain over 6 dimensions, 90 d',
    ask: drivers('b-explained', { ...days(90), compare: 'previous_period' }),
    sql: `WITH g AS (SELECT grouping(severity, detector, ftype, category, source, container) AS d,
         count(*) FILTER (WHERE t >= ${at(NOW - 90 * DAY)}) - count(*) FILTER (WHERE t < ${at(NOW - 90 * DAY)}) AS n
         FROM f WHERE ${within(NOW - 180 * DAY)}
         GROUP BY GROUPING SETS ((severity), (detector), (ftype), (category), (source), (container))),
       r AS (SELECT n, row_number() OVER (PARTITION BY d ORDER BY abs(n) DESC) AS place FROM g)
       SELECT abs(n)::DOUBLE FROM r WHERE place <= 5`,
  },
  {
    name: 'open at the end of each week, 2 y',
    ask: series('b-open', { from: iso(NOW - 728 * DAY), to: iso(NOW), granularity: 'week', weekStart: 'wednesday' }),
    sql: `WITH e AS (SELECT since AS m, 1 AS d FROM spans UNION ALL SELECT until, -1 FROM spans WHERE until IS NOT NULL),
       w AS (SELECT greatest(0, floor(epoch_ms(m - ${at(NOW - 728 * DAY)}) / ${7 * DAY})) AS b, sum(d) AS n FROM e WHERE m < ${at(NOW)} GROUP BY 1)
       SELECT b, (sum(n) OVER (ORDER BY b))::DOUBLE FROM w ORDER BY 1`,
  },
]

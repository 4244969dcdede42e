import { useMemo } from 'preact/hooks'
import { dimensions } from '../../charts/dimensions.ts'
import { Change, Name, Severity } from '../../charts/parts.tsx'
import { findLatestScan, Spark } from '../../charts/tile.tsx'
import { toDayText } from '../../charts/times.ts'
import { toChange, toValueText, toWords } from '../../charts/words.ts'
import type { SeriesAnswer } from '../../query/model.ts'
import { client } from '../client.ts'
import { FirstSteps } from '../first-steps.tsx'
import { useAnswer } from '../hooks.ts'
import type { ConsoleSession } from '../model.ts'
import { canChange, Link, ProblemNote, Shape } from '../parts.tsx'
import { changeState, formatRoute, go, type Route } from '../route.ts'
import { listFirstScans, StillScanning, useFirstScans } from '../scan.tsx'
import { DashboardEditor } from './dashboard-editor.tsx'
import { askNeeds, Needs, toScanProblem } from './needs.tsx'
import { askTiles, PeriodTools, Tiles, toPeriod } from './tiles.tsx'

const MINUTE = 60_000
const WEEKS = 26

/** What needs somebody now, how open findings have developed, and the numbers of a dashboard; of `d`, its numbers first. */
export function Overview({ route, session }: { route: Route; session: ConsoleSession | undefined }) {
  const canEdit = session !== undefined && canChange(session, 'author')
  const chosen = route.state.d?.[0]
  const dashboard = chosen ?? 'discovery'
  const minute = Math.floor(Date.now() / MINUTE)
  const sources = useAnswer('sources', async (signal) => {
    const [{ items }, recent] = await Promise.all([client.listSources(signal), client.listRecentScans(signal)])
    const unscanned = items.flatMap(({ name, lastCompletedScanAt }) => (lastCompletedScanAt === undefined ? name : []))
    return { items, recent, scans: await listFirstScans(unscanned, signal) }
  })
  const period = useMemo(() => toPeriod(route.state, minute * MINUTE), [JSON.stringify(route.state), minute])
  const numbers = useAnswer(`${dashboard} ${JSON.stringify(period)}`, (signal) => askTiles(dashboard, period, signal))
  const dashboards = useAnswer('dashboards', client.listDashboards)
  const needs = useAnswer(`needs ${minute}`, askNeeds)
  const trend = useAnswer(`trend ${minute}`, (signal) =>
    client.querySeries(
      {
        metricSlug: 'open-findings',
        granularity: 'week',
        dimension: 'severity',
        from: new Date(Date.now() - WEEKS * 7 * 1440 * MINUTE).toISOString().slice(0, 10),
      },
      signal,
    ),
  )
  const scanning = useFirstScans(sources.value?.scans)
  const asked = [needs, trend, numbers, sources, dashboards]
  // All appears at once, so that nothing moves.
  const isReady = asked.every(({ value, problem }) => value !== undefined || problem !== undefined)
  const list = sources.value?.items
  if (list !== undefined && list.length === 0) {
    return (
      <main class="page" key="empty">
        <h1>Nothing to look at yet</h1>
        <FirstSteps session={session} />
      </main>
    )
  }
  if (route.state.edit !== undefined && canEdit) {
    return <DashboardEditor key={dashboard} name={route.state.edit[0] === 'new' ? undefined : dashboard} />
  }
  const isPartial = scanning.length > 0
  const isScanned = list === undefined || list.some(({ lastCompletedScanAt }) => lastCompletedScanAt !== undefined)
  const failing = (list ?? []).flatMap((source) => {
    const problem = toScanProblem(source, sources.value?.recent ?? [], Date.now())
    return problem === undefined || scanning.includes(source.name) ? [] : { name: source.name, problem }
  })
  const figures =
    numbers.value === undefined ? null : (
      <Tiles
        answer={numbers.value}
        period={period}
        route={route}
        isKnown={(value) => isScanned || (isPartial && value !== 0)}
      />
    )
  return (
    <main class="page" aria-busy={!isReady}>
      <div class="title">
        <h1>{chosen === undefined ? 'Overview' : <Name text={chosen} codes={false} />}</h1>
        <StillScanning names={scanning} />
        <div class="tools">
          <PeriodTools route={route} />
        </div>
        <label class="row muted">
          Dashboard
          <select
            value={dashboard}
            onChange={({ currentTarget: { value: name } }) =>
              go(changeState(route, { d: name === 'discovery' ? undefined : [name] }))
            }
          >
            {[...new Set([dashboard, ...(dashboards.value?.items ?? []).map(({ name }) => name)])].map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        {canEdit ? (
          <Link to={changeState(route, { d: [dashboard], edit: ['1'] })} class="button">
            Edit
          </Link>
        ) : null}
      </div>
      {asked.map(({ problem }) =>
        problem === undefined ? null : <ProblemNote key={problem.message} problem={problem} />,
      )}
      {isScanned || isPartial || !isReady ? null : (
        <p class="note">Nothing has been looked at yet: no scan has ended, so these numbers say nothing.</p>
      )}
      {isReady ? null : <Shape height={520} />}
      <div class="overview" hidden={!isReady}>
        {chosen === undefined ? null : figures}
        {needs.value === undefined || !isScanned ? null : <Needs answer={needs.value} failing={failing} />}
        {trend.value === undefined || !isScanned ? null : <OpenTrend answer={trend.value} />}
        {chosen === undefined ? figures : null}
      </div>
    </main>
  )
}

/** Open findings of each severity over half a year. */
function OpenTrend({ answer }: { answer: SeriesAnswer }) {
  const { series = [], timeSeries, freshness } = answer
  const start = timeSeries[0]?.timestamp ?? ''
  const latest = findLatestScan(freshness, start)
  const order = dimensions.find(({ name }) => name === 'severity')?.values ?? []
  const rows = order.flatMap((severity) => series.find(({ dimensionValue }) => dimensionValue === severity) ?? [])
  return (
    <section class="card trends" aria-label="Open findings by severity">
      <header>
        <h2>Open findings by severity</h2>
        <span class="muted end">{WEEKS} weeks</span>
      </header>
      <ul class="rows">
        {rows.map(({ dimensionValue: severity, timeSeries: points }) => {
          const [first, last] = [points[0]?.value, points.at(-1)?.value ?? null]
          const change = latest === undefined ? toChange(last, first, { better: 'lower' }) : undefined
          return (
            <li key={severity}>
              <Link to={formatRoute({ page: 'explore', state: { metric: ['open-findings'], severity: [severity] } })}>
                <Severity severity={severity} />
                <Spark series={{ granularity: 'week', timeSeries: points }} label={`Open, ${toWords(severity)}`} />
                <span class="amount">
                  <b>{toValueText(last)}</b> <Change change={change} />
                </span>
              </Link>
            </li>
          )
        })}
      </ul>
      {latest === undefined ? null : (
        <p class="foot muted">
          No change is shown, because <Name text={latest.name} codes={false} /> was first scanned on{' '}
          {toDayText(latest.time)}.
        </p>
      )}
    </section>
  )
}

import { useMemo } from 'preact/hooks'
import { Dot, Name, Trust } from '../../charts/parts.tsx'
import { Figure, Spark } from '../../charts/tile.tsx'
import { toAge, toAgo } from '../../charts/times.ts'
import { toNumber, toValueText, toWords } from '../../charts/words.ts'
import type { ViewMetric } from '../../query/view-model.ts'
import { client } from '../client.ts'
import { useAnswer } from '../hooks.ts'
import { FirstSteps, Link, ProblemNote, Shape } from '../parts.tsx'
import { resolveRange, toAsked } from '../range.ts'
import { formatRoute, type Route } from '../route.ts'
import { listFirstScans, StillScanning, useFirstScans } from '../scan.tsx'
import { complain } from '../toast.tsx'

const PER_CALL = 8
const LATEST = 8

/** The numbers of a dashboard, each with its trend, the sources they come from, and the latest critical findings. */
export function Overview({ route }: { route: Route }) {
  const dashboard = route.state.d?.[0] ?? 'discovery'
  const minute = Math.floor(Date.now() / 60_000)
  const range = useMemo(() => resolveRange({ range: ['12m'] }, Date.now()), [minute])
  const asked = toAsked(range, true)
  const sources = useAnswer('sources', async (signal) => {
    const { items } = await client.listSources(signal)
    const unscanned = items.flatMap(({ name, lastCompletedScanAt }) => (lastCompletedScanAt === undefined ? name : []))
    return { items, scans: await listFirstScans(unscanned, signal) }
  })
  const numbers = useAnswer(`${dashboard} ${minute}`, async (signal) => {
    const shown = await client.queryDashboard({ dashboard, from: asked.from, to: asked.to }, signal)
    const slugs = shown.metrics
      .filter(({ pinnedFilters }) => pinnedFilters === null)
      .map(({ metricSlug }) => metricSlug)
    const calls = Array.from({ length: Math.ceil(slugs.length / PER_CALL) }, (_, index) =>
      slugs.slice(index * PER_CALL, (index + 1) * PER_CALL),
    )
    const views = await Promise.all(
      calls.map(([metricSlug = '', ...alsoMetrics]) =>
        client.exploreView({ ...asked, metricSlug, alsoMetrics }, signal),
      ),
    )
    const metrics = new Map<string, ViewMetric>()
    for (const { also, boards, allowedDimensions, ...first } of views) {
      for (const metric of [first, ...also]) if ('series' in metric) metrics.set(metric.metric.slug, metric)
    }
    return { shown, metrics, observedFrom: views[0]?.observedFrom ?? null }
  })
  const findings = useAnswer('latest critical', (signal) =>
    client.searchFindings({ statuses: ['OPEN'], severities: ['CRITICAL'], limit: LATEST }, signal),
  )
  // All appears at once, so that nothing moves.
  const isReady = [numbers, sources, findings].every((each) => each.value !== undefined || each.problem !== undefined)
  const { value, problem } = numbers
  const list = sources.value?.items
  const scanning = useFirstScans(sources.value?.scans)
  const isPartial = scanning.length > 0
  if (list !== undefined && list.length === 0) {
    return (
      <main class="page narrow" key="empty">
        <h1>Nothing to look at yet</h1>
        <FirstSteps />
      </main>
    )
  }
  const isScanned = list === undefined || list.some(({ lastCompletedScanAt }) => lastCompletedScanAt !== undefined)
  const compares =
    range.compared !== undefined && value?.observedFrom != null && Date.parse(value.observedFrom) <= range.compared.from
  return (
    <main class="page" aria-busy={!isReady}>
      <div class="title">
        <h1>Overview</h1>
        <span class="muted subtitle">last 12 months{compares ? ', against those before' : ''}</span>
        <StillScanning names={scanning} />
      </div>
      {problem === undefined ? null : <ProblemNote problem={problem} />}
      {isScanned || isPartial || !isReady ? null : (
        <p class="note">Nothing has been looked at yet: no scan has ended, so these numbers say nothing.</p>
      )}
      <div class="tiles">
        {!isReady ? Array.from({ length: 8 }, (_, index) => <Shape key={index} height={132} />) : null}
        {(isReady && value !== undefined ? value.shown.metrics : []).map(
          ({ metricSlug, displayName, value: number, format, unit, error, trust }) => {
            const metric = value?.metrics.get(metricSlug)
            // A number of nothing scanned would be read as 0.
            const isKnown = isScanned || (isPartial && metric?.value !== 0)
            return (
              <Link
                class="card tile"
                key={metricSlug}
                to={formatRoute({ page: 'explore', state: { metric: [metricSlug] } })}
              >
                <span class="label">
                  {displayName}
                  {trust === undefined || trust.tier === 'certified' ? null : <Trust {...trust} />}
                </span>
                {error !== undefined ? (
                  <span class="bad-text">{error.message}</span>
                ) : metric === undefined ? (
                  <span class="figure">
                    <b>{isKnown ? toValueText(number, format, unit) : '–'}</b>
                  </span>
                ) : (
                  <Figure
                    metric={isKnown ? metric : { ...metric, value: null }}
                    compares={compares}
                    isPartial={isPartial}
                  />
                )}
                <Spark series={metric?.series} label={displayName} />
              </Link>
            )
          },
        )}
      </div>
      <div class="halves" hidden={!isReady}>
        <section class="card" aria-label="Latest critical findings">
          <header>
            <h2>Latest critical findings</h2>
            <Link to={formatRoute({ page: 'findings', state: { severity: ['CRITICAL'] } })} class="link">
              all
            </Link>
          </header>
          <ul class="rows">
            {findings.value?.items.map((finding) => (
              <li key={finding.id}>
                <Link to={formatRoute({ page: 'findings', state: { severity: ['CRITICAL'], id: [finding.id] } })}>
                  <Dot severity={finding.severity} />
                  <b>{toWords(finding.findingType)}</b>
                  <span class="where">
                    <Name text={finding.asset.name} codes={false} />
                  </span>
                  <span class="muted">{toAge(Date.parse(finding.firstDetectedAt), Date.now())}</span>
                </Link>
              </li>
            ))}
            {findings.value?.items.length === 0 ? (
              <li class="empty muted">{isScanned ? 'No open critical finding.' : 'Nothing scanned yet.'}</li>
            ) : null}
          </ul>
        </section>
        <section class="card" aria-label="Sources">
          <header>
            <h2>Sources</h2>
            <Link to={formatRoute({ page: 'sources' })} class="link">
              all
            </Link>
          </header>
          <ul class="rows">
            {list?.map(({ name, type, counts, lastCompletedScanAt }) => (
              <li key={name}>
                <Link to={formatRoute({ page: 'sources', name })}>
                  <b>
                    <Name text={name} codes={false} />
                  </b>
                  <span class="where muted">
                    <span>
                      {toWords(type)} · {toNumber(counts.openFindings)} open in {toNumber(counts.assets)} assets
                    </span>
                  </span>
                  <span class="muted">
                    {lastCompletedScanAt === undefined
                      ? 'not scanned'
                      : toAgo(Date.parse(lastCompletedScanAt), Date.now())}
                  </span>
                </Link>
                {type === 'IMPORT' || lastCompletedScanAt !== undefined ? null : (
                  <button
                    type="button"
                    class="button small"
                    onClick={() => client.startScan(name).then(undefined, (error) => complain(error.message))}
                  >
                    Scan now
                  </button>
                )}
              </li>
            ))}
          </ul>
        </section>
      </div>
    </main>
  )
}

import { useMemo, useRef } from 'preact/hooks'
import { dimensions } from '../../charts/dimensions.ts'
import { Leaderboard } from '../../charts/leaderboard.tsx'
import { Name, Trust } from '../../charts/parts.tsx'
import { Figure, isEvenlyCovered, Spark } from '../../charts/tile.tsx'
import { toDayText, toSpanText } from '../../charts/times.ts'
import { type TrendMark, toFirstScans, toMarks } from '../../charts/trend.ts'
import { TrendChart } from '../../charts/trend-chart.tsx'
import { toValueText } from '../../charts/words.ts'
import type { Suggestion } from '../../kernel/errors.ts'
import type { FailedView, ViewMetric } from '../../query/view-model.ts'
import { client } from '../client.ts'
import { listCorrections } from '../correction.ts'
import { Counted } from '../counted.tsx'
import { useAnswer, useKeys, useStable } from '../hooks.ts'
import { Menu } from '../menu.tsx'
import type { Filters, PageQuestion } from '../model.ts'
import { Chip, Corrections, Link, ProblemNote, Shape } from '../parts.tsx'
import { type RangeName, ranges, resolveRange, toAsked, toSpan, toStamp, zoneOf } from '../range.ts'
import { changeState, formatRoute, go, type Route, type State, toggleValue } from '../route.ts'
import { listFirstScans, StillScanning, useFirstScans } from '../scan.tsx'
import { save, toCopies, toPng, toSvgText, toViewCsv } from '../take-away.ts'
import { complain, copy } from '../toast.tsx'

const STRIP = ['new-findings', 'open-findings', 'critical-open-findings', 'affected-assets', 'false-positive-rate']
const BOARDS = ['severity', 'detectorType', 'container', 'findingType', 'status', 'assetKind', 'category', 'source']
const OPTIONAL = ['owner', 'label', 'dataset', 'customDetectorKey']

const NO_MARKS: readonly TrendMark[] = []
const NO_VALUES: readonly string[] = []

/** The filters that the address names, by their keys in questions. */
export function toFilters(state: State): Filters {
  return Object.fromEntries(
    dimensions.flatMap(({ name, filterKey }) => (state[name] ? [[filterKey, state[name]]] : [])),
  )
}

/** A tile has little room. */
const MAX_TILE_CORRECTIONS = 2
const toProblem = ({ fix, suggestions = [] }: FailedView['error']) => ({
  fix,
  suggestions: suggestions as readonly Suggestion[],
  issues: [],
})

const isShown = (view: ViewMetric | FailedView): view is ViewMetric => 'displayName' in view.metric

/** Whether a value counts what was first detected in its range, so that a list of findings can have the same range. */
const countsDetections = ({ applied }: ViewMetric): boolean =>
  applied.asOf === undefined && applied.timeField === 'firstDetectedAt'

/** A range in the address of the list of findings, whose days are those of UTC. */
const toDetected = ({ from, to }: { from: number | undefined; to: number }): State => ({
  ...(from === undefined ? {} : { from: [toStamp(from, 'from')] }),
  to: [toStamp(to, 'to')],
})

export function Explore({ route }: { route: Route }) {
  const { state } = route
  const page = useRef<HTMLElement>(null)
  const metricSlug = state.metric?.[0] ?? 'new-findings'
  const minute = Math.floor(Date.now() / 60_000)
  const spans = JSON.stringify([state.range, state.from, state.to, state.grain, state.brush, state.tz])
  const range = useMemo(() => resolveRange(state, Date.now()), [spans, minute])
  const isCompared = state.compare?.[0] !== 'off'
  const slugs = STRIP.includes(metricSlug) ? STRIP : [metricSlug, ...STRIP.slice(0, 4)]
  const filters = toFilters(state)
  const question: PageQuestion = {
    metricSlug,
    ...(Object.keys(filters).length === 0 ? {} : { filters }),
    ...(state.term?.[0] === undefined ? {} : { glossaryTermSlug: state.term[0] }),
    ...toAsked(range, isCompared),
    timeZone: state.tz?.[0] ?? 'UTC',
    alsoMetrics: slugs.filter((slug) => slug !== metricSlug),
  }
  const {
    value: answer,
    problem,
    isWaiting,
    at,
  } = useAnswer(JSON.stringify(question), async (signal) => {
    const view = await client.exploreView(
      { ...question, dimensions: [...BOARDS, ...OPTIONAL], onlyAllowed: true },
      signal,
    )
    if (view.metric.slug !== metricSlug) {
      // The server reads a name in another spelling as the metric that it means; its address has a question of its own.
      go(changeState(route, { metric: [view.metric.slug] }), true)
      await new Promise((_resolve, reject) => signal.addEventListener('abort', reject))
    }
    const unscanned = view.freshness.sources.flatMap((source) =>
      source.lastCompletedScanAt === null ? source.name : [],
    )
    return {
      ...view,
      asked: { ...question, dimensions: view.boards.map(({ dimension }) => dimension) },
      scans: await listFirstScans(unscanned, signal),
    }
  })
  const change = (next: Record<string, string[] | undefined>) => go(changeState(route, next))
  useKeys((key) => {
    if (key === 'c') change({ compare: isCompared ? ['off'] : undefined })
    else if ((key === '[' || key === ']') && range.from !== undefined && range.compared !== undefined) {
      const length = range.compared.to - range.to
      const shift = key === '[' ? length : -length
      change({
        from: [toStamp(range.from + shift, 'from', zoneOf(state))],
        to: [toStamp(range.to + shift, 'to', zoneOf(state))],
        range: undefined,
        brush: undefined,
      })
    } else if (/^[1-9]$/.test(key) && slugs[Number(key) - 1] !== undefined)
      change({ metric: [slugs[Number(key) - 1] ?? ''] })
    else if (key === 'y') copy(location.href, 'Address')
    else if (key === 'Escape')
      change({ brush: undefined, ...Object.fromEntries(dimensions.map(({ name }) => [name, undefined])) })
    else return false
    return true
  })
  const toggle = useStable((dimension: string, value: string) => go(toggleValue(route, dimension, value)))
  const clear = useStable((dimension: string) => change({ [dimension]: undefined }))
  const select = useStable((span?: { from: number; to: number }) =>
    change({ brush: span && [toSpan(span.from, span.to, zoneOf(state))] }),
  )
  const marks = useMemo(() => toMarks(answer?.series.timeSeries ?? []), [answer])
  const previous = useMemo(() => toMarks(answer?.series.previous ?? []), [answer])
  const firstScans = useMemo(() => (answer === undefined ? [] : toFirstScans(answer.freshness)), [answer])
  const facts = answer?.metric
  const scanning = useFirstScans(answer?.scans)
  const isPartial = scanning.length > 0
  const isScanned = answer?.freshness.sources.some(({ lastCompletedScanAt }) => lastCompletedScanAt !== null) === true
  const toLabel = useMemo(
    () => (value: number | null) => toValueText(value, facts?.format, facts?.unit),
    [facts?.format, facts?.unit],
  )
  const asked: State = { ...state, metric: [metricSlug] }
  if (answer === undefined) {
    return (
      <main class="page" aria-busy={isWaiting}>
        <h1>Explore</h1>
        {problem === undefined ? (
          <>
            <Shape height={430} />
            <Shape height={260} />
          </>
        ) : (
          <ProblemNote problem={problem} asked={asked} />
        )}
      </main>
    )
  }
  const observedFrom = answer.observedFrom === null ? undefined : Date.parse(answer.observedFrom)
  // Before anything was observed there is nothing to compare with.
  const start = (range.brush?.from ?? range.from ?? 0) - (range.to - (range.compared?.to ?? range.to))
  const isPastObserved = observedFrom !== undefined && start >= observedFrom
  const isEven = isEvenlyCovered(answer)
  const compares = isCompared && range.compared !== undefined && isPastObserved
  const strip = slugs.map((slug) =>
    slug === metricSlug ? answer : answer.also[answer.asked.alsoMetrics?.indexOf(slug) ?? -1],
  )
  const isWhole = marks.every(({ value }) => value === null || Number.isInteger(value))
  const chart = () => page.current?.querySelector<SVGSVGElement>('.plot svg') ?? undefined
  const copies = toCopies(answer.asked, location.origin)
  const chosen = dimensions.filter(({ name }) => state[name] !== undefined)
  const findings = formatRoute({
    page: 'findings',
    state: {
      ...Object.fromEntries(chosen.map(({ name }) => [name, state[name] ?? []])),
      ...(state.status === undefined && metricSlug !== 'open-findings' ? { status: ['all'] } : {}),
      ...(countsDetections(answer) ? toDetected(range.brush ?? range) : {}),
    },
  })
  const boards = answer.boards.filter(
    ({ dimension, breakdown }) =>
      !OPTIONAL.includes(dimension) || breakdown.some(({ dimensionValue }) => dimensionValue !== '(none)'),
  )
  return (
    <main class="page" ref={page} aria-busy={isWaiting}>
      <div class="title">
        <h1>{answer.metric.displayName}</h1>
        <Trust tier={answer.trust.tier} label={answer.trust.label} version={answer.metric.version} />
        <StillScanning names={scanning} />
        <div class="tools">
          <fieldset class="group" aria-label="Range">
            {(Object.keys(ranges) as RangeName[]).map((name) => (
              <button
                type="button"
                key={name}
                aria-pressed={range.name === name}
                onClick={() =>
                  change({ range: [name], from: undefined, to: undefined, brush: undefined, grain: undefined })
                }
              >
                {ranges[name].label}
              </button>
            ))}
          </fieldset>
          <button
            type="button"
            class="button"
            aria-pressed={isCompared}
            onClick={() => change({ compare: isCompared ? ['off'] : undefined })}
          >
            <i class="key before" /> Compare <kbd>c</kbd>
          </button>
          <Menu
            label="Share"
            items={[
              { label: 'Copy as address', run: () => copy(location.href, 'Address') },
              { label: 'Copy as assay command', run: () => copy(copies.command, 'Command') },
              { label: 'Copy as curl', run: () => copy(copies.curl, 'Command') },
              { label: 'Copy as MCP call', run: () => copy(copies.mcp, 'MCP call') },
            ]}
          />
          <Menu
            label="Export"
            items={[
              {
                label: 'Numbers as CSV',
                run: () => save(`${metricSlug}.csv`, new Blob([toViewCsv(answer)], { type: 'text/csv' })),
              },
              {
                label: 'Chart as SVG',
                run: () => {
                  const svg = chart()
                  if (svg) save(`${metricSlug}.svg`, new Blob([toSvgText(svg)], { type: 'image/svg+xml' }))
                },
              },
              {
                label: 'Chart as PNG',
                run: () => {
                  const svg = chart()
                  if (svg)
                    toPng(svg).then(
                      (blob) => save(`${metricSlug}.png`, blob),
                      () => complain('No picture.'),
                    )
                },
              },
            ]}
          />
        </div>
      </div>
      {chosen.length === 0 && range.brush === undefined && state.term === undefined ? null : (
        <div class="chips">
          {state.term === undefined ? null : (
            <Chip label="Term" values={state.term} codes={false} remove={() => change({ term: undefined })} />
          )}
          {chosen.map(({ name, label }) => (
            <Chip key={name} label={label} values={state[name] ?? []} remove={() => change({ [name]: undefined })} />
          ))}
          {range.brush === undefined ? null : (
            <Chip
              values={[toSpanText(range.brush.from, range.brush.to)]}
              codes={false}
              remove={() => change({ brush: undefined })}
            />
          )}
          <Link to={findings} class="strong">
            See the findings →
          </Link>
        </div>
      )}
      {problem === undefined ? null : <ProblemNote problem={problem} asked={asked} />}
      <div class={`card view ${isWaiting ? 'waiting' : ''}`}>
        <div class="strip">
          {strip.map((metric, index) =>
            metric === undefined || !isShown(metric) ? (
              <div class="tile" key={slugs[index]}>
                <span class="label">
                  <Name text={slugs[index] ?? ''} codes={false} />
                </span>
                {metric === undefined || !('error' in metric) ? null : (
                  <>
                    <span class="muted">{metric.error.message}</span>
                    <Corrections
                      corrections={listCorrections(toProblem(metric.error), asked).slice(0, MAX_TILE_CORRECTIONS)}
                    />
                  </>
                )}
              </div>
            ) : (
              <button
                type="button"
                class="tile"
                key={metric.metric.slug}
                aria-pressed={metric.metric.slug === metricSlug}
                onClick={() => change({ metric: [metric.metric.slug] })}
              >
                <span class="label">{metric.metric.displayName}</span>
                <Figure
                  metric={isScanned || (isPartial && metric.value !== 0) ? metric : { ...metric, value: null }}
                  compares={compares}
                  isPartial={isPartial}
                />
                <Spark series={metric.series} label={metric.metric.displayName} />
              </button>
            ),
          )}
        </div>
        <TrendChart
          label={answer.metric.displayName}
          marks={isScanned || isPartial ? marks : NO_MARKS}
          previous={compares ? previous : NO_MARKS}
          grain={answer.series.granularity}
          range={range.from === undefined ? `until ${toDayText(range.to - 1)}` : toSpanText(range.from, range.to)}
          before={range.before}
          toLabel={toLabel}
          isWhole={isWhole}
          brush={range.brush}
          firstScans={firstScans}
          onBrush={select}
        />
        {isCompared && range.compared !== undefined && !(isPastObserved && isEven) ? (
          <p class="foot muted">
            {observedFrom === undefined ? (
              'No source has been scanned yet, so an empty result does not mean that there are no findings.'
            ) : isEven ? (
              'The previous period is before the first scan, so there is nothing to compare with.'
            ) : (
              <bdi>{answer.warnings.find(({ code }) => code === 'coverage_differs')?.message}</bdi>
            )}
          </p>
        ) : null}
      </div>
      {answer.diagnosis === undefined ? null : (
        <div class="note">
          <p>
            <bdi>{answer.diagnosis.summary}</bdi>
          </p>
          <p class="row">
            {chosen
              .filter(({ filterKey }) => answer.diagnosis?.withoutFilter.some(({ key }) => key === filterKey))
              .map(({ name, label }) => (
                <button type="button" class="button small" key={name} onClick={() => change({ [name]: undefined })}>
                  Without {label.toLowerCase()}
                </button>
              ))}
          </p>
        </div>
      )}
      <div class={`boards ${isWaiting ? 'waiting' : ''}`}>
        {boards.map((board) => (
          <Leaderboard
            key={board.dimension}
            board={board}
            values={dimensions.find(({ name }) => name === board.dimension)?.values}
            better={answer.better}
            selected={state[board.dimension] ?? NO_VALUES}
            toLabel={toLabel}
            compares={compares && isEven}
            onToggle={toggle}
            onClear={clear}
          />
        ))}
      </div>
      <Counted metric={answer} now={at} />
    </main>
  )
}

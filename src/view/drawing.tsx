import { useMemo } from 'preact/hooks'
import { toLabels } from '../charts/dimensions.ts'
import { Leaderboard } from '../charts/leaderboard.tsx'
import { showInvisible } from '../charts/outside.ts'
import { Change, Name, Trust } from '../charts/parts.tsx'
import { isEvenlyCovered } from '../charts/tile.tsx'
import { toDayText, toMoment } from '../charts/times.ts'
import { toMarks } from '../charts/trend.ts'
import { TrendChart } from '../charts/trend-chart.tsx'
import { toChange, toValueText } from '../charts/words.ts'
import type { DashboardAnswer } from '../dashboards/evaluation.ts'
import type { ExploreAnswer } from '../query/explore-model.ts'
import type { MetricAnswer, Point, SeriesAnswer } from '../query/model.ts'
import type { Shown } from './shapes.ts'

type Input = Readonly<Record<string, unknown>> | undefined

/** An answer as a figure, a board, a trend or a strip of figures; anything else as its text. */
export function Drawing({ shown, input }: { shown: Shown; input: Input }) {
  switch (shown.kind) {
    case 'value':
      return <Value answer={shown.answer} input={input} />
    case 'series':
      return <Series answer={shown.answer} />
    case 'dashboard':
      return <Strip answer={shown.answer} />
    case 'term':
      return <Term answer={shown.answer} />
    case 'text':
      return (
        <>
          <h1 class="hidden">Assay</h1>
          <pre class={shown.isError ? 'note bad' : ''} dir="auto">
            {showInvisible(shown.text)}
          </pre>
        </>
      )
  }
}

const toInstant = (text: string | null | undefined) => (text == null ? undefined : toDayText(Date.parse(text)))

function Foot({ answer }: { answer: Pick<MetricAnswer, 'freshness' | 'warnings'> }) {
  const stale = answer.freshness.sources.filter((source) => source.stale)
  return (
    <footer class="muted">
      {answer.warnings.map(({ message }) => (
        <p key={message}>
          ! <Name text={message} codes={false} />
        </p>
      ))}
      <p>
        as of {toMoment(answer.freshness.asOf)}
        {stale.map(({ name }) => (
          <span key={name} class="bad-text">
            {', '}
            <Name text={name} codes={false} /> is stale
          </span>
        ))}
      </p>
    </footer>
  )
}

/** The own order of severities; other dimensions are ordered by value. */
const SEVERITIES = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'INFO']

function Value({ answer, input }: { answer: MetricAnswer; input: Input }) {
  const { metric, value, comparison, breakdown, totalGroups, other, trust, numerator, denominator } = answer
  const toLabel = (each: number | null) => toValueText(each, metric.format, metric.unit)
  const isEven = isEvenlyCovered(answer)
  const change = comparison === undefined || !isEven ? undefined : toChange(value, comparison.value)
  const asked = Array.isArray(input?.dimensions) ? input.dimensions.map(String) : []
  const dimension = Object.keys(breakdown[0]?.dimensions ?? {})[0] ?? asked[0] ?? ''
  const range = [toInstant(answer.applied.from), toInstant(answer.applied.to)].filter(Boolean).join(' – ')
  return (
    <>
      <header class="row">
        <h1 class="label">{metric.displayName}</h1>
        <span class="figure">
          <b>{toLabel(value)}</b> <Change change={change} />
        </span>
        {numerator == null || denominator == null ? null : (
          <span class="muted">
            {toValueText(numerator)} of {toValueText(denominator)}
          </span>
        )}
        <Trust tier={trust.tier} label={trust.label} version={metric.version} />
      </header>
      {range === '' ? null : <p class="muted">{range}</p>}
      {breakdown.length === 0 ? null : (
        <Leaderboard
          board={{
            dimension: dimension as never,
            label: toLabels([dimension]),
            breakdown,
            ...(totalGroups === undefined ? {} : { totalGroups }),
            ...(other === undefined ? {} : { other }),
          }}
          values={dimension === 'severity' ? SEVERITIES : undefined}
          better={null}
          selected={[]}
          toLabel={toLabel}
          compares={isEven && breakdown.some(({ previous }) => previous !== undefined)}
        />
      )}
      {answer.diagnosis === undefined ? null : (
        <p class="note">
          <Name text={answer.diagnosis.summary} codes={false} />
        </p>
      )}
      <Foot answer={answer} />
    </>
  )
}

function Trend({
  label,
  points,
  grain,
  toLabel,
}: {
  label: string
  points: readonly Point[]
  grain: string
  toLabel: (value: number | null) => string
}) {
  const marks = useMemo(() => toMarks(points), [points])
  const [first, last] = [marks[0]?.time, marks.at(-1)?.time]
  return (
    <TrendChart
      label={label}
      marks={marks}
      previous={[]}
      grain={grain}
      range={first === undefined || last === undefined ? '' : `${toDayText(first)} – ${toDayText(last)}`}
      before=""
      toLabel={toLabel}
      isWhole={marks.every(({ value }) => value === null || Number.isInteger(value))}
      brush={undefined}
      firstScans={[]}
    />
  )
}

function Series({ answer }: { answer: SeriesAnswer }) {
  const { metric, timeSeries, granularity, trust } = answer
  const toLabel = useMemo(
    () => (value: number | null) => toValueText(value, metric.format, metric.unit),
    [metric.format, metric.unit],
  )
  return (
    <>
      <header class="row">
        <h1 class="label">
          {metric.displayName} by {granularity}
        </h1>
        <Trust tier={trust.tier} label={trust.label} version={metric.version} />
      </header>
      <Trend label={metric.displayName} points={timeSeries} grain={granularity} toLabel={toLabel} />
      <Foot answer={answer} />
    </>
  )
}

function Strip({ answer }: { answer: DashboardAnswer }) {
  return (
    <>
      <header class="row">
        <h1 class="label">
          <Name text={answer.dashboard} codes={false} />
        </h1>
      </header>
      <div class="figures">
        {answer.metrics.map(({ metricSlug, displayName, value, format, unit, error }) => (
          <div class="card tile" key={metricSlug}>
            <span class="label">{displayName}</span>
            {error === undefined ? (
              <span class="figure">
                <b>{toValueText(value, format, unit)}</b>
              </span>
            ) : (
              <span class="bad-text">{error.message}</span>
            )}
          </div>
        ))}
      </div>
      <Foot answer={answer} />
    </>
  )
}

function Term({ answer }: { answer: ExploreAnswer }) {
  const { term, count, open, assets, metrics, breakdowns, trend } = answer
  const figures = [
    ['Findings', toValueText(count)],
    ['Open', toValueText(open)],
    ['Assets', toValueText(assets)],
    ...metrics.filter(({ linked }) => linked).map(({ displayName, formatted }) => [displayName, formatted]),
  ]
  return (
    <>
      <header class="row">
        <h1 class="label">
          <Name text={term.displayName} codes={false} />
        </h1>
      </header>
      <div class="figures">
        {figures.map(([label = '', text]) => (
          <div class="card tile" key={label}>
            <span class="label">{label}</span>
            <span class="figure">
              <b>{text}</b>
            </span>
          </div>
        ))}
      </div>
      <Trend label="New findings" points={trend.timeSeries} grain={trend.granularity} toLabel={toValueText} />
      <div class="two">
        {breakdowns.map(({ dimension, totalGroups, entries, other }) => (
          <Leaderboard
            key={dimension}
            board={{
              dimension,
              label: toLabels([dimension]),
              totalGroups,
              breakdown: entries.map((entry) => ({ ...entry, dimensions: {} })),
              ...(other === undefined ? {} : { other: { groups: totalGroups - entries.length, value: other } }),
            }}
            values={dimension === 'severity' ? SEVERITIES : undefined}
            better={null}
            selected={[]}
            toLabel={toValueText}
            compares={false}
          />
        ))}
      </div>
      <Foot answer={answer} />
    </>
  )
}

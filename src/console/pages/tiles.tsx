import { useState } from 'preact/hooks'
import { toDimensionValues, toLabels } from '../../charts/dimensions.ts'
import { Change, Name, Trust } from '../../charts/parts.tsx'
import { findLatestScan, Spark } from '../../charts/tile.tsx'
import { toDayText, toSpanText } from '../../charts/times.ts'
import { toChange, toValueText } from '../../charts/words.ts'
import type { DashboardAnswer } from '../../dashboards/evaluation.ts'
import type { Metric } from '../../metrics/view.ts'
import type { MetricAnswer } from '../../query/model.ts'
import { client } from '../client.ts'
import { Dialog } from '../dialog.tsx'
import { useAnswer } from '../hooks.ts'
import type { Filters } from '../model.ts'
import { Link, Names, ProblemNote, Shape } from '../parts.tsx'
import { type RangeName, ranges, resolveRange } from '../range.ts'
import { changeState, formatRoute, go, type Route, type State } from '../route.ts'

type Tile = DashboardAnswer['metrics'][number]

/** The time that all tiles are about, and the time before it. */
export interface Period {
  from: string
  to: string
  before: { from: string; to: string }
  isCompared: boolean
}

const toIso = (time: number) => new Date(time).toISOString()

/** The chosen period; undefined for all time, which has nothing before it. */
export function toPeriod(state: State, now: number): Period | undefined {
  if (state.range === undefined) return undefined
  const { from, to, compared } = resolveRange(state, now)
  if (from === undefined || compared === undefined) return undefined
  return {
    from: toIso(from),
    to: toIso(to),
    before: { from: toIso(compared.from), to: toIso(compared.to) },
    isCompared: state.compare?.[0] !== 'off',
  }
}

interface TilesAnswer {
  shown: DashboardAnswer
  /** Undefined without a comparison. */
  earlier: DashboardAnswer | undefined
  better: ReadonlyMap<string, Metric['better']>
}

export async function askTiles(
  dashboard: string,
  period: Period | undefined,
  signal: AbortSignal,
): Promise<TilesAnswer> {
  const { from, to, before, isCompared = false } = period ?? {}
  const [shown, earlier, metrics] = await Promise.all([
    client.queryDashboard({ dashboard, from, to }, signal),
    isCompared ? client.queryDashboard({ dashboard, ...before }, signal) : undefined,
    isCompared ? client.listMetrics(signal) : undefined,
  ])
  return { shown, earlier, better: new Map(metrics?.items.map(({ slug, better }) => [slug, better])) }
}

/** The period of all tiles, and whether they are compared with the one before. */
export function PeriodTools({ route }: { route: Route }) {
  const chosen = route.state.range?.[0]
  const isCompared = route.state.compare?.[0] !== 'off'
  const names: [string | undefined, string][] = [
    [undefined, 'All time'],
    ...(Object.keys(ranges) as RangeName[]).map((name): [string, string] => [name, ranges[name].label]),
  ]
  return (
    <>
      <fieldset class="group" aria-label="Period">
        {names.map(([name, label]) => (
          <button
            type="button"
            key={label}
            aria-pressed={chosen === name}
            onClick={() => go(changeState(route, { range: name === undefined ? undefined : [name] }))}
          >
            {label}
          </button>
        ))}
      </fieldset>
      <button
        type="button"
        class="button"
        aria-pressed={chosen !== undefined && isCompared}
        disabled={chosen === undefined}
        onClick={() => go(changeState(route, { compare: isCompared ? ['off'] : undefined }))}
      >
        Compare
      </button>
    </>
  )
}

type PinnedFilters = Tile['pinnedFilters']

/** The filters of a placement in the address of a page; undefined where it cannot name them. */
const toPinned = (filters: PinnedFilters) => toDimensionValues(Object.entries(filters ?? {}))

function Pinned({ filters }: { filters: PinnedFilters }) {
  const values = toPinned(filters)
  return <span class="muted">{values === undefined ? 'filtered' : <Names texts={Object.values(values).flat()} />}</span>
}

interface TilesProps {
  answer: TilesAnswer
  period: Period | undefined
  route: Route
  isKnown: (value: number | null) => boolean
}

/** The numbers of a dashboard in the sizes of their places. A number of nothing scanned would be read as 0. */
export function Tiles({ answer: { shown, earlier, better }, period, route, isKnown }: TilesProps) {
  const [explained, setExplained] = useState<Tile>()
  const latest = findLatestScan(shown.freshness, period?.before.from)
  const isEven = period === undefined || latest === undefined
  const range = route.state.range
  return (
    <section class="card" aria-label={`Numbers of ${shown.dashboard}`}>
      <header>
        <h2>Numbers</h2>
        <span class="muted end">
          {period === undefined
            ? 'all time, as metrics in the terminal'
            : toSpanText(Date.parse(period.from), Date.parse(period.to))}
        </span>
      </header>
      <ul class="rows numbers-list">
        {shown.metrics.map((tile) => {
          const { metricSlug, displayName, value, format, unit, error, trust, pinnedFilters, position, size } = tile
          const before = earlier?.metrics.find((each) => each.metricSlug === metricSlug)?.value
          const change = isEven ? toChange(value, before, { better: better.get(metricSlug) }) : undefined
          const state = { metric: [metricSlug], ...toPinned(pinnedFilters), ...(range === undefined ? {} : { range }) }
          return (
            <li key={`${metricSlug} ${position}`} class={`place ${sizes.includes(size) ? size : 'md'}`}>
              <Link to={formatRoute({ page: 'explore', state })}>
                <span class="where">
                  <Name text={displayName} codes={false} />
                  {pinnedFilters === null ? null : <Pinned filters={pinnedFilters} />}
                  {trust === undefined || trust.tier === 'certified' ? null : <Trust {...trust} />}
                  {tile.warnings
                    .filter(({ code }) => code !== trust?.tier)
                    .map(({ message }) => (
                      <span class="badge warn" title={message} key={message}>
                        Note
                      </span>
                    ))}
                </span>
                {error === undefined ? (
                  <span class="figure">
                    <b>{isKnown(value) ? toValueText(value, format, unit) : '–'}</b> <Change change={change} />
                  </span>
                ) : (
                  <span class="bad-text">{error.message}</span>
                )}
              </Link>
              {tile.chartType === 'line' && error === undefined ? <TileLine tile={tile} period={period} /> : null}
              {error === undefined ? (
                <button type="button" class="button small why" onClick={() => setExplained(tile)}>
                  Why<span class="hidden"> did {displayName} change</span>?
                </button>
              ) : null}
            </li>
          )
        })}
      </ul>
      {earlier === undefined || latest === undefined ? null : (
        <p class="foot muted">
          No change is shown, because <Name text={latest.name} codes={false} /> was first scanned on{' '}
          {toDayText(latest.time)}.
        </p>
      )}
      {explained === undefined ? null : (
        <Explanation tile={explained} period={period} onClose={() => setExplained(undefined)} />
      )}
    </section>
  )
}

export const sizes: readonly string[] = ['sm', 'md', 'lg', 'xl']

/** The question about a tile, over its period or the last thirty days. */
function toAsked({ metricSlug, pinnedFilters }: Tile, period: Period | undefined) {
  const minute = Math.floor(Date.now() / 60_000) * 60_000
  const { from, to, before } = period ?? toPeriod({ range: ['30d'] }, minute) ?? {}
  const filters = pinnedFilters === null ? {} : { filters: pinnedFilters as Filters }
  return { metricSlug, ...filters, from, to, compare: before }
}

function TileLine({ tile, period }: { tile: Tile; period: Period | undefined }) {
  const { compare: _, ...asked } = toAsked(tile, period ?? toPeriod({ range: ['12m'] }, Date.now()))
  const { value } = useAnswer(`line ${JSON.stringify([asked.metricSlug, asked.filters, period])}`, (signal) =>
    client.exploreView({ ...asked, from: asked.from, to: asked.to } as never, signal),
  )
  return <Spark series={value?.series} label={tile.displayName} />
}

/** How much each group of the dimensions that tell most contributes to a change. */
function Explanation({ tile, period, onClose }: { tile: Tile; period: Period | undefined; onClose: () => void }) {
  const asked = toAsked(tile, period)
  const { value: answer, problem } = useAnswer(`why ${JSON.stringify(asked)}`, (signal) =>
    client.queryMetric({ ...asked, explain: true }, signal),
  )
  const text = (value: number | null | undefined) => toValueText(value, tile.format, tile.unit)
  return (
    <Dialog label={`Why ${tile.displayName} changed`} onClose={onClose}>
      <div class="form">
        <h2>
          Why <Name text={tile.displayName} codes={false} /> changed
        </h2>
        {problem === undefined ? null : <ProblemNote problem={problem} />}
        {answer === undefined && problem === undefined ? <Shape height={260} /> : null}
        {answer?.comparison == null ? null : (
          <>
            <p>
              {text(answer.comparison.value)} → <b>{text(answer.value)}</b>
              <span class="muted">
                {' '}
                from {toSpanText(Date.parse(asked.compare?.from ?? ''), Date.parse(asked.compare?.to ?? ''))} to{' '}
                {toSpanText(Date.parse(asked.from ?? ''), Date.parse(asked.to ?? ''))}
              </span>
            </p>
            {answer.warnings
              .filter(({ code }) => ['coverage_differs', 'not_decomposable', 'not_observed'].includes(code))
              .map(({ message }) => (
                <p class="note" key={message}>
                  <bdi>{message}</bdi>
                </p>
              ))}
            <Drivers answer={answer} text={text} />
          </>
        )}
        <p class="row">
          <Link
            to={formatRoute({ page: 'explore', state: { metric: [tile.metricSlug], ...toPinned(tile.pinnedFilters) } })}
            class="button"
          >
            Explore
          </Link>
          <button type="button" class="button" onClick={onClose}>
            Close
          </button>
        </p>
      </div>
    </Dialog>
  )
}

const MOST_DIMENSIONS = 3

function Drivers({ answer, text }: { answer: MetricAnswer; text: (value: number | null) => string }) {
  const dimensions = (answer.driverDimensions ?? []).slice(0, MOST_DIMENSIONS)
  if (dimensions.length === 0) return <p class="muted">No group explains it.</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keys
    <section class="scroll" aria-label="Groups" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Group</th>
            <th scope="col" class="number">
              Before
            </th>
            <th scope="col" class="number">
              Now
            </th>
            <th scope="col" class="number">
              Part
            </th>
          </tr>
        </thead>
        {dimensions.map(({ dimension }) => (
          <tbody key={dimension}>
            {(answer.drivers ?? [])
              .filter((driver) => driver.dimension === dimension)
              .map(({ dimensionValue, from, to, contribution }) => (
                <tr key={dimensionValue}>
                  <th scope="row">
                    <span class="muted">{toLabels([dimension])}</span> <Name text={dimensionValue} />
                  </th>
                  <td class="number">{text(from)}</td>
                  <td class="number">{text(to)}</td>
                  <td class="number">
                    {contribution === null ? '–' : `${contribution > 0 ? '+' : ''}${text(contribution)}`}
                  </td>
                </tr>
              ))}
          </tbody>
        ))}
      </table>
    </section>
  )
}

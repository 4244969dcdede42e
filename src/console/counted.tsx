import { dimensions } from '../charts/dimensions.ts'
import { memo } from '../charts/memo.ts'
import { Name } from '../charts/parts.tsx'
import { toAgo, toDayText } from '../charts/times.ts'
import { toWords } from '../charts/words.ts'
import type { ViewMetric } from '../query/view-model.ts'
import { Names } from './parts.tsx'

const origins: Readonly<Record<string, string>> = {
  metric: 'of the metric',
  term: 'of a term',
  caller: 'chosen here',
  placement: 'of the dashboard',
}

/** What a number counts: its filters and where they come from, its time, and how old its data is. */
export const Counted = memo(function Counted({ metric, now }: { metric: ViewMetric; now: number }) {
  const { applied, freshness, warnings, trust } = metric
  const labelOf = (key: string) => dimensions.find(({ filterKey }) => filterKey === key.replace('exclude.', ''))?.label
  const time =
    applied.asOf === undefined
      ? `${applied.from === null ? 'the beginning' : toDayText(Date.parse(applied.from))} – ${applied.to === null ? 'now' : toDayText(Date.parse(applied.to) - 1)}`
      : `the state on ${toDayText(Date.parse(applied.asOf))}`
  return (
    <details class="card counted">
      <summary>
        <span class="sources">
          {freshness.sources.map(({ name, lastCompletedScanAt, stale }) => (
            <span key={name} class={stale ? 'stale' : 'fresh'}>
              <span class="dot" aria-hidden="true" /> <Name text={name} codes={false} />
              <span class="muted">
                {lastCompletedScanAt === null
                  ? ' not scanned'
                  : ` ${toAgo(Date.parse(lastCompletedScanAt), now)}${stale ? ', stale' : ''}`}
              </span>
            </span>
          ))}
        </span>
        <span class="link">What was counted</span>
      </summary>
      <dl>
        <dt>Trust</dt>
        <dd>{trust.label}</dd>
        <dt>Time</dt>
        <dd>
          {time}{' '}
          <span class="muted">
            by {applied.timeField}, in {applied.timeZone}
          </span>
        </dd>
        <dt>Filters</dt>
        <dd>
          {applied.filters.length === 0 ? 'none' : null}
          <ul>
            {applied.filters.map(({ origin, key, values, term, part }) => (
              <li key={`${origin} ${key} ${part}`}>
                {key.startsWith('exclude.') ? 'not ' : ''}
                {labelOf(key) ?? toWords(key)}:{' '}
                <b>
                  <Names texts={values.map(String)} />
                </b>{' '}
                <span class="muted">
                  {origins[origin] ?? origin}
                  {term === undefined ? '' : ` ${term}`}
                  {part === undefined ? '' : `, ${part}`}
                </span>
              </li>
            ))}
          </ul>
        </dd>
        {warnings.length === 0 ? null : (
          <>
            <dt>Notes</dt>
            <dd>
              <ul>
                {warnings.map(({ code, message }) => (
                  <li key={message}>
                    <bdi>{message}</bdi> <span class="muted">{code}</span>
                  </li>
                ))}
              </ul>
            </dd>
          </>
        )}
      </dl>
    </details>
  )
})

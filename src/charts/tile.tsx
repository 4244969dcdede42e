import type { Freshness } from '../query/model.ts'
import type { ViewMetric } from '../query/view-model.ts'
import { memo } from './memo.ts'
import { Change, Name } from './parts.tsx'
import { toDayText } from './times.ts'
import { describeSpark, type FirstScan, toFirstScans } from './trend.ts'
import { toChange, toValueText } from './words.ts'

/** Stretched to the width of its tile, so that nothing is measured. */
const [SPARK_WIDTH, SPARK_HEIGHT] = [200, 34]

/** A small line without axes. */
export const Spark = memo(function Spark({
  series,
  label,
}: {
  series: ViewMetric['series'] | undefined
  label: string
}) {
  const spark = series && describeSpark(series.timeSeries, SPARK_WIDTH, SPARK_HEIGHT)
  return (
    <div class="spark">
      {spark === undefined ? null : (
        <svg
          viewBox={`0 0 ${SPARK_WIDTH} ${SPARK_HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${label} over time`}
        >
          <path class="area" d={spark.area} />
          <path class="line" d={spark.line} />
        </svg>
      )}
    </div>
  )
})

interface FigureProps {
  metric: ViewMetric
  compares: boolean
  /** A source is being scanned for the first time. */
  isPartial?: boolean
}

/** The number of a metric, its change, and what a ratio is made of. */
export function Figure({ metric, compares, isPartial = false }: FigureProps) {
  const { value, comparison, better, numerator, denominator } = metric
  const { format, unit } = metric.metric
  const isEven = isEvenlyCovered(metric)
  const change =
    compares && isEven && comparison !== undefined ? toChange(value, comparison.value, { better }) : undefined
  return (
    <>
      <span class="figure">
        <b>{toValueText(value, format, unit)}</b> <Change change={change} />
        {isPartial && value !== null ? <span class="parts muted">so far</span> : null}
      </span>
      {numerator == null || denominator == null ? null : (
        <span class="parts muted">
          {toValueText(numerator)} of {toValueText(denominator)}
        </span>
      )}
      {isEven ? null : <Uncompared metric={metric} />}
    </>
  )
}

/** False where the sources differ that were observed in the two ranges of a comparison. */
export const isEvenlyCovered = ({ warnings }: Pick<ViewMetric, 'warnings'>): boolean =>
  !warnings.some(({ code }) => code === 'coverage_differs')

/** The source that was first scanned last, if after an instant. */
export const findLatestScan = (freshness: Freshness, after = ''): FirstScan | undefined =>
  toFirstScans(freshness)
    .filter(({ time }) => after === '' || time > Date.parse(after))
    .sort((a, b) => b.time - a.time)[0]

/** Why a number has no change: its latest source was first scanned after the beginning of the compared time. */
function Uncompared({ metric: { freshness } }: { metric: ViewMetric }) {
  const latest = findLatestScan(freshness)
  return (
    <span class="parts muted">
      no change:{' '}
      {latest === undefined ? (
        'sources differ'
      ) : (
        <>
          <Name text={latest.name} codes={false} /> first scanned {toDayText(latest.time)}
        </>
      )}
    </span>
  )
}

import type { ViewMetric } from '../query/view-model.ts'
import { memo } from './memo.ts'
import { Change } from './parts.tsx'
import { describeSpark } from './trend.ts'
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
  const change = compares && comparison !== undefined ? toChange(value, comparison.value, { better }) : undefined
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
    </>
  )
}

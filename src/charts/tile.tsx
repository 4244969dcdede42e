import { useMemo } from 'preact/hooks'
import type { ViewMetric } from '../query/view-model.ts'
import { Change } from './parts.tsx'
import { describeSpark, toMarks } from './trend.ts'
import { useWidth } from './width.ts'
import { toChange, toValueText } from './words.ts'

const SPARK_HEIGHT = 34

/** A small line without axes. */
export function Spark({ series, label }: { series: ViewMetric['series'] | undefined; label: string }) {
  const [attach, width] = useWidth()
  const marks = useMemo(() => toMarks(series?.timeSeries ?? []), [series])
  const spark = useMemo(() => (width === 0 ? undefined : describeSpark(marks, width, SPARK_HEIGHT)), [marks, width])
  return (
    <div class="spark" ref={attach}>
      {spark === undefined ? null : (
        <svg width={width} height={SPARK_HEIGHT} role="img" aria-label={`${label} over time`}>
          <path class="area" d={spark.area} />
          <path class="line" d={spark.line} />
        </svg>
      )}
    </div>
  )
}

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

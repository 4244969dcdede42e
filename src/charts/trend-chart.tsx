import { useMemo, useRef, useState } from 'preact/hooks'
import { memo } from './memo.ts'
import { showInvisible } from './outside.ts'
import { toBucketText, toDayText } from './times.ts'
import { describeTrend, type FirstScan, findNearest, type TrendMark } from './trend.ts'
import { useWidth } from './width.ts'

const HEIGHT = 230
const LEFT = 46
const TOP = 14
const BOTTOM = 26
const MIN_DRAG = 6

interface TrendChartProps {
  label: string
  marks: readonly TrendMark[]
  previous: readonly TrendMark[]
  grain: string
  /** Of the legend: the range, and what it is compared with. */
  range: string
  before: string
  toLabel: (value: number | null) => string
  isWhole: boolean
  brush: { from: number; to: number } | undefined
  /** When sources were first scanned; those of one bucket share a line. */
  firstScans: readonly FirstScan[]
  /** Times of marks that stand out. */
  marked?: readonly number[]
  /** Absent: no part of the time can be selected. */
  onBrush?: (span: { from: number; to: number } | undefined) => void
}

/** A series over time with the one before behind it, a cursor, and a selection of time by dragging or by keys. */
export const TrendChart = memo(function TrendChart(props: TrendChartProps) {
  const { marks, previous, grain, toLabel, isWhole, brush, firstScans, marked = [], onBrush } = props
  const [attach, outer] = useWidth()
  const width = Math.max(0, outer - LEFT - 4)
  const svg = useRef<SVGSVGElement>(null)
  const [at, setAt] = useState<number>()
  const [drag, setDrag] = useState<{ from: number; to: number }>()
  const [isTable, setTable] = useState(false)
  const drawn = useMemo(
    () => (width === 0 ? undefined : describeTrend(marks, previous, { width, height: HEIGHT, toLabel, isWhole })),
    [marks, previous, width, toLabel, isWhole],
  )
  const bucketMs = (marks[1]?.time ?? 0) - (marks[0]?.time ?? 0)
  const timeAt = (event: PointerEvent): number => {
    const box = svg.current?.getBoundingClientRect()
    const share = width === 0 ? 0 : (event.clientX - (box?.left ?? 0) - LEFT) / width
    const [first, last] = [marks[0]?.time ?? 0, marks.at(-1)?.time ?? 0]
    return first + Math.min(1, Math.max(0, share)) * (last - first)
  }
  const spanOf = (from: number, to: number) => {
    const [a, b] = [findNearest(marks, Math.min(from, to)) ?? 0, findNearest(marks, Math.max(from, to)) ?? 0]
    return { from: marks[a]?.time ?? 0, to: (marks[b]?.time ?? 0) + bucketMs }
  }
  const move = (event: PointerEvent) => {
    const time = timeAt(event)
    setAt(findNearest(marks, time))
    if (drag !== undefined) setDrag({ ...drag, to: time })
  }
  const end = () => {
    if (drag === undefined || drawn === undefined) return
    setDrag(undefined)
    if (Math.abs(drawn.x.toPixel(drag.to) - drawn.x.toPixel(drag.from)) >= MIN_DRAG)
      onBrush?.(spanOf(drag.from, drag.to))
    else if (brush !== undefined) onBrush?.(undefined)
  }
  const press = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step !== 0) setAt(Math.min(marks.length - 1, Math.max(0, (at ?? marks.length) + step)))
    else if (event.key === 'Enter' && at !== undefined && onBrush !== undefined) {
      const time = marks[at]?.time ?? 0
      onBrush(brush?.from === time ? undefined : { from: time, to: time + bucketMs })
    } else return
    event.preventDefault()
  }
  const mark = at === undefined ? undefined : marks[at]
  const earlier = at === undefined ? undefined : drawn?.earlier[at]
  const selected = drag === undefined ? brush : spanOf(drag.from, drag.to)
  const toX = (time: number) => Math.min(width, Math.max(0, drawn?.x.toPixel(time) ?? 0))
  return (
    <figure class="trend">
      <div class="plot" ref={attach} style={{ height: `${HEIGHT + TOP + BOTTOM}px` }}>
        {drawn === undefined ? null : (
          <svg
            ref={svg}
            width={outer}
            height={HEIGHT + TOP + BOTTOM}
            role="img"
            aria-label={`${props.label} over time; arrow keys read it${onBrush === undefined ? '' : ', Enter selects'}`}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move the cursor of the chart
            tabIndex={0}
            onKeyDown={press}
            onPointerMove={move}
            onPointerLeave={() => setAt(undefined)}
            onPointerDown={(event) => {
              if (event.button !== 0 || event.pointerType === 'touch' || onBrush === undefined) return
              svg.current?.setPointerCapture(event.pointerId)
              const time = timeAt(event)
              setDrag({ from: time, to: time })
            }}
            onPointerUp={end}
            onPointerCancel={() => setDrag(undefined)}
          >
            <defs>
              <linearGradient id="fill" x1="0" y1="0" x2="0" y2="1">
                <stop offset="0" class="fill-top" />
                <stop offset="1" class="fill-end" />
              </linearGradient>
            </defs>
            <g transform={`translate(${LEFT},${TOP})`}>
              {drawn.y.ticks.map(({ at: y, label, value }) => (
                <g key={value} transform={`translate(0,${y})`}>
                  <line class={value === 0 ? 'axis' : 'grid'} x2={width} />
                  <text class="tick" x={-10} dy="0.32em" text-anchor="end">
                    {label}
                  </text>
                </g>
              ))}
              {drawn.x.ticks.map(({ at: x, label, value }) => (
                <text key={value} class="tick" x={x} y={HEIGHT + 20} text-anchor="middle">
                  {label}
                </text>
              ))}
              {selected === undefined ? null : (
                <rect
                  class="brush"
                  x={toX(selected.from)}
                  width={Math.max(2, toX(selected.to) - toX(selected.from))}
                  height={HEIGHT}
                />
              )}
              {groupScans(firstScans, marks).map(({ time, name }) => {
                const isLate = toX(time) > width / 2
                return (
                  <g key={time} transform={`translate(${toX(time)},0)`}>
                    <line class="flag" y2={HEIGHT} />
                    <text class="tick" x={isLate ? -6 : 6} y={10} text-anchor={isLate ? 'end' : 'start'}>
                      first scan of {name}
                    </text>
                  </g>
                )
              })}
              <path class="area" d={drawn.area} fill="url(#fill)" />
              <path class="line before" d={drawn.previous} />
              <path class="line" d={drawn.line} />
              <path class="line running" d={drawn.running} />
              {drawn.dots.map(({ x, y }) => (
                <circle key={x} class="point" cx={x} cy={y} r={2.5} />
              ))}
              {marks
                .filter(({ time, value }) => value !== null && marked.includes(time))
                .map(({ time, value }) => (
                  <circle key={time} class="point marked" cx={toX(time)} cy={drawn.y.toPixel(value ?? 0)} r={4.5} />
                ))}
              {mark === undefined ? null : (
                <g class="cursor" transform={`translate(${toX(mark.time)},0)`}>
                  <line y2={HEIGHT} />
                  {earlier?.value == null ? null : (
                    <circle class="point before" cy={drawn.y.toPixel(earlier.value)} r={3.5} />
                  )}
                  {mark.value === null ? null : <circle class="point" cy={drawn.y.toPixel(mark.value)} r={4} />}
                </g>
              )}
            </g>
          </svg>
        )}
        {mark === undefined || drawn === undefined ? null : (
          <div
            class={`tip ${toX(mark.time) > width - 210 ? 'left' : ''}`}
            role="status"
            style={{ left: `${LEFT + toX(mark.time)}px` }}
          >
            <b>{toBucketText(mark.time, grain)}</b>
            <span>
              <i class="key" /> {toLabel(mark.value)} {mark.complete ? '' : <em>so far</em>}
            </span>
            {earlier === undefined ? null : (
              <span class="muted">
                <i class="key before" /> {toLabel(earlier.value)}{' '}
                <em>{toDayText(earlier.time - ((marks[0]?.time ?? 0) - (previous[0]?.time ?? 0)))}</em>
              </span>
            )}
          </div>
        )}
      </div>
      <figcaption>
        <span>
          <i class="key" /> {props.range}
        </span>
        {previous.length === 0 ? null : (
          <span>
            <i class="key before" /> {props.before}
          </span>
        )}
        <span class="hint">{onBrush === undefined ? '' : 'drag to select a time'}</span>
        <button type="button" class="link" aria-expanded={isTable} onClick={() => setTable(!isTable)}>
          {isTable ? 'Hide the table' : 'Show as table'}
        </button>
      </figcaption>
      {isTable ? <SeriesTable {...props} /> : null}
    </figure>
  )
})

function SeriesTable({ label, marks, previous, grain, toLabel, before }: TrendChartProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keys
    <section class="scroll" aria-label={`${label} as a table`} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col" class="number">
              {label}
            </th>
            {previous.length === 0 ? null : (
              <th scope="col" class="number">
                {before}
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {marks.map(({ time, value, complete }, index) => (
            <tr key={time}>
              <th scope="row">
                {toBucketText(time, grain)}
                {complete ? '' : ', not over'}
              </th>
              <td class="number">{toLabel(value)}</td>
              {previous.length === 0 ? null : <td class="number">{toLabel(previous[index]?.value ?? null)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** One line for the sources first scanned in a bucket; of those before the chart there is none. */
function groupScans(scans: readonly FirstScan[], marks: readonly TrendMark[]): FirstScan[] {
  const groups = new Map<number, FirstScan[]>()
  for (const scan of scans) {
    const index = marks.findLastIndex(({ time }) => time < scan.time)
    if (index >= 0) groups.set(index, [...(groups.get(index) ?? []), scan])
  }
  return [...groups.values()].map(([first, ...others]) => ({
    time: first?.time ?? 0,
    name: others.length === 0 ? showInvisible(first?.name ?? '') : `${others.length + 1} sources`,
  }))
}

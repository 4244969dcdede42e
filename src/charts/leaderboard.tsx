import type { ComponentChildren } from 'preact'
import type { Board } from '../query/view-model.ts'
import { inOwnOrder, toShare } from './board.ts'
import { memo } from './memo.ts'
import { Change, Dot, Name } from './parts.tsx'
import { toChange, toNumber } from './words.ts'

interface LeaderboardProps {
  board: Omit<Board, 'filterKey'>
  /** The values of the dimension in their own order, where it has one. */
  values: readonly string[] | undefined
  better: 'lower' | 'higher' | null
  selected: readonly string[]
  toLabel: (value: number | null) => string
  /** False where the compared time lies before the first scan. */
  compares: boolean
  /** Absent: rows do not filter. */
  onToggle?: (dimension: string, value: string) => void
  onClear?: (dimension: string) => void
}

function Row({
  value,
  isOn,
  isOff,
  onToggle,
  children,
}: {
  value: string
  isOn: boolean
  isOff: boolean
  onToggle: ((value: string) => void) | undefined
  children: ComponentChildren
}) {
  if (onToggle === undefined) return <div class="entry">{children}</div>
  return (
    <button
      type="button"
      class={`entry ${isOn ? 'on' : isOff ? 'off' : ''}`}
      aria-pressed={isOn}
      onClick={() => onToggle(value)}
    >
      {children}
    </button>
  )
}

/** The values of one dimension; each row filters by its value. The table is its own twin for screen readers. */
export const Leaderboard = memo(function Leaderboard({
  board,
  values: ordered,
  better,
  selected,
  toLabel,
  compares,
  onToggle,
  onClear,
}: LeaderboardProps) {
  const { dimension, label, breakdown, totalGroups = breakdown.length, other } = board
  const entries = inOwnOrder(breakdown, ordered)
  const values = entries.map(({ value }) => value)
  const toggle = onToggle && ((value: string) => onToggle(dimension, value))
  // Beside values that are all new, a change says nothing.
  const hasChanges = compares && !entries.every(({ previous }) => previous === 0 || previous == null)
  return (
    <section class="card board" aria-label={label}>
      <header>
        <h2>{label}</h2>
        {selected.length === 0 ? (
          <span class="muted">{toNumber(totalGroups)}</span>
        ) : (
          <button type="button" class="link" onClick={() => onClear?.(dimension)}>
            clear
          </button>
        )}
      </header>
      <ul>
        {entries.map((entry) => {
          const value = entry.asset?.key ?? entry.dimensionValue
          const change = hasChanges ? toChange(entry.value, entry.previous ?? 0, { better }) : undefined
          const isOn = selected.includes(value)
          return (
            <li key={value}>
              <Row value={value} isOn={isOn} isOff={!isOn && selected.length > 0} onToggle={toggle}>
                <span class="bar" style={{ width: `${toShare(entry.value, values) * 100}%` }} />
                {dimension === 'severity' ? <Dot severity={entry.dimensionValue} /> : null}
                <Name text={entry.dimensionValue} />
                <span class="number">{toLabel(entry.value)}</span>
                {change === undefined && hasChanges ? <span class="change" /> : <Change change={change} />}
              </Row>
            </li>
          )
        })}
        {other === undefined ? null : (
          <li class="others">
            <span class="muted">{toNumber(other.groups)} others</span>
            <span class="number muted">{toLabel(other.value)}</span>
            {hasChanges ? <span class="change" /> : null}
          </li>
        )}
        {entries.length === 0 ? <li class="others muted">nothing</li> : null}
      </ul>
    </section>
  )
})

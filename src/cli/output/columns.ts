import stringWidth from 'string-width'
import type { Cell, Column } from './blocks.ts'

const GAP_WIDTH = 2
const MIN_COLUMN = 12
/** Words up to this width keep a wrapped column wide enough not to break them. */
const MAX_WORD = 24

const longest = (texts: readonly string[]): number => texts.reduce((most, text) => Math.max(most, stringWidth(text)), 0)

/**
 * The width of each column, so that all fit side by side; undefined for a column that is left out. Undefined if they
 * do not fit at all.
 */
export function fitColumns(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  width: number,
): (number | undefined)[] | undefined {
  const wanted = columns.map(({ title }, at) =>
    Math.max(stringWidth(title), longest(rows.map((row) => row[at]?.text ?? ''))),
  )
  const narrowest = columns.map((column, at) => {
    const words = column.isCut ? 0 : longest(rows.flatMap((row) => (row[at]?.text ?? '').split(' ')))
    const least = Math.max(column.min ?? MIN_COLUMN, Math.min(words, MAX_WORD), stringWidth(column.title))
    return Math.min(least, wanted[at] ?? 0)
  })
  const yielding = columns
    .map(({ shrink = 0, isOptional }, at) => ({ at, shrink, isOptional }))
    .filter(({ shrink }) => shrink > 0)
    .sort((a, b) => b.shrink - a.shrink)
  const left = new Set<number>()
  for (;;) {
    const widths = wanted.map((each, at) => (left.has(at) ? undefined : each))
    let excess =
      widths.reduce<number>((sum, each) => sum + (each === undefined ? 0 : each + GAP_WIDTH), -GAP_WIDTH) - width
    let dropped: number | undefined
    for (const { at, isOptional } of yielding) {
      if (excess <= 0) break
      const own = widths[at]
      if (own === undefined) continue
      const room = own - (narrowest[at] ?? 0)
      if (isOptional && room < excess) {
        dropped = at
        break
      }
      const less = Math.min(room, excess)
      widths[at] = own - less
      excess -= less
    }
    if (dropped === undefined) return excess <= 0 ? widths : undefined
    left.add(dropped)
  }
}

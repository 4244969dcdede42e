import type { Column, TableCell } from './blocks.ts'
import { widthOf } from './width.ts'

const GAP_WIDTH = 2
const MIN_COLUMN = 12
/** Words up to this width keep a wrapped column wide enough not to break them. */
const MAX_WORD = 24

const longest = (texts: readonly string[]): number => texts.reduce((most, text) => Math.max(most, widthOf(text)), 0)

/** The width that holds the words of nine in ten cells. */
function usualWord(texts: readonly string[]): number {
  const widths = texts.map((text) => longest(text.split(' '))).sort((a, b) => a - b)
  return widths[Math.ceil(widths.length * 0.9) - 1] ?? 0
}

/**
 * The width of each column, so that all fit side by side; undefined for a column that is left out. Undefined if even
 * the narrowest do not fit.
 */
export function fitColumns(
  columns: readonly Column[],
  rows: readonly (readonly TableCell[])[],
  width: number,
): (number | undefined)[] | undefined {
  const cells = columns.map((_, at) => rows.map((row) => row[at]?.text ?? ''))
  const natural = columns.map(({ title }, at) => Math.max(widthOf(title), longest(cells[at] ?? [])))
  if (natural.reduce((sum, each) => sum + each + GAP_WIDTH, -GAP_WIDTH) <= width) return natural
  // Titles may be wrapped.
  const titles = columns.map(({ title }) => longest(title.split(' ')))
  const wanted = titles.map((title, at) => Math.max(title, longest(cells[at] ?? [])))
  const narrowest = columns.map((column, at) => {
    const words = column.isCut ? 0 : usualWord(cells[at] ?? [])
    const least = Math.max(column.min ?? MIN_COLUMN, Math.min(words, MAX_WORD), titles[at] ?? 0)
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

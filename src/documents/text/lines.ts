export interface LineColumn {
  line: number
  column: number
}

/** Offsets at which the lines of a text start, ascending from 0; `\n`, `\r\n` and a lone `\r` end a line. */
export function toLineStarts(source: string): number[] {
  const starts = [0]
  for (const { index, 0: end } of source.matchAll(/\r\n|\n|\r/g)) starts.push(index + end.length)
  return starts
}

/** The 1-based place of an offset among line starts. */
export function toLineColumn(lineStarts: readonly number[], offset: number): LineColumn {
  let low = 0
  let high = lineStarts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((lineStarts[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return { line: low + 1, column: offset - (lineStarts[low] ?? 0) + 1 }
}

let last: { source: string; starts: number[] } | undefined

/** The 1-based line and column of an offset, in UTF-16 units. Lookups in the same text one after another are cheap. */
export function lineColumnOf(source: string, offset: number): LineColumn {
  if (last?.source !== source) last = { source, starts: toLineStarts(source) }
  return toLineColumn(last.starts, Math.max(0, Math.min(offset, source.length)))
}

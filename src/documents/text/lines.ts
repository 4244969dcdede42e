export interface LineColumn {
  line: number
  column: number
}

/** Offsets at which the lines of a text start, from 0 in ascending order; LF, CRLF and a lone CR end a line. */
export function toLineStarts(source: string): number[] {
  const starts = [0]
  for (const { index, 0: end } of source.matchAll(/\r\n|\n|\r/g)) starts.push(index + end.length)
  return starts
}

/** The 1-based line and column of an offset, by binary search in the line starts. */
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

/** The 1-based line and column of an offset, in UTF-16 code units. The line starts of the last text are cached. */
export function lineColumnOf(source: string, offset: number): LineColumn {
  if (last?.source !== source) last = { source, starts: toLineStarts(source) }
  return toLineColumn(last.starts, Math.max(0, Math.min(offset, source.length)))
}

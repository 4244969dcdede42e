import wrapAnsi from 'wrap-ansi'
import { widthOf } from './width.ts'

/** Pieces that are not divided: the escapes of quoted names, and characters with their marks. */
const pieces = /\\u[\da-f]{4}|\\.|[^\p{M}](?:\p{M}|\u200d.)*|./gsu

/** Cuts a text to a width, after a word where one ends in its second half; a quoted name keeps its quotes. */
export function cutText(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  const isQuoted = text.startsWith("'")
  const end = isQuoted ? "'…" : '…'
  const room = width - end.length
  let kept = ''
  let keptWidth = 0
  let atWord = ''
  for (const piece of (isQuoted ? text.replace(/'…?$/, '') : text).match(pieces) ?? []) {
    if (piece === ' ' && keptWidth * 2 >= room) atWord = kept
    const pieceWidth = widthOf(piece)
    if (keptWidth + pieceWidth > room) break
    kept += piece
    keptWidth += pieceWidth
  }
  if (room < 1) return '…'.slice(0, width)
  return `${(atWord || kept).replace(/[\s\u200c\u200d]+$/u, '')}${end}`
}

/**
 * Wraps a text between words; further lines are indented, which distinguishes them from the next row, unless that would
 * break a word.
 */
export function wrapText(long: string, width: number, indent = '  '): string[] {
  if (widthOf(long) <= width) return [long]
  // The library composes characters, which changes the length.
  const text = long.normalize()
  const wrap = (part: string, room: number) => wrapAnsi(part, room, { hard: true }).split('\n')
  const [first = ''] = wrap(text, width)
  const rest = text.trimStart().slice(first.length).trimStart()
  if (rest === '') return [first]
  const longestWord = rest.split(' ').reduce((most, word) => Math.max(most, widthOf(word)), 0)
  const breaks = longestWord > width - indent.length && longestWord <= width
  const further = indent.length * 2 < width && !breaks ? indent : ''
  return [first, ...wrap(rest, width - further.length).map((line) => further + line)]
}

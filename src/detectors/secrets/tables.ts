import { readTable, type TextCell, type TextTable } from '../text-tables.ts'
import { chosenBelow, toChosen } from './chosen.ts'
import type { Found, SearchProgress } from './found.ts'
import { confidenceBelow } from './headings.ts'
import { findVendorShape, gradeOf } from './keyed.ts'
import { type KeyKind, kindOfKey, kindOfLabel } from './keys.ts'

const MAX_HEAD = 2_000

/** A head with a ruler below it, or of wiki markup. */
const headed = /^(?:[^\n]{0,2000}\n[ \t|+:=-]{3,2000}(?:\n|$)|[ \t]{0,8}\|\|[^\n]{0,2000}\n[ \t]{0,8}\|(?!\|))/

/** A line with names separated by bars, tabs or spaces, or a short one separated by commas. */
const mayBeHead = (line: string) =>
  line.includes('|') || line.includes('\t') || line.includes('  ') || (/[,;]/.test(line) && !/[.:=(]/.test(line))

/** Values in the table columns whose heading names a secret; searched where a label occurs. */
export function* findColumns(text: string, at: number, progress: SearchProgress): Generator<Found> {
  const reach = Math.max(0, at - MAX_HEAD)
  const lineStart = reach + text.slice(reach, at).lastIndexOf('\n') + 1
  const lineEnd = text.indexOf('\n', at)
  progress.readFrom = lineEnd < 0 ? text.length : lineEnd
  if (lineEnd < 0 || !mayBeHead(text.slice(lineStart, lineEnd))) return
  const table = readTable(text, lineStart)
  if (table === undefined) return
  progress.readFrom = table.end
  const kinds = kindsOf(table)
  if (kinds.size === 0) return
  const isHeaded =
    headed.test(text.slice(table.start, table.start + MAX_HEAD)) ||
    table.headings.some((name) => kindOfLabel(name) === 'login')
  for (const cell of table.cells) {
    const found = cell.column === undefined ? undefined : readCell(cell, cell.column, kinds.get(cell.column), isHeaded)
    if (found !== undefined) yield found
  }
}

function kindsOf({ headings }: TextTable): Map<string, Exclude<KeyKind, undefined>> {
  const kinds = new Map<string, Exclude<KeyKind, undefined>>()
  for (const heading of headings) {
    const kind = kindOfKey(heading)
    if (kind !== undefined) kinds.set(heading, kind)
  }
  return kinds
}

function readCell({ text, start, end }: TextCell, label: string, kind: KeyKind, isHeaded: boolean): Found | undefined {
  if (kind === undefined || /\s/.test(text)) return undefined
  const shape = findVendorShape(label, text)
  const confidence = shape === undefined ? confidenceBelow(text, kind) : 0.92
  const chosen = confidence === 0 && isHeaded ? chosenBelow(text, label, kind) : 0
  if (chosen > 0) return toChosen('PASSWORD', start, text, 'column', chosen)
  if (confidence === 0) return undefined
  const type = shape?.type ?? (kind === 'password' ? 'PASSWORD' : 'KEYED_SECRET')
  return { type, start, end, severity: gradeOf(confidence), confidence, value: text }
}

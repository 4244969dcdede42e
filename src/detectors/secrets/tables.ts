import { readTable, type TextTable } from '../text-tables.ts'
import type { Found, SearchProgress } from './found.ts'
import { type KeyKind, kindOfKey, kindOfLabel } from './keys.ts'
import { judgeLabelled } from './labels.ts'

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
  for (const { text: value, start, column: label = '' } of table.cells) {
    const kind = kinds.get(label)
    if (kind === undefined || /\s/.test(value)) continue
    const found = judgeLabelled(value, start, { label, kind, configured: false, mayBeChosen: isHeaded })
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

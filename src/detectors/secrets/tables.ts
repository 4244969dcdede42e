import type { Found, SearchProgress } from './found.ts'
import { isMixed, passwordConfidence, tokenConfidence } from './guards.ts'
import { kindOfKey } from './keys.ts'

const pair =
  /^(?:login|user(?:name)?|zugang(?:sdaten)?|benutzer(?:name)?|credentials|account)s?(?:[ \t](?:with|as|is|are|mit|ist|avec|con))?[ \t]{0,2}[:=]?[ \t]{1,3}([\w.@\\-]{2,40})[ \t]?\/[ \t]?([^\s|]{6,64})/i

/** `login: bob / secret`, as people note it down. */
export function* findPair(text: string, at: number): Generator<Found> {
  const found = pair.exec(text.slice(at, at + 160))
  if (found === null) return
  const value = (found[2] ?? '').replace(/[,;)]$/, '')
  const confidence = passwordConfidence(value, false, true)
  if (confidence === 0 || !isMixed(value)) return
  const start = at + found[0].length - (found[2] ?? '').length
  yield { type: 'PASSWORD', start, end: start + value.length, severity: 'MEDIUM', confidence, value }
}

const MAX_ROWS = 100
const MAX_HEAD_LENGTH = 400
const MAX_ROW_LENGTH = 2_000
const ruler = /^[ \t]{0,3}\|?(?:[ \t]{0,3}:?-{2,40}:?[ \t]{0,3}\|){1,40}[ \t]{0,3}(?::?-{2,40}:?)?[ \t]{0,3}$/

/** The values of a Markdown table's column whose heading names a secret. */
export function* findColumn(text: string, at: number, progress: SearchProgress): Generator<Found> {
  const lineStart =
    Math.max(0, at - MAX_HEAD_LENGTH) + text.slice(Math.max(0, at - MAX_HEAD_LENGTH), at).lastIndexOf('\n') + 1
  const rest = text.slice(at, at + MAX_HEAD_LENGTH).indexOf('\n')
  const headEnd = at + rest
  if (rest < 0 || !text.slice(lineStart, at).trimStart().startsWith('|')) return
  const rulerEnd = endOfLine(text, headEnd + 1)
  if (!ruler.test(text.slice(headEnd + 1, Math.min(rulerEnd, headEnd + 400)))) return
  const kinds = cellsOf(text, lineStart, headEnd).map(({ value }) => kindOfKey(value))
  let start = rulerEnd + 1
  for (let row = 0; row < MAX_ROWS && text.charAt(start) === '|'; row++) {
    const end = endOfLine(text, start)
    for (const [column, cell] of cellsOf(text, start, end).entries()) {
      const kind = kinds[column]
      const value = cell.value.replace(/^[`*]{1,2}|[`*]{1,2}$/g, '')
      const confidence =
        kind === 'password'
          ? passwordConfidence(value, false, false)
          : kind === 'token'
            ? tokenConfidence(value, false)
            : 0
      if (confidence === 0) continue
      const from = text.indexOf(value, cell.start)
      const type = kind === 'password' ? 'PASSWORD' : 'KEYED_SECRET'
      yield { type, start: from, end: from + value.length, severity: 'HIGH', confidence, value }
    }
    start = end + 1
    progress.readFrom = start
  }
}

function endOfLine(text: string, from: number): number {
  const end = text.slice(from, from + MAX_ROW_LENGTH).indexOf('\n')
  return end < 0 ? Math.min(text.length, from + MAX_ROW_LENGTH) : from + end
}

function cellsOf(text: string, start: number, end: number): { value: string; start: number }[] {
  const cells: { value: string; start: number }[] = []
  let from = start + 1
  for (const cell of text.slice(from, end).split('|')) {
    cells.push({ value: cell.trim(), start: from })
    from += cell.length + 1
  }
  return cells
}

import type { AssayDocument } from '../document.ts'
import type { ParseOptions } from '../markup/html.ts'
import { createSheet, type DocumentCell } from './cells.ts'
import { createFlow } from './flow.ts'

/** The rest of a longer record becomes part of its last field. */
const MAX_FIELDS = 10_000
const restOfLine = /[^\r\n]*/y

const delimiters = [',', ';', '\t', '|']

function findDelimiter(source: string): string {
  const line = (source.slice(0, 8192).split(/\r\n|\n|\r/, 1)[0] ?? '').replace(/"(?:[^"]|"")*"/g, '')
  const counts = delimiters.map((delimiter) => ({ delimiter, count: line.split(delimiter).length - 1 }))
  return counts.sort((a, b) => b.count - a.count)[0]?.delimiter ?? ','
}

interface Field {
  raw: string
  at: number
  quoted: boolean
}

/** The offset of the quote that closes a field; doubled quotes are skipped. */
function findQuote(source: string, from: number): number {
  for (let at = source.indexOf('"', from); at >= 0; at = source.indexOf('"', at + 2)) {
    if (source[at + 1] !== '"') return at
  }
  return source.length
}

/** The records of a CSV text (RFC 4180); an unclosed quote extends to the end of the text. */
function* readRecords(source: string, delimiter: string): Generator<Field[]> {
  const plain = new RegExp(`[^${delimiter === '|' ? '\\|' : delimiter}\\r\\n]*`, 'y')
  let record: Field[] = []
  let at = 0
  while (at <= source.length) {
    const isQuoted = source[at] === '"'
    if (isQuoted) {
      const end = findQuote(source, at + 1)
      record.push({ raw: source.slice(at + 1, end), at: at + 1, quoted: true })
      at = end + 1
    }
    const stretch = record.length < MAX_FIELDS ? plain : restOfLine
    stretch.lastIndex = at
    const rest = stretch.exec(source)?.[0] ?? ''
    if (!isQuoted) record.push({ raw: rest, at, quoted: false })
    at += rest.length
    if (source[at] === delimiter) {
      at++
      continue
    }
    yield record
    record = []
    if (at >= source.length) return
    at += source.startsWith('\r\n', at) ? 2 : 1
    if (at >= source.length) return
  }
}

const toCell = ({ raw, at, quoted }: Field, column: number): DocumentCell => ({
  text: quoted ? raw.replaceAll('""', '"') : raw,
  column,
  at,
  write(flow) {
    let done = 0
    for (let next = quoted ? raw.indexOf('""') : -1; next >= 0; next = raw.indexOf('""', done)) {
      flow.plain(raw.slice(done, next), at + done)
      flow.made('"', at + next, 2)
      done = next + 2
    }
    flow.plain(raw.slice(done), at + done)
  },
})

/**
 * Parses CSV; the first row provides column labels if it looks like a header. Paths are cell references, such as `B4`.
 */
export function parseCsv(source: string, options: ParseOptions = {}): AssayDocument {
  const flow = createFlow({ ...options, source })
  const writeRow = createSheet(flow)
  let row = 0
  for (const record of readRecords(source, findDelimiter(source))) {
    row++
    writeRow(row, record.map(toCell))
  }
  return flow.finish('text/csv')
}

import { LineReader } from './shown-text.ts'

type Row = readonly (string | number | null | undefined)[]

/** What a text says of groups, one row each: the names as they stand, then the value. */
export interface ReadText {
  rows: Row[]
  /** What begins each of the other lines. */
  labels: string[]
}

const word = /[\w.:+/-]+/
const labels =
  /\d+ empty buckets are left out|examples: \d+ of \d+ findings|as of |trust: |range: |filters: |stale sources: |warning \(\w+\): |diagnosis: |compared with /

function takeLabel(line: string): string {
  const reader = new LineReader(line)
  const label = reader.match(labels)
  if (label === 'filters: ') {
    do {
      reader.match(word)
      reader.take(' = ')
      do reader.name()
      while (reader.skip(' | '))
      reader.match(/ \((?:term )?[\w-]+(?:, [\w-]+)?\)/)
    } while (reader.skip('; '))
    reader.end()
  }
  if (label === 'stale sources: ') {
    do reader.name()
    while (reader.skip(', '))
    reader.end()
  }
  return label
}

/** The text of a metric's answer with a breakdown. @throws Error for a line that is none of ours. */
export function readMetricText([first = '', ...lines]: readonly string[]): ReadText {
  const head = new LineReader(first)
  head.name()
  head.match(/ \([\w-]+\): [^[]*\[[^\]]*\](?: \(\w+\))?/)
  head.end()
  const read: ReadText = { rows: [], labels: [] }
  let by: string[] | undefined
  for (const line of lines) {
    if (by === undefined && line.startsWith('by ')) {
      by = (/^by ([\w, ]+) \(\d+ groups\):$/.exec(line)?.[1] ?? '').split(', ')
      if (by[0] === '') throw new Error(`no head of a breakdown: ${line}`)
    } else if (line.startsWith('- ')) {
      const reader = new LineReader(line).take('- ')
      if (reader.skip('other (')) {
        reader.match(/\d+ groups\): \d+/)
      } else {
        const names = by?.map((_, index) => (index === 0 ? reader : reader.take(' / ')).name()) ?? []
        read.rows.push([...names, reader.take(': ').number()])
      }
      reader.end()
    } else read.labels.push(takeLabel(line))
  }
  return read
}

/** The text of a series: a row each bucket, and the names of the columns. */
export function readSeriesText([first = '', ...lines]: readonly string[]): ReadText & { columns: string[] } {
  const head = new LineReader(first)
  head.name()
  head.match(/ \([\w-]+\) by \w+/)
  const columns: string[] = []
  if (head.skip(', all and ')) {
    head.match(/\w+ \(\d+ of \d+\): /)
    do columns.push(head.name())
    while (head.skip(', '))
  }
  head.end()
  const read: ReadText = { rows: [], labels: [] }
  for (const line of lines) {
    if (!line.startsWith('- ')) read.labels.push(takeLabel(line))
    else {
      const reader = new LineReader(line).take('- ')
      const row: (string | number | null)[] = [reader.match(/[\d:.TZ-]+?(?=: )/)]
      reader.take(': ')
      do row.push(reader.number())
      while (reader.skip(', '))
      if (!reader.skip(' (incomplete)')) reader.end()
      read.rows.push(row)
    }
  }
  return { ...read, columns }
}

/** The text of a term looked into: its breakdowns by dimension, and its examples. */
export function readExploreText([first = '', ...lines]: readonly string[]): ReadText & { examples: string[][] } {
  const head = new LineReader(first)
  head.name()
  head.match(/ \([\w-]+\): \d+ findings in \d+ assets, \d+ open/)
  head.end()
  const read: ReadText & { examples: string[][] } = { rows: [], labels: [], examples: [] }
  for (const line of lines) {
    const reader = new LineReader(line)
    if (reader.skip('metric ')) reader.match(/[\w-]+: /)
    else if (/^\w+ metrics: /.test(line)) reader.match(/\w+ metrics: [\w-]+ /)
    else if (reader.skip('new by ')) reader.match(/\w+: [\d:T, null-]*/)
    else if (reader.skip('by ')) {
      const dimension = reader.match(/\w+/)
      reader.take(': ')
      do {
        if (reader.skip('(')) reader.match(/\d+ others\): \d+/)
        else read.rows.push([dimension, reader.name(), reader.take(': ').number()])
      } while (reader.skip(', '))
      reader.end()
    } else if (reader.skip('example ')) {
      const id = reader.match(/\d+/)
      reader.match(/: \w+ \w+ /)
      const type = reader.name()
      reader.match(/ \([\d.]+\) in /)
      const page = reader.name()
      if (reader.skip(' <')) reader.match(/[^\s>]+>/)
      const excerpt = reader.take(': ').name()
      reader.end()
      read.examples.push([id, type, page, excerpt])
    } else read.labels.push(takeLabel(line))
  }
  return read
}

/** The text of an error: what is suggested, in order. */
export function readErrorText([first = '', ...lines]: readonly string[]): string[] {
  new LineReader(first).match(/\w+(?: \(\w+\))?(?: at [\w.[\]]+)?: /)
  const suggestions: string[] = []
  for (const line of lines) {
    if (line === 'issues:') continue
    if (line.startsWith('- ')) new LineReader(line).match(/- [\w.[\]]+: /)
    else if (line.startsWith('did you mean (')) {
      const reader = new LineReader(line).take('did you mean (')
      reader.name()
      reader.take('): ')
      do {
        if (reader.skip('(')) {
          reader.match(/\d+ more\)/)
          break
        }
        suggestions.push(reader.name())
        if (reader.skip(' (')) reader.name()
        reader.skip(')')
      } while (reader.skip(', '))
      reader.end()
    } else if (/^(?:fix|facts): /.test(line)) JSON.parse(line.slice(line.indexOf(' ')))
    else if (!/^try again in \d+ seconds$/.test(line)) throw new Error(`no line of an error: ${line}`)
  }
  return suggestions
}

/** A table on a terminal: its rows as cells, whatever their width. */
export function readTable([head = '', rule = '', ...rows]: readonly string[]): string[][] {
  if (!/^─+(?: {2}─+)*$/.test(rule)) throw new Error(`no rule under ${head}`)
  return rows.map((row) => {
    const reader = new LineReader(row.trimStart())
    const cells = ['']
    while (!reader.isDone) {
      const cell = cells.pop() ?? ''
      if (reader.begins('  ')) {
        reader.match(/ +/)
        cells.push(cell, '')
      } else {
        const opens = reader.begins("'") && !/[\p{L}…]$/u.test(cell)
        cells.push(cell + (opens ? reader.name() : reader.match(/./su)))
      }
    }
    return cells
  })
}

import { pipeline, Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { csvHeader } from '../../findings/export/csv.ts'
import { FINGERPRINT_NAME } from '../../findings/export/model.ts'
import { type AppError, invalidInput } from '../../kernel/errors.ts'
import { joinShown, quote } from '../../kernel/shown.ts'
import { showKey } from '../../operation/shown-key.ts'
import { decodeTexts } from './decode.ts'
import { importMembers } from './import-line.ts'
import type { ReadLine, ReadRun } from './runs.ts'

const MAX_COLUMNS = 200
/** Maximum number of unknown columns that an error names. */
const MAX_NAMED = 20
const MAX_RECORD_LENGTH = 1024 * 1024
const separators = [',', ';', '\t'] as const

/** Names of columns as members of a line: `asset.key`, and `assetKey` as exports have it. */
const members = new Map(
  importMembers.flatMap((path) => {
    const camel = path.replace(/\.(.)/, (_, first: string) => first.toUpperCase())
    return [path, camel].map((name) => [name.toLowerCase(), path] as const)
  }),
)

/** Columns of an export of this program that are called otherwise, or are no members of a line. */
const exportedColumns: Readonly<Record<string, string>> = {
  ...{ container: 'asset.container', owner: 'asset.owner', labels: 'asset.labels' },
  ...{ audience: 'asset.audience', audienceSize: 'asset.audienceSize' },
  ...{ id: '', source: '', dueAt: '', location: '', value: '' },
}

/** Reads a CSV file with a header; its lines have the numbers that they have in an editor. */
export async function* readCsv(
  stream: AsyncIterable<Uint8Array | string>,
  map: Readonly<Record<string, string>> = {},
): AsyncGenerator<ReadRun> {
  const { separator, texts } = await findSeparator(decodeTexts(stream))
  const parser = parse({
    ...{ delimiter: separator, info: true, skip_empty_lines: true, relax_column_count: true },
    max_record_size: MAX_RECORD_LENGTH,
  })
  // The error also reaches who reads the parser.
  pipeline(Readable.from(texts), parser, () => {})
  let columns: (string | undefined)[] | undefined
  let isExport = false
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      if (columns === undefined) {
        isExport = record.join(',') === csvHeader.trim()
        columns = toColumns(record, isExport ? { ...exportedColumns, ...map } : map)
      } else {
        const read = toLine(isExport ? record.map(withoutMark) : record, columns, info.lines)
        yield { lines: [isExport ? withExportedFingerprint(read) : read] }
      }
    }
  } catch (error) {
    throw error instanceof CsvError ? explain(error) : error
  }
}

/** Without the apostrophe that an export puts before what a spreadsheet would run. */
const withoutMark = (cell: string) => cell.replace(/^'(?=[=+\-@\t\r\n])/, '')

const withExportedFingerprint = ({ line, value }: ReadLine): ReadLine =>
  value.fingerprint === undefined
    ? { line, value }
    : { line, value: { ...value, fingerprint: `${FINGERPRINT_NAME}:${value.fingerprint}` } }

const badRecord = (line: number, what: string) =>
  invalidInput(`Nothing was imported: line ${line} of the CSV file ${what}`, { reason: 'bad_line', facts: { line } })

function explain(error: CsvError): AppError {
  const line = Number((error as { lines?: unknown }).lines ?? 1)
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') return badRecord(line, 'has a quote that is never closed.')
  if (error.code === 'CSV_MAX_RECORD_SIZE')
    return badRecord(line, `is longer than ${MAX_RECORD_LENGTH} characters; look for a quote that is not closed.`)
  return badRecord(line, 'has a quote within a value; double it, and quote the whole value.')
}

/** The separator that the first line has most of, and the whole text. */
async function findSeparator(texts: AsyncGenerator<string>) {
  let head = ''
  while (!head.includes('\n') && head.length < MAX_RECORD_LENGTH) {
    const { done, value } = await texts.next()
    if (done === true) break
    head += value
  }
  async function* all() {
    yield head
    yield* texts
  }
  const [line = ''] = head.split('\n')
  const counts = separators.map((each) => line.split(each).length)
  return { separator: separators[counts.indexOf(Math.max(...counts))] ?? ',', texts: all() }
}

/** The members of a line that the columns are, in their order; undefined: not used. */
function toColumns(header: readonly string[], map: Readonly<Record<string, string>>): (string | undefined)[] {
  if (header.length > MAX_COLUMNS)
    throw badRecord(1, `has ${header.length} columns; at most ${MAX_COLUMNS} are allowed.`)
  const names = header.map((name) => name.trim())
  const missing = Object.keys(map).find((name) => !names.includes(name))
  if (missing !== undefined) throw badRecord(1, `has no column ${quote(showKey(missing))}; correct --map.`)
  const columns = names.map((name) => members.get((map[name] ?? name).toLowerCase()))
  const unknown = names.filter((name, index) => columns[index] === undefined && map[name] !== '')
  const [first] = unknown
  if (first !== undefined) {
    const [has, which] = unknown.length === 1 ? ['a column', 'which is'] : ['columns', 'none of which is']
    const named = unknown.slice(0, MAX_NAMED).map((name) => quote(showKey(name)))
    throw badRecord(
      1,
      `has ${has} ${joinShown(named)}, ${which}${unknown.length === 1 ? ' not' : ''} a member of a finding; give --map ${quote(`${showKey(first)}=member`)}, or leave it out with --map ${quote(`${showKey(first)}=`)}.`,
    )
  }
  const twice = columns.find((member, index) => member !== undefined && columns.indexOf(member) !== index)
  if (twice !== undefined) throw badRecord(1, `has two columns for ${twice}; leave one out with --map.`)
  return columns
}

function toLine(record: readonly string[], columns: readonly (string | undefined)[], line: number): ReadLine {
  if (record.length !== columns.length)
    throw badRecord(line, `has ${record.length} values; the header has ${columns.length} columns.`)
  const asset: Record<string, unknown> = {}
  const value: Record<string, unknown> = { asset }
  for (const [index, member] of columns.entries()) {
    const cell = record[index]?.trim() ?? ''
    if (member === undefined || cell === '') continue
    const [name, inAsset] = member.split('.')
    if (inAsset === undefined) value[member] = toValue(member, cell)
    else if (name === 'asset') asset[inAsset] = toValue(inAsset, cell)
  }
  return { line, value }
}

function toValue(member: string, cell: string): unknown {
  if (member === 'labels') return cell.split(';').map((label) => label.trim())
  if (member === 'confidence' || member === 'audienceSize') return Number(cell.replace(',', '.'))
  if (member === 'severity' || member === 'status') return cell.toUpperCase().replaceAll(' ', '_')
  return member.endsWith('At') ? toInstant(cell) : cell
}

/** A day, or a time without a zone, is one of UTC. */
function toInstant(cell: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(cell)) return `${cell}T00:00:00Z`
  const [, day, time] = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)$/.exec(cell) ?? []
  return time === undefined ? cell : `${day}T${time.length === 5 ? `${time}:00` : time}Z`
}

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { eachLine, explainRefused, type RefusedLine, readPieces } from '../../src/imports/read/ndjson.ts'
import { type Conversion, createConverter } from '../../src/imports/stage/convert.ts'
import { convertPieces } from '../../src/imports/stage/import-threads.ts'
import { AppError } from '../../src/kernel/errors.ts'
import { isLong } from '../support/long.ts'

const key = new Uint8Array(32).fill(7)

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const value of values) list.push(value)
  return list
}

const good = (number: number, more: Record<string, unknown> = {}) => ({
  asset: { key: `repo:${number % 700}`, name: `Größe ${number % 700}`, url: `https://code.example/${number % 700}` },
  detectorType: 'YARA',
  findingType: `T${number % 9}`,
  severity: 'HIGH',
  firstDetectedAt: new Date(Date.UTC(2025, 0, 1) + number * 1000).toISOString(),
  fingerprint: `${number}-${'x'.repeat(200)}`,
  ...more,
})
const toText = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).join('\n')

const odd = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\r',
    '{',
    '[]',
    'null',
    '{}',
    '\u{1f600}',
    '{"asset":{"key":"k"}}',
    JSON.stringify(good(1)),
  ),
  fc.string({ maxLength: 20 }).map((text) => text.replaceAll('\n', '')),
)
const line = fc.oneof(
  { weight: 9, arbitrary: odd.map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.constantFrom([0xff], [0xc3], [0xed, 0xa0, 0x80]).map((bytes) => Buffer.from(bytes)) },
)

it('reports the first invalid line, regardless of its content', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
      const file = Buffer.concat(lines.flatMap((bytes, at) => (at === 0 ? [bytes] : [Buffer.from('\n'), bytes])))
      const isFinding = (value: unknown) => typeof value === 'object' && value !== null && 'severity' in value
      const read = eachLine(file, isFinding)
      const isBad = (bytes: Buffer) => {
        const text = bytes.toString()
        if (text.includes('\ufffd')) return true
        if (text.trim() === '') return false
        try {
          return !isFinding(JSON.parse(text))
        } catch {
          return true
        }
      }
      const encoded = lines.findIndex((bytes) => bytes.toString().includes('\ufffd'))
      const first = encoded < 0 ? lines.findIndex(isBad) : encoded
      expect('lines' in read).toBe(first < 0)
      if ('lines' in read) return
      expect(read).toMatchObject({ line: first + 1 })
      let told: unknown
      try {
        told = explainRefused(read, 41 + read.line)
      } catch (error) {
        told = error
      }
      expect(told).toBeInstanceOf(AppError)
      expect(told).toMatchObject({ code: 'invalid_input', message: expect.stringContaining(`line ${42 + first} `) })
    }),
    { numRuns: isLong ? 500 : 150 },
  )
})

it('reads whole lines from chunks of any size', async () => {
  const bytes = Buffer.from(toText(Array.from({ length: 6_000 }, (_, number) => good(number))))
  for (const size of [1_000_003, 64 * 1024, bytes.length]) {
    const pieces = await all(readPieces(chunksOf(bytes, size)))
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true)
    for (const piece of pieces.slice(0, -1)) expect(piece.at(-1)).toBe(10)
  }
})

/** What came before the first line that was refused, and that line's number in the file. */
type Converted = Exclude<Conversion, { refused: RefusedLine }>

function stopOf(conversions: readonly Conversion[]): { before: Converted[]; line: number; refused: RefusedLine } {
  const before: Converted[] = []
  for (const conversion of conversions) {
    if ('refused' in conversion) {
      const { refused } = conversion
      return { before, line: before.reduce((sum, { lines }) => sum + lines, refused.line), refused }
    }
    before.push(conversion)
  }
  throw new Error('no line was refused')
}

it('refuses a line that is too long, with its number', async () => {
  const text = `${JSON.stringify(good(1))}\n\n"${'é'.repeat(1_700_000)}`
  const { refused, line } = stopOf(await all(convertPieces(readPieces(chunksOf(Buffer.from(text), 100_000)), key)))
  expect(explainRefused(refused, line)).toMatchObject({
    facts: { facts: { line: 3 } },
    message: expect.stringContaining('is longer than 1048576 characters'),
  })
})

it('several threads convert a large file as one does, in order, and stop at the same line', async () => {
  const long = 'x'.repeat(1_500)
  const values: unknown[] = Array.from({ length: 4_000 }, (_, number) =>
    good(number, { fingerprint: `${number}-${long}` }),
  )
  const bad = values.with(3_500, good(3_500, { severity: 'SEVERE' }))
  const read = () => readPieces(chunksOf(Buffer.from(toText(bad)), 300_000))
  const convert = createConverter(key)
  const expected = stopOf((await all(read())).map((piece) => convert(piece)))
  const threaded = stopOf(await all(convertPieces(read(), key, { threadCount: 2 })))
  expect(expected.before.length).toBeGreaterThan(1)
  expect(threaded).toEqual(expected)
  expect(threaded.line).toBe(3_501)
}, 60_000)

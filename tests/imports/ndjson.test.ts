import fc from 'fast-check'
import { expect, it } from 'vitest'
import { eachLine, explainRefused, type RefusedLine, readPieces } from '../../src/imports/read/ndjson.ts'
import { ByteTable } from '../../src/imports/stage/byte-table.ts'
import { type Conversion, type ConvertedPiece, createConverter } from '../../src/imports/stage/import-convert.ts'
import { convertPieces } from '../../src/imports/stage/import-threads.ts'
import { AppError } from '../../src/kernel/errors.ts'
import { isLong } from '../support/long.ts'
import { rowsOf } from './sorted.ts'

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
function stopOf(conversions: readonly Conversion[]): { before: ConvertedPiece[]; line: number; refused: RefusedLine } {
  const before: ConvertedPiece[] = []
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
  /** The findings as they are stored, part by part. */
  const storedOf = (pieces: readonly ConvertedPiece[]) => {
    const blocks = pieces.flatMap((piece) => piece.blocks)
    const parts = [...new Set(blocks.map(({ part }) => part))].sort((a, b) => a - b)
    const rows = parts.map((part) => rowsOf(blocks.filter((block) => block.part === part).map(({ data }) => data)))
    return { rows: rows.flat(), sizes: rows.map(({ length }) => length) }
  }
  const convert = createConverter(key)
  const expected = stopOf((await all(read())).map((piece) => convert(piece, {})))
  const threaded = stopOf(await all(convertPieces(read(), key, { threadCount: 2 })))
  expect(expected.before.length).toBeGreaterThan(1)
  const stored = storedOf(threaded.before)
  expect(stored.rows).toEqual(storedOf(expected.before).rows)
  expect(stored.sizes).toHaveLength(16)
  expect(Math.max(...stored.sizes)).toBeLessThan(stored.rows.length / 4)
  expect(threaded).toMatchObject({ line: 3_501, refused: expected.refused })
}, 60_000)

it('blocks of several converters and groups have the findings that one block has, even if not all assets are remembered', () => {
  const piece = fc.record({ size: fc.nat(12), converter: fc.nat(2), newGroup: fc.boolean() })
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 9 }), fc.constantFrom(1, 4, 16), (pieces, capacity) => {
      const memory = { table: ByteTable.allocate(capacity, 1_000), groups: new SharedArrayBuffer(capacity * 4) }
      const converters = [0, 1, 2].map((converter) => createConverter(key, { memory, converter }))
      const packed: Uint8Array[] = []
      const lines: string[] = []
      let group = 0
      for (const { size, converter, newGroup } of pieces) {
        if (newGroup) group++
        const from = lines.length
        // Some assets recur with another name.
        const some = Array.from({ length: size }, (_, at) => {
          const number = (from + at) % 5
          return toText([good(from + at, { asset: { key: `k${number}`, name: `N${size % 2}` } })])
        })
        lines.push(...some)
        const converted = converters[converter]?.(Buffer.from(some.join('\n')), { groups: [group] })
        if (converted === undefined || 'refused' in converted) throw new Error('not converted')
        packed.push(...converted.blocks.map(({ data }) => data))
      }
      const whole = createConverter(key)(Buffer.from(lines.join('\n')), {})
      if ('refused' in whole) throw new Error('not converted')
      expect(rowsOf(packed)).toEqual(rowsOf(whole.blocks.map(({ data }) => data)))
    }),
    { numRuns: isLong ? 100 : 30 },
  )
})

it('a block whose group is incomplete is not read', () => {
  const convert = createConverter(key)
  const pieces = [1, 2].map((number) => convert(Buffer.from(toText([good(number * 700)])), {}))
  const [, last] = pieces.flatMap((piece) => ('blocks' in piece ? piece.blocks : []))
  expect(() => rowsOf([last?.data ?? new Uint8Array()])).toThrow('another block of the staged findings is missing')
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findImportLine, findPlainLine, ImportLine, parseImportLine } from '../../src/imports/read/import-line.ts'
import { readInstant } from '../../src/imports/read/instant.ts'
import { Staging } from '../../src/imports/stage/staging.ts'
import { isLong } from '../support/long.ts'
import { rowsOf } from './sorted.ts'

const instants = [
  '2026-01-31T08:00:00Z',
  '2026-01-31T08:00:00.125Z',
  '2024-02-29T00:00:00Z',
  '2023-02-29T00:00:00Z',
  '2026-04-31T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-01-31T24:00:00Z',
  '2026-01-31T23:60:00Z',
  '2026-01-31T08:00:00+02:00',
  '2026-01-31 08:00:00Z',
  '2026-01-31T08:00:00,125Z',
  '0999-01-31T08:00:00Z',
  '2026-1-31T08:00:00.00Z',
  '２026-01-31T08:00:00Z',
  '',
]
const instant = fc.oneof(
  fc
    .date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map((at) => at.toISOString()),
  fc.constantFrom(...instants),
)
const text = fc.oneof(
  fc.constantFrom(
    'a',
    'REPO',
    ' a',
    'a ',
    '',
    ' ',
    'x'.repeat(200),
    'x'.repeat(201),
    'é',
    '\u00a0a',
    'a\u2003',
    '\ufeff',
  ),
  fc.string({ maxLength: 12 }),
)
const odd = fc.constantFrom(null, 0, 1.5, -0.1, true, [], {}, 'OPEN', undefined)
const maybe = <T>(value: fc.Arbitrary<T>) => fc.oneof({ weight: 12, arbitrary: value as fc.Arbitrary<unknown> }, odd)
const asset = fc.record(
  {
    key: maybe(text),
    kind: maybe(text),
    name: maybe(text),
    url: maybe(text),
    container: maybe(text),
    contentUpdatedAt: maybe(instant),
    more: odd,
  },
  { requiredKeys: ['key'] },
)
const line = fc.record(
  {
    asset: maybe(asset),
    detectorType: maybe(fc.constantFrom('YARA', 'A_1', 'a', '1A', 'A\n', 'A'.repeat(64), 'A'.repeat(65))),
    findingType: maybe(text),
    severity: maybe(fc.constantFrom('HIGH', 'INFO', 'BAD')),
    firstDetectedAt: maybe(instant),
    category: maybe(text),
    confidence: maybe(fc.constantFrom(0, 1, 0.5, 1.01, -0)),
    status: maybe(fc.constantFrom('OPEN', 'RESOLVED', 'IGNORED')),
    lastDetectedAt: maybe(instant),
    resolvedAt: maybe(instant),
    customDetectorKey: maybe(text),
    excerpt: maybe(text),
    fingerprint: maybe(text),
    more: odd,
  },
  { requiredKeys: ['asset', 'detectorType', 'findingType', 'severity', 'firstDetectedAt'] },
)
const good = {
  asset: { key: 'k' },
  detectorType: 'YARA',
  findingType: 'X',
  severity: 'HIGH',
  firstDetectedAt: '2026-01-31T08:00:00Z',
}

/** A good line with up to three members changed or added. */
const nearlyGood = line.chain((more) =>
  fc.subarray(Object.entries(more), { maxLength: 3 }).map((some) => ({ ...good, ...Object.fromEntries(some) })),
)

describe('a line that the fast path accepts', () => {
  it('is also accepted by the schema, without a change', () => {
    let plain = 0
    fc.assert(
      fc.property(fc.oneof(line, nearlyGood), (value) => {
        const given: unknown = JSON.parse(JSON.stringify(value))
        const found = findPlainLine(given) as ImportLine | undefined
        if (found === undefined) return
        plain++
        expect(ImportLine.safeParse(given)).toEqual({ success: true, data: given })
        expect(found).toEqual(given)
        expect(Date.parse(found.lastDetectedAt ?? '9999-12-31')).toBeGreaterThanOrEqual(
          Date.parse(found.firstDetectedAt),
        )
        expect(found.status === 'RESOLVED').toBe(found.resolvedAt !== undefined)
      }),
      { numRuns: isLong ? 2500 : 800 },
    )
    expect(plain).toBeGreaterThan(30)
  })

  it('is accepted or refused in the same way with and without an error message', () => {
    const told = { good: 0, bad: 0 }
    fc.assert(
      fc.property(fc.oneof(line, nearlyGood), (value) => {
        const given: unknown = JSON.parse(JSON.stringify(value))
        const found = findImportLine(given)
        told[found === undefined ? 'bad' : 'good']++
        if (found === undefined) expect(() => parseImportLine(given, 7)).toThrow(/^Nothing was imported: line 7 /)
        else expect(parseImportLine(given, 7)).toEqual(found)
      }),
      { numRuns: isLong ? 2000 : 600 },
    )
    expect(Math.min(told.good, told.bad)).toBeGreaterThan(30)
  })

  it.each([
    ['all members', { ...good, status: 'RESOLVED', resolvedAt: '2026-02-01T08:00:00.000Z', confidence: 1 }, true],
    ['a key of its prototype', JSON.parse(JSON.stringify(good).replace('{', '{"__proto__":{},')), false],
    ['a resolution before it was found', { ...good, status: 'RESOLVED', resolvedAt: '2026-01-30T08:00:00Z' }, false],
    ['a resolved status without a time', { ...good, status: 'RESOLVED' }, false],
    ['an empty asset', { ...good, asset: {} }, false],
    ['a list', [good], false],
  ])('%s', (_name, value, isPlain) => {
    expect(findPlainLine(value) !== undefined).toBe(isPlain)
  })

  it('is checked by the schema where it needs trimming', () => {
    expect(parseImportLine({ ...good, findingType: ' X ' }, 1)).toEqual(good)
  })
})

describe('an instant', () => {
  it('is parsed as Date parses it, or left to Date', () => {
    fc.assert(
      fc.property(instant, (text) => {
        const at = readInstant(text)
        if (at !== undefined) expect(at).toBe(Date.parse(text))
      }),
    )
    expect(readInstant('2026-01-31T08:00:00.125Z')).toBe(Date.parse('2026-01-31T08:00:00.125Z'))
    for (const text of instants.slice(2)) expect(readInstant(text)).toBeUndefined()
  })
})

const key = new Uint8Array(32).fill(5)
const latest = Date.UTC(2027, 0, 1)

const takeRows = (staging: Staging) => rowsOf(staging.take().map(({ data }) => data))

/** The row of a line by parsing it; undefined if it is not valid. */
function parseRow(text: string) {
  let value: unknown
  try {
    value = JSON.parse(text.trim())
  } catch {
    return undefined
  }
  const found = findImportLine(value, latest)
  if (found === undefined) return undefined
  const staging = new Staging(key)
  staging.add(found, false)
  return takeRows(staging)[0]
}

const fewAssets = fc.constantFrom(
  { key: 'k' },
  { key: 'k', name: 'K' },
  { key: 'src/a.ts', kind: 'repository.file', url: 'https://ana:hunter2hunter2@example.org/x', labels: ['a', 'b'] },
  { key: 'Größe', name: 'say "hi" \\ \n', owner: 'ana', contentUpdatedAt: '2026-01-31T08:00:00Z' },
  { key: 'k', labels: ['[', ']', '{', '}'] },
)
const likely = fc
  .record(
    {
      asset: fewAssets,
      detectorType: fc.constantFrom('YARA', 'PII'),
      findingType: fc.constantFrom('X', 'EMAIL', 'a b'),
      severity: fc.constantFrom('HIGH', 'LOW'),
      firstDetectedAt: fc.constantFrom('2026-01-31T08:00:00Z', '2026-01-31T08:00:00.125Z', '2026-12-31T08:00:00Z'),
      category: fc.constantFrom('QUALITY', 'PRIVACY'),
      confidence: fc.oneof(
        fc.nat(10_000).map((parts) => parts / 10_000),
        fc.double({ min: 0, max: 1, noNaN: true }),
      ),
      status: fc.constantFrom('OPEN', 'IGNORED', 'RESOLVED'),
      lastDetectedAt: fc.constantFrom('2026-12-31T09:00:00Z'),
      resolvedAt: fc.constantFrom('2026-12-31T08:00:00.000Z', '2027-01-02T00:00:00Z'),
      customDetectorKey: fc.constantFrom('own', 'other'),
      excerpt: fc.constantFrom('', 'mail ana@example.org', 'Größe "1"', '4111 1111 1111 1111', '\u2028'),
      fingerprint: fc.constantFrom('1', 'f'.repeat(1200), 'assay/v1:0123456789ab', 'assay/v1:0123456789aX', 'ü', 'a"b'),
    },
    { requiredKeys: ['asset', 'detectorType', 'findingType', 'severity', 'firstDetectedAt'] },
  )
  .map((value) => ('resolvedAt' in value ? { ...value, status: 'RESOLVED' } : value))
/** Members in any order. */
const shuffled = fc
  .tuple(fc.oneof({ weight: 4, arbitrary: likely }, nearlyGood), fc.infiniteStream(fc.nat(1000)))
  .map(([value, ranks]) =>
    Object.fromEntries(
      Object.entries(value)
        .map((entry) => ({ entry, rank: ranks.next().value ?? 0 }))
        .sort((a, b) => a.rank - b.rank)
        .map(({ entry }) => entry),
    ),
  )
const written = fc
  .tuple(shuffled, fc.constantFrom('', '', ' ', '\t'), fc.constantFrom('', ' ', '\r', ' \r'))
  .map(([value, gap, end]) => JSON.stringify(value, undefined, gap).replaceAll('\n', gap === '' ? '' : ' ') + end)
const damage = fc.record({
  at: fc.nat(400),
  removed: fc.nat(2),
  added: fc.constantFrom(
    '',
    ' ',
    ',',
    '"',
    '\\',
    '{',
    '}',
    '[',
    ':',
    '0',
    '1',
    '.',
    'e',
    'a',
    'é',
    '\u0001',
    '\\u0041',
    '"status":"OPEN",',
    '\ufeff',
  ),
})
const damaged = fc.oneof(
  { weight: 3, arbitrary: written },
  {
    weight: 2,
    arbitrary: fc
      .tuple(written, damage)
      .map(([line, { at, removed, added }]) => line.slice(0, at) + added + line.slice(at + removed)),
  },
)

describe('a line that is read from its bytes', () => {
  it('gives the same row as when it is parsed', () => {
    const staging = new Staging(key)
    const seen = { plain: 0, refused: 0 }
    let group = 0
    fc.assert(
      fc.property(damaged, fc.constantFrom('', '\n', '\n{"asset":'), (line, following) => {
        staging.divide({ groups: [group++] })
        const end = staging.addPlain(Buffer.from(line + following), 0, latest)
        if (end < 0) {
          seen.refused++
          return
        }
        seen.plain++
        expect(end).toBe(Buffer.byteLength(line))
        expect(takeRows(staging)).toEqual([parseRow(line)])
      }),
      { numRuns: isLong ? 2500 : 900 },
    )
    expect(seen.plain).toBeGreaterThan(100)
    expect(seen.refused).toBeGreaterThan(150)
  })

  it.each([
    ['as JSON.stringify writes it', JSON.stringify({ ...good, confidence: 0.5, fingerprint: '1' }), true],
    ['with spaces', JSON.stringify(good, undefined, 1).replaceAll('\n', ' '), true],
    ['with an asset whose name has escapes', JSON.stringify({ ...good, asset: { key: 'k', name: 'a\n"ü"' } }), true],
    ['with an excerpt that has escapes', JSON.stringify({ ...good, excerpt: 'a\n"ü"' }), true],
    ['with a member twice', JSON.stringify(good).replace('{', '{"severity":"LOW",'), false],
    ['with an unknown member', JSON.stringify({ ...good, more: 1 }), false],
    ['with an escape in a word', JSON.stringify({ ...good, findingType: 'a\tb' }), false],
    ['dated in the future', JSON.stringify({ ...good, firstDetectedAt: '2027-01-01T00:00:00.001Z' }), false],
    ['without its end', JSON.stringify(good).slice(0, -1), false],
    ['with a backslash before its end', `${JSON.stringify({ ...good, excerpt: 'a' }).slice(0, -2)}\\`, false],
    ['longer than a line may be', `${JSON.stringify(good)}${' '.repeat(1024 * 1024)}`, false],
  ])('is accepted only in a plain form: %s', (_, line, isPlain) => {
    const staging = new Staging(key)
    expect(staging.addPlain(Buffer.from(`${line}\n"}\n`), 0, latest) >= 0).toBe(isPlain)
    expect(takeRows(staging)).toHaveLength(isPlain ? 1 : 0)
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findImportLine, findPlainLine, ImportLine, parseImportLine } from '../../src/imports/read/import-line.ts'
import { readInstant } from '../../src/imports/read/instant.ts'

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
      { numRuns: 3000 },
    )
    expect(plain).toBeGreaterThan(100)
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
      { numRuns: 2000 },
    )
    expect(Math.min(told.good, told.bad)).toBeGreaterThan(100)
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

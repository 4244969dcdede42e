import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { showInvisible, toWebAddress } from '../../src/charts/outside.ts'
import { resolveRange, toAsked, toSpan, zoneOf } from '../../src/console/range.ts'
import { formatRoute, parseRoute } from '../../src/console/route.ts'
import { toCsvRecord } from '../../src/kernel/csv.ts'

const DAY = 86_400_000
const text = fc.string({ minLength: 1, unit: 'grapheme' }).filter((value) => !/^\.+$/.test(value))

describe('an address', () => {
  test('restores the state, for any values', () => {
    const values = fc.uniqueArray(text, { minLength: 1, maxLength: 4 })
    const state = fc.dictionary(fc.constantFrom('severity', 'container', 'q', 'metric'), values, {
      noNullPrototype: true,
    })
    fc.assert(
      fc.property(state, fc.option(text, { nil: undefined }), (given, name) => {
        const url = new URL(formatRoute({ page: 'explore', name, state: given }), 'http://127.0.0.1')
        expect(parseRoute(url.pathname, url.search)).toEqual({ page: 'explore', name, state: given })
      }),
    )
  })

  test('reads lists whose values contain commas', () => {
    expect(parseRoute('/console/explore', '?severity=HIGH,CRITICAL').state).toEqual({ severity: ['HIGH', 'CRITICAL'] })
    expect(parseRoute('/console', '').page).toBe('')
  })
})

describe('a range', () => {
  const now = Date.parse('2026-11-22T10:03:20Z')

  test('of 12 months begins on a Monday and is compared with the one 52 weeks earlier', () => {
    const range = resolveRange({}, now)
    const start = Date.parse('2025-11-24T00:00:00.000Z')
    expect(range.from).toBe(start)
    expect(range.to).toBeGreaterThan(now)
    expect(range.compared).toEqual({ from: start - 364 * DAY, to: range.to - 364 * DAY })
  })

  test('includes the brushed part as the focus of one question', () => {
    const asked = toAsked(resolveRange({ brush: ['2026-06-08..2026-08-03'] }, now), false)
    expect(asked).toMatchObject({ focus: { from: '2026-06-08T00:00:00.000Z', to: '2026-08-04T00:00:00.000Z' } })
    expect(asked.compare).toBeUndefined()
  })

  test.each(['UTC', 'America/New_York', 'Asia/Kathmandu'])('is restored from its days or instants in %s', (zone) => {
    fc.assert(
      fc.property(fc.integer({ min: -40_000, max: 40_000 }), fc.integer({ min: 1, max: 4000 }), (start, length) => {
        const from = Date.parse('2026-03-08T05:00:00Z') + start * 900_000
        const to = from + length * 900_000
        const brush = [toSpan(from, to, zoneOf({ tz: [zone] }))]
        expect(resolveRange({ brush, tz: [zone] }, now).brush).toEqual({ from, to })
      }),
    )
  })

  test.each([{ brush: ['2026..'] }, { range: ['toString'] }])(
    'that cannot be parsed is replaced by the default',
    (state) => {
      expect(resolveRange(state, now)).toMatchObject({ name: '12m', brush: undefined })
    },
  )
})

test.each([
  'javascript:alert(1)',
  'data:text/html,x',
  ' java\nscript:alert(1)',
  'file:///etc/passwd',
  'no address',
  '',
])('%j is not shown as a link', (url) => expect(toWebAddress(url)).toBeUndefined())

test('invisible characters are shown as codes', () => {
  expect(showInvisible('a\u202eb\u200bc\u0000')).toBe('a<U+202E>b<U+200B>c<U+0000>')
})

test.each([
  ['=1+1', "'=1+1"],
  ['a,"b"', '"a,""b"""'],
  [-5, '-5'],
  [null, ''],
])('the value %j is shown as %s in a table cell', (value, cell) => expect(toCsvRecord([value])).toBe(`${cell}\r\n`))

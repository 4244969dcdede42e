import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseRange } from '../../src/operation/input/range.ts'
import {
  beforeWindow,
  type Granularity,
  getZone,
  granularities,
  previousPeriod,
  shiftYears,
  toBuckets,
  type WeekDay,
  weekDays,
} from '../../src/query/plan/time.ts'
import { thrownBy } from '../support/context.ts'
import { isLong } from '../support/long.ts'

const iso = (instant: number) => new Date(instant).toISOString()
const at = (text: string) => Date.parse(text)
const berlin = getZone('Europe/Berlin')

describe('instants', () => {
  test.each<[string, 'from' | 'to', string, string]>([
    ['2026-03-01T09:00:00Z', 'from', 'Europe/Berlin', '2026-03-01T09:00:00.000Z'],
    ['2026-03-01t09:00:00.123456z', 'to', 'UTC', '2026-03-01T09:00:00.123Z'],
    ['2026-03-01T09:00+02:30', 'from', 'UTC', '2026-03-01T06:30:00.000Z'],
    ['2026-03-01T09:00-0500', 'from', 'UTC', '2026-03-01T14:00:00.000Z'],
    ['2026-03-01T09:00', 'from', 'Europe/Berlin', '2026-03-01T08:00:00.000Z'],
    ['2026-03-01', 'from', 'Europe/Berlin', '2026-02-28T23:00:00.000Z'],
    ['2026-03-01', 'to', 'Europe/Berlin', '2026-03-01T23:00:00.000Z'],
    ['2026-03-29', 'to', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
    ['2026-03-29T02:30', 'from', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
    ['2026-10-25T02:30', 'from', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
    ['2018-11-04', 'from', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z'],
    ['2024-02-29', 'from', 'UTC', '2024-02-29T00:00:00.000Z'],
    ['0001-01-01', 'from', 'UTC', '0001-01-01T00:00:00.000Z'],
    ['2026-10', 'from', 'Europe/Berlin', '2026-09-30T22:00:00.000Z'],
    ['2026-10', 'to', 'Europe/Berlin', '2026-10-31T23:00:00.000Z'],
    ['2026-12', 'to', 'UTC', '2027-01-01T00:00:00.000Z'],
  ])('%s as %s in %s is %s', (text, bound, zone, expected) => {
    expect(iso(parseRange({ [bound]: text }, getZone(zone))[bound] ?? 0)).toBe(expected)
  })

  test.each([
    '2026-02-30',
    '2025-02-29',
    '2026-13-01',
    '2026-13',
    '2026-00',
    '2026-00-10',
    '2026-01-00',
    '2026-01-01T24:00:00Z',
    '2026-01-01T10:60:00Z',
    '2026-01-01T10:00:00+25:00',
    '01/02/2026',
    'yesterday',
    '20260101',
    '2026-1-1',
    '',
  ])('%j is refused', (text) => {
    const error = thrownBy(() => parseRange({ from: text }, berlin))
    expect([error.code, error.facts.reason, error.facts.issues?.[0]?.path]).toEqual([
      'invalid_input',
      'invalid_time',
      'from',
    ])
  })

  test('an unknown zone is refused with close names', () => {
    const error = thrownBy(() => getZone('Europe/Berln'))
    expect(error.facts.suggestions?.[0]?.value).toBe('Europe/Berlin')
    expect(thrownBy(() => getZone('+02:00')).code).toBe('invalid_input')
  })

  test('a day does not overlap the previous day', () => {
    const backwards = { from: '2026-03-02', to: '2026-03-01' }
    expect(thrownBy(() => parseRange(backwards, berlin)).facts.reason).toBe('invalid_range')
    const day = parseRange({ from: '2026-03-01', to: '2026-03-01' }, berlin)
    expect(day).toEqual({ from: Date.UTC(2026, 1, 28, 23), to: Date.UTC(2026, 2, 1, 23) })
  })

  test('a from after to is refused, and equal ends give an empty range', () => {
    expect(
      thrownBy(() => parseRange({ from: '2026-03-02T00:00Z', to: '2026-03-01T00:00Z' }, berlin)).facts.reason,
    ).toBe('invalid_range')
    const empty = parseRange({ from: '2026-03-01T00:00Z', to: '2026-03-01T00:00Z' }, berlin)
    expect(toBuckets(empty, { granularity: 'day', zone: berlin, weekStart: 'monday', now: 0 }).buckets).toEqual([])
  })
})

describe('periods', () => {
  test('the previous period has the same length and is adjacent', () => {
    expect(previousPeriod({ from: 100, to: 130 })).toEqual({ from: 70, to: 100 })
  })

  test.each([
    ['2026-03-01T00:00Z', 'UTC', '2025-03-01T00:00:00.000Z'],
    ['2024-02-29T12:00Z', 'UTC', '2023-02-28T12:00:00.000Z'],
    ['2026-03-29T22:00Z', 'Europe/Berlin', '2025-03-29T23:00:00.000Z'],
  ])('a year before %s in %s is %s', (instant, zone, expected) => {
    expect(iso(shiftYears(at(instant), getZone(zone), -1))).toBe(expected)
  })

  test.each([
    ['2026-03-31T00:00Z', '1mo', 1, 'UTC', '2026-02-28T00:00:00.000Z'],
    ['2026-03-31T00:00Z', '1mo', 2, 'UTC', '2026-01-31T00:00:00.000Z'],
    ['2026-01-15T00:00Z', '3mo', 1, 'UTC', '2025-10-15T00:00:00.000Z'],
    ['2026-03-15T00:00Z', '2w', 1, 'UTC', '2026-03-01T00:00:00.000Z'],
    ['2026-03-15T00:00Z', '12h', 2, 'UTC', '2026-03-14T00:00:00.000Z'],
    ['2026-03-30T12:00Z', '7d', 1, 'Europe/Berlin', '2026-03-23T13:00:00.000Z'],
  ])('%s minus %s x %i in %s is %s', (instant, window, count, zone, expected) => {
    expect(iso(beforeWindow(at(instant), getZone(zone), window, count))).toBe(expected)
  })
})

describe('buckets', () => {
  const bucketsOf = (
    from: string | undefined,
    to: string | undefined,
    granularity: Granularity,
    options: { zone?: string; weekStart?: WeekDay; now?: string } = {},
  ) =>
    toBuckets(
      { ...(from === undefined ? {} : { from: at(from) }), ...(to === undefined ? {} : { to: at(to) }) },
      {
        granularity,
        zone: getZone(options.zone ?? 'UTC'),
        weekStart: options.weekStart ?? 'monday',
        now: at(options.now ?? '2030-01-01T00:00Z'),
      },
    )

  test('marks buckets that the range cuts or that have not ended', () => {
    const { buckets } = bucketsOf('2026-03-01T12:00Z', '2026-03-05T00:00Z', 'day', { now: '2026-03-03T08:00Z' })
    expect(buckets.map(({ start, complete }) => [iso(start).slice(0, 10), complete])).toEqual([
      ['2026-03-01', false],
      ['2026-03-02', true],
      ['2026-03-03', false],
      ['2026-03-04', false],
    ])
  })

  test.each<[WeekDay, string]>([
    ['monday', '2026-03-02'],
    ['sunday', '2026-03-01'],
    ['thursday', '2026-02-26'],
  ])('a week that starts on %s', (weekStart, expected) => {
    const { buckets } = bucketsOf('2026-03-04T00:00Z', '2026-03-04T01:00Z', 'week', { weekStart })
    expect(iso(buckets[0]?.start ?? 0).slice(0, 10)).toBe(expected)
  })

  test.each<[Granularity, number, string]>([
    ['hour', 48, '2026-03-14T11:00:00.000Z'],
    ['day', 30, '2026-02-15T00:00:00.000Z'],
    ['week', 26, '2025-09-22T00:00:00.000Z'],
    ['month', 12, '2025-04-01T00:00:00.000Z'],
  ])('without a range, %s buckets are the last %i', (granularity, count, first) => {
    const { buckets, range } = bucketsOf(undefined, undefined, granularity, { now: '2026-03-16T10:30Z' })
    expect(buckets).toHaveLength(count)
    expect(iso(range.from)).toBe(first)
    expect(buckets.map(({ complete }) => complete).indexOf(false)).toBe(count - 1)
  })

  test('more than 10,000 buckets are refused, 10,000 are not', () => {
    expect(bucketsOf('2026-01-01T00:00Z', '2027-02-21T16:00Z', 'hour').buckets).toHaveLength(10_000)
    expect(thrownBy(() => bucketsOf('2026-01-01T00:00Z', '2027-02-21T16:01Z', 'hour')).facts.reason).toBe(
      'too_many_buckets',
    )
    expect(thrownBy(() => bucketsOf('0001-01-01T00:00Z', undefined, 'day')).facts.reason).toBe('too_many_buckets')
  })

  test('bucket edges are where the local date or hour changes, in any zone', () => {
    const zones = [
      'UTC',
      'Europe/Berlin',
      'America/New_York',
      'America/Sao_Paulo',
      'Asia/Kathmandu',
      'Australia/Lord_Howe',
      'Pacific/Chatham',
      'Africa/Casablanca',
      'Pacific/Apia',
      'America/Havana',
      'Asia/Beirut',
      'America/St_Johns',
    ]
    const lengthHours: Record<Granularity, number> = { hour: 60, day: 24 * 20, week: 24 * 50, month: 24 * 100 }
    const question = fc.record({
      zone: fc.constantFrom(...zones),
      granularity: fc.constantFrom(...granularities),
      weekStart: fc.constantFrom(...weekDays),
      from: fc.integer({ min: at('2008-01-01T00:00Z') / 60_000, max: at('2027-01-01T00:00Z') / 60_000 }),
      share: fc.integer({ min: 1, max: 1000 }),
    })
    fc.assert(
      fc.property(question, ({ zone, granularity, weekStart, from, share }) => {
        const range = { from: from * 60_000, to: from * 60_000 + lengthHours[granularity] * 3600 * share }
        const { buckets } = toBuckets(range, { granularity, zone: getZone(zone), weekStart, now: range.to })
        const expected = edgesByStepping(range, granularity, zone, weekStart)
        expect(buckets.map(({ start }) => iso(start))).toEqual(expected.map(iso))
        expect(buckets.at(-1)?.end ?? range.to).toBeGreaterThanOrEqual(range.to)
      }),
      { numRuns: isLong ? 120 : 40 },
    )
  }, 180_000)
})

/** Walks the range an hour at a time, by quarters where the label of the local clock changes, and notes where it does. */
function edgesByStepping(
  range: { from: number; to: number },
  granularity: Granularity,
  timeZone: string,
  weekStart: WeekDay,
): number[] {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
  })
  const label = (instant: number) => {
    const part = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, value]))
    const date = `${part.year}-${part.month}-${part.day}`
    if (granularity === 'hour') return `${date} ${part.hour} ${part.timeZoneName}`
    if (granularity === 'day') return date
    if (granularity === 'month') return date.slice(0, 7)
    const days = Math.floor(Date.parse(date) / 86_400_000)
    return String(Math.floor((days + 4 - weekDays.indexOf(weekStart)) / 7))
  }
  const step = 15 * 60_000
  const first = Math.floor(range.from / step) * step
  let start = first
  while (label(start - step) === label(first)) start -= step
  const edges = [start]
  for (let [hour, before] = [first, label(first)]; hour < range.to; hour += 4 * step) {
    const after = label(hour + 4 * step)
    if (after === before) continue
    for (let instant = hour + step; instant <= hour + 4 * step && instant < range.to; instant += step) {
      const now = instant === hour + 4 * step ? after : label(instant)
      if (now !== before) edges.push(instant)
      before = now
    }
    before = after
  }
  return edges
}

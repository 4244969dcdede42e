import { describe, expect, test } from 'vitest'
import { inOwnOrder, toShare } from '../../src/charts/board.ts'
import { toTimeScale, toValueScale } from '../../src/charts/scale.ts'
import { describeSpark, describeTrend, findNearest, type TrendMark, thin } from '../../src/charts/trend.ts'
import { toChange, toValueText, toWords } from '../../src/charts/words.ts'

const DAY = 86_400_000
const START = Date.UTC(2026, 0, 1)
const marksOf = (values: readonly (number | null)[], running = 0): TrendMark[] =>
  values.map((value, index) => ({ time: START + index * DAY, value, complete: index < values.length - running }))
const size = { width: 600, height: 200, toLabel: String }
const labels = (ticks: readonly { label: string }[]) => ticks.map(({ label }) => label)

describe('a scale of values', () => {
  test('has 0 and round limits', () => {
    const { ticks, toPixel } = toValueScale([3, 187], 200, String)
    expect(labels(ticks)).toEqual(['0', '50', '100', '150', '200'])
    expect([toPixel(0), toPixel(200)]).toEqual([200, 0])
  })

  test.each([
    ['nothing', []],
    ['only gaps', [null, null]],
    ['zeros', [0, 0]],
  ])('of %s does not divide by zero', (_, values) => {
    const { ticks, toPixel } = toValueScale(values, 200, String, true)
    expect(toPixel(0)).toBe(200)
    expect(labels(ticks)).toEqual(['0', '1'])
  })

  test('of negative values keeps 0 inside', () => {
    const { ticks, toPixel } = toValueScale([-40, 60], 200, String)
    expect(labels(ticks)).toContain('0')
    expect(toPixel(0)).toBeLessThan(200)
    expect(toPixel(0)).toBeGreaterThan(0)
  })

  test('of small counts has no decimals', () => {
    expect(labels(toValueScale([0, 2], 200, String, true).ticks)).toEqual(['0', '1', '2'])
  })
})

describe('a scale of time', () => {
  test('labels months, and the year in its first month', () => {
    const { ticks } = toTimeScale(Date.UTC(2025, 10, 24), Date.UTC(2026, 10, 23), 1160)
    expect(labels(ticks).slice(0, 3)).toEqual(['Dec 2025', 'Jan 2026', 'Feb'])
  })

  test('of weeks labels Mondays, on which buckets begin', () => {
    const { ticks } = toTimeScale(Date.UTC(2026, 4, 11), Date.UTC(2026, 10, 2), 1160)
    expect(labels(ticks).slice(0, 2)).toEqual(['18 May', '1 Jun'])
    expect(ticks.filter(({ value }) => new Date(value).getUTCDay() !== 1)).toEqual([])
  })

  test('places labels apart from each other and inside the chart', () => {
    for (const width of [200, 340, 800, 1400]) {
      for (const days of [2, 30, 90, 365, 730]) {
        const positions = toTimeScale(START, START + days * DAY, width).ticks.map(({ at }) => at)
        expect(Math.min(...positions, width)).toBeGreaterThan(0)
        expect(Math.max(...positions, 0)).toBeLessThan(width)
        for (const [index, at] of positions.slice(1).entries()) expect(at - (positions[index] ?? 0)).toBeGreaterThan(40)
      }
    }
  })
})

describe('a trend', () => {
  test('without values is empty', () => {
    expect(describeTrend([], [], size)).toMatchObject({ line: '', area: '', running: '', previous: '', dots: [] })
  })

  test('with one point is a dot', () => {
    expect(describeTrend(marksOf([5]), [], size).dots).toHaveLength(1)
  })

  test('leaves gaps open and shows a value between two gaps', () => {
    const { line, dots } = describeTrend(marksOf([1, 2, null, 3, null, 4, 5]), [], size)
    expect(line.match(/M/g)).toHaveLength(3)
    expect(dots).toHaveLength(1)
  })

  test('draws unfinished buckets separately, joined to the last finished one', () => {
    const { line, running } = describeTrend(marksOf([1, 2, 3, 4], 1), [], size)
    expect(line.match(/L/g)).toHaveLength(2)
    expect(running.startsWith(`M${line.split('L').at(-1)}`)).toBe(true)
  })

  test('aligns the compared series with the start of the current one', () => {
    const earlier = marksOf([4, 5, 6]).map((mark) => ({ ...mark, time: mark.time - 364 * DAY }))
    const trend = describeTrend(marksOf([1, 2, 3]), earlier, size)
    expect(trend.earlier.map(({ time }) => time)).toEqual(marksOf([1, 2, 3]).map(({ time }) => time))
    expect(trend.previous).not.toBe('')
  })

  test('keeps extreme values when there are more marks than pixels', () => {
    const marks = marksOf(Array.from({ length: 9000 }, (_, index) => (index === 4321 ? 999 : index % 100)))
    const thinned = thin(marks, 600)
    expect(thinned.length).toBeLessThan(9000)
    expect(thinned.some(({ value }) => value === 999)).toBe(true)
  })

  test('finds the nearest mark', () => {
    expect(findNearest(marksOf([1, 2, 3]), START + 1.4 * DAY)).toBe(1)
    expect(findNearest([], START)).toBeUndefined()
  })

  test('can be drawn as a sparkline', () => {
    expect(describeSpark(marksOf([1, 2, 3]), 100, 30).line).toMatch(/^M0,/)
  })
})

describe('labels', () => {
  test.each([
    ['FALSE_POSITIVE', 'False positive'],
    ['HTTP_404', 'HTTP 404'],
    ['AWS_ACCESS_KEY', 'AWS access key'],
    ['Engineering', 'Engineering'],
    ['wiki.page', 'wiki.page'],
    ['', ''],
  ])('%s becomes %s', (code, words) => expect(toWords(code)).toBe(words))

  test.each([
    [null, 'number', '', '–'],
    [0, 'number', '', '0'],
    [20132, 'number', 'findings', '20,132'],
    [0.0541, 'percentage', '%', '5.4%'],
    [30, 'duration', 'hours', '30 h'],
    [72, 'duration', 'hours', '3 days'],
    [0.5, 'duration', 'hours', '30 min'],
  ] as const)('%s as %s in %s is %s', (value, format, unit, text) => {
    expect(toValueText(value, format, unit)).toBe(text)
  })

  test('a change is coloured only where the metric says which direction is better', () => {
    expect(toChange(128, 100, { better: 'lower' })).toEqual({ direction: 'up', text: '28%', tone: 'bad' })
    expect(toChange(128, 100, { better: 'higher' })).toMatchObject({ tone: 'good' })
    expect(toChange(128, 100)).toMatchObject({ tone: 'neutral' })
    expect(toChange(5, 0, { better: 'lower' })).toMatchObject({ text: 'new', tone: 'neutral' })
    expect(toChange(5, 5)).toMatchObject({ direction: 'same', text: '0%' })
    expect(toChange(null, 5)).toBeUndefined()
    expect(toChange(5, null)).toBeUndefined()
  })
})

describe('a breakdown', () => {
  test('has bars in proportion to the longest', () => {
    expect(toShare(50, [200, 50])).toBe(0.25)
    expect(toShare(null, [1])).toBe(0)
    expect(toShare(0, [0, 0])).toBe(0)
    expect(toShare(-100, [-100, 50])).toBe(1)
  })

  test('keeps the order of fixed values', () => {
    const entries = ['LOW', 'CRITICAL', 'other'].map((dimensionValue) => ({ dimensionValue }))
    const ordered = inOwnOrder(entries, ['CRITICAL', 'LOW']).map((entry) => entry.dimensionValue)
    expect(ordered).toEqual(['CRITICAL', 'LOW', 'other'])
    expect(inOwnOrder(entries, undefined)).toBe(entries)
  })
})

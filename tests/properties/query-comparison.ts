import { expect } from 'vitest'
import type { MetricAnswer, SeriesAnswer } from '../../src/query/model.ts'
import type { MadeMetric } from './query-data.ts'
import { checkDrivers } from './query-drivers.ts'
import type { Oracle } from './query-oracle.ts'
import type { OracleQuestion } from './query-terms.ts'

/** Numbers that were put together in another order may differ in the last places. */
const same = (actual: number | null | undefined, expected: number | null | undefined) => {
  if (actual == null || expected == null) return (actual ?? null) === (expected ?? null)
  return Math.abs(actual - expected) <= 1e-9 * Math.max(1, Math.abs(expected))
}

interface Named {
  dimensionValue: string
  dimensions?: Record<string, string>
  asset?: { key: string } | undefined
}

/** The name of a group as the oracle writes it: an asset with its key. */
function toOracleName({ dimensionValue, dimensions, asset }: Named): string {
  if (asset === undefined) return dimensionValue
  if (dimensions === undefined) return `${dimensionValue}#${asset.key}`
  return Object.entries(dimensions)
    .map(([dimension, value]) => (dimension === 'asset' ? `${value}#${asset.key}` : value))
    .join(' / ')
}

/** What an answer is compared with. */
interface Comparison {
  oracle: Oracle
  metric: MadeMetric
  question: OracleQuestion
  /** Called with each rarer kind of answer that occurs. */
  seen?: (what: string) => void
}

/** @throws if the answer is not the one of a naive evaluation */
export function compareScalar(actual: MetricAnswer, { oracle, metric, question, seen = () => {} }: Comparison): void {
  const expected = oracle.evaluate(question)
  const { alsoMetrics = [], ...alone } = question
  for (const [index, metricSlug] of alsoMetrics.entries()) {
    seen('also')
    const also = actual.also?.[index]
    if (also === undefined || 'error' in also) {
      if (question.compare !== 'previous_period') throw new Error(`${metricSlug} failed: ${also?.error.message}`)
      continue
    }
    check(`value of ${metricSlug}`, also.value, oracle.evaluate({ ...alone, metricSlug }).value)
  }
  check('value', actual.value, expected.value)
  check('n', actual.n, expected.n)
  if (expected.drivers !== undefined) {
    checkDrivers(actual, expected.drivers, check)
    const isDivided = actual.drivers?.some(({ contribution }) => contribution !== null) === true
    const isSum = ['COUNT', 'SUM'].includes(metric.definition.aggregation ?? '')
    seen(isDivided ? (isSum ? 'divided sum' : 'divided rate') : 'undivided')
  }
  if (question.dimensions !== undefined) {
    expect(actual.totalGroups).toBe(expected.totalGroups)
    expect(actual.breakdown.length).toBe(expected.breakdown.length)
    for (const [index, group] of expected.breakdown.entries()) {
      const entry = actual.breakdown[index]
      // Groups of values that differ in the last places only may stand in either order.
      const named =
        entry !== undefined && toOracleName(entry) === group.name
          ? entry
          : actual.breakdown.find((other) => toOracleName(other) === group.name)
      check(`value of ${group.name}`, named?.value, group.value)
      check(`n of ${group.name}`, named?.n, group.n)
      if (question.orderBy === undefined) check(`place of ${group.name}`, entry?.value, group.value)
      else if (entry !== named) check(`rank of ${group.name}`, rankOf(entry, question), rankOf(named, question))
      if (group.numerator !== undefined) {
        check(`numerator of ${group.name}`, named?.numerator, group.numerator)
        check(`denominator of ${group.name}`, named?.denominator, group.denominator)
      }
      checkChange(group.name, named, group)
    }
    expect(actual.other?.groups).toBe(expected.other?.groups)
    check('other', actual.other?.value, expected.other?.value)
    checkChange('other', actual.other, expected.other)
    expect(actual.warnings.some(({ code }) => code === 'tie_cut')).toBe(expected.isTieCut)
    if (expected.other !== undefined) seen('other')
    if (expected.isTieCut) seen('tie')
    if (question.compare !== undefined) {
      seen('compared breakdown')
      if (expected.breakdown.some(({ value, previous }) => !value && previous)) seen('vanished group')
      checkSums(metric, actual, seen)
    }
  }
  check('comparison', actual.comparison?.value, expected.comparison?.value)
  check('delta', actual.comparison?.delta, expected.comparison?.delta)
  check('pctChange', actual.comparison?.pctChange, expected.comparison?.pctChange)
}

interface Changed {
  value?: number | null
  previous?: number | null | undefined
  delta?: number | null | undefined
  pctChange?: number | null | undefined
}

function checkChange(name: string, actual: Changed | undefined, expected: Changed | undefined): void {
  if (expected?.previous === undefined) return
  check(`previous of ${name}`, actual?.previous, expected.previous)
  check(`delta of ${name}`, actual?.delta, expected.delta)
  // What is left by rounding is no base of a percentage.
  if (Math.abs(expected.previous ?? 1) > 1e-9 || expected.previous === 0)
    check(`pctChange of ${name}`, actual?.pctChange, expected.pctChange)
}

function rankOf(entry: Changed | undefined, { orderBy }: OracleQuestion): number | null {
  if (orderBy === 'value') return entry?.value ?? null
  if (orderBy === 'previous') return entry?.previous ?? null
  return entry?.delta == null ? null : Math.abs(entry.delta)
}

/** The parts of an additive metric add up to both totals. */
function checkSums({ definition }: MadeMetric, answer: MetricAnswer, seen: (what: string) => void): void {
  const { breakdown, other, value, comparison, overlapping } = answer
  const { aggregation } = definition
  if ((aggregation !== 'COUNT' && aggregation !== 'SUM') || overlapping === true) return
  seen('additive')
  const parts: Changed[] = other === undefined ? breakdown : [...breakdown, other]
  const sum = (read: (part: Changed) => number | null | undefined) =>
    parts.reduce((total, part) => total + (read(part) ?? 0), 0)
  check(
    'sum of values',
    sum(({ value }) => value),
    value ?? 0,
  )
  check(
    'sum of previous',
    sum(({ previous }) => previous),
    comparison?.value ?? 0,
  )
  if (comparison?.delta != null && parts.every(({ delta }) => delta !== null))
    check(
      'sum of deltas',
      sum(({ delta }) => delta),
      comparison.delta,
    )
}

/** @throws if the series is not the one of a naive evaluation */
export function compareSeries(
  actual: SeriesAnswer,
  { oracle, question }: Pick<Comparison, 'oracle' | 'question'>,
): void {
  const expected = oracle.series(question)
  expect(actual.timeSeries.map(({ timestamp }) => timestamp)).toEqual(expected.points.map(({ timestamp }) => timestamp))
  for (const [index, point] of expected.points.entries()) {
    check(`point ${point.timestamp}`, actual.timeSeries[index]?.value, point.value)
    check(`n of ${point.timestamp}`, actual.timeSeries[index]?.n, point.n)
    expect(actual.timeSeries[index]?.complete).toBe(point.complete)
  }
  if (expected.groups === undefined) return
  expect(actual.totalGroups).toBe(expected.groups.size)
  for (const { timeSeries, ...group } of actual.series ?? []) {
    const name = toOracleName(group)
    const values = expected.groups.get(name) ?? []
    for (const [index, { value }] of timeSeries.entries()) check(`${name} ${index}`, value, values[index])
  }
}

function check(what: string, actual: number | null | undefined, expected: number | null | undefined): void {
  if (!same(actual, expected)) throw new Error(`${what} is ${actual}, expected ${expected}`)
}

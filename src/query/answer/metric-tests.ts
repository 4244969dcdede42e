import { AppError } from '../../kernel/errors.ts'
import { plainDigits } from '../../kernel/shown.ts'
import { evaluateFormula, listFormulaNames, parseFormula, toFormulaName } from '../../metrics/formula.ts'
import { findMetricBySlug, listMetricNames } from '../../metrics/metrics.store.ts'
import type { MetricRecord, MetricTest } from '../../metrics/model.ts'
import type { TestResult } from '../../metrics/tests.ts'
import { parseRange } from '../../operation/input/range.ts'
import type { Reader } from '../../store/store.ts'
import { openExecutor } from '../engine/executor.ts'
import { beforeWindow, getZone } from '../plan/time.ts'
import { listGroups } from './breakdown.ts'
import { type Definitions, openDefinitions } from './definitions.ts'
import { toMetricTotal } from './trend.ts'
import { once, type RunPlan } from './value.ts'

/** Relative difference of numbers that are equal but for rounding. */
const ROUNDING = 1e-9

/** Runs the tests of a metric in the snapshot of a reader, by its definitions. */
export function runTests(
  reader: Reader,
  metric: MetricRecord,
  now: number,
  definitions: Definitions = openDefinitions(reader),
): TestResult[] {
  if (metric.tests.length === 0) return []
  const run = once(openExecutor(reader))
  return metric.tests.map((test) => {
    try {
      return { kind: test.kind, ...runTest(reader, metric, test, { now, definitions, run }) }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return { kind: test.kind, value: null, passed: false, message: error.message }
    }
  })
}

interface Running {
  now: number
  definitions: Definitions
  run: RunPlan
}

function runTest(
  reader: Reader,
  metric: MetricRecord,
  test: MetricTest,
  { now, definitions, run }: Running,
): Omit<TestResult, 'kind'> {
  const zone = getZone('UTC')
  const { last, ...written } = test.range ?? {}
  const range = last === undefined ? parseRange(written, zone) : { from: beforeWindow(now, zone, last), to: now }
  const context = { range, now, zone, weekStart: 'monday' } as const
  const readValue = (each: MetricRecord) =>
    toMetricTotal(reader, definitions.plan(each, context, test.filters), { metric: each, range, now, run }).value
  const value = readValue(metric)
  const result = (passed: boolean, message: string) => ({ value, passed, message })
  if (value === null) return result(false, 'there is no value.')
  const is = `the value ${plainDigits(value)} is`
  switch (test.kind) {
    case 'notNull':
      return result(true, `${is} present.`)
    case 'between': {
      const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = test
      if (value < min) return result(false, `${is} less than ${plainDigits(min)}.`)
      if (value > max) return result(false, `${is} greater than ${plainDigits(max)}.`)
      return result(true, `${is} within the bounds.`)
    }
    case 'equals': {
      const other = toOther(reader, test, readValue)
      const name = test.metricSlug ?? 'the formula'
      if (other === null) return result(false, `${name} has no value.`)
      return result(isNear(value, other, test.tolerance), `${is} compared with ${plainDigits(other)} of ${name}.`)
    }
    case 'sumOf': {
      const { dimension, tolerance } = test
      if (!metric.allowedDimensions.includes(dimension)) return result(false, `${dimension} is not allowed any more.`)
      const node = definitions.plan(metric, { ...context, dimensions: [dimension] }, test.filters)
      const sum = listGroups(node, undefined, run).groups.reduce((all, group) => all + (group.value ?? 0), 0)
      return result(isNear(value, sum, tolerance), `${is} compared with ${plainDigits(sum)} over all of ${dimension}.`)
    }
  }
}

/** The value that the metric is to equal; null without one. */
function toOther(
  reader: Reader,
  { metricSlug, formula = '' }: MetricTest & { kind: 'equals' },
  readValue: (metric: MetricRecord) => number | null,
): number | null {
  const readSlug = (slug: string | undefined) => {
    const metric = slug === undefined ? undefined : findMetricBySlug(reader, slug)
    return metric === undefined ? null : readValue(metric)
  }
  if (metricSlug !== undefined) return readSlug(metricSlug)
  const parsed = parseFormula(formula)
  if ('problems' in parsed) return null
  const slugs = new Map(listMetricNames(reader).map(({ slug }) => [toFormulaName(slug), slug]))
  const names = [...listFormulaNames(parsed.formula).keys()]
  return evaluateFormula(parsed.formula, new Map(names.map((name) => [name, readSlug(slugs.get(name))]))).value
}

const isNear = (a: number, b: number, tolerance = 0): boolean =>
  Math.abs(a - b) <= tolerance + ROUNDING * Math.max(Math.abs(a), Math.abs(b))

/** The failed tests in words, as the metric keeps them; null where none failed. */
export function describeFailures(results: readonly TestResult[]): string[] | null {
  const failed = results.filter(({ passed }) => !passed)
  return failed.length === 0 ? null : failed.map(({ kind, message }) => `${kind}: ${message}`)
}

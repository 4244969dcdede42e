import { z } from 'zod'
import { getStored } from '../metrics/lifecycle.ts'
import { loadMetrics, saveFailing, type TestedState } from '../metrics/metrics.store.ts'
import type { MetricRecord } from '../metrics/model.ts'
import { resolveMetric } from '../metrics/names.ts'
import { TestResult } from '../metrics/tests.ts'
import { ownText } from '../operation/lockdown/disclosure.ts'
import type { Reader, Writer } from '../store/store.ts'
import { describeFailures, runTests } from './answer/metric-tests.ts'

/** A metric after its tests were run, which may mark it as failing. */
export function tested(writer: Writer, metric: MetricRecord, now: number): MetricRecord {
  if (metric.tests.length === 0 && metric.failing === null) return metric
  saveFailing(writer, metric.slug, describeFailures(runTests(writer, metric, now)))
  return getStored(writer, metric.slug)
}

export const TestedMetrics = z.object({
  items: z
    .array(
      z.object({
        slug: ownText().describe('The metric.'),
        passed: z.boolean().describe('Whether all its tests hold.'),
        tests: z.array(TestResult).describe('Its tests.'),
      }),
    )
    .describe('The metrics that have tests, by slug.'),
})
export type TestedMetrics = z.infer<typeof TestedMetrics>

/** Runs the tests of the named metrics, or of all. @throws AppError `not_found` */
export function testAll(reader: Reader, named: readonly string[] | undefined, now: number): TestedMetrics {
  const metrics =
    named === undefined
      ? [...loadMetrics(reader).values()].filter(({ tests }) => tests.length > 0)
      : named.map((name) => resolveMetric(reader, name))
  return {
    items: metrics.map((metric) => {
      const tests = runTests(reader, metric, now)
      return { slug: metric.slug, passed: tests.every(({ passed }) => passed), tests }
    }),
  }
}

/** Marks metrics by the results of their tests. */
export function saveResults(writer: Writer, { items }: TestedMetrics, seen: TestedState): void {
  for (const { slug, tests } of items) saveFailing(writer, slug, describeFailures(tests), seen)
}

import { z } from 'zod'
import { ownText } from '../operation/lockdown/disclosure.ts'
import { MetricTest } from './model.ts'

/** A test of a metric, as it was run. */
export const TestResult = z.object({
  test: MetricTest.describe('The test.'),
  passed: z.boolean().describe('Whether it holds.'),
  value: z.number().nullable().describe('The value of the metric in the rows of the test.'),
  message: ownText().describe('What was found.'),
})
export type TestResult = z.infer<typeof TestResult>

import { z } from 'zod'
import { ownText } from '../operation/lockdown/disclosure.ts'
import { metricTestKinds } from './model.ts'

/** A test of a metric, as it was run; those of a metric are in the order of its definition. */
export const TestResult = z.object({
  kind: z.enum(metricTestKinds).describe('Which test.'),
  passed: z.boolean().describe('Whether it holds.'),
  value: z.number().nullable().describe('The value of the metric in the rows of the test.'),
  message: ownText().describe('What was found.'),
})
export type TestResult = z.infer<typeof TestResult>

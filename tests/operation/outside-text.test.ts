import { expect, test } from 'vitest'
import { z } from 'zod'
import { toSafeText } from '../../src/detectors/safe-text.ts'
import { codeText, outsideText, outsideValue } from '../../src/operation/lockdown/disclosure.ts'
import { operation } from '../../src/operation/operation.ts'

const declared = {
  name: 'get_title',
  title: 'Get a title',
  summary: 'Reads a title.',
  effect: 'read',
  scope: 'read',
  input: z.strictObject({}),
} as const
const read = (): string => 'Quarterly report'

test('an operation compiles only if its texts from outside have the type SafeText', () => {
  const output = z.object({ title: outsideText(), kind: codeText().optional(), facts: outsideValue().optional() })
  const gated = toSafeText(read(), 'prose')
  operation({ ...declared, output, run: () => ({ title: gated, kind: gated, facts: { owner: [gated, 1, null] } }) })
  // @ts-expect-error a plain string has not passed the gate
  operation({ ...declared, output, run: () => ({ title: read() }) })
  // @ts-expect-error the same for one literal among others
  operation({ ...declared, output, run: () => ({ title: gated, kind: 'wiki.page' }) })
  // @ts-expect-error and for one inside of a value of any shape
  operation({ ...declared, output, run: () => ({ title: gated, facts: { owner: [read()] } }) })
})

test('the schema for clients describes SafeText as a plain string', () => {
  expect(z.toJSONSchema(outsideText().describe('Title.'))).toEqual(z.toJSONSchema(z.string().describe('Title.')))
  expect(outsideText().safeParse('x')).toEqual({ success: true, data: 'x' })
  expect(outsideText().safeParse(1).success).toBe(false)
})

import { expect, it } from 'vitest'
import { toMessage } from '../../src/cli/exit.ts'
import { notFound } from '../../src/kernel/errors.ts'

const suggest = (...values: string[]) => ({ suggestions: values.map((value) => ({ kind: 'metric' as const, value })) })

it.each([
  ['No metric is called opn; the closest is open-findings.', ['open-findings'], undefined],
  ['No metric is called opn.', ['open-findings', 'new-findings'], 'open-findings (metric), new-findings (metric)'],
  ['The closest metric is open-findings.', ['open-findings', 'critical'], 'critical (metric)'],
])('suggests each similar name once: %s', async (message, values, told) => {
  const lines = await toMessage(notFound(message, suggest(...values)))
  expect(lines).toEqual([told === undefined ? message : `${message} Did you mean ${told}?`])
})

import { expect, test } from 'vitest'
import { FilterMapping } from '../../src/findings/filter.ts'
import { parseInput } from '../../src/operation/operation.ts'
import { finding, HOUR, now, openAsked } from './ask.ts'

const resolvedAfter = (ms: number) =>
  finding({ status: 'RESOLVED', firstDetectedAt: now - 200 * HOUR, resolvedAt: now - 200 * HOUR + ms, confidence: 0.9 })
const estate = {
  findings: [
    resolvedAfter(72 * HOUR - 1),
    resolvedAfter(72 * HOUR),
    resolvedAfter(72 * HOUR + 1),
    finding({ firstDetectedAt: now - 10 * HOUR, confidence: 0.5 }),
  ],
}

test.each<[object, number, string[]]>([
  [{ resolutionHours: { min: 72 } }, 2, ['>= 72']],
  [{ resolutionHours: { above: 72 } }, 1, ['> 72']],
  [{ resolutionHours: { max: 72 } }, 1, ['< 72']],
  [{ resolutionHours: { upTo: 72 } }, 2, ['<= 72']],
  [{ resolutionHours: { min: 72, upTo: 72 } }, 1, ['>= 72', '<= 72']],
  [{ ageHours: { upTo: 10 } }, 1, ['<= 10']],
  [{ ageHours: { max: 10 } }, 0, ['< 10']],
  [{ ageHours: { above: 10 } }, 3, ['> 10']],
  [{ confidence: { above: 0.5 } }, 3, ['> 0.5']],
  [{ confidence: { upTo: 0.5 } }, 1, ['<= 0.5']],
  [{ confidence: { max: 0.5 } }, 0, ['< 0.5']],
])('a range %j includes its ends as asked', async (ranges, value, echoed) => {
  const { ask } = openAsked(estate, { now })
  const answer = await ask('query_metric', { metricSlug: 'total-findings', filters: { ranges } })
  expect(answer.value).toBe(value)
  expect(answer.applied.filters[0].values).toEqual(echoed)
})

const problemOf = (input: unknown) => {
  try {
    parseInput(FilterMapping, input)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

test.each<[object, string]>([
  [{ ranges: { ageHours: { min: 5, above: 4 } } }, 'at ranges.ageHours.above: cannot be given with min.'],
  [{ ranges: { ageHours: { above: 5, upTo: 5 } } }, 'at ranges.ageHours.above: must be less than upTo.'],
  [{ ranges: [] }, 'at ranges: must be an object {resolutionHours: {min, above, max, upTo}, '],
  [{ sla: { overdue: true } }, 'at sla: must be an array of MET or MISSED.'],
  [{ containers: 5 }, 'at containers: must be an array of strings.'],
])('the problem with %j says which shape is meant', (input, problem) => {
  expect(problemOf(input)).toContain(problem)
})

import { expect, test } from 'vitest'
import { customOperations } from '../../src/custom-detectors/operations.ts'
import { queryOperations } from '../../src/query/operations.ts'
import { caller, openContext } from '../support/context.ts'

test('the key of a detector is accepted before it has findings, and a misspelt one gives a warning', async () => {
  const call = caller([...customOperations, ...queryOperations], openContext())
  await call('create_custom_detector', {
    key: 'secret-projects',
    displayName: 'Secret projects',
    definition: {
      rule: { any: [{ type: 'KEYWORDS', keywords: ['Blue Heron'] }] },
      examples: { match: ['Blue Heron'], noMatch: ['heron'] },
    },
  })
  const warningsFor = async (key: string) => {
    const answer = await call('query_metric', { metricSlug: 'total-findings', filters: { customDetectorKeys: [key] } })
    return (answer.warnings as { code: string; message: string }[]).filter(({ code }) => code === 'unknown_value')
  }
  expect(await warningsFor('secret-projects')).toEqual([])
  expect(await warningsFor('secret-project')).toMatchObject([{ suggestions: [{ value: 'secret-projects' }] }])
})

import { expect, it } from 'vitest'
import { queryThreadOperations } from '../../src/background/query-operations.ts'
import { scanThreadOperations } from '../../src/background/scan-operations.ts'
import { operations } from '../../src/catalogue.ts'

it.each([
  ['query-thread', queryThreadOperations],
  ['scan-thread', scanThreadOperations],
] as const)('the %s knows every operation that is declared to run on it', (thread, known) => {
  const declared = operations.filter(({ runsOn }) => runsOn === thread).map(({ name }) => name)
  expect(declared.length).toBeGreaterThan(2)
  expect(known.map(({ name }) => name).sort()).toEqual(declared.sort())
})

import { expect, it } from 'vitest'
import { replay } from './replay.ts'

it('20 days of imports and failed scans change the states of 10 watches as a model predicts', async () => {
  const { changes, expected, wronglyOk, firings } = await replay(20, 10, 3)
  expect(changes).toEqual(expected)
  expect(wronglyOk).toBe(0)
  expect(firings).toBeGreaterThan(3)
})

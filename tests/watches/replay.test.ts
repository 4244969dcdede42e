import { expect, it } from 'vitest'
import { cases, maxMs } from '../support/long.ts'
import { replay } from './replay.ts'

it(
  'imports and failed scans change the states of watches day by day as a model predicts',
  async () => {
    for (let seed = 3; seed < 3 + cases(1, 3); seed++) {
      const { changes, expected, wronglyOk, firings } = await replay(cases(20, 60), cases(10, 30), seed)
      expect(changes).toEqual(expected)
      expect(wronglyOk).toBe(0)
      expect(firings).toBeGreaterThan(cases(3, 30))
    }
  },
  maxMs(30_000),
)

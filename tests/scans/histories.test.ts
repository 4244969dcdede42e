import { expect, it } from 'vitest'
import { runHistory } from './histories.ts'

it.each([1, 2, 3, 4, 5, 6])(
  'a random history of a BI tenant leaves what one who knew all would say (seed %d)',
  async (seed) => {
    expect(await runHistory(seed, 8)).toEqual([])
  },
  120_000,
)

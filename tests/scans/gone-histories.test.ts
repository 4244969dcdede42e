import { expect, it } from 'vitest'
import type { HistoryMode } from '../../src/sources/model.ts'
import { cases, maxMs } from '../support/long.ts'
import { runGoneHistory } from './gone-histories.ts'

const steps = cases(20, 40)

it.each<[HistoryMode, number]>([
  ['vanished', cases(2, 300)],
  ['all', cases(1, 50)],
  ['off', cases(1, 50)],
])(
  'after random histories every secret is where a reader can see it, and is resolved when none can (%s)',
  async (mode, count) => {
    for (let seed = 1; seed <= count; seed++) {
      expect((await runGoneHistory(seed, { steps, mode })).problems).toEqual([])
    }
  },
  maxMs(60_000),
)

it(
  'nothing is resolved early where scans are killed',
  async () => {
    let killed = 0
    for (let seed = 1001; seed < 1001 + cases(1, 100); seed++) {
      const { problems, kills } = await runGoneHistory(seed, { steps, mode: 'vanished', killed: true })
      expect(problems).toEqual([])
      killed += kills
    }
    expect(killed).toBeGreaterThan(0)
  },
  maxMs(60_000),
)

import { expect, it } from 'vitest'
import { cases, maxMs } from '../support/long.ts'
import { type Platform, runHistory } from './histories.ts'

/**
 * A page with comments moves where they may not be listed; a space goes after other options were set; a page returns
 * with children that cannot be listed; a page moves to a space that cannot be listed.
 */
const known = [42, 43, 157, 193, 237]
const seedsOf = (platform: Platform) => [
  ...(platform === 'WIKI' ? known : []),
  ...Array.from({ length: cases(1, 250) }, (_, index) => index + 1),
]

it.each<Platform>(['WIKI', 'BI_PLATFORM'])(
  'after random histories of a tenant every finding has the state that a model of what was visible predicts (%s)',
  async (platform) => {
    for (const seed of seedsOf(platform)) {
      const { problems } = await runHistory(platform, seed, { steps: 8 })
      expect(problems).toEqual([])
    }
  },
  maxMs(120_000),
)

it.each<Platform>(['WIKI', 'BI_PLATFORM'])(
  'findings also have the predicted states when the process of a scan is killed (%s)',
  async (platform) => {
    const count = cases(1, 50)
    let killed = 0
    for (let seed = 103; seed < 103 + count; seed++) {
      const { problems, kills } = await runHistory(platform, seed, { steps: cases(3, 8), killed: true })
      expect(problems).toEqual([])
      killed += kills
    }
    expect(killed).toBeGreaterThan(count / 2)
  },
  maxMs(120_000),
)

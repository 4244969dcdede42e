import { expect, it } from 'vitest'
import { type Platform, runHistory } from './histories.ts'

const seeds = process.env.HISTORY_SEEDS?.split(' ').map(Number)
const histories: [Platform, number][] = seeds?.flatMap((seed) => [
  ['WIKI', seed],
  ['BI_PLATFORM', seed],
]) ?? [['BI_PLATFORM', 1]]
/**
 * A page with comments moves where they may not be listed; a space goes after other options were set; a page returns
 * with children that cannot be listed; a page moves to a space that cannot be listed.
 */
const known = [42, 43, 157, 193, 237].map((seed): [Platform, number] => ['WIKI', seed])

it.each([...histories, ...known])(
  'after a random history of a tenant every finding has the state that a model of what was visible predicts (%s, seed %d)',
  async (platform, seed) => {
    const { problems } = await runHistory(platform, seed, { steps: 8 })
    expect(problems).toEqual([])
  },
  120_000,
)

it('findings also have the predicted states when the process of a scan is killed', async () => {
  const { problems, kills } = await runHistory('WIKI', 100, { steps: 3, killed: true })
  expect(problems).toEqual([])
  expect(kills).toBe(1)
}, 120_000)

import { expect, it } from 'vitest'
import { type Platform, runHistory } from './histories.ts'

const platforms: Platform[] = ['WIKI', 'BI_PLATFORM']
const seeds = (process.env.HISTORY_SEEDS ?? '1 2 3').split(' ').map(Number)

it.each(platforms.flatMap((platform) => seeds.map((seed) => [platform, seed] as const)))(
  'a random history of a tenant leaves what one who knew all would say (%s, seed %d)',
  async (platform, seed) => {
    const { problems } = await runHistory(platform, seed, { steps: 8 })
    expect(problems).toEqual([])
  },
  120_000,
)

it('also where the process of a scan is killed', async () => {
  const { problems, kills } = await runHistory('WIKI', 100, { steps: 3, killed: true })
  expect(problems).toEqual([])
  expect(kills).toBe(1)
}, 120_000)

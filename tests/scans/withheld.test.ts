import { expect, it } from 'vitest'
import { type PlatformCase, runWithheld } from './withheld-run.ts'

const every = Number(process.env.WITHHELD_EVERY ?? 320)
const only = process.env.WITHHELD_ONLY

it.each<[string, PlatformCase]>([
  ['a wiki', { platform: 'WIKI' }],
  ['a BI tenant seen by members', { platform: 'BI_PLATFORM' }],
])(
  'findings in content that %s withholds are not resolved',
  async (_name, platform) => {
    const take = (index: number, name: string) => (only === undefined ? index % every === 0 : name.includes(only))
    const outcome = await runWithheld(platform, take)
    process.stdout.write(`${outcome.cases} cases, ${outcome.planted} findings\n`)
    expect(outcome.problems).toEqual([])
    expect(outcome.cases).toBeGreaterThan(0)
  },
  3_000_000,
)

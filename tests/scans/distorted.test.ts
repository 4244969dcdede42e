import { expect, it } from 'vitest'
import { listDistorted, runWithheldTwice } from './distorted.ts'
import type { PlatformCase } from './withheld-run.ts'

const every = Number(process.env.DISTORTED_EVERY ?? 300)

it.each<[string, PlatformCase]>([
  ['a wiki', { platform: 'WIKI' }],
  ['a BI tenant seen by an administrator', { platform: 'BI_PLATFORM', adminApi: true }],
])(
  'replies of %s that break the contract, twice in a row, resolve only findings in announced deletions',
  async (_name, platform) => {
    const { cases, problems } = await runWithheldTwice(platform, listDistorted, (index) => index % every === 3)
    expect(problems).toEqual([])
    expect(cases).toBeGreaterThan(1)
  },
  300_000,
)

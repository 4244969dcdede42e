import { expect, it } from 'vitest'
import { listDistorted, runWithheldTwice } from '../scans/distorted.ts'
import { listWithheld } from '../scans/withheld.ts'
import type { PlatformCase } from '../scans/withheld-run.ts'

const platforms: [string, PlatformCase][] = [
  ['a wiki', { platform: 'WIKI' }],
  ['a BI tenant seen by an administrator', { platform: 'BI_PLATFORM', adminApi: true }],
  ['a BI tenant seen by members', { platform: 'BI_PLATFORM' }],
]

it.each(platforms)(
  'replies of %s that break the contract, twice in a row, resolve only what is announced',
  async (_name, platform) => {
    const { cases, announced, problems } = await runWithheldTwice(platform, listDistorted, () => true)
    process.stdout.write(`${cases} cases, ${announced} announced\n`)
    expect(problems).toEqual([])
  },
)

it.each(platforms)(
  'parts of %s that are withheld twice in a row resolve only what is announced',
  async (_name, platform) => {
    const { cases, announced, problems } = await runWithheldTwice(platform, listWithheld, () => true)
    process.stdout.write(`${cases} cases, ${announced} announced\n`)
    expect(problems).toEqual([])
  },
)

import { expect, it, vi } from 'vitest'
import { listDistorted, runWithheldTwice } from '../scans/distorted.ts'
import { listWithheld } from '../scans/withheld.ts'
import type { PlatformCase } from '../scans/withheld-run.ts'

/** Time passes faster, because a metadata scan whose state cannot be read is given up only after ten minutes. */
const SPEED = vi.hoisted(() => 100)
vi.mock('node:timers/promises', async (original) => {
  const { setTimeout: sleep, ...others } = await original<typeof import('node:timers/promises')>()
  return { ...others, setTimeout: (ms = 0, value?: unknown, options = {}) => sleep(ms / SPEED, value, options) }
})
const now = performance.now.bind(performance)
vi.spyOn(performance, 'now').mockImplementation(() => now() * SPEED)

const platforms: [string, PlatformCase][] = [
  ['a wiki', { platform: 'WIKI' }],
  ['a BI tenant seen by an administrator', { platform: 'BI_PLATFORM', adminApi: true }],
  ['a BI tenant seen by members', { platform: 'BI_PLATFORM' }],
]

it.each(platforms)(
  'replies of %s that break the contract, twice in a row, resolve only findings in announced deletions',
  async (_name, platform) => {
    const { cases, announced, problems } = await runWithheldTwice(platform, listDistorted, () => true)
    process.stdout.write(`${cases} cases, ${announced} announced\n`)
    expect(problems).toEqual([])
  },
)

it.each(platforms)(
  'parts of %s that are withheld twice in a row resolve only findings in announced deletions',
  async (_name, platform) => {
    const { cases, announced, problems } = await runWithheldTwice(platform, listWithheld, () => true)
    process.stdout.write(`${cases} cases, ${announced} announced\n`)
    expect(problems).toEqual([])
  },
)

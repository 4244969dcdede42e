import { expect, it } from 'vitest'
import { runWithheldUnderKills } from '../scans/withheld-kills.ts'
import { type PlatformCase, runWithheld } from '../scans/withheld-run.ts'

it.each<[string, PlatformCase]>([
  ['a wiki', { platform: 'WIKI' }],
  ['a BI tenant seen by an administrator', { platform: 'BI_PLATFORM', adminApi: true }],
  ['a BI tenant seen by members', { platform: 'BI_PLATFORM' }],
])(
  'findings in any content that %s withholds are not resolved',
  async (_name, platform) => {
    const { cases, planted, problems } = await runWithheld(platform, () => true)
    process.stdout.write(`${cases} cases, ${planted} findings\n`)
    expect(problems).toEqual([])
  },
  3_600_000,
)

it.each<[string, PlatformCase]>([
  ['a wiki', { platform: 'WIKI' }],
  ['a BI tenant', { platform: 'BI_PLATFORM', adminApi: true }],
])(
  'findings in any content that %s withholds from killed scans are not resolved',
  async (_name, platform) => {
    const { cases, kills, problems } = await runWithheldUnderKills(platform, { killsPerScan: 1, every: 5, seed: 3 })
    process.stdout.write(`${cases} cases, ${kills} kills\n`)
    expect(problems).toEqual([])
    expect(kills).toBeGreaterThan(cases * 0.8)
  },
  3_600_000,
)

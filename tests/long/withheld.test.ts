import { expect, it } from 'vitest'
import { type PlatformCase, runWithheld } from '../scans/withheld-run.ts'

it.each<[string, PlatformCase]>([
  ['a wiki', { platform: 'WIKI' }],
  ['a BI tenant seen by an administrator', { platform: 'BI_PLATFORM', adminApi: true }],
  ['a BI tenant seen by members', { platform: 'BI_PLATFORM' }],
])(
  'nothing of all that %s may withhold is resolved',
  async (_name, platform) => {
    const { cases, planted, problems } = await runWithheld(platform, () => true)
    process.stdout.write(`${cases} cases, ${planted} findings\n`)
    expect(problems).toEqual([])
  },
  3_600_000,
)

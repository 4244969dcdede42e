import { expect, it } from 'vitest'
import { runWithheldUnderKills } from './withheld-kills.ts'

it('findings in content withheld from a killed scan are not resolved', async () => {
  const platform = { platform: 'BI_PLATFORM', adminApi: true } as const
  const { kills, problems } = await runWithheldUnderKills(platform, { killsPerScan: 1, every: 800, seed: 30 })
  expect(problems).toEqual([])
  expect(kills).toBeGreaterThan(0)
}, 300_000)

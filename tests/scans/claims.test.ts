import { expect, it } from 'vitest'
import { claimUnderKills } from './claims.ts'

it('no scheduled run is lost or repeated while competing workers are killed', async () => {
  const { kills, lost, twice } = await claimUnderKills(8, 1, 3)
  expect({ lost, twice }).toEqual({ lost: [], twice: [] })
  expect(kills).toBeGreaterThan(0)
}, 300_000)

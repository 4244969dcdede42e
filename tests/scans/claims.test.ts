import { expect, it } from 'vitest'
import { claimUnderKills } from './claims.ts'

it('no run of a schedule is lost or comes twice while workers are killed that all want it', async () => {
  const { kills, lost, twice } = await claimUnderKills(20, 1)
  expect({ lost, twice }).toEqual({ lost: [], twice: [] })
  expect(kills).toBeGreaterThan(2)
}, 300_000)

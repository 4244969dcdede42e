import { expect, it } from 'vitest'
import { claimUnderKills } from './claims.ts'

it('no run of a schedule is lost or comes twice while workers are killed that all want it', async () => {
  const { kills, lost, twice } = await claimUnderKills(30, 1)
  expect({ lost, twice }).toEqual({ lost: [], twice: [] })
  expect(kills).toBeGreaterThan(3)
}, 300_000)

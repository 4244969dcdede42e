import { expect, it } from 'vitest'
import { scanUnderKills } from './killed-scan.ts'

it('a scan of a wiki that is killed repeatedly stores the same as an undisturbed one', async () => {
  const { calm, killed, listings, kills, damages } = await scanUnderKills({ pages: 24, kills: 2, seed: 3 })
  expect(kills).toBeGreaterThan(0)
  expect(damages).toEqual([])
  expect(killed).toEqual(calm)
  expect(calm).toContainEqual({ status: 'COMPLETED', n: 1 })
  expect(listings.killed).toBeLessThanOrEqual(listings.calm + kills)
}, 180_000)

import { expect, it } from 'vitest'
import { scanUnderKills } from '../scans/killed-scan.ts'

it('a scan of 2,000 pages that is killed 50 times stores what an undisturbed one does', async () => {
  const { calm, killed, listings, kills, damages } = await scanUnderKills({ pages: 2_000, kills: 50, seed: 1 })
  process.stdout.write(
    `${kills} kills, ${listings.calm} pages of listings undisturbed, ${listings.killed} with kills\n`,
  )
  expect(kills).toBe(50)
  expect(damages).toEqual([])
  expect(killed).toEqual(calm)
  expect(listings.killed).toBeLessThanOrEqual(listings.calm + kills)
})

import { expect, it } from 'vitest'
import { cases, maxMs } from '../support/long.ts'
import { scanUnderKills } from './killed-scan.ts'

it(
  'a scan that is killed repeatedly has the same result as an undisturbed one',
  async () => {
    const wanted = cases(2, 50)
    const result = await scanUnderKills({ pages: cases(120, 2_000), kills: wanted, seed: 1 })
    const { calm, killed, listings, kills, damages } = result
    expect(kills).toBe(wanted)
    expect(damages).toEqual([])
    expect(killed).toEqual(calm)
    // A kill costs the page of a listing that was under way.
    expect(listings.killed).toBeLessThanOrEqual(listings.calm + kills)
  },
  maxMs(120_000),
)

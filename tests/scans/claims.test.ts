import { expect, it } from 'vitest'
import { cases, maxMs } from '../support/long.ts'
import { claimUnderKills } from './claims.ts'

it(
  'no scheduled run is lost or repeated while competing workers are killed',
  async () => {
    const { kills, lost, twice } = await claimUnderKills(cases(8, 600), 1, cases(3, 4))
    expect({ lost, twice }).toEqual({ lost: [], twice: [] })
    expect(kills).toBeGreaterThan(cases(0, 100))
  },
  maxMs(300_000),
)

import { expect, it } from 'vitest'
import { claimUnderKills } from '../scans/claims.ts'

it('none of 600 scheduled runs is lost or repeated while four workers are killed repeatedly', async () => {
  const { kills, takenOver, lost, twice } = await claimUnderKills(600, 1)
  process.stdout.write(
    `600 runs, ${kills} kills, ${takenOver} taken over, ${lost.length} lost, ${twice.length} twice\n`,
  )
  expect({ lost, twice }).toEqual({ lost: [], twice: [] })
  expect(kills).toBeGreaterThan(100)
  expect(takenOver).toBeGreaterThan(50)
})

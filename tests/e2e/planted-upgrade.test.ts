import { expect, it } from 'vitest'
import { findPlantedInUpgraded } from './planted-upgrade.ts'

it('credentials in any text of a database of version 0.1.0 are in no file and no response after the upgrade', async () => {
  const { leaks, before, forgotten, findings, fields } = await findPlantedInUpgraded(3, 60)
  expect(before).toBeGreaterThan(fields)
  expect(forgotten).toEqual([])
  expect(leaks).toEqual([])
  expect(findings).toBeGreaterThan(10)
}, 120_000)

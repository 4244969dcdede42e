import { expect, it } from 'vitest'
import { findPlantedInUpgraded } from './planted-upgrade.ts'

it('what is planted in each text of a database of version 0.1.0 is in no file and no reply after the upgrade', async () => {
  const { leaks, before, forgotten, findings, fields } = await findPlantedInUpgraded(3, 20)
  expect(before).toBeGreaterThan(fields)
  expect(forgotten).toEqual([])
  expect(leaks).toEqual([])
  expect(findings).toBeGreaterThan(10)
}, 120_000)

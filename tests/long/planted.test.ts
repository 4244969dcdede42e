import { expect, it } from 'vitest'
import { findPlantedInUpgraded } from '../e2e/planted-upgrade.ts'

const say = (text: string) => process.stdout.write(`${new Date().toISOString()} ${text}\n`)

it('no credential in any text of a database of version 0.1.0 is returned or stored after the upgrade', async () => {
  const { leaks, uncovered, forgotten, ...rest } = await findPlantedInUpgraded(186, 1)
  say(JSON.stringify(rest))
  expect([leaks, uncovered, forgotten]).toEqual([[], [], []])
}, 3_600_000)

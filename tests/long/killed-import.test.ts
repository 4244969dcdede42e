import { expect, it } from 'vitest'
import { importUnderKills, type KilledImports } from '../imports/killed-import.ts'

it('readers see all or nothing of imports of 40,000 findings through 200 kills of their processes', async () => {
  const onImport = ({ kills, killedAt, answers, imports, wrong, incomplete }: KilledImports) => {
    const counts = [killedAt, answers].map((count) => JSON.stringify(count)).join(', ')
    const faults = `${wrong.length} wrong answers, ${incomplete.length} differences`
    process.stdout.write(`${kills} kills in ${imports} imports, ${counts}, ${faults}\n`)
  }
  const { kills, wrong, incomplete } = await importUnderKills({ kills: 200, findings: 40_000, seed: 7, onImport })
  expect(wrong).toEqual([])
  expect(incomplete).toEqual([])
  expect(kills).toBe(200)
})

import { expect, it } from 'vitest'
import { importUnderKills } from '../scans/killed-import.ts'

it('imports of 40,000 findings are seen whole or not at all through 200 kills of their processes', async () => {
  const result = await importUnderKills({ kills: 200, findings: 40_000, seed: 7 })
  const { kills, killedAt, answers, imports, wrong, incomplete } = result
  process.stdout.write(`${kills} kills ${JSON.stringify(killedAt)} in ${imports} imports, ${JSON.stringify(answers)}\n`)
  expect(wrong).toEqual([])
  expect(incomplete).toEqual([])
  expect(kills).toBe(200)
})

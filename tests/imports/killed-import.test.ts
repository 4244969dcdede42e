import { expect, it } from 'vitest'
import { importUnderKills } from './killed-import.ts'

it('an import whose processes are killed is seen whole or not at all by readers in other processes', async () => {
  const { kills, wrong, incomplete, answers } = await importUnderKills({ kills: 3, findings: 2_000, seed: 1 })
  expect(kills).toBe(3)
  expect(wrong).toEqual([])
  expect(incomplete).toEqual([])
  for (const reader of ['HTTP', 'MCP', 'SQL', 'engine']) expect(answers[reader]).toBeGreaterThan(5)
}, 180_000)

import { expect, it } from 'vitest'
import { importUnderKills } from './killed-import.ts'

it('readers in other processes see all or nothing of an import whose processes are killed', async () => {
  const { kills, wrong, incomplete, answers } = await importUnderKills({
    kills: 1,
    findings: 2_000,
    seed: 1,
    hasMcp: false,
  })
  expect(kills).toBe(1)
  expect(wrong).toEqual([])
  expect(incomplete).toEqual([])
  for (const reader of ['HTTP', 'SQL', 'engine']) expect(answers[reader]).toBeGreaterThan(5)
}, 180_000)

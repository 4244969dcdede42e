import { expect, it } from 'vitest'
import { triageConcurrently } from '../findings/concurrent-triage.ts'

it('two people and an assistant triage 5,000 findings at once; history, counts and audit trail are equal', async () => {
  for (const seed of [1, 2, 3]) {
    const done = await triageConcurrently(5_000, 25, seed)
    const { calls, conflicts, undos, changed } = done
    process.stdout.write(`seed ${seed}: ${calls} calls, ${conflicts} conflicts, ${undos} undos, ${changed} changes\n`)
    expect(done.recorded).toEqual(done.answered)
    expect(done.audited).toEqual(done.changedBy)
    expect(done.counted).toEqual(done.ended)
    expect(done).toMatchObject({ broken: 0, wronglyUndone: [], changed: done.recorded.length })
  }
})

import { expect, it } from 'vitest'
import { killDeliverers } from '../watches/killed-delivery.ts'
import { replay } from '../watches/replay.ts'

it('60 days of imports change the states of 30 watches as a model predicts', async () => {
  for (const seed of [1, 2, 3]) {
    const { changes, expected, wronglyOk, firings, evaluations } = await replay(60, 30, seed)
    process.stdout.write(`seed ${seed}: ${evaluations} evaluations, ${expected.length} changes, ${firings} firings\n`)
    expect(changes).toEqual(expected)
    expect(wronglyOk).toBe(0)
    expect(firings).toBeGreaterThan(30)
  }
})

it('every change arrives in order when the process is killed 50 times while it sends', async () => {
  const { kills, changes, received, doubles, outOfOrder, missing } = await killDeliverers(50, 5)
  process.stdout.write(`${kills} kills, ${changes} changes, ${received} messages, ${doubles} doubles\n`)
  expect({ outOfOrder, missing }).toEqual({ outOfOrder: [], missing: [] })
  expect(kills).toBe(50)
})

import { expect, it } from 'vitest'
import { killWriters } from '../store/killed-writer.ts'

it('nothing that was told as kept is lost in 1,000 kills of a writer', async () => {
  const { kills, acknowledged, damages } = await killWriters(1_000, 7)
  process.stdout.write(`${kills} kills, ${acknowledged} batches\n`)
  expect(damages).toEqual([])
  expect(acknowledged).toBeGreaterThan(kills)
})

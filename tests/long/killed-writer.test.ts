import { expect, it } from 'vitest'
import { killWriters } from '../store/killed-writer.ts'

it('no acknowledged write is lost when a writer is killed 1,000 times', async () => {
  const { kills, acknowledged, damages, openMs } = await killWriters(1_000, 7)
  const [half, most] = [0.5, 0.99].map((part) => openMs.toSorted((a, b) => a - b)[Math.floor(part * kills)])
  process.stdout.write(
    `${kills} kills, ${acknowledged} batches told as kept, ${damages.length} damages; ` +
      `the file opened in ${half?.toFixed(0)} ms (p50), ${most?.toFixed(0)} ms (p99)\n`,
  )
  expect(damages).toEqual([])
  expect(acknowledged).toBeGreaterThan(kills)
})

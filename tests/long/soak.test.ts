import { expect, it } from 'vitest'
import { type Reading, soak } from './soak.ts'

/** Two hours, unless fewer minutes are asked for. */
const MINUTES = Number(process.env.SOAK_MINUTES ?? 120)
const MB = 1024 * 1024

/** The least of a part of the readings: what is left once garbage was collected. */
const floorOf = (readings: readonly Reading[], from: number, to: number, of: (reading: Reading) => number) =>
  Math.min(...readings.slice(Math.floor(readings.length * from), Math.ceil(readings.length * to)).map(of))

it('a server that scans a faulty wiki for hours leaks neither files nor memory', async () => {
  const { scans, calls, faults, errors, readings, calm, soaked } = await soak({
    seconds: MINUTES * 60,
    pages: 200,
    seed: 1,
  })
  const [heapThen, heapNow] = [
    floorOf(readings, 0.25, 0.5, ({ heapBytes }) => heapBytes),
    floorOf(readings, 0.75, 1, ({ heapBytes }) => heapBytes),
  ]
  const files = readings.map(({ openFiles }) => openFiles)
  process.stdout.write(
    `${MINUTES} minutes: scans ${JSON.stringify(scans)}, ${calls} calls, ${faults.length} failed, ` +
      `heap ${(heapThen / MB).toFixed(1)} to ${(heapNow / MB).toFixed(1)} MB, ` +
      `open files ${files[0]}, at most ${Math.max(...files)}, in the end ${files.at(-1)}\n`,
  )
  expect({ faults, errors }).toEqual({ faults: [], errors: [] })
  expect(Object.keys(scans).filter((status) => status !== 'COMPLETED' && status !== 'PARTIAL')).toEqual([])
  expect(Math.abs((files.at(-1) ?? 0) - (files[1] ?? 0))).toBeLessThanOrEqual(5)
  // Half the time lies between the two: a megabyte for ten minutes would be a leak.
  expect(heapNow - heapThen).toBeLessThan(Math.max(4, MINUTES / 20) * MB)
  expect(soaked).toEqual(calm)
})

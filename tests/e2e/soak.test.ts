import { expect, it } from 'vitest'
import { soak } from './soak.ts'

it('a server that scans a faulty wiki repeatedly leaks no handles and ends with correct counts', async () => {
  const { scans, calls, faults, errors, readings, calm, soaked, code } = await soak({ seconds: 1, pages: 20, seed: 1 })
  expect({ faults, errors, code }).toEqual({ faults: [], errors: [], code: 0 })
  expect(Object.keys(scans).filter((status) => status !== 'COMPLETED' && status !== 'PARTIAL')).toEqual([])
  expect(calls).toBeGreaterThan(5)
  expect(readings.length).toBeGreaterThan(0)
  const [first, last] = [readings[0], readings.at(-1)]
  expect(Math.abs((last?.openFiles ?? 0) - (first?.openFiles ?? 0))).toBeLessThanOrEqual(5)
  expect(soaked).toEqual(calm)
  expect(calm).toMatchObject({ value: expect.toSatisfy((value: number) => value > 0) })
}, 180_000)

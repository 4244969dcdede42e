import { expect, it } from 'vitest'
import { findPlantedValues } from './planted-values.ts'

it('a value that is reported in an item is in no other text of it, however it is written', async () => {
  const { leaks, planted, reported } = await findPlantedValues(53, () => {})
  expect(leaks).toEqual([])
  expect(reported).toBeGreaterThan(planted * 0.7)
}, 300_000)

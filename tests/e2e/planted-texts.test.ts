import { expect, it } from 'vitest'
import { findPlantedTexts } from './planted-texts.ts'

it('what is planted in names, imports and commands is in no file, reply or line', async () => {
  const { leaks, findings, assets } = await findPlantedTexts(0)
  expect(leaks).toEqual([])
  expect(findings).toBeGreaterThan(100)
  expect(assets).toBeGreaterThan(60)
}, 120_000)

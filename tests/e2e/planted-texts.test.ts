import { expect, it } from 'vitest'
import { findPlantedTexts } from './planted-texts.ts'

const counts = {
  ...{
    scans: 1,
    steered: 1,
    steeredScans: 0,
    crawls: 1,
    contentCrawls: 0,
    maxSteeredMs: 600,
    lines: 20,
    refusedImports: 1,
  },
  ...{ requests: 1, commands: 1, crashes: 1, every: 100 },
}

it('credentials in names, imports and commands are in no file, no response and no log line', async () => {
  const { leaks, findings, assets } = await findPlantedTexts(counts, () => {})
  expect(leaks).toEqual([])
  // More than the imports alone bring.
  expect(findings).toBeGreaterThan(2 * counts.lines)
  expect(assets).toBeGreaterThan(60)
}, 300_000)

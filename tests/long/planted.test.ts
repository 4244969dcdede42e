import { expect, it } from 'vitest'
import { findLeakedInputs } from '../catalogue/planted-inputs.ts'
import { findLeakedArguments } from '../cli/planted-arguments.ts'
import { plantedCredentials } from '../support/plantings.ts'

// All questions are asked about what was planted.
process.env.ASSAY_LONG = '1'
const { findPlantedValues } = await import('../e2e/planted-values.ts')
const { findPlantedTexts } = await import('../e2e/planted-texts.ts')

const say = (text: string) => process.stdout.write(`${new Date().toISOString()} ${text}\n`)

it('a value that is reported in an item is in no other text of it, however it is written', async () => {
  const { leaks, ...counts } = await findPlantedValues(Number(process.env.PLANTED_SHARE ?? 1), say)
  say(JSON.stringify(counts))
  expect(leaks).toEqual([])
  expect(counts.reported).toBeGreaterThan(counts.planted * 0.7)
}, 3_600_000)

it('no credential in any input, however disguised, is returned or stored', async () => {
  const { asked, leaks } = await findLeakedInputs(plantedCredentials.length)
  say(`${asked} inputs`)
  expect(leaks).toEqual([])
}, 3_600_000)

it('no credential in any argument or option of a command is printed or stored', async () => {
  const { leaks, ...counts } = await findLeakedArguments(Number(process.env.PLANTED_ARGUMENTS ?? 30))
  say(JSON.stringify(counts))
  expect(leaks).toEqual([])
}, 3_600_000)

it('no credential in any field of a tenant, an import, a request or a command is returned or stored', async () => {
  const all = Number(process.env.PLANTED_TIMES ?? 190)
  const counts = {
    ...{
      scans: Math.min(all, 20),
      steered: all,
      steeredScans: 1,
      crawls: all,
      contentCrawls: all,
      maxSteeredMs: 2000,
      lines: 190,
      refusedImports: all,
      requests: all,
    },
    ...{ commands: all, crashes: all, every: 25 },
  }
  const { leaks, uncovered, ...rest } = await findPlantedTexts(counts, say)
  say(JSON.stringify(rest))
  expect(leaks).toEqual([])
  if (all >= 190) expect(uncovered).toEqual([])
}, 10_800_000)

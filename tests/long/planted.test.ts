import { expect, it } from 'vitest'
import { findLeakedInputs } from '../catalogue/planted-inputs.ts'
import { findPlantedTexts } from '../e2e/planted-texts.ts'
import { plantedCredentials, plantings } from '../support/plantings.ts'

it('no credential in any disguise that is typed into any input is answered or kept', async () => {
  const { asked, leaks } = await findLeakedInputs(plantedCredentials.length)
  process.stdout.write(`${asked} inputs\n`)
  expect(leaks).toEqual([])
}, 3_600_000)

it('nor anything else that is planted in each name and each member of an import', async () => {
  for (let start = 0; start < plantings.length; start += 7) {
    const { leaks } = await findPlantedTexts(start, plantings.length)
    expect([start, leaks]).toEqual([start, []])
  }
}, 3_600_000)

import { expect, it } from 'vitest'
import { findLeakedInputs } from '../catalogue/planted-inputs.ts'
import { plantedCredentials } from '../support/plantings.ts'

it('no credential in any disguise that is typed into any input is answered or kept', async () => {
  const { asked, leaks } = await findLeakedInputs(plantedCredentials.length)
  process.stdout.write(`${asked} inputs\n`)
  expect(leaks).toEqual([])
}, 3_600_000)

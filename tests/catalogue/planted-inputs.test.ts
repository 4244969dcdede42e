import { expect, it } from 'vitest'
import { findLeakedInputs } from './planted-inputs.ts'

it('a credential that is typed into an input is neither answered nor kept', async () => {
  const { asked, leaks } = await findLeakedInputs(1)
  expect(leaks).toEqual([])
  expect(asked).toBeGreaterThan(300)
}, 60_000)

import { expect, it } from 'vitest'
import { findLeakedInputs } from './planted-inputs.ts'

it('a credential in an input is neither returned nor stored', async () => {
  const { asked, leaks } = await findLeakedInputs(1)
  expect(leaks).toEqual([])
  expect(asked).toBeGreaterThan(125)
}, 120_000)

import { expect, it } from 'vitest'
import { findLeakedArguments } from './planted-arguments.ts'

it('a credential in any argument or option of a command is neither printed nor stored', async () => {
  const { parameters, runs, accepted, leaks } = await findLeakedArguments(1, { isShort: true })
  expect(leaks).toEqual([])
  expect(parameters).toBeGreaterThan(40)
  expect(runs).toBe(parameters)
  expect(accepted).toBeGreaterThan(5)
}, 180_000)

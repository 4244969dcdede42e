import { expect, it } from 'vitest'
import { maskRepeatedSecrets } from '../../src/operation/repeated.ts'

it('an error does not repeat a credential of the input, in any letter case', () => {
  const typed = 'sk_live_4eC39HqLyjWDarjtT1zdp7dc'
  const answer = { values: [typed.toUpperCase()], message: `was '${typed}'; read as '${typed.toUpperCase()}'.` }
  const safe = JSON.stringify(maskRepeatedSecrets({ filters: { detectorTypes: [typed] } }, answer))
  expect(safe).not.toMatch(/4eC39HqLyjWD/i)
  expect(safe).toContain('read as')
})

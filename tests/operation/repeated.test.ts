import { expect, it } from 'vitest'
import { maskRepeatedSecrets } from '../../src/operation/repeated.ts'

it('an error does not repeat a credential of the input, in any letter case', () => {
  const typed = 'sk_live_4eC39HqLyjWDarjtT1zdp7dc'
  const answer = { values: [typed.toUpperCase()], message: `was '${typed}'; read as '${typed.toUpperCase()}'.` }
  const safe = JSON.stringify(maskRepeatedSecrets({ filters: { detectorTypes: [typed] } }, answer))
  expect(safe).not.toMatch(/4eC39HqLyjWD/i)
  expect(safe).toContain('read as')
})

it('an error does not repeat a part of a credential that is encoded in a parameter of JSON', () => {
  const typed = [...Buffer.from('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')]
    .map((byte) => `%${byte.toString(16)}`)
    .join('')
  const answer = { message: `No source is called '${typed.slice(0, 117)}'….` }
  const safe = maskRepeatedSecrets({ exclude: JSON.stringify({ sources: [typed] }) }, answer)
  expect(safe).toEqual({ message: "No source is called '********'…." })
})

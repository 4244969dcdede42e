import { expect, it } from 'vitest'
import { findPlanted, plantings } from './plantings.ts'

it('finds each marker in a text, in JSON and in bytes', () => {
  for (const { name, text } of plantings) {
    const [value = ''] = name.split(',')
    for (const shown of [`a ${text} b`, JSON.stringify({ a: text }), JSON.stringify(JSON.stringify([text]))]) {
      expect([name, findPlanted(shown).some((found) => found.startsWith(value))]).toEqual([name, true])
    }
    expect(findPlanted('nothing ******** of the kind')).toEqual([])
  }
})

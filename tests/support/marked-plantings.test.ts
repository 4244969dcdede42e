import { expect, it } from 'vitest'
import { toSafeTextOnce } from '../../src/detectors/safe-text.ts'
import { MarkedPlantings } from './marked-plantings.ts'

const FIELDS = 3

it('finds its markers in a text, in JSON and in bytes, but not when they are masked', () => {
  const plantings = new MarkedPlantings()
  for (let field = 0; field < FIELDS; field++) {
    for (let n = 0; n < 186; n++) {
      const text = plantings.take(`field ${field}`)
      for (const shown of [`a ${text} b`, JSON.stringify({ a: text }), JSON.stringify(JSON.stringify([text]))]) {
        expect([text, plantings.find(shown).length]).toEqual([text, 1])
      }
      const safe = toSafeTextOnce(`Plan of ${text} for May`, 'prose')
      expect([text, safe, plantings.find(safe)]).toEqual([text, safe, []])
    }
  }
  expect(plantings.listUncovered()).toEqual([])
  expect(plantings.counts).toEqual({ fields: FIELDS, planted: 186 * FIELDS })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ChangeEncoder, decodeChanges, type FacetChange } from '../../src/findings/facet-log.ts'

const SIX_BYTES = 2 ** 48 - 1
const change: fc.Arbitrary<FacetChange> = fc.record({
  findingId: fc.integer({ min: 0, max: SIX_BYTES }),
  assetId: fc.integer({ min: 0, max: SIX_BYTES }),
  firstDetectedAt: fc.integer({ min: -(2 ** 47), max: 2 ** 47 - 1 }),
  fromCombo: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  toCombo: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  fromConfidence: fc.integer({ min: 0, max: 10_000 }),
  toConfidence: fc.integer({ min: 0, max: 10_000 }),
  isRewritten: fc.boolean(),
})

describe('the change log', () => {
  it('returns the rows that were written', () => {
    const encoder = new ChangeEncoder()
    fc.assert(
      fc.property(fc.array(change, { maxLength: 50 }), (changes) => {
        for (const one of changes) encoder.add(one)
        expect(decodeChanges(encoder.take())).toEqual(changes)
      }),
    )
  })

  it('refuses a truncated row', () => {
    expect(() => decodeChanges(new Uint8Array(33))).toThrow(RangeError)
  })
})

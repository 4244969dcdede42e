import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createFingerprinter } from '../../src/detectors/fingerprint.ts'

const key = (byte: number) => new Uint8Array(32).fill(byte)

it('a fingerprint tells nothing to whoever has not the key', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (value) => {
      const [one, other] = [createFingerprinter(key(1))(value), createFingerprinter(key(2))(value)]
      expect(one).toMatch(/^[0-9a-f]{12}$/)
      expect(one).not.toBe(other)
      expect(createFingerprinter(key(1))(value)).toBe(one)
    }),
    { numRuns: 100, seed: 7 },
  )
})

import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createFingerprinter, createNumberer } from '../../src/detectors/fingerprint.ts'
import { toFp } from '../../src/findings/finding-record.ts'
import { anyText } from '../support/any-text.ts'

const canonical = fc.oneof(
  anyText({ maxLength: 80 }),
  fc
    .tuple(anyText({ maxLength: 3 }), fc.integer({ min: 0, max: 5_000 }))
    .map(([unit, count]) => unit.repeat(count).slice(0, 6_000)),
)

it('a fingerprint is 47 bits of HMAC-SHA-256', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 80 }), fc.array(canonical, { minLength: 1 }), (key, texts) => {
      const [fingerprint, number] = [createFingerprinter(key), createNumberer(key)]
      for (const text of texts) {
        const digest = createHmac('sha256', key).update(text).digest()
        const expected = (digest.readUIntBE(0, 6) % 2 ** 47).toString(16).padStart(12, '0')
        expect(fingerprint(text)).toBe(expected)
        expect(number(text)).toBe(toFp(expected))
      }
    }),
  )
})

const key = (byte: number) => new Uint8Array(32).fill(byte)

it('a fingerprint reveals nothing without the key', () => {
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

import { describe, expect, it } from 'vitest'
import { hasCrcTail, isLuhn, isMod11And10, isVerhoeff, toDigits } from '../../src/detectors/checksums.ts'

const schemes = { luhn: isLuhn, mod11And10: isMod11And10, verhoeff: isVerhoeff }

describe.each([
  ['luhn', '79927398713'],
  ['luhn', '4929421234600821'],
  ['mod11And10', '86095742719'],
  ['mod11And10', '47036892816'],
  ['verhoeff', '2363'],
  ['verhoeff', '234123412346'],
] as const)('%s of %s', (scheme, number) => {
  it('is valid', () => expect(schemes[scheme](toDigits(number))).toBe(true))
  it('is invalid when any single digit is changed', () => {
    for (let at = 0; at < number.length; at++) {
      for (let digit = 0; digit < 10; digit++) {
        if (String(digit) === number[at]) continue
        const changed = `${number.slice(0, at)}${digit}${number.slice(at + 1)}`
        expect(schemes[scheme](toDigits(changed))).toBe(false)
      }
    }
  })
})

it('recognizes a token by the checksum at its end', () => {
  const body = `zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17`
  expect(hasCrcTail(body)).toBe(true)
  expect(hasCrcTail(body.replace('z', 'y'))).toBe(false)
})

import { crc32 } from 'node:zlib'

/** The digits of a text as numbers; other characters are skipped. */
export function toDigits(text: string): number[] {
  const digits: number[] = []
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 48
    if (digit >= 0 && digit <= 9) digits.push(digit)
  }
  return digits
}

/** Luhn algorithm, ISO/IEC 7812-1 annex B. */
export function isLuhn(digits: readonly number[]): boolean {
  let sum = 0
  for (let at = 0; at < digits.length; at++) {
    const digit = digits[digits.length - 1 - at] ?? 0
    sum += at % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2
  }
  return digits.length > 1 && sum % 10 === 0
}

/** The weighted sum of digits; surplus digits are ignored and missing ones count as 0. */
export function weigh(digits: readonly number[], weights: readonly number[]): number {
  return weights.reduce((sum, weight, at) => sum + weight * (digits[at] ?? 0), 0)
}

/** ISO/IEC 7064 mod 11,10, as used by the German tax number. */
export function isMod11And10(digits: readonly number[]): boolean {
  let product = 10
  for (const digit of digits.slice(0, -1)) {
    const sum = (digit + product) % 10 || 10
    product = (sum * 2) % 11
  }
  return (11 - product) % 10 === digits.at(-1)
}

const dihedral = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  [1, 2, 3, 4, 0, 6, 7, 8, 9, 5],
  [2, 3, 4, 0, 1, 7, 8, 9, 5, 6],
  [3, 4, 0, 1, 2, 8, 9, 5, 6, 7],
  [4, 0, 1, 2, 3, 9, 5, 6, 7, 8],
  [5, 9, 8, 7, 6, 0, 4, 3, 2, 1],
  [6, 5, 9, 8, 7, 1, 0, 4, 3, 2],
  [7, 6, 5, 9, 8, 2, 1, 0, 4, 3],
  [8, 7, 6, 5, 9, 3, 2, 1, 0, 4],
  [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
] as const
const permutation = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4] as const

/** Verhoeff algorithm over the dihedral group of order 10, as used by Aadhaar. */
export function isVerhoeff(digits: readonly number[]): boolean {
  let check = 0
  for (let at = 0; at < digits.length; at++) {
    let digit = digits[digits.length - 1 - at] ?? 0
    for (let round = 0; round < at % 8; round++) digit = permutation[digit] ?? 0
    check = dihedral[check]?.[digit] ?? 0
  }
  return check === 0
}

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Whether the last six characters are the CRC-32 of the preceding ones in base 62, as in tokens of GitHub and npm. */
export function hasCrcTail(body: string): boolean {
  let crc = crc32(body.slice(0, -6))
  let tail = ''
  for (let at = 0; at < 6; at++) {
    tail = (base62[crc % 62] ?? '') + tail
    crc = Math.floor(crc / 62)
  }
  return tail === body.slice(-6)
}

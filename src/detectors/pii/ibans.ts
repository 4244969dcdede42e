import { isValidIBAN } from 'ibantools'
import type { Part } from '../../documents/document.ts'
import type { PiiMatch } from './match.ts'

/** From the check digits on, which are rarer than letters; the code of the country is before them. */
const candidate = /\d{2}(?<=(?<![A-Za-z0-9])[A-Za-z]{2} ?\d{2})(?:[ \u00a0-]?[A-Za-z0-9]){11,30}/g
const MIN_LENGTH = 15

/** International bank account numbers, with or without spaces, in any letter case; the check digits must be valid. */
export function* findIbans(part: Part): Generator<PiiMatch> {
  for (const { 0: found, index } of part.text.matchAll(candidate)) {
    const start = index - (part.text.charAt(index - 1) === ' ' ? 3 : 2)
    const match = longestValid(part.text, part.text.slice(start, index + found.length), start)
    if (match !== undefined) yield match
  }
}

/** Words after a number with spaces look like its continuation, so shorter candidates are tried too. */
function longestValid(text: string, found: string, index: number): PiiMatch | undefined {
  for (let length = found.length; length >= MIN_LENGTH; length--) {
    const next = text.charAt(index + length)
    if (/[A-Za-z0-9]/.test(next) || /[ \u00a0-]/.test(found.charAt(length - 1))) continue
    const iban = found
      .slice(0, length)
      .replace(/[^A-Za-z0-9]/g, '')
      .toUpperCase()
    if (!isValidIBAN(iban) || /^..\d\d0+$/.test(iban)) continue
    return {
      type: 'IBAN',
      start: index,
      end: index + length,
      confidence: 0.98,
      severity: 'HIGH',
      identity: iban,
      shown: `${iban.slice(0, 2)}•• ${iban.slice(-4)}`,
    }
  }
  return undefined
}

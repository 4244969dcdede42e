import { toDigits, weigh } from '../../checksums.ts'

/**
 * Strength of the checks of a number: of other numbers in the same form, a `strong` check accepts less than 1
 * in 50, a `weak` one up to 1 in 10, and the `form` alone all.
 */
export type CheckStrength = 'strong' | 'weak' | 'form'

/** A number issued by authorities, insurers or manufacturers to a person or to a person's property. */
export interface IdRule {
  type: string
  /** ISO 3166 code of the issuing country; `-` if there are several. */
  country: string
  /** Its labels, in lower case, separated by `|`. */
  words: string
  /** Its form; the surrounding text is checked separately. */
  pattern: RegExp
  /** The published checks, given the number in upper case without separators. */
  isValid: (compact: string) => boolean
  check: CheckStrength
  /**
   * The form in which it is reported without a label. `lead` characters before the match belong to it,
   * if the pattern starts at a rare character.
   */
  alone?: { pattern: RegExp; lead?: number }
}

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const

export const isDay = (month: number, day: number): boolean => day >= 1 && day <= (DAYS[month - 1] ?? 0)

/** The number at an offset. */
export const numberAt = (text: string, at: number, length = 2): number => Number(text.slice(at, at + length))

export const isMonthDay = (text: string, monthAt: number, dayAt: number): boolean =>
  isDay(numberAt(text, monthAt), numberAt(text, dayAt))

export const hasVariety = (text: string, least = 3): boolean => new Set(text).size >= least

export const sumOf = (text: string, weights: readonly number[]): number => weigh(toDigits(text), weights)

/** The remainder of a number of any length. */
export function remainder(digits: string, divisor: number): number {
  let rest = 0
  for (let at = 0; at < digits.length; at++) rest = (rest * 10 + digits.charCodeAt(at) - 48) % divisor
  return rest
}

/** The check digit of ISO/IEC 7064 and ICAO 9303 documents: weights 7, 3, 1 over digits and letters. */
export function machineReadableCheck(text: string): number {
  let sum = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const value = code >= 65 && code <= 90 ? code - 55 : code >= 48 && code <= 57 ? code - 48 : 0
    sum += value * ([7, 3, 1][at % 3] ?? 0)
  }
  return sum % 10
}

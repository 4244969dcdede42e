/** Invisible characters and characters that reorder visible text; removed from excerpts. */
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Variation_Selector}]+/gu

/** Converts text to one visible line: whitespace collapsed, invisible and control characters removed. */
export function toVisibleLine(text: string): string {
  return text.replace(/\s+/g, ' ').replace(unseen, '')
}

/** Lower-cases ASCII letters only, so that offsets do not change. */
export function toLowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (run) => run.toLowerCase())
}

/** Shannon entropy in bits per character. */
export function entropy(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}

/** Whether a code unit is an ASCII digit. */
export const isDigit = (code: number): boolean => code >= 48 && code <= 57

/** Whether a code unit is an ASCII letter or digit. */
export const isAlphanumeric = (code: number): boolean =>
  isDigit(code) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)

/**
 * Whether a code unit is a digit, an underscore, or a letter of a script with spaces between words; next to a Chinese
 * character, a number is a word of its own.
 */
export const isWordCode = (code: number): boolean =>
  isAlphanumeric(code) || code === 95 || (code >= 0xc0 && code < 0x2000)

const ASCII = 128

/** The ASCII characters that a pattern matches, for `hasRun`: 1 at their codes. */
export const toCodes = (pattern: RegExp): Uint8Array =>
  Uint8Array.from({ length: ASCII }, (_, code) => (pattern.test(String.fromCharCode(code)) ? 1 : 0))

/** Whether the text has `length` such characters in a row, skipping ahead from the end of each possible run. */
export function hasRun(text: string, codes: Uint8Array, length: number): boolean {
  let from = 0
  for (let at = length - 1; at < text.length; at = from + length - 1) {
    let back = at
    while (back >= from && codes[text.charCodeAt(back)] === 1) back--
    if (back < from) return true
    from = back + 1
  }
  return false
}

/** A text without the signs that close it. */
export function withoutTail(text: string, signs: string): string {
  let end = text.length
  while (end > 0 && signs.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

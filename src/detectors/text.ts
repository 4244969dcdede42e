/** Characters that a reader cannot see or that reorder what is seen; an excerpt never carries them on. */
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Variation_Selector}]+/gu

/** One line of visible text: white space collapsed, invisible and control characters gone. */
export function toVisibleLine(text: string): string {
  return text.replace(/\s+/g, ' ').replace(unseen, '')
}

/** Folds the case of ASCII letters only, so that every offset stays where it is. */
export function toLowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (run) => run.toLowerCase())
}

/** Moves an offset off the middle of a surrogate pair, towards the start. */
export function toCharacterStart(text: string, offset: number): number {
  const code = text.charCodeAt(offset)
  return offset > 0 && offset < text.length && code >= 0xdc00 && code <= 0xdfff ? offset - 1 : offset
}

/** Shannon entropy in bits per character. */
export function entropy(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}

/**
 * True for a digit, an underscore, and a letter of the scripts that part words by blanks: next to a Chinese character a
 * number stands alone.
 */
export function isWordCode(code: number): boolean {
  return (
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    code === 95 ||
    (code >= 97 && code <= 122) ||
    (code >= 0xc0 && code < 0x2000)
  )
}

/** Longer names are cut before they are split into words, in characters. */
export const MAX_LABEL = 120

/** Word boundaries of `camelCase` and `ACRONYMWord`, and between a number and a capital letter. */
const caseBoundaries = /(\p{Ll}|\p{N})(\p{Lu})|(\p{Lu})(\p{Lu}\p{Ll})/gu
const withinCase = (_: string, lower?: string, upper?: string, acronym?: string, word?: string) =>
  lower === undefined ? `${acronym} ${word}` : `${lower} ${upper}`
const notWord = /[^\p{L}\p{N}\p{M}]+/u

/**
 * Splits a name such as `user_passwordHash`, `APIKey` or `Numéro d'assuré` into lower-case words (NFC). A number
 * directly after a word stays part of it.
 */
export function labelWords(name: string): string[] {
  return name
    .slice(0, MAX_LABEL)
    .normalize('NFC')
    .replace(caseBoundaries, withinCase)
    .replace(caseBoundaries, withinCase)
    .toLowerCase()
    .split(notWord)
    .filter(Boolean)
}

/** The longest name that is read as a label. */
export const MAX_LABEL = 120

/** Where `camelCase` and `ACRONYMWord` are cut, and where a number begins or ends. */
const caseBoundaries = /(\p{Ll}|\p{N})(\p{Lu})|(\p{Lu})(\p{Lu}\p{Ll})/gu
const withinCase = (_: string, lower?: string, upper?: string, acronym?: string, word?: string) =>
  lower === undefined ? `${acronym} ${word}` : `${lower} ${upper}`
const notWord = /[^\p{L}\p{N}\p{M}]+/u

/**
 * The words of a name in lower case and composed form: `user_passwordHash`, `APIKey`, `Numéro d'assuré`. A number that
 * follows a word directly stays with it.
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

/** Index of the first of `phrase`'s words in `words`, where they stand one after the other; -1 where they do not. */
export function findPhrase(words: readonly string[], phrase: readonly string[]): number {
  const last = words.length - phrase.length
  for (let at = 0; at <= last; at++) {
    if (phrase.every((word, offset) => words[at + offset] === word)) return at
  }
  return -1
}

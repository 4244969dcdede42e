/** An escape in JSON; the first group is one of half a surrogate pair or of NUL. */
const anyEscape =
  /\\(?:u(?:[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|([dD][89a-fA-F][0-9a-fA-F]{2}|0000))|[\s\S])/g
const mayBeIllFormed = /\\u(?:[dD][89a-fA-F]|0000)/

/**
 * Parses JSON from outside. In its texts, U+FFFD replaces half a surrogate pair, which no encoding can represent, and
 * NUL, which PostgreSQL cannot store.
 * @throws SyntaxError
 */
export function parseOutsideJson(json: string): unknown {
  const text = json.toWellFormed()
  if (!mayBeIllFormed.test(text)) return JSON.parse(text)
  return JSON.parse(text.replace(anyEscape, (whole: string, half?: string) => (half === undefined ? whole : '\\ufffd')))
}

/** Moves an offset in the middle of a surrogate pair to its start. */
export function toCharacterStart(text: string, offset: number): number {
  const code = text.charCodeAt(offset)
  if (offset <= 0 || offset >= text.length || code < 0xdc00 || code > 0xdfff) return offset
  const before = text.charCodeAt(offset - 1)
  return before >= 0xd800 && before <= 0xdbff ? offset - 1 : offset
}

/** The beginning of a text, without half of a surrogate pair at its end. */
export const cutText = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : text.slice(0, toCharacterStart(text, maxLength))

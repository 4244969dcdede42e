// What a reader does not see and a model does: controls, zero-width, bidirectional, tag and filler characters.
const invisible = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/** Line breaks and tabs; the joiners and the emoji selector, which scripts and emoji need. */
const kept = new Set(['\n', '\t', '\u200c', '\u200d', '\ufe0f'])

/** The same value, its strings without the characters that only a model would see. */
export function stripInvisible(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(invisible, (character) => (kept.has(character) ? character : ''))
  if (Array.isArray(value)) return value.map(stripInvisible)
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, stripInvisible(member)]))
  }
  return value
}

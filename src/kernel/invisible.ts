// What a reader does not see and a model does: controls, zero-width, bidirectional, tag and filler characters.
const invisible = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu
const pictographBefore = /(?:[\p{Extended_Pictographic}\p{Emoji_Modifier}]|\ufe0f)$/u
const pictographAfter = /^\p{Extended_Pictographic}/u
const emojiBefore = /\p{Emoji}$/u
/** Arabic, Syriac, Mongolian and the scripts of India and its neighbours, whose letters joiners shape. */
const shaped = /^[\u0600-\u07bf\u08a0-\u0dff\u1000-\u109f\u1780-\u18af]$/

/** What nearly all texts are made of. */
const plain = /^[ -~\n\t]*$/

/** The same text without what nobody sees; line breaks, tabs, and joiners where emoji and scripts need them stay. */
export function toVisible(text: string): string {
  if (plain.test(text)) return text
  return text.replace(invisible, (character, at: number) => (isNeeded(character, text, at) ? character : ''))
}

const isNeeded = (character: string, text: string, at: number): boolean =>
  character === '\n' || character === '\t' || isNeededJoiner(character, text, at)

/** True for a character that nobody sees, but that the emoji or the script around it needs. */
export function isNeededJoiner(character: string, text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 2), at)
  if (character === '\ufe0f') return emojiBefore.test(before)
  if (character !== '\u200c' && character !== '\u200d') return false
  const after = text.slice(at + 1, at + 3)
  if (shaped.test(before.slice(-1)) && shaped.test(after.slice(0, 1))) return true
  return character === '\u200d' && pictographBefore.test(before) && pictographAfter.test(after)
}

/** The same value, its strings without the characters that only a model would see; itself where there are none. */
export function stripInvisible(value: unknown): unknown {
  if (typeof value === 'string') return toVisible(value)
  if (typeof value !== 'object' || value === null || isPlain(value)) return value
  if (Array.isArray(value)) return value.map(stripInvisible)
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [toVisible(key), stripInvisible(member)]))
}

function isPlain(value: unknown): boolean {
  if (typeof value === 'string') return plain.test(value)
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(isPlain)
  return Object.entries(value).every(([key, member]) => plain.test(key) && isPlain(member))
}

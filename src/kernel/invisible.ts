// Characters that a reader does not see but a model does: controls, zero-width, bidirectional, tag and filler
// characters.
const invisible = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu
// With `u`, V8 14 does not find characters beyond U+FFFF by a class in brackets before `$`.
const pictographBefore = /(?:[\p{Extended_Pictographic}\p{Emoji_Modifier}]|\ufe0f)$/v
const pictographAfter = /^\p{Extended_Pictographic}/u
const emojiBefore = /\p{Emoji}$/u
/** Arabic, Syriac, Mongolian and the scripts of India and its neighbours, in which joiners shape letters. */
const shaped = /^[\u0600-\u07bf\u08a0-\u0dff\u1000-\u109f\u1780-\u18af]$/

/** Printable ASCII, tabs and line breaks: the fast path for nearly all texts. */
const plain = /^[ -~\n\t]*$/

/** Removes invisible characters; keeps line breaks, tabs, and joiners that emoji and scripts need. */
export function removeInvisible(text: string): string {
  if (plain.test(text)) return text
  return text.replace(invisible, (character, at: number) => (isNeeded(character, text, at) ? character : ''))
}

const isNeeded = (character: string, text: string, at: number): boolean =>
  character === '\n' || character === '\t' || isNeededJoiner(character, text, at)

/** Whether an invisible character is needed by the emoji or the script around it. */
export function isNeededJoiner(character: string, text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 2), at)
  if (character === '\ufe0f') return emojiBefore.test(before)
  if (character !== '\u200c' && character !== '\u200d') return false
  const after = text.slice(at + 1, at + 3)
  if (shaped.test(before.slice(-1)) && shaped.test(after.slice(0, 1))) return true
  return character === '\u200d' && pictographBefore.test(before) && pictographAfter.test(after)
}

/**
 * Removes characters that only a model would see from all strings and keys in a value; returns a value without any
 * unchanged.
 */
export function stripInvisible(value: unknown): unknown {
  if (typeof value === 'string') return removeInvisible(value)
  if (typeof value !== 'object' || value === null || isPlain(value)) return value
  if (Array.isArray(value)) return value.map(stripInvisible)
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [removeInvisible(key), stripInvisible(member)]),
  )
}

function isPlain(value: unknown): boolean {
  if (typeof value === 'string') return plain.test(value)
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(isPlain)
  for (const key in value) if (!plain.test(key) || !isPlain(value[key as keyof typeof value])) return false
  return true
}

/** Properties of a text that determine which searches could find anything in it. */
export interface TextProfile {
  /** It may read differently once obfuscation is removed. */
  disguised: boolean
  /** It contains a sign or a long word without which there is no token or URL with credentials. */
  mayHoldCredential: boolean
  mayBeEncoded: boolean
  digits: number
}

const WORD = 1
const ENCODED = 2
const DIGIT = 4
const SIGN = 8
const DISGUISE = 16

const isControl = (code: number) => (code < 32 && ![9, 10, 13].includes(code)) || code === 127

const classes = new Uint8Array(128)
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code)
  if (/[\w-]/.test(character)) classes[code] = (classes[code] ?? 0) | WORD
  if (/[A-Za-z0-9+/_-]/.test(character)) classes[code] = (classes[code] ?? 0) | ENCODED
  if (/\d/.test(character)) classes[code] = (classes[code] ?? 0) | DIGIT
  if (/[=@"]/.test(character)) classes[code] = (classes[code] ?? 0) | SIGN
  if (/[%<&*`\\{~]/.test(character) || isControl(code)) classes[code] = (classes[code] ?? 0) | DISGUISE
}

const MIN_TOKEN = 15
const MIN_ENCODED = 24
const scheme = /\b(?:basic|bearer)\s/i

/** Inspects a text in one pass, at a fraction of the cost of the searches that it avoids. */
export function profileText(text: string): TextProfile {
  let all = 0
  let digits = 0
  let word = 0
  let encoded = 0
  let longestWord = 0
  let longestEncoded = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const kind = code < 128 ? (classes[code] ?? 0) : DISGUISE
    all |= kind
    if ((kind & DIGIT) !== 0) digits++
    word = (kind & WORD) === 0 ? 0 : word + 1
    if (word > longestWord) longestWord = word
    encoded = (kind & ENCODED) === 0 ? 0 : encoded + 1
    if (encoded > longestEncoded) longestEncoded = encoded
  }
  return {
    disguised: (all & DISGUISE) !== 0 || text.includes('__'),
    mayHoldCredential: (all & SIGN) !== 0 || longestWord >= MIN_TOKEN || scheme.test(text),
    mayBeEncoded: longestEncoded >= MIN_ENCODED,
    digits,
  }
}

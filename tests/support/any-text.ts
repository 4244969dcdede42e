import fc from 'fast-check'

const SURROGATES = 0x800
const FIRST_SURROGATE = 0xd800

/** Any character; for the unit 'binary' of fast-check itself, a table of all of them is made, which takes seconds. */
const anyCharacter = fc
  .nat(0x10ffff - SURROGATES)
  .map((code) => String.fromCodePoint(code < FIRST_SURROGATE ? code : code + SURROGATES))

/** Texts of any characters. */
export const anyText = (options: { maxLength?: number } = {}): fc.Arbitrary<string> =>
  fc.string({ unit: anyCharacter, ...options })

/** The same as they stand in an address. */
export const anyEncodedText = (options: { maxLength?: number } = {}): fc.Arbitrary<string> =>
  anyText(options).map(encodeURIComponent)

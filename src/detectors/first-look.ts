/** Properties of a text that determine which searches could find anything in it. */
export interface TextProfile {
  /** It may read differently once obfuscation is removed. */
  disguised: boolean
  /** It contains a sign or a long word without which there is no token or URL with credentials. */
  mayHoldCredential: boolean
  mayBeEncoded: boolean
  digits: number
}

/** Any character but white space and the printable ones of ASCII that no obfuscation consists of. */
const disguise = /[^\t\n\r -$'-)+-;=-[\]-_a-z|}]|__/
const credential = /[=@"]|[\w-]{15}|\b(?:basic|bearer)\s/i
const encoded = /[A-Za-z0-9+/_-]{24}/
const digit = /\d/g

/** Inspects a text at a fraction of the cost of the searches that it avoids. */
export const profileText = (text: string): TextProfile => ({
  disguised: disguise.test(text),
  mayHoldCredential: credential.test(text),
  mayBeEncoded: encoded.test(text),
  digits: text.match(digit)?.length ?? 0,
})

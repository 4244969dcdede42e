/** A name at the beginning of a text, as it was before it was shown; `rest` is what follows. */
export interface ReadName {
  name: string
  cut: boolean
  rest: string
}

const quoted = /^'((?:[^'\\]|\\['\\nrt]|\\u[\da-f]{4})*)'(…?)/u
const bare =
  /^(?:\((?:none|withheld)\)|[\p{L}\p{N}_](?:[\p{L}\p{M}\p{N}_.&+@%-]|(?<=\p{L})'(?=\p{L})|(?<=[\p{L}\p{N}_])\/(?=[\p{L}\p{N}_])| (?=[\p{L}\p{N}_&+@%-]))*)/u
const characters: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

/** @throws Error where no name begins. */
export function readName(text: string): ReadName {
  const between = quoted.exec(text)
  if (between !== null) {
    const [whole, inner = '', ellipsis] = between
    const name = inner.replaceAll(/\\(?:u([\da-f]{4})|(.))/gu, (_, hex: string | undefined, character: string) =>
      hex === undefined ? (characters[character] ?? character) : String.fromCharCode(Number.parseInt(hex, 16)),
    )
    return { name, cut: ellipsis === '…', rest: text.slice(whole.length) }
  }
  const [name] = bare.exec(text) ?? []
  if (name === undefined) throw new Error(`no name begins at ${JSON.stringify(text.slice(0, 80))}`)
  return { name, cut: false, rest: text.slice(name.length) }
}

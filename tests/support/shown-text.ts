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

/** Reads one line of a text, piece by piece. */
export class LineReader {
  #rest: string
  readonly #line: string

  constructor(line: string) {
    this.#line = line
    this.#rest = line
  }

  /** @throws Error where the text does not go on so. */
  take(literal: string): this {
    if (!this.#rest.startsWith(literal)) throw this.#fault(JSON.stringify(literal))
    this.#rest = this.#rest.slice(literal.length)
    return this
  }

  begins(literal: string): boolean {
    return this.#rest.startsWith(literal)
  }

  get isDone(): boolean {
    return this.#rest === ''
  }

  /** Takes it where it stands. */
  skip(literal: string): boolean {
    if (!this.begins(literal)) return false
    this.take(literal)
    return true
  }

  match(pattern: RegExp): string {
    const [found] = new RegExp(`^(?:${pattern.source})`, pattern.flags).exec(this.#rest) ?? []
    if (found === undefined) throw this.#fault(String(pattern))
    this.#rest = this.#rest.slice(found.length)
    return found
  }

  /** A name as it stands, escapes and all. */
  name(): string {
    const { rest } = readName(this.#rest)
    const shown = this.#rest.slice(0, this.#rest.length - rest.length)
    this.#rest = rest
    return shown
  }

  number(): number | null {
    const text = this.match(/null|-?\d+(?:\.\d+)?/)
    return text === 'null' ? null : Number(text)
  }

  end(): void {
    if (this.#rest !== '') throw this.#fault('the end')
  }

  #fault(wanted: string): Error {
    return new Error(
      `${wanted} should stand at ${JSON.stringify(this.#rest.slice(0, 80))} of ${this.#line.slice(0, 300)}`,
    )
  }
}

import { EditError } from './jsonc.ts'

const quote = (text: string) => JSON.stringify(text)

/** A header of a table or a pair of key and value, by its places in the text. */
interface Item {
  kind: 'table' | 'pair'
  /** Whole: a pair's key follows on that of the table it stands in. */
  path: readonly string[]
  start: number
  end: number
}

const blanks = /(?:\s|#[^\n]*)*/y
const spaces = /[ \t]*/y
const key = /[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\[^\n])*"|'[^'\n]*'/y
const texts = [
  /"""(?:[^\\]|\\.)*?"""(?:"{1,2}(?!"))?/sy,
  /'''.*?'''(?:'{1,2}(?!'))?/sy,
  /"(?:[^"\\\n]|\\[^\n])*"/y,
  /'[^'\n]*'/y,
]
const word =
  /(?:true|false|[+-]?(?:inf|nan)|\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)?)?|\d\d:\d\d:\d\d(?:\.\d+)?|0x[\da-fA-F_]+|0o[0-7_]+|0b[01_]+|[+-]?\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d[\d_]*)?)(?![\w.+:-])/y

/** Reads a text of TOML (toml.io/en/v1.0.0) from its beginning to its end. @throws EditError */
class Scanner {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  items(): Item[] {
    const items: Item[] = []
    let table: readonly string[] = []
    this.#at = this.#text.startsWith('\ufeff') ? 1 : 0
    for (this.#match(blanks); this.#at < this.#text.length; this.#match(blanks)) {
      const start = this.#at
      if (this.#text[start] === '[') {
        table = this.#header()
        items.push({ kind: 'table', path: table, start, end: this.#at })
      } else {
        const path = [...table, ...this.#pair()]
        items.push({ kind: 'pair', path, start, end: this.#at })
      }
      if (this.#match(/[ \t]*(?:#[^\n]*)?\r?(?:\n|$)/y) === undefined) throw this.#broken()
    }
    return items
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    this.#at += found?.length ?? 0
    return found
  }

  #take(mark: string): void {
    if (!this.#text.startsWith(mark, this.#at)) throw this.#broken()
    this.#at += mark.length
  }

  #broken(): EditError {
    return new EditError(`It is not valid TOML at line ${this.#text.slice(0, this.#at).split('\n').length}.`)
  }

  #header(): string[] {
    const [open, close] = this.#text.startsWith('[[', this.#at) ? ['[[', ']]'] : ['[', ']']
    this.#take(open)
    const path = this.#keys()
    this.#take(close)
    return path
  }

  #keys(): string[] {
    const path: string[] = []
    for (;;) {
      this.#match(spaces)
      const found = this.#match(key)
      if (found === undefined) throw this.#broken()
      path.push(/^["']/.test(found) ? found.slice(1, -1) : found)
      this.#match(spaces)
      if (this.#text[this.#at] !== '.') return path
      this.#at += 1
    }
  }

  #pair(): string[] {
    const path = this.#keys()
    this.#take('=')
    this.#match(spaces)
    this.#value()
    return path
  }

  #value(): void {
    const first = this.#text[this.#at]
    if (first === '[') this.#list(']', () => this.#value())
    else if (first === '{') this.#list('}', () => this.#pair())
    else if (![...texts, word].some((pattern) => this.#match(pattern) !== undefined)) throw this.#broken()
  }

  #list(close: string, member: () => void): void {
    this.#at += 1
    for (this.#match(blanks); this.#text[this.#at] !== close; this.#match(blanks)) {
      member()
      this.#match(blanks)
      if (this.#text[this.#at] === ',') this.#at += 1
      else if (this.#text[this.#at] !== close) throw this.#broken()
    }
    this.#at += 1
  }
}

const isBelow = (path: readonly string[], table: readonly string[]) => table.every((part, at) => path[at] === part)

/** The table with all that belongs to it; undefined when the text does not name it. */
function findBlock(text: string, table: readonly string[]): { start: number; end: number } | undefined {
  const items = new Scanner(text).items()
  const own = items.filter(({ path }) => isBelow(path, table))
  const [first] = own
  const last = own.at(-1)
  if (first === undefined || last === undefined) return undefined
  const from = items.indexOf(first)
  // Pairs of other tables, or tables of others between, cannot be replaced as one piece.
  if (first.kind === 'pair' || first.path.length > table.length || items.indexOf(last) !== from + own.length - 1) {
    throw new EditError(`Its server ${table.at(-1)} is not written as one table [${table.join('.')}].`)
  }
  const line = text.indexOf('\n', last.end)
  return { start: text.lastIndexOf('\n', first.start) + 1, end: line < 0 ? text.length : line + 1 }
}

/** Sets a server of `[mcp_servers.<name>]`, and leaves every other line as it is. @throws EditError */
export function setTable(
  text: string,
  table: readonly string[],
  entry: { command: string; args: readonly string[] },
): string {
  const lines = [
    `[${table.join('.')}]`,
    `command = ${quote(entry.command)}`,
    `args = [${entry.args.map(quote).join(', ')}]`,
    '',
  ]
  const written = lines.join('\n')
  const block = findBlock(text, table)
  if (block !== undefined) return text.slice(0, block.start) + written + text.slice(block.end)
  const gap = text === '' ? '' : text.endsWith('\n') ? '\n' : '\n\n'
  return `${text}${gap}${written}`
}

/** @throws EditError */
export function removeTable(text: string, table: readonly string[]): string {
  const block = findBlock(text, table)
  if (block === undefined) return text
  const before = text.slice(0, block.start)
  return (block.end === text.length ? before.replace(/\n\n$/, '\n') : before) + text.slice(block.end)
}

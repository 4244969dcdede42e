import { EditError, lineEndOf } from './jsonc.ts'

const quote = (text: string) => JSON.stringify(text)

/** A table header or a key-value pair, as offsets in the text. */
interface Item {
  kind: 'table' | 'pair'
  /** Absolute: the key of a pair is appended to that of its table. */
  path: readonly string[]
  start: number
  /** The offset of a pair's value. */
  valueStart: number
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

/**
 * Scans a TOML text (toml.io/en/v1.0.0) from beginning to end.
 * @throws EditError
 */
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
        items.push({ kind: 'table', path: table, start, valueStart: start, end: this.#at })
      } else {
        const path = [...table, ...this.#key()]
        const valueStart = this.#at
        this.#value()
        items.push({ kind: 'pair', path, start, valueStart, end: this.#at })
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

  /** The key of a pair, including the equals sign. */
  #key(): string[] {
    const path = this.#keys()
    this.#take('=')
    this.#match(spaces)
    return path
  }

  #pair(): void {
    this.#key()
    this.#value()
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

interface Block {
  start: number
  end: number
  /** Its header, its pairs, and those of its subtables. */
  items: readonly Item[]
}

/** The table with everything in it; undefined when the text does not contain it. */
function findBlock(text: string, table: readonly string[]): Block | undefined {
  const all = new Scanner(text).items()
  const items = all.filter(({ path }) => isBelow(path, table))
  const [first] = items
  const last = items.at(-1)
  if (first === undefined || last === undefined) return undefined
  const from = all.indexOf(first)
  // Dotted keys of other tables, or other tables in between, prevent editing it as one piece.
  if (first.kind === 'pair' || first.path.length > table.length || all.indexOf(last) !== from + items.length - 1) {
    throw new EditError(`Its server ${table.at(-1)} is not written as one table [${table.join('.')}].`)
  }
  return { start: text.lastIndexOf('\n', first.start) + 1, end: endOfLine(text, last.end), items }
}

function endOfLine(text: string, from: number): number {
  const line = text.indexOf('\n', from)
  return line < 0 ? text.length : line + 1
}

type Value = string | readonly string[]

const toText = (value: Value) => (typeof value === 'string' ? quote(value) : `[${value.map(quote).join(', ')}]`)

/**
 * Sets keys of a table such as `[mcp_servers.<name>]`; its other keys, all comments and all other lines are unchanged.
 * @throws EditError
 */
export function setTable(text: string, table: readonly string[], values: Readonly<Record<string, Value>>): string {
  const lineEnd = lineEndOf(text)
  const toLine = ([name, value]: [string, Value]) => `${name} = ${toText(value)}${lineEnd}`
  const block = findBlock(text, table)
  if (block === undefined) {
    const gap = text === '' ? '' : text.endsWith('\n') ? lineEnd : lineEnd + lineEnd
    return `${text}${gap}[${table.join('.')}]${lineEnd}${Object.entries(values).map(toLine).join('')}`
  }
  const pairOf = (name: string) =>
    block.items.find(({ kind, path }) => kind === 'pair' && path.length === table.length + 1 && path.at(-1) === name)
  const absent = Object.entries(values).filter(([name]) => pairOf(name) === undefined)
  const place = endOfLine(text, block.items[0]?.end ?? block.start)
  const added = absent.length > 0 && !text.slice(0, place).endsWith('\n') ? lineEnd : ''
  const edits = [
    { start: place, end: place, content: added + absent.map(toLine).join('') },
    ...Object.entries(values).flatMap(([name, value]) => {
      const pair = pairOf(name)
      return pair === undefined ? [] : [{ start: pair.valueStart, end: pair.end, content: toText(value) }]
    }),
  ]
  return edits
    .sort((a, b) => b.start - a.start)
    .reduce((edited, { start, end, content }) => edited.slice(0, start) + content + edited.slice(end), text)
}

/** @throws EditError */
export function removeTable(text: string, table: readonly string[]): string {
  const block = findBlock(text, table)
  if (block === undefined) return text
  const before = text.slice(0, block.start)
  return (block.end === text.length ? before.replace(/\n\n$/, '\n') : before) + text.slice(block.end)
}

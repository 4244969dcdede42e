import {
  type Alias,
  CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  type Pair,
  Parser,
  parseDocument,
  stringify,
  visit,
  type YAMLMap,
} from 'yaml'
import { isObject } from '../kernel/json-object.ts'
import { isSameValue, type Members } from './model.ts'

export interface YamlPosition {
  line: number
  column: number
}

export interface TextProblem extends YamlPosition {
  message: string
}

/** One YAML document with the positions of its values. */
export interface YamlText {
  document: Document.Parsed
  /** Absent when there are problems. */
  value?: unknown
  problems: TextProblem[]
  /** The position of the value at an issue's path, or of its nearest existing ancestor. */
  placeOf(path: string): YamlPosition
}

/** Enough for lists reused in several places, too few for exponential expansion. */
const MAX_ALIASES = 100
/** Parsing cost grows with the number of lexemes, and stack depth with nesting. */
const MAX_LEXEMES = 100_000
const MAX_DEPTH = 64

/** The reason why a text is not parsed; undefined if it is within the limits. Linear time, no recursion. */
function findExcess(text: string): string | undefined {
  const parser = new Parser()
  let [lexemes, aliases] = [0, 0]
  let isContent = false
  for (const lexeme of new Lexer().lex(text)) {
    if (lexeme.startsWith('*') && !isContent) aliases += 1
    isContent = lexeme === CST.SCALAR
    for (const _ of parser.next(lexeme));
    lexemes += 1
    if (parser.stack.length > MAX_DEPTH) return 'is nested too deeply; use fewer levels.'
    if (lexemes > MAX_LEXEMES) return 'is too large for one definition; split it.'
    if (aliases > MAX_ALIASES) return ALIASES
  }
  return undefined
}

const ALIASES = 'expands too much through aliases; write the values out.'

/** Reads one document of plain values, with limits on depth, size and aliases. */
export function readYaml(text: string): YamlText {
  const excess = findExcess(text)
  if (excess !== undefined) {
    const problems = [{ line: 1, column: 1, message: excess }]
    return { document: parseDocument(''), problems, placeOf: () => ({ line: 1, column: 1 }) }
  }
  const lines = new LineCounter()
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    strict: true,
    stringKeys: true,
    // The library's own check compares every key with every other.
    uniqueKeys: false,
    version: '1.2',
  })
  const at = (offset: number): YamlPosition => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }
  const problems = [...document.errors, ...document.warnings].map(({ message, pos }) => ({
    ...at(pos[0]),
    message: `is not valid YAML: ${message.split('\n')[0] ?? ''}`,
  }))
  visit(document, {
    Alias: (_, alias: Alias) => {
      if (alias.resolve(document) !== undefined) return
      problems.push({
        ...at(alias.range?.[0] ?? 0),
        message: `is not valid YAML: there is no anchor ${alias.source}`,
      })
    },
    Map: (_, { items }: YAMLMap) => {
      const known = new Set<unknown>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        if (known.has(key.value)) {
          problems.push({ ...at(key.range?.[0] ?? 0), message: 'is not valid YAML: Map keys must be unique' })
        }
        known.add(key.value)
      }
    },
    Pair: (_, { key }: Pair) => {
      if (!isScalar(key) || key.value !== '__proto__') return
      problems.push({
        ...at(key.range?.[0] ?? 0),
        message: 'contains a key named __proto__, which is not allowed; remove it.',
      })
    },
  })
  const read: YamlText = { document, problems, placeOf: (path) => at(findOffset(document, path)) }
  if (problems.length > 0) return read
  try {
    return { ...read, value: document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown }
  } catch {
    return { ...read, problems: [{ line: 1, column: 1, message: ALIASES }] }
  }
}

function findOffset(document: Document.Parsed, path: string): number {
  let node: unknown = document.contents
  let offset = document.contents?.range?.[0] ?? 0
  let rest = path
  while (rest !== '') {
    const index = /^\.?\[(\d+)\]/.exec(rest)
    if (index !== null && isSeq(node)) {
      node = node.items[Number(index[1])]
      rest = rest.slice(index[0].length)
    } else if (isMap(node)) {
      const wanted = rest.replace(/^\./, '')
      const pair = node.items
        .filter(({ key }) => startsWithKey(wanted, String(key)))
        .sort((a, b) => String(b.key).length - String(a.key).length)[0]
      if (pair === undefined) break
      offset = offsetOf(pair.key) ?? offset
      rest = wanted.slice(String(pair.key).length)
      node = pair.value
      continue
    } else break
    offset = offsetOf(node) ?? offset
  }
  return offset
}

const startsWithKey = (path: string, key: string) =>
  path.startsWith(key) && ['', '.', '['].includes(path.slice(key.length, key.length + 1))

const offsetOf = (node: unknown) => (isScalar(node) || isMap(node) || isSeq(node) ? node.range?.[0] : undefined)

const style = { lineWidth: 110, indentSeq: true } as const

/** A new file with these members in their order. */
export function writeYaml(members: Members): string {
  return stringify(members, style)
}

/** The document with its members replaced; unchanged nodes keep their comments, style and position. */
export function patchYaml(document: Document.Parsed, members: Members): string {
  document.contents = patch(document, document.contents, members) as never
  return document.toString(style)
}

function patch(document: Document.Parsed, node: unknown, value: unknown): Node {
  if (isMap(node) && isObject(value)) {
    node.items = node.items.filter(({ key }) => Object.hasOwn(value, String(key)))
    for (const [key, member] of Object.entries(value)) {
      const pair = node.items.find((candidate) => String(candidate.key) === key)
      if (pair === undefined) node.items.push(document.createPair(key, member))
      else pair.value = patch(document, pair.value, member)
    }
    return node
  }
  if (isSeq(node) && Array.isArray(value)) {
    const spare = [...node.items]
    node.items = value.map((item) => {
      const index = spare.findIndex((other) => isSameItem(document, other, item))
      const [kept] = index < 0 ? [] : spare.splice(index, 1)
      return kept === undefined ? document.createNode(item) : patch(document, kept, item)
    })
    return node
  }
  if (isScalar(node) && !isObject(value) && !Array.isArray(value)) {
    if (node.value !== value) {
      node.value = value
      delete node.type
      delete node.source
      delete node.format
    }
    return node
  }
  if (isAlias(node) && isSameValue(node.toJS(document), value)) return node
  return document.createNode(value) as Node
}

/** Whether a list item is the same: equal scalars, or objects that refer to the same metric. */
function isSameItem(document: Document.Parsed, node: unknown, value: unknown): boolean {
  if (isMap(node) && isObject(value) && 'metricSlug' in value) return node.get('metricSlug') === value.metricSlug
  return (isScalar(node) || isMap(node) || isSeq(node)) && isSameValue(node.toJS(document), value)
}

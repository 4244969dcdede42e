import { getNodeValue, type Node, type ParseError, parseTree } from 'jsonc-parser'

/** The file cannot be edited; the message is one sentence. */
export class EditError extends Error {}

type Members = Readonly<Record<string, unknown>>

const BYTE_ORDER_MARK = '\ufeff'

/** Applies an edit to the text after a byte order mark, and keeps the text's line endings. */
function editBody(text: string, edit: (body: string) => string): string {
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : ''
  const edited = edit(text.slice(mark.length))
  return mark + (lineEndOf(text) === '\r\n' ? edited.replaceAll(/\r?\n/g, '\r\n') : edited)
}

/** The line ending used throughout the text; `\n` if the text mixes both. */
export const lineEndOf = (text: string): string => (/\r\n/.test(text) && !/(?<!\r)\n/.test(text) ? '\r\n' : '\n')

function parseRoot(text: string): Node {
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true })
  const [error] = errors
  if (error === undefined && root?.type === 'object') return root
  const line = text.slice(0, error?.offset ?? 0).split('\n').length
  throw new EditError(`It is not valid JSON at line ${line}.`)
}

/** The property of a key; of duplicates the last, which is the one that parsers use. */
function findProperty(object: Node, key: string): { property: Node; value: Node; index: number } | undefined {
  const properties = object.children ?? []
  const index = properties.findLastIndex(({ children }) => children?.[0]?.value === key)
  const property = properties[index]
  const value = property?.children?.[1]
  return property === undefined || value === undefined ? undefined : { property, value, index }
}

const endOf = ({ offset, length }: Node) => offset + length

const trivia = /(?:\s|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*\*\/)*/y
const commentsOfLine = /(?:[ \t]*(?:\/\/[^\r\n]*|\/\*(?:[^*]|\*(?!\/))*\*\/))*/y

function skip(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return from + (pattern.exec(text)?.[0].length ?? 0)
}

/** The offset after the next comma; undefined when something else comes first. */
function endOfComma(text: string, from: number): number | undefined {
  const at = skip(trivia, text, from)
  return text[at] === ',' ? at + 1 : undefined
}

const indentAt = (text: string, at: number) => /[ \t]*$/.exec(text.slice(0, at))?.[0] ?? ''

/** The indentation of an object's members: that of the first one, or two spaces more than the object's own line. */
function indentOf(text: string, { offset, children: [first] = [] }: Node): string {
  if (first !== undefined && text.slice(offset, first.offset).includes('\n')) return indentAt(text, first.offset)
  const line = text.slice(text.lastIndexOf('\n', offset) + 1, offset)
  return `${/^[ \t]*/.exec(line)?.[0] ?? ''}  `
}

const toText = (value: unknown, indent: string) => JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`)

function addProperty(text: string, object: Node, key: string, value: unknown): string {
  const indent = indentOf(text, object)
  const written = `\n${indent}${JSON.stringify(key)}: ${toText(value, indent)}`
  const last = object.children?.at(-1)
  if (last === undefined) {
    const close = endOf(object) - 1
    const inside = text.slice(object.offset + 1, close).trimEnd()
    return `${text.slice(0, object.offset + 1)}${inside}${written}\n${indent.slice(0, -2)}${text.slice(close)}`
  }
  const comma = endOfComma(text, endOf(last))
  const at = skip(commentsOfLine, text, comma ?? endOf(last))
  const before = text.slice(0, endOf(last)) + (comma === undefined ? ',' : '') + text.slice(endOf(last), at)
  return before + written + (comma === undefined ? '' : ',') + text.slice(at)
}

function replaceValue(text: string, { property, value }: { property: Node; value: Node }, next: unknown): string {
  if (JSON.stringify(getNodeValue(value)) === JSON.stringify(next)) return text
  return text.slice(0, value.offset) + toText(next, indentAt(text, property.offset)) + text.slice(endOf(value))
}

/**
 * Sets the members of `text[group][name]`; its other members, all comments and everything else are unchanged. An entry
 * without a command is another kind of server and is replaced.
 * @throws EditError
 */
export function setMember(text: string, group: string, name: string, value: Members): string {
  if (text.trim() === '') return `${JSON.stringify({ [group]: { [name]: value } }, null, 2)}\n`
  return editBody(text, (body) => {
    const root = parseRoot(body)
    const servers = findProperty(root, group)
    if (servers === undefined) return addProperty(body, root, group, { [name]: value })
    if (servers.value.type !== 'object') throw new EditError(`Its key ${group} is not an object.`)
    const entry = findProperty(servers.value, name)
    if (entry === undefined) return addProperty(body, servers.value, name, value)
    if (entry.value.type !== 'object' || findProperty(entry.value, 'command') === undefined) {
      return replaceValue(body, entry, value)
    }
    return Object.entries(value).reduce((edited, [key, next]) => {
      const object = findEntry(edited, group, name)?.value
      if (object === undefined) return edited
      const property = findProperty(object, key)
      return property === undefined ? addProperty(edited, object, key, next) : replaceValue(edited, property, next)
    }, body)
  })
}

function findEntry(text: string, group: string, name: string) {
  const servers = findProperty(parseRoot(text), group)?.value
  const entry = servers?.type === 'object' ? findProperty(servers, name) : undefined
  return entry === undefined ? undefined : { ...entry, siblings: servers?.children ?? [] }
}

/**
 * Removes `text[group][name]`; all comments outside it are kept.
 * @throws EditError
 */
export function removeMember(text: string, group: string, name: string): string {
  if (text.trim() === '') return text
  return editBody(text, (body) => {
    const entry = findEntry(body, group, name)
    if (entry === undefined) return body
    const { property, index, siblings } = entry
    const comma = endOfComma(body, endOf(property))
    const rest = cut(body, property.offset, comma ?? endOf(property))
    const before = siblings[index - 1]
    const separator = before === undefined || comma !== undefined ? undefined : endOfComma(body, endOf(before))
    return separator === undefined ? rest : rest.slice(0, separator - 1) + rest.slice(separator)
  })
}

/** Removes a range, including its line if nothing else is on it. */
function cut(text: string, from: number, to: number): string {
  const start = text.lastIndexOf('\n', from - 1) + 1
  const nextLine = text.indexOf('\n', to) + 1
  const isAlone = text.slice(start, from).trim() === '' && nextLine > 0 && text.slice(to, nextLine).trim() === ''
  return isAlone ? text.slice(0, start) + text.slice(nextLine) : text.slice(0, from) + text.slice(to)
}

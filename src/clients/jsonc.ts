/** A member of an object in a text of JSON with comments, by its places in the text. */
interface Member {
  key: string
  start: number
  valueStart: number
  end: number
}

interface ObjectSpan {
  open: number
  close: number
  members: Member[]
  /** A comma stands behind the last member. */
  trailing: boolean
}

/** The text is not what the edit needs; the message is one sentence. */
export class EditError extends Error {}

const broken = (at: number, text: string) =>
  new EditError(`It is not valid JSON at line ${text.slice(0, at).split('\n').length}.`)

function skipBlank(text: string, from: number): number {
  const blank = /(?:\s|\ufeff|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*\*\/)*/y
  blank.lastIndex = from
  blank.exec(text)
  return blank.lastIndex
}

function endOfString(text: string, from: number): number {
  const string = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*"/uy
  string.lastIndex = from
  if (string.exec(text) === null) throw broken(from, text)
  return string.lastIndex
}

function endOfValue(text: string, from: number): number {
  const first = text[from]
  if (first === '{') return scanObject(text, from).close + 1
  if (first === '[') return endOfList(text, from)
  if (first === '"') return endOfString(text, from)
  const word = /-?\d[\d.eE+-]*|true|false|null/y
  word.lastIndex = from
  if (word.exec(text) === null) throw broken(from, text)
  return word.lastIndex
}

function endOfList(text: string, from: number): number {
  for (let at = skipBlank(text, from + 1); ; ) {
    if (text[at] === ']') return at + 1
    at = skipBlank(text, endOfValue(text, at))
    if (text[at] === ',') at = skipBlank(text, at + 1)
    else if (text[at] !== ']') throw broken(at, text)
  }
}

function scanObject(text: string, from: number): ObjectSpan {
  if (text[from] !== '{') throw broken(from, text)
  const members: Member[] = []
  let trailing = false
  for (let at = skipBlank(text, from + 1); ; ) {
    if (text[at] === '}') return { open: from, close: at, members, trailing }
    const start = at
    const keyEnd = endOfString(text, at)
    at = skipBlank(text, keyEnd)
    if (text[at] !== ':') throw broken(at, text)
    const valueStart = skipBlank(text, at + 1)
    const end = endOfValue(text, valueStart)
    members.push({ key: JSON.parse(text.slice(start, keyEnd)) as string, start, valueStart, end })
    at = skipBlank(text, end)
    trailing = text[at] === ','
    if (trailing) at = skipBlank(text, at + 1)
    else if (text[at] !== '}') throw broken(at, text)
  }
}

function scanRoot(text: string): ObjectSpan {
  const root = scanObject(text, skipBlank(text, 0))
  const rest = skipBlank(text, root.close + 1)
  if (rest !== text.length) throw broken(rest, text)
  return root
}

const indentAt = (text: string, at: number) => /[ \t]*$/.exec(text.slice(0, at))?.[0] ?? ''

/** How members of an object are set in: as its first one is, else two spaces more than its own line. */
function indentOf(text: string, { open, members }: ObjectSpan): string {
  const [first] = members
  if (first !== undefined && text.slice(open, first.start).includes('\n')) return indentAt(text, first.start)
  const line = text.slice(text.lastIndexOf('\n', open) + 1, open)
  return `${/^[ \t]*/.exec(line)?.[0] ?? ''}  `
}

const toText = (value: unknown, indent: string) => JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`)

function addMember(text: string, object: ObjectSpan, key: string, value: unknown): string {
  const indent = indentOf(text, object)
  const written = `${JSON.stringify(key)}: ${toText(value, indent)}`
  const last = object.members.at(-1)
  if (last === undefined) {
    const inside = text.slice(object.open + 1, object.close).trimEnd()
    const outer = indent.slice(0, -2)
    return `${text.slice(0, object.open + 1)}${inside}\n${indent}${written}\n${outer}${text.slice(object.close)}`
  }
  const behind = object.trailing ? text.indexOf(',', skipBlank(text, last.end)) + 1 : last.end
  return `${text.slice(0, behind)}${object.trailing ? '' : ','}\n${indent}${written}${text.slice(behind)}`
}

const find = ({ members }: ObjectSpan, key: string) => members.find((member) => member.key === key)

/** Sets `text[group][name]` and leaves every other byte as it is, comments too. @throws EditError */
export function setMember(text: string, group: string, name: string, value: unknown): string {
  if (text.trim() === '') return `${JSON.stringify({ [group]: { [name]: value } }, null, 2)}\n`
  const root = scanRoot(text)
  const outer = find(root, group)
  if (outer === undefined) return checked(addMember(text, root, group, { [name]: value }))
  if (text[outer.valueStart] !== '{') throw new EditError(`Its member ${group} is not an object.`)
  const object = scanObject(text, outer.valueStart)
  const inner = find(object, name)
  if (inner === undefined) return checked(addMember(text, object, name, value))
  const old = text.slice(inner.valueStart, inner.end)
  if (isSame(old, value)) return text
  return `${text.slice(0, inner.valueStart)}${toText(value, indentAt(text, inner.start))}${text.slice(inner.end)}`
}

function isSame(old: string, value: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(old)) === JSON.stringify(value)
  } catch {
    return false
  }
}

/** Takes `text[group][name]` out, and nothing else. @throws EditError */
export function removeMember(text: string, group: string, name: string): string {
  if (text.trim() === '') return text
  const outer = find(scanRoot(text), group)
  if (outer === undefined || text[outer.valueStart] !== '{') return text
  const object = scanObject(text, outer.valueStart)
  const index = object.members.findIndex((member) => member.key === name)
  const member = object.members[index]
  if (member === undefined) return text
  const before = object.members[index - 1]
  const next = object.members[index + 1]
  if (next !== undefined) {
    return checked(endBefore(text.slice(0, member.start)) + text.slice(skipBlank(text, member.end) + 1))
  }
  const behind = text.slice(object.trailing ? skipBlank(text, member.end) + 1 : member.end)
  if (before === undefined || object.trailing) return checked(endBefore(text.slice(0, member.start)) + behind)
  const comma = skipBlank(text, before.end)
  return checked(text.slice(0, comma) + endBefore(text.slice(comma + 1, member.start)) + behind)
}

/** Without the white space at its end, but for the line break that ends a comment. */
function endBefore(text: string): string {
  const trimmed = text.trimEnd()
  return trimmed.slice(trimmed.lastIndexOf('\n') + 1).includes('//') ? `${trimmed}\n` : trimmed
}

function checked(text: string): string {
  scanRoot(text)
  return text
}

import { type Assignment, readValue } from './assignments.ts'

const MAX_REACH = 400
/** `getenv("NAME", "…")`, `fetch('NAME') { '…' }`, `Value("${name:…}")`, and the value after an `or` operator. */
const lookup =
  /^["'`]?\]?[ \t]{0,4}(?:,[ \t]{0,4}(?=["'`])|\)?[ \t]{0,4}(?:\|\||\?\?|\?:)[ \t]{0,4}(?=["'`])|\|\||:-|:(?=[^\s:/]))/
/** Arguments of a declaration before its default value. */
const argument = /^["'][^\n()]{0,160}?[,(\s]default(?:_value|Value)?[ \t]{0,4}[=:][ \t]{0,4}(?=["'`])/
const flagCall = /^["'][ \t]{0,4},[ \t]{0,4}(?=["'`])/
/** A block that belongs to the name: Terraform variables, template parameters, members `name` and `value`. */
const memberName = /^(?:value|default|default_?value|initial_?value)$/i
const member = /^[ \t]{0,24}(?:[-,{][ \t]{0,4})?["']?([A-Za-z_]{2,24})["']?[ \t]{0,12}[:=][ \t]{0,12}/
const blockStart = /^["']?[ \t]{0,4}(?:[,:]?[ \t]{0,4}\{|:[ \t]{0,4}\r?$|,|\r?$)/

/** The default value in a declaration or look-up of a name. */
export function readDefault(
  text: string,
  key: { start: number; end: number },
): Omit<Assignment, 'key' | 'keyStart'> | undefined {
  const window = text.slice(key.end, key.end + MAX_REACH)
  const direct = lookup.exec(window) ?? argument.exec(window) ?? flagCall.exec(window)
  const read = direct === null ? undefined : readValue(text, key.end + direct[0].length, 'sign')
  const isName = read !== undefined && /^["']?\s{0,4}:/.test(text.slice(read.end, read.end + 8))
  if (read !== undefined && !isName) return withoutBrace(read)
  return readMember(window, key.end, text)
}

function withoutBrace<T extends { value: string; end: number }>(read: T | undefined): T | undefined {
  const brace = read?.value.indexOf('}') ?? -1
  if (read === undefined || brace <= 0) return read
  return { ...read, value: read.value.slice(0, brace), end: read.end - (read.value.length - brace) }
}

/** The member `value` or `default` of the block after a name. */
function readMember(window: string, at: number, text: string): Omit<Assignment, 'key' | 'keyStart'> | undefined {
  const [first = ''] = window.split('\n', 1)
  if (!blockStart.test(first)) return undefined
  const opened = /^["']?[ \t]{0,4}[,:]?[ \t]{0,4}\{?/.exec(first)?.[0].length ?? 0
  const indent = /^[ \t]*/
  let offset = at + opened
  let depth: number | undefined
  for (const line of window.slice(opened).split('\n').slice(0, 8)) {
    if (offset !== at + opened) {
      const own = indent.exec(line)?.[0].length ?? 0
      depth ??= own
      if (line.trim() === '' || own < depth || /^\s{0,24}[}\]]/.test(line) || /^[ \t]{0,24}-[ \t]/.test(line))
        return undefined
    }
    let from = 0
    for (const piece of line.split(/,(?=\s{0,4}["']?\w)/)) {
      const found = member.exec(piece)
      if (found !== null && memberName.test(found[1] ?? '')) {
        return readValue(text, offset + from + found[0].length, 'sign')
      }
      if (piece.includes('}')) return undefined
      from += piece.length + 1
    }
    offset += line.length + 1
  }
  return undefined
}

/** A name and the value that the text gives it. */
export interface Assignment {
  /** The whole identifier or phrase, as written. */
  key: string
  value: string
  /** Offsets of the value. */
  start: number
  end: number
  quoted: boolean
  /** The value is told in a sentence, or follows blank space alone: weaker than a sign between name and value. */
  spoken: boolean
  keyStart: number
}

const MAX_KEY_LENGTH = 60
const sign =
  /["'`\])*_]{0,4}[ \t]{0,24}(?::{1,3}=|=>|->|→|\?=|={1,2}|[:：は是为為]|\|{1,2}|,(?=[ \t]{0,4}["'`]))[ \t*_`]{0,16}/y
const described =
  /((?:[ \t]?\([^()\n]{1,40}\))?(?:[ \t][\p{L}\d/_-]{1,20}){0,5}(?:[ \t]?\([^()\n]{1,40}\))?)[ \t"'*`]{0,4}(?:[:：]|=|→|->|\||(?<=[ \t])[–—-](?=[ \t]))[ \t*`]{1,8}/uy
const verb =
  /((?:[ \t][\p{L}\d/_-]{1,20}){0,4})[ \t](?:is|was|are|ist|lautet|est|es|è|é|jest|to|är|er|adalah|là|είναι|set to|reset to|changed to)[ \t]?:?[ \t]{1,3}(?=\S)/uy
const attribute = /["'][ \t]{1,8}(?:value|content|default)[ \t]{0,4}=[ \t]{0,4}/y
const element = /(?:[ \t][^<>\n]{0,80})?>\s{0,40}(?:<!\[CDATA\[\s{0,40})?/y
/** `<property name="….password">value</property>`. */
const namedElement = /["'](?:[ \t][^<>\n]{0,80})?>[ \t]{0,40}(?=[^\s<])/y
const call = /["']?\]?\([ \t]{0,4}(?=["'`])/y
const blank = /["']?(?:[ \t]\([^()\n]{1,40}\))?[ \t]{1,8}(?=[^\s=:,;.|])/y
const nextLine = /[ \t]{0,8}(?:[|>][+-]?[ \t]{0,4})?\r?\n(?:[ \t]{0,8}\r?\n)?[ \t>]{0,16}(?=\S)/y
const quotedValue =
  /"((?:[^"\\\n]|\\.){0,400})"|'((?:[^'\\\n]|\\.){0,400})'|`([^`\n]{0,400})`|“([^”\n]{0,400})”|\\"((?:[^"\\\n]){0,400})\\"/y
/** Passwords are typed on any keyboard but hold no Chinese, Japanese or Korean signs: there the sentence goes on. */
const bareValue = /[^\s"'`<>|\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7af\uff00-\uffef]{1,400}/y

const isNameOfElement = /<[\w:.-]{1,40}[ \t]{1,8}(?:name|key|id)=["']$/

const isKeyCode = (code: number) =>
  (code >= 48 && code <= 57) ||
  (code >= 65 && code <= 90) ||
  code === 95 ||
  code === 45 ||
  code === 46 ||
  (code >= 97 && code <= 122)

/** The identifier around a key word, and where it stands. */
export function identifierAround(text: string, start: number, end: number): { start: number; end: number } {
  let from = start
  let to = end
  while (from > 0 && start - from < MAX_KEY_LENGTH && isKeyCode(text.charCodeAt(from - 1))) from--
  while (to < text.length && to - end < MAX_KEY_LENGTH && isKeyCode(text.charCodeAt(to))) to++
  while (to > end && /[.-]/.test(text.charAt(to - 1))) to--
  return { start: from, end: to }
}

/** What the text assigns to the identifier in front of `end`, in any of the ways that files and people use. */
export function readAssignment(text: string, key: { start: number; end: number }): Assignment | undefined {
  const name = text.slice(key.start, key.end)
  const isElement = text.charAt(key.start - 1) === '<'
  const at = (pattern: RegExp, spoken: boolean) => {
    pattern.lastIndex = key.end
    const sign = pattern.exec(text)
    if (sign === null) return undefined
    const value = readValue(text, pattern.lastIndex, spoken)
    return value === undefined ? undefined : { key: `${name}${sign[1] ?? ''}`, ...value }
  }
  const found =
    (isElement ? at(element, false) : undefined) ??
    at(attribute, false) ??
    (isNameOfElement.test(text.slice(Math.max(0, key.start - MAX_KEY_LENGTH), key.start))
      ? at(namedElement, false)
      : undefined) ??
    at(sign, false) ??
    at(call, false) ??
    at(described, true) ??
    at(verb, true) ??
    (/^pass$/i.test(name) ? undefined : at(blank, true))
  return found === undefined ? undefined : { keyStart: key.start, ...found }
}

function readValue(text: string, from: number, spoken: boolean): Omit<Assignment, 'key' | 'keyStart'> | undefined {
  let position = from
  nextLine.lastIndex = position
  if (nextLine.test(text)) position = nextLine.lastIndex
  quotedValue.lastIndex = position
  const quoted = quotedValue.exec(text)
  if (quoted !== null) {
    const value = quoted.slice(1).find((group) => group !== undefined) ?? ''
    const start = position + quoted[0].indexOf(value)
    return value === '' ? undefined : { value, start, end: start + value.length, quoted: true, spoken }
  }
  bareValue.lastIndex = position
  const bare = bareValue.exec(text)?.[0]
  if (bare === undefined) return undefined
  const value = spoken ? bare : (bare.split(/&(?:amp;)?(?=[\w.-]{1,40}=|$)/)[0] ?? '')
  const trimmed = withoutTail(value, /[({[]/.test(value) ? '.,;:?。、' : '.,;:?)]}。、')
  const kept = trimmed.split(/[;,](?=\w+=)/)[0] ?? ''
  return kept === '' ? undefined : { value: kept, start: position, end: position + kept.length, quoted: false, spoken }
}

function withoutTail(value: string, signs: string): string {
  let end = value.length
  while (end > 0 && signs.includes(value.charAt(end - 1))) end--
  return value.slice(0, end)
}

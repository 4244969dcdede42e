import { labelWords } from '../label-words.ts'
import { isAlphanumeric, withoutTail } from '../text.ts'
import { secretPhrases } from './words.ts'

/** A name and the value that the text assigns to it. */
export interface Assignment {
  /** The whole identifier or phrase, as written. */
  key: string
  value: string
  /** Offsets of the value. */
  start: number
  end: number
  quoted: boolean
  /** How name and value are connected: by a sign, by a sign after further words, or by white space alone. */
  strength: 'sign' | 'described' | 'blank'
  keyStart: number
}

const MAX_KEY_LENGTH = 60
const sign =
  /["'`\])*_]{0,4}[ \t]{0,24}(?::{1,3}=|=>|->|→|\?=|={1,2}|[:：](?!:\w)|\|{1,2}|,(?=[ \t]{0,4}["'`]))[ \t*_`]{0,16}/y
/** Particles and verbs that serve as the sign in scripts without spaces. */
const particle = /[ \t]?(?:は|是|为|為|は[ ]?[、]|는|은)[ \t]{0,4}(?=[!-~“„‘「『])/y
/** Text between a label and its sign: words that continue the label, remarks in brackets. */
const described =
  /((?:[ \t]?\([^()\n]{1,40}\))?(?:[ \t][\p{L}\p{M}\d/_'’-]{1,24}){0,7}(?:[ \t]?\([^()\n]{1,40}\))?)[ \t"'*`]{0,4}(?:[:：]|=|→|->|\||(?<=[ \t])[–—-](?=[ \t]))[ \t*`]{1,8}/uy
const attribute = /["'][ \t]{1,8}(?:value|content|default)[ \t]{0,4}=[ \t]{0,4}/y
const element = /(?:[ \t][^<>\n]{0,80})?>\s{0,40}(?:<!\[CDATA\[\s{0,40})?/y
/** `<property name="….password">value</property>`. */
const namedElement = /["'](?:[ \t][^<>\n]{0,80})?>[ \t]{0,40}(?=[^\s<])/y
const call = /["']?\]?\([ \t]{0,4}(?=["'`])/y
const blank = /["']?(?:[ \t]\([^()\n]{1,40}\))?[ \t]{1,40}(?=[^\s=:,;.|])/y
const nextLine = /[ \t]{0,8}(?:[|>][+-]?[ \t]{0,4})?\r?\n(?:[ \t]{0,8}\r?\n)?[ \t>]{0,16}(?=\S)/y
const quotedValue =
  /"((?:[^"\\\n]|\\.){0,400})"|'((?:[^'\\\n]|\\.){0,400})'|`([^`\n]{0,400})`|[“„]([^”“\n]{0,400})[”“]|«[ \u00a0]?([^»\n]{0,400}?)[ \u00a0]?»|»([^«\n]{0,400})«|‘([^’\n]{0,400})’|[「『]([^」』\n]{0,400})[」』]|\\"((?:[^"\\\n]){0,400})\\"/y
/** A value on the line below a name must be alone on that line. */
const restOfLine = /["'`*_<>,;)\] \t]{0,8}(?:\r?\n|$|<\/)/y
const notBelow = /^(?:-{1,2}[\w-]|[A-Z_][A-Z0-9_]{1,40}=|[#*|>+]|\w[\w .-]{0,40}:(?:\s|$))/
/** Passwords contain no Chinese, Japanese or Korean characters; at such a character the sentence continues. */
const bareValue = /[^\s"'`<>|\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7af\uff00-\uffef]{1,400}/y

/** What all of these begin with. */
const afterName = /[\s"'`\])*_(:：=\-–—→?|,>はが是为為는은]/

const isNameOfElement = /<[\w:.-]{1,40}[ \t]{1,8}(?:name|key|id)=["']$/

const isKeyCode = (code: number) =>
  isAlphanumeric(code) ||
  code === 95 ||
  code === 45 ||
  code === 46 ||
  // Letters of other scripts, but those that are written without blanks.
  (code >= 0xc0 && code < 0xe00 && code !== 0xd7 && code !== 0xf7) ||
  (code >= 0x1e00 && code < 0x2000)

const MAX_PHRASE_TAIL = 3
const lastWord = /(?<=([\p{L}\p{M}]{1,20}))/uy
const nextWord = /[ \t'’_-]{1,2}[\p{L}\p{M}\d]{1,20}/uy

/** The range of the identifier around a keyword. */
export function identifierAround(text: string, start: number, end: number): { start: number; end: number } {
  let from = start
  let to = end
  while (from > 0 && start - from < MAX_KEY_LENGTH && isKeyCode(text.charCodeAt(from - 1))) from--
  while (to < text.length && to - end < MAX_KEY_LENGTH && isKeyCode(text.charCodeAt(to))) to++
  while (to > end && /[.-]/.test(text.charAt(to - 1))) to--
  return { start: from, end: to }
}

/** The range of the identifier, or of the phrase in the table, around a keyword. */
export function labelAround(text: string, start: number, end: number): { start: number; end: number } {
  const word = identifierAround(text, start, end)
  return { start: word.start, end: phraseEnd(text, word.start, word.end) }
}

/** First words of the phrases with several words. */
const openers = new Set(
  [...secretPhrases.keys()].filter((phrase) => phrase.includes(' ')).map((phrase) => phrase.split(' ', 1)[0]),
)

/** End of the longest phrase that continues after a word: `clé d'API`, `access code`. */
function phraseEnd(text: string, from: number, to: number): number {
  if (!/[ \t'’]/.test(text.charAt(to))) return to
  lastWord.lastIndex = to
  const word = lastWord.exec(text)?.[1] ?? ''
  const isOpen = openers.has(word.toLowerCase()) || openers.has(labelWords(text.slice(from, to))[0])
  if (!isOpen) return to
  let end = to
  nextWord.lastIndex = to
  for (let count = 0; count < MAX_PHRASE_TAIL && nextWord.test(text); count++) {
    const words = labelWords(text.slice(from, nextWord.lastIndex))
    if (secretPhrases.has(words.join(' ')) || (count === 0 && words.at(-1) === 'api')) end = nextWord.lastIndex
  }
  nextWord.lastIndex = 0
  return end
}

const MAX_DESCRIBED = 260
const anySign = /[:：=→|–—-]/

/** Whether a sign follows on the line: a cheap test before the text in front of the sign is examined. */
function mayBeDescribed(text: string, end: number): boolean {
  const code = text.charCodeAt(end)
  if (code === 46 || code === 44 || code === 10) return false
  const [line = ''] = text.slice(end, end + MAX_DESCRIBED).split('\n', 1)
  return anySign.test(line)
}

/** The value that the text assigns to the identifier before `end`, in any notation that files and people use. */
export function readAssignment(text: string, key: { start: number; end: number }): Assignment | undefined {
  if (!afterName.test(text.charAt(key.end))) return undefined
  const name = text.slice(key.start, key.end)
  const isElement = text.charAt(key.start - 1) === '<' && !name.endsWith('.h')
  const at = (pattern: RegExp, strength: Assignment['strength'] = 'sign') => {
    pattern.lastIndex = key.end
    const sign = pattern.exec(text)
    if (sign === null) return undefined
    const value = readValue(text, pattern.lastIndex, strength)
    return value === undefined ? undefined : { key: `${name}${sign[1] ?? ''}`, ...value }
  }
  const found =
    (isElement ? at(element) : undefined) ??
    at(attribute) ??
    (isNameOfElement.test(text.slice(Math.max(0, key.start - MAX_KEY_LENGTH), key.start))
      ? at(namedElement)
      : undefined) ??
    at(sign) ??
    at(call) ??
    at(particle, 'blank') ??
    (mayBeDescribed(text, key.end) ? at(described, 'described') : undefined) ??
    (/^pass$/i.test(name) ? undefined : at(blank, 'blank'))
  return found === undefined ? undefined : { keyStart: key.start, ...found }
}

export function readValue(
  text: string,
  from: number,
  strength: Assignment['strength'],
): Omit<Assignment, 'key' | 'keyStart'> | undefined {
  let position = from
  nextLine.lastIndex = position
  const isBelow = nextLine.test(text)
  if (isBelow) position = nextLine.lastIndex
  if (isBelow && notBelow.test(text.slice(position, position + 48))) return undefined
  const standsAlone = (end: number) => {
    restOfLine.lastIndex = end
    return !isBelow || restOfLine.test(text)
  }
  quotedValue.lastIndex = position
  const quoted = quotedValue.exec(text)
  if (quoted !== null) {
    const value = quoted.slice(1).find((group) => group !== undefined) ?? ''
    const start = position + quoted[0].indexOf(value)
    if (value === '' || !standsAlone(position + quoted[0].length)) return undefined
    return { value, start, end: start + value.length, quoted: true, strength }
  }
  bareValue.lastIndex = position
  const bare = bareValue.exec(text)?.[0]
  if (bare === undefined || !standsAlone(position + bare.length) || (isBelow && bare.startsWith(')'))) return undefined
  const value = strength !== 'sign' ? bare : (bare.split(/&(?:amp;)?(?=[\w.-]{1,40}=|$)/)[0] ?? '')
  const trimmed = withoutTail(value, /[({[]/.test(value) ? '.,;:?。、' : '.,;:?)]}。、')
  const kept = trimmed.split(/[;,](?=\w+=)|;(?=[A-Z][a-z]+$)/)[0] ?? ''
  return kept === ''
    ? undefined
    : { value: kept, start: position, end: position + kept.length, quoted: false, strength }
}

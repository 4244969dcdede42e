import { isNeededJoiner } from './invisible.ts'
import { escapeTerminalCharacters, toEscapes } from './redaction.ts'
import { cutText } from './well-formed.ts'

declare const brand: unique symbol
/**
 * Text that may be printed on a line: it contains no line break and no character that acts on a terminal or is
 * invisible. Only the functions in this file create it, so that a plain string in a line does not compile.
 */
export type PrintableText = string & { readonly [brand]: true }

/** Maximum length of a name on a line, including quotes and escapes. */
export const MAX_NAME = 120
/** Maximum length of a sentence, which may quote several names. */
const MAX_SENTENCE = 2_000

/** Words with the punctuation inside them, separated by single spaces, or the placeholder for a missing name. */
const plainName =
  /^(?:[\p{L}\p{N}_](?:[\p{L}\p{M}\p{N}_.&+@%-]|(?<=\p{L})'(?=\p{L})|(?<=[\p{L}\p{N}_])\/(?=[\p{L}\p{N}_])| (?=[\p{L}\p{N}_&+@%-]))*|\((?:none|withheld)\))$/u
/** Names that answers use themselves. */
const reserved = /^(?:all|others?|none|null)$/i
const plainCode = /^[\w.:+/-]+$/
const plainAmount = /^(?:-?[\d.,]+%?(?: [\p{L}\p{Sc}%°][\p{L}\p{N}\p{Sc}%°/.-]*)*|no value)$/u
const plainAddress = /^https?:\/\/[\w.:/?&=%#~+@!$*,;-]+$/

/**
 * Characters that act on a terminal, end a line or are invisible; and combining marks, which pile up beyond their line.
 */
const suspect = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800\p{M}]|[^\S ]/gu
const mark = /^\p{M}$/u
const ignorable = /^\p{Default_Ignorable_Code_Point}$/u
const fourMarks = /\p{M}{4}$/u
const named: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** A name for a row or a list: unquoted where it cannot be taken for more than a name, else quoted. */
export function showName(text: string, max = MAX_NAME): PrintableText {
  const bare = text.length <= max && plainName.test(text) && !reserved.test(text) && escapeSuspect(text) === text
  return bare ? (text as PrintableText) : quote(text, max)
}

export const showNames = (texts: readonly string[], separator?: Separator): PrintableText =>
  joinShown(
    texts.map((text) => showName(text)),
    separator,
  )

/** An id, a time, or a word from a closed list. */
export const showCode = (text: string): PrintableText => showLike(plainCode, text)

/** A number with its unit, formatted for people. */
export const showAmount = (text: string): PrintableText => showLike(plainAmount, text)

/** An address between `<` and `>`; quoted when it is not one. */
export function showAddress(text: string): PrintableText {
  return text.length <= MAX_NAME - 2 && plainAddress.test(text) ? (`<${text}>` as PrintableText) : quote(text)
}

const showLike = (plain: RegExp, text: string): PrintableText =>
  text.length <= MAX_NAME && plain.test(text) ? (text as PrintableText) : quote(text)

/** A name in a sentence: always between quotes, which it cannot end; followed by `…` when it was cut. */
export function quote(text: string, max = MAX_NAME): PrintableText {
  // Escaping never shortens a text, so anything beyond this is cut in any case.
  const pieces = toPieces(text.slice(0, 2 * max))
  const whole = `'${pieces.join('')}'`
  if (text.length <= 2 * max && whole.length <= max) return whole as PrintableText
  let kept = ''
  for (const piece of pieces) {
    if (kept.length + piece.length > max - 3) break
    kept += piece
  }
  return `'${kept.replace(/[\u200c\u200d]$/, '')}'…` as PrintableText
}

function toPieces(text: string): string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length; ) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
    const isSyntax = character === "'" || character === '\\'
    pieces.push(isSyntax ? `\\${character}` : character.replace(suspect, () => escapeAt(character, text, at)))
    at += character.length
  }
  return pieces
}

const escapeSuspect = (text: string): string =>
  text.replace(suspect, (character, at: number) => escapeAt(character, text, at))

function escapeAt(character: string, text: string, at: number): string {
  if (isNeededJoiner(character, text, at)) return character
  const isSeen = mark.test(character) && !ignorable.test(character)
  if (isSeen && at > 0 && !fourMarks.test(text.slice(Math.max(0, at - 8), at))) return character
  return named[character] ?? toEscapes(character)
}

/**
 * A sentence of this program whose names were quoted when it was built: on one line regardless of what they contain.
 */
export function showSentence(text: string, max = MAX_SENTENCE): PrintableText {
  const escaped = escapeSuspect(text.slice(0, 2 * max))
  return (escaped.length <= max ? escaped : `${cutText(escaped, max - 1)}…`) as PrintableText
}

/** A value as complete JSON; the strings in it cannot end their quotes. */
export const showJson = (value: unknown): PrintableText => showJsonText(JSON.stringify(value) ?? 'null')

/** The same of JSON that is written already. */
export const showJsonText = (json: string): PrintableText => escapeTerminalCharacters(json) as PrintableText

/** A number in full, without an exponent. */
export function plainDigits(value: number): string {
  const text = String(value === 0 ? 0 : value)
  return text.includes('e') ? value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 20 }) : text
}

/** Builds a line: numbers are written in plain digits, texts must be `PrintableText`. */
export function line(parts: TemplateStringsArray, ...values: readonly (PrintableText | number)[]): PrintableText {
  let text = parts[0] ?? ''
  for (const [index, value] of values.entries()) {
    text += (typeof value === 'number' ? plainDigits(value) : value) + (parts[index + 1] ?? '')
  }
  return text as PrintableText
}

type Separator = ', ' | '; ' | ' | ' | ' / '

export const joinShown = (items: readonly PrintableText[], separator: Separator = ', '): PrintableText =>
  items.join(separator) as PrintableText

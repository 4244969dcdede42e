import { isNeededJoiner } from './invisible.ts'
import { escapeActing, toEscapes } from './redaction.ts'

declare const brand: unique symbol
/**
 * Text that may stand on a line of ours: it holds no line break and nothing that acts on a terminal or hides from a
 * reader. Only the functions here make it, so that a plain string in a line does not compile.
 */
export type Shown = string & { readonly [brand]: true }

/** The most characters that a name takes on a line, quotes and escapes among them. */
export const MAX_NAME = 120
/** The same for a sentence of ours, which may quote several names. */
const MAX_SENTENCE = 2_000

/** Words and the marks inside of them, one blank at a time, or what stands for a name that is missing. */
const plainName =
  /^(?:[\p{L}\p{N}_](?:[\p{L}\p{M}\p{N}_.&+@%-]|(?<=\p{L})'(?=\p{L})|(?<=[\p{L}\p{N}_])\/(?=[\p{L}\p{N}_])| (?=[\p{L}\p{N}_&+@%-]))*|\((?:none|withheld)\))$/u
/** Names that an answer uses itself. */
const reserved = /^(?:all|others?|none|null)$/i
const plainCode = /^[\w.:+/-]+$/
const plainAmount = /^(?:-?[\d.,]+%?(?: [\p{L}\p{Sc}%°][\p{L}\p{N}\p{Sc}%°/.-]*)*|no value)$/u
const plainAddress = /^https?:\/\/[\w.:/?&=%#~+@!$*,;-]+$/

/** What acts on a terminal, ends a line, or is not seen; and marks, which pile up beyond their line. */
const suspect = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800\p{M}]|[^\S ]/gu
const mark = /^\p{M}$/u
const ignorable = /^\p{Default_Ignorable_Code_Point}$/u
const fourMarks = /\p{M}{4}$/u
const named: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** A name as it may stand in a row or a list: as it is where nobody can take it for more than a name, else quoted. */
export function showName(text: string, max = MAX_NAME): Shown {
  const bare = text.length <= max && plainName.test(text) && !reserved.test(text) && escapeSuspect(text) === text
  return bare ? (text as Shown) : quote(text, max)
}

export const showNames = (texts: readonly string[], separator?: Separator): Shown =>
  joinShown(
    texts.map((text) => showName(text)),
    separator,
  )

/** An id, a time, a word of a closed list. */
export const showCode = (text: string): Shown => showLike(plainCode, text)

/** A number with its unit, as people read it. */
export const showAmount = (text: string): Shown => showLike(plainAmount, text)

/** An address between `<` and `>`, or quoted where it is none. */
export function showAddress(text: string): Shown {
  return text.length <= MAX_NAME - 2 && plainAddress.test(text) ? (`<${text}>` as Shown) : quote(text)
}

const showLike = (plain: RegExp, text: string): Shown =>
  text.length <= MAX_NAME && plain.test(text) ? (text as Shown) : quote(text)

/** A name in a sentence: always between quotes, which it cannot end; `…` after them when it was cut. */
export function quote(text: string, max = MAX_NAME): Shown {
  // Each character takes at least as much room as it has.
  const pieces = toPieces(text.slice(0, 2 * max))
  const whole = `'${pieces.join('')}'`
  if (text.length <= 2 * max && whole.length <= max) return whole as Shown
  let kept = ''
  for (const piece of pieces) {
    if (kept.length + piece.length > max - 3) break
    kept += piece
  }
  return `'${kept.replace(/[\u200c\u200d]$/, '')}'…` as Shown
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

/** A sentence of ours, whose names were quoted when it was made: on one line, whatever they hold. */
export function showSentence(text: string, max = MAX_SENTENCE): Shown {
  const escaped = escapeSuspect(text.slice(0, 2 * max))
  return (escaped.length <= max ? escaped : `${escaped.slice(0, max - 1)}…`) as Shown
}

/** A value as JSON, whole: what it quotes stays between its quotes. */
export const showJson = (value: unknown): Shown => escapeActing(JSON.stringify(value) ?? 'null') as Shown

/** A number in full, without an exponent. */
export function plainDigits(value: number): string {
  const text = String(value === 0 ? 0 : value)
  return text.includes('e') ? value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 20 }) : text
}

/** A line of ours: numbers are written in plain digits, texts only as what may be shown. */
export function line(parts: TemplateStringsArray, ...values: readonly (Shown | number)[]): Shown {
  const texts = values.map((value) => (typeof value === 'number' ? plainDigits(value) : value))
  return String.raw({ raw: parts }, ...texts) as Shown
}

type Separator = ', ' | '; ' | ' | ' | ' / '

export const joinShown = (items: readonly Shown[], separator: Separator = ', '): Shown => items.join(separator) as Shown

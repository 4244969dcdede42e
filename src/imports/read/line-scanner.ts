import type { ImportLine } from './import-line.ts'

/** What a member of a line is in JSON: `word` is a text of printable ASCII characters without escapes. */
type MemberForm = 'object' | 'number' | 'text' | 'word'

const forms = {
  asset: 'object',
  detectorType: 'word',
  findingType: 'word',
  severity: 'word',
  firstDetectedAt: 'word',
  category: 'word',
  confidence: 'number',
  status: 'word',
  lastDetectedAt: 'word',
  resolvedAt: 'word',
  customDetectorKey: 'word',
  excerpt: 'text',
  fingerprint: 'word',
} as const satisfies Record<keyof ImportLine, MemberForm>

const members = Object.entries(forms).map(([name, form]) => ({ form, name: toPattern(`${name}"`) }))

const KEY = toPattern('key"')

/** The number of each member in a scan. */
export const memberNumbers = Object.fromEntries(Object.keys(forms).map((name, number) => [name, number])) as Record<
  keyof ImportLine,
  number
>

const [TAB, RETURN, NEWLINE, SPACE, QUOTE, COMMA, POINT, COLON, BACKSLASH] = [9, 13, 10, 32, 34, 44, 46, 58, 92]
const [OPEN_OBJECT, CLOSE_OBJECT, FIRST_DIGIT, FIRST_BEYOND_ASCII] = [123, 125, 48, 127]

/** 1 for a byte that ends a run of plain characters in a word. */
const endsWord = new Uint8Array(256).map((_, byte) =>
  byte < SPACE || byte >= FIRST_BEYOND_ASCII || byte === QUOTE || byte === BACKSLASH ? 1 : 0,
)
/** 1 for a byte that ends such a run in any other text. */
const endsText = new Uint8Array(256).map((_, byte) => (byte < SPACE || byte === QUOTE || byte === BACKSLASH ? 1 : 0))

/** An escape after which a text may be ill-formed, see `parseOutsideJson`. */
const mayBeIllFormed = /^u(?:d[89a-f]|0000)/i
const LETTER_U = 117

/** Digits of a fraction whose value is exact. */
const MAX_EXACT_DIGITS = 15
const powersOfTen = Array.from({ length: MAX_EXACT_DIGITS + 1 }, (_, exponent) => 10 ** exponent)

/**
 * Finds the members of a line of JSON in its bytes, without creating values. It recognizes only part of JSON, such as
 * objects without repeated or unknown members; in everything it recognizes, `JSON.parse` finds the same.
 */
export class LineScanner {
  /** Where the value of each given member begins and ends, a text without its quotes. */
  readonly starts = new Int32Array(members.length)
  readonly ends = new Int32Array(members.length)
  /** Where the text `key` of the asset begins and ends, with its quotes; 0 if it was not found. */
  keyStart = 0
  keyEnd = 0
  /** The given members, a bit for each number. */
  given = 0
  /** The number of `confidence`. */
  confidence = 1
  /** The bytes that were scanned last. */
  #bytes: Buffer | undefined
  #view: DataView = new DataView(new ArrayBuffer(0))
  /** Which member followed each one last: most lines of a file have the same order. */
  readonly #followers = new Int32Array(members.length + 1)

  /** Returns the offset of the end of the line, or -1 if it was not recognized. */
  scan(bytes: Buffer, from: number): number {
    if (bytes !== this.#bytes) {
      this.#bytes = bytes
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    }
    let at = skipBlanks(bytes, from)
    if (bytes[at++] !== OPEN_OBJECT) return -1
    this.given = 0
    this.confidence = 1
    for (let before = members.length; ; ) {
      at = skipBlanks(bytes, at)
      if (bytes[at++] !== QUOTE) return -1
      const number = this.#findMember(at, before)
      const member = members[number]
      if (member === undefined || (this.given & (1 << number)) !== 0) return -1
      this.given |= 1 << number
      at = skipBlanks(bytes, at + member.name.length)
      if (bytes[at++] !== COLON) return -1
      at = skipBlanks(bytes, at)
      const end = this.#scanValue(bytes, at, number, member.form)
      if (end < 0) return -1
      at = skipBlanks(bytes, end)
      const mark = bytes[at++]
      if (mark === CLOSE_OBJECT) break
      if (mark !== COMMA) return -1
      before = number
    }
    at = skipBlanks(bytes, at)
    return at === bytes.length || bytes[at] === NEWLINE ? at : -1
  }

  #startsWith(at: number, number: number): boolean {
    const name = members[number]?.name
    return name !== undefined && isAt(this.#view, at, name)
  }

  #findMember(at: number, before: number): number {
    const expected = this.#followers[before] ?? 0
    if (this.#startsWith(at, expected)) return expected
    for (let number = 0; number < members.length; number++) {
      if (!this.#startsWith(at, number)) continue
      this.#followers[before] = number
      return number
    }
    return -1
  }

  #scanValue(bytes: Buffer, at: number, number: number, form: MemberForm): number {
    if (form === 'number') return this.#scanShare(bytes, at)
    const isObject = form === 'object'
    if (bytes[at] !== (isObject ? OPEN_OBJECT : QUOTE)) return -1
    const end = isObject
      ? this.#skipObject(bytes, at + 1)
      : skipText(bytes, at + 1, form === 'word' ? endsWord : endsText)
    if (end < 0) return -1
    this.starts[number] = isObject ? at : at + 1
    this.ends[number] = isObject ? end : end - 1
    return end
  }

  /** Returns the offset after the closing brace of an object without objects in it, or -1. */
  #skipObject(bytes: Buffer, from: number): number {
    this.keyStart = 0
    for (let at = from; ; ) {
      const byte = bytes[at++] ?? 0
      if (byte === CLOSE_OBJECT) return at
      if (byte === QUOTE) {
        const start = at
        at = skipText(bytes, at, endsText)
        if (at < 0) return -1
        if (at - start === KEY.length && isAt(this.#view, start, KEY)) {
          const value = skipBlanks(bytes, at)
          // Only the name of a member is followed by a colon.
          if (bytes[value] !== COLON) continue
          this.keyStart = skipBlanks(bytes, value + 1)
          at = bytes[this.keyStart] === QUOTE ? skipText(bytes, this.keyStart + 1, endsText) : -1
          if (at < 0) return -1
          this.keyEnd = at
        }
      } else if (byte === OPEN_OBJECT || byte < SPACE) return -1
    }
  }

  /** Reads a number from 0 to 1 without an exponent. */
  #scanShare(bytes: Buffer, from: number): number {
    const whole = (bytes[from] ?? 0) - FIRST_DIGIT
    if (whole !== 0 && whole !== 1) return -1
    this.confidence = whole
    if (bytes[from + 1] !== POINT) return from + 1
    let at = from + 2
    let digits = 0
    for (; ; at++) {
      const digit = (bytes[at] ?? 0) - FIRST_DIGIT
      if (digit < 0 || digit > 9) break
      digits = digits * 10 + digit
    }
    const count = at - from - 2
    if (count === 0) return -1
    this.confidence =
      whole === 0 && count <= MAX_EXACT_DIGITS
        ? digits / (powersOfTen[count] ?? Number.NaN)
        : Number(bytes.toString('latin1', from, at))
    return this.confidence <= 1 ? at : -1
  }
}

function skipBlanks(bytes: Buffer, from: number): number {
  let at = from
  for (let byte = bytes[at]; byte === SPACE || byte === TAB || byte === RETURN; byte = bytes[at]) at++
  return at
}

/** A text of at least four ASCII characters as words of four bytes, of which the last two may overlap. */
interface Pattern {
  length: number
  words: Int32Array
  last: number
}

function toPattern(text: string): Pattern {
  const bytes = Buffer.from(text, 'latin1')
  const words = Int32Array.from({ length: Math.floor(text.length / 4) }, (_, index) => bytes.readInt32LE(index * 4))
  return { length: text.length, words, last: bytes.readInt32LE(text.length - 4) }
}

function isAt(view: DataView, at: number, { length, words, last }: Pattern): boolean {
  if (at + length > view.byteLength) return false
  for (let index = 0; index < words.length; index++) {
    if (view.getInt32(at + index * 4, true) !== words[index]) return false
  }
  return view.getInt32(at + length - 4, true) === last
}

/** Returns the offset after the closing quote of a text, or -1. */
function skipText(bytes: Buffer, from: number, ends: Uint8Array): number {
  for (let at = from; ; at++) {
    const byte = bytes[at] ?? 0
    if (ends[byte] === 0) continue
    if (byte === QUOTE) return at + 1
    if (byte !== BACKSLASH || ends === endsWord) return -1
    const escaped = bytes[++at] ?? 0
    if (escaped < SPACE || (escaped === LETTER_U && mayBeIllFormed.test(bytes.toString('latin1', at, at + 5))))
      return -1
  }
}

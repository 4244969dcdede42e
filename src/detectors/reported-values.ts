import { joinRanges, type Range } from '../kernel/ranges.ts'
import { MASK, maskRanges } from '../kernel/redaction.ts'
import type { SafeText } from '../kernel/safe-text.ts'
import { type DeobfuscatedText, readingsOf, toOriginal } from './disguise.ts'
import { profileText } from './first-look.ts'
import { isAlphanumeric } from './text.ts'

/** Shorter values occur inside ordinary words, so masking them everywhere would mask those words. */
const MIN_VALUE_LENGTH = 3
/** At most this many characters in a row may be shown of a value that no word resembles. */
const MAX_SHOWN = 4
/** Shorter parts of a value are masked only where the text is cut. */
const PIECE = 8

/**
 * The values that detectors reported in an item. Every text of the item passes `hide` before it is stored or shown,
 * which finds the values however they are written: in any letter case, encoded, or with other characters between their
 * letters and digits, as in addresses, anchors and file names; and parts of them where a text was cut.
 */
export class ReportedValues {
  readonly #values = new Set<string>()
  /** Made when a text is searched. */
  #index: ValueIndex | undefined

  constructor(values: Iterable<string> = []) {
    for (const value of values) this.add(value)
  }

  get size(): number {
    return this.#values.size
  }

  [Symbol.iterator](): Iterator<string> {
    return this.#values.values()
  }

  add(found: string): void {
    // A value next to one that is masked already.
    for (const value of found.split(MASK)) {
      if (value.length < MIN_VALUE_LENGTH || this.#values.has(value)) continue
      this.#values.add(value)
      this.#index?.add(value)
    }
  }

  /** Where the values occur in a text, unordered. */
  find(text: string): Range[] {
    if (this.#values.size === 0 || text.length < MIN_VALUE_LENGTH) return []
    this.#index ??= new ValueIndex(this.#values)
    return [...this.#index.find(text)]
  }

  /** The text without the values. */
  hide(text: SafeText): SafeText {
    return maskRanges(text, this.find(text)) as SafeText
  }

  /**
   * An address without the values: it ends before the step or parameter that contains the first one, so that it still
   * opens what the ids before it name. Its first `kept` characters stay.
   */
  hideInAddress(address: SafeText, kept = 0): SafeText {
    const [first] = joinRanges(this.find(address).filter(({ end }) => end > kept))
    if (first === undefined) return address
    const start = Math.max(first.start, kept)
    const cut = Math.max(...[...'/?#&'].map((sign) => address.lastIndexOf(sign, start)))
    const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(address)?.[0].length ?? 0
    return (cut < origin ? '' : address.slice(0, Math.max(cut, kept))) as SafeText
  }

  /** A value whose strings, at any depth, are without the values; ids of the platform stay, so that it can be found. */
  hideIn<Value>(value: Value): Value {
    if (this.#values.size === 0) return value
    const hideMember = (member: unknown): unknown => {
      if (typeof member === 'string') return this.hide(member as SafeText)
      if (Array.isArray(member)) return member.map(hideMember)
      if (typeof member !== 'object' || member === null) return member
      return Object.fromEntries(
        Object.entries(member).map(([name, inner]) =>
          idMember.test(name) ? [name, inner] : [this.hide(name as SafeText), hideMember(inner)],
        ),
      )
    }
    return hideMember(value) as Value
  }
}

const idMember = /^(?:id|space)$|(?:Id|Key)$/

class ValueIndex {
  /** Values as they are written. */
  readonly #written = new Sequences()
  /** Letters and digits of values that no ordinary word equals. */
  readonly #bare = new Sequences()
  readonly #pieces = new Set<string>()
  readonly #beginnings = new Set<string>()
  readonly #endings = new Set<string>()

  constructor(values: Iterable<string>) {
    for (const value of values) this.add(value)
  }

  add(value: string): void {
    for (const { text: form } of eachReading(value)) {
      const bare = toBare(form)
      const isDistinct = isDistinctive(form, bare.text)
      const written = toLower(form).text.trim()
      if (written.length >= MIN_VALUE_LENGTH) this.#written.add(written, isDistinct)
      if (!isDistinct) continue
      this.#bare.add(bare.text, true)
      // The host of an address or mailbox is no secret.
      if (!/@|:\//.test(form)) this.#addPieces(form, bare)
    }
  }

  #addPieces(form: string, { text, starts, ends }: Projection): void {
    const slice = (from: number, to: number) => form.slice(starts[from], ends[to - 1])
    for (let at = 0; at + PIECE <= text.length; at++) {
      if (isScrambled(slice(at, at + PIECE))) this.#pieces.add(text.slice(at, at + PIECE))
    }
    for (let length = MAX_SHOWN + 1; length < Math.min(PIECE, text.length); length++) {
      if (!isWord(slice(0, length))) this.#beginnings.add(text.slice(0, length))
      const from = text.length - length
      if (!isWord(slice(from, text.length))) this.#endings.add(text.slice(from))
    }
  }

  *find(text: string): Generator<Range> {
    for (const reading of eachReading(text)) {
      const bare = toBare(reading.text)
      const written = toLower(reading.text)
      const found = [
        [bare, this.#bare.find(bare.text)],
        [bare, this.#findPieces(bare)],
        [written, this.#written.find(written.text)],
      ] as const
      for (const [{ starts, ends }, ranges] of found) {
        for (const { start, end } of ranges)
          yield toOriginal(reading, { start: starts[start] ?? 0, end: ends[end - 1] ?? 0 })
      }
    }
  }

  *#findPieces({ text, cuts }: Projection): Generator<Range> {
    for (let at = 0; at + PIECE <= text.length && this.#pieces.size > 0; at++) {
      if (this.#pieces.has(text.slice(at, at + PIECE))) yield { start: at, end: at + PIECE }
    }
    for (const cut of cuts) {
      for (let length = PIECE - 1; length > MAX_SHOWN; length--) {
        if (this.#beginnings.has(text.slice(Math.max(0, cut - length), cut))) yield { start: cut - length, end: cut }
        if (this.#endings.has(text.slice(cut, cut + length))) yield { start: cut, end: cut + length }
      }
    }
  }
}

function* eachReading(text: string): Generator<DeobfuscatedText> {
  yield { text }
  if (profileText(text).disguised) yield* readingsOf(text)
}

/** A text reduced to the characters that are compared, and where each comes from. */
interface Projection {
  text: string
  starts: readonly number[]
  ends: readonly number[]
  /** Offsets in `text` at which something may be cut off: its beginning and end, and marks of omission. */
  cuts: readonly number[]
}

const omission = /…|•|\*{3}|\.{3}/
const other = /[^\p{L}\p{N}]/gu

/** Only letters and digits, in lower case and without accents. */
function toBare(original: string): Projection {
  let text = ''
  const starts: number[] = []
  const ends: number[] = []
  const cuts = [0]
  let last = 0
  for (let at = 0; at < original.length; ) {
    const code = original.charCodeAt(at)
    const whole = code < 128 ? original.charAt(at) : String.fromCodePoint(original.codePointAt(at) ?? 0)
    const bare = code >= 128 ? whole.normalize('NFKD').replace(other, '') : isAlphanumeric(code) ? whole : ''
    const end = at + whole.length
    if (bare !== '') {
      if (at - last > 0 && text !== '' && omission.test(original.slice(last, at))) cuts.push(text.length)
      for (const lower of bare.toLowerCase()) {
        text += lower
        for (let unit = 0; unit < lower.length; unit++) {
          starts.push(at)
          ends.push(end)
        }
      }
      last = end
    }
    at = end
  }
  return { text, starts, ends, cuts: [...cuts, text.length] }
}

/** All characters, in lower case. */
function toLower(original: string): Projection {
  const text = original.replace(/\p{Lu}/gu, (letter) => {
    const lower = letter.toLowerCase()
    return lower.length === letter.length ? lower : letter
  })
  const starts = Array.from({ length: text.length }, (_, at) => at)
  return { text, starts, ends: starts.map((at) => at + 1), cuts: [] }
}

/** Sequences of characters, found in time linear in the text except for the number of lengths that begin alike. */
class Sequences {
  /** Lengths of the sequences that begin with a text, by that text. */
  readonly #lengths = new Map<string, Set<number>>()
  /** Each sequence, and whether it is also found within a word. */
  readonly #all = new Map<string, boolean>()
  readonly #sizes = new Set<number>()

  add(sequence: string, within: boolean): void {
    const start = sequence.slice(0, PIECE)
    const lengths = this.#lengths.get(start) ?? new Set()
    this.#lengths.set(start, lengths.add(sequence.length))
    this.#all.set(sequence, within || this.#all.get(sequence) === true)
    this.#sizes.add(start.length)
  }

  *find(text: string): Generator<Range> {
    for (const size of this.#sizes) {
      for (let at = 0; at + size <= text.length; at++) {
        for (const length of this.#lengths.get(text.slice(at, at + size)) ?? []) {
          const within = this.#all.get(text.slice(at, at + length))
          if (within === true || (within === false && isWhole(text, at, at + length)))
            yield { start: at, end: at + length }
        }
      }
    }
  }
}

const wordCharacter = /[\p{L}\p{N}]/u

const isWhole = (text: string, start: number, end: number) =>
  !wordCharacter.test(text.charAt(start - 1)) && !wordCharacter.test(text.charAt(end))

const MIN_DIGITS = 7
const MIN_LETTERS = 8
const MAX_WORD = 15

/** Whether the letters and digits of a value are hardly ever found where it is not meant. */
function isDistinctive(form: string, bare: string): boolean {
  if (/^\d+$/.test(bare)) return bare.length >= MIN_DIGITS
  if (/\d/.test(bare)) return bare.length > MAX_SHOWN
  return bare.length >= MIN_LETTERS && (bare.length > MAX_WORD || !isWord(form))
}

/** Letters alone, as in a word: with capitals at most at its beginning, or all in capitals. */
const isWord = (text: string) => /^(?:\p{Lu}?[\p{Ll}\p{Lo}]*|\p{Lu}+)$/u.test(text)

/** Digits, or letters and digits as they alternate in no word followed by a number. */
function isScrambled(piece: string): boolean {
  const turns = piece.match(/\p{L}(?=\p{N})|\p{N}(?=\p{L})|\p{Ll}(?=\p{Lu})/gu)?.length ?? 0
  return turns >= 2 || (piece.match(/\p{N}/gu)?.length ?? 0) >= PIECE - 2
}

import { memoize } from '../kernel/memoize.ts'
import { joinRanges, type Range } from '../kernel/ranges.ts'
import { MASK, maskRanges } from '../kernel/redaction.ts'
import type { SafeText } from '../kernel/safe-text.ts'
import { type DeobfuscatedText, readingsOf, toOriginal } from './disguise.ts'
import { isScrambled } from './secrets/guards.ts'
import { isAlphanumeric, toLowerAscii } from './text.ts'

/** Shorter values occur inside ordinary words, so masking them everywhere would mask those words. */
const MIN_VALUE_LENGTH = 3
/** Fewer characters of a value than this may be shown where a text is cut. */
const SHORTEST = 5
/** Shorter parts of a value are masked only where the text is cut. */
const PIECE = 8
/** Longer beginnings and ends are recognized by their pieces. */
const MAX_CUT = 64

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
  find(text: string, readings: Iterable<DeobfuscatedText> = readingsOf(text)): Range[] {
    if (this.#values.size === 0 || text.length < MIN_VALUE_LENGTH) return []
    this.#index ??= new ValueIndex(this.#values)
    return this.#index.find(readings)
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
  /** Values as they are written, unless their letters and digits suffice. */
  readonly #written = new Sequences()
  /** Letters and digits of values that no ordinary word equals. */
  readonly #bare = new Sequences()
  readonly #pieces = new Set<string>()
  /** Values by the last characters of each of their beginnings, and by the first of each of their ends. */
  readonly #beginnings = new Map<string, Part[]>()
  readonly #ends = new Map<string, Part[]>()

  constructor(values: Iterable<string>) {
    for (const value of values) this.add(value)
  }

  add(value: string): void {
    for (const { text: form } of readingsOf(value)) {
      const bare = toBare(form)
      const isDistinct = isDistinctive(form, bare.text)
      if (!isDistinct || signsAround.test(form)) this.#written.add(toLower(form).trim(), isDistinct)
      if (!isDistinct || this.#bare.has(bare.text)) continue
      this.#bare.add(bare.text, true)
      this.#addParts(form, bare)
    }
  }

  #addParts(form: string, { text, starts, ends }: Projection): void {
    const hasHost = /@|:\//.test(form)
    const pieces = hasHost ? [] : listScrambled(form, starts, ends)
    for (const at of pieces) {
      this.#pieces.add(text.slice(at, at + PIECE))
      this.#bare.expect(text, at)
    }
    // Longer beginnings and ends consist of pieces if these are everywhere in the value.
    const covered = [0, ...pieces, text.length - PIECE].every((at, index, all) => at - (all[index - 1] ?? 0) < SHORTEST)
    const isWordAlone = isRandom(form) ? () => false : isWord
    const longest = Math.min(covered ? PIECE + SHORTEST : MAX_CUT, text.length) - 1
    for (let length = longest; length >= SHORTEST && !isWordAlone(form.slice(0, ends[length - 1])); length--) {
      addTo(this.#beginnings, text.slice(length - SHORTEST, length), { value: text, at: length })
    }
    // The host of an address or mailbox is no secret.
    for (let length = hasHost ? 0 : longest; length >= SHORTEST; length--) {
      const at = text.length - length
      if (isWordAlone(form.slice(starts[at]))) return
      addTo(this.#ends, text.slice(at, at + SHORTEST), { value: text, at })
    }
  }

  find(readings: Iterable<DeobfuscatedText>): Range[] {
    const found: Range[] = []
    for (const reading of readings) {
      const bare = toBare(reading.text)
      const addBare: OnFound = (start, end) =>
        found.push(toOriginal(reading, { start: bare.starts[start] ?? 0, end: bare.ends[end - 1] ?? 0 }))
      this.#bare.find(bare.text, addBare, this.#pieces)
      this.#findCut(bare, addBare)
      if (this.#written.size === 0) continue
      this.#written.find(toLower(reading.text), (start, end) => found.push(toOriginal(reading, { start, end })))
    }
    return found
  }

  #findCut({ text, cuts }: Projection, onFound: OnFound): void {
    for (const cut of cuts) {
      for (const { value, at } of this.#beginnings.get(text.slice(Math.max(0, cut - SHORTEST), cut)) ?? []) {
        const start = cut - at
        if (text.endsWith(value.slice(0, at), cut) && !isNumber(text, start - 1)) onFound(start, cut)
      }
      for (const { value, at } of this.#ends.get(text.slice(cut, cut + SHORTEST)) ?? []) {
        const end = cut + value.length - at
        if (text.startsWith(value.slice(at), cut) && !isNumber(text, end - 1)) onFound(cut, end)
      }
    }
  }
}

type OnFound = (start: number, end: number) => void

/** The beginning or end of a value at an offset. */
interface Part {
  value: string
  at: number
}

const signsAround = /^[^\p{L}\p{N}]{3}|[^\p{L}\p{N}]{3}$/v

/** Whether the characters before and after an offset belong to one number. */
const isNumber = (text: string, at: number) => /^\d\d$/.test(text.slice(Math.max(0, at), at + 2))

function addTo(parts: Map<string, Part[]>, key: string, part: Part): void {
  const list = parts.get(key)
  if (list === undefined) parts.set(key, [part])
  else list.push(part)
}

/** A text reduced to the characters that are compared, and where each comes from. */
interface Projection {
  text: string
  starts: readonly number[]
  ends: readonly number[]
  /** Offsets in `text` at which something may be cut off: its ends, file extensions, marks of omission, steps of paths. */
  cuts: readonly number[]
}

const boundary = /[…•/?#&=]|\*{3}|\.{3}/g
const extension = /\.\w{1,5}$/
const other = /[^\p{L}\p{N}]/gu
const MAX_CACHED = 5_000
const toLetters = memoize(MAX_CACHED, (character) => character.normalize('NFKD').replace(other, '').toLowerCase())

/** Only letters and digits, in lower case and without accents. */
function toBare(original: string): Projection {
  let text = ''
  const starts: number[] = []
  const ends: number[] = []
  const cuts = [0]
  const extended = original.search(extension)
  const boundaries = Array.from(original.matchAll(boundary), ({ index }) => index)
  let passed = 0
  for (let at = 0, end = 0; at < original.length; at = end) {
    while (isAlphanumeric(original.charCodeAt(end))) end++
    const isPlain = end > at
    if (!isPlain) end += (original.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
    if (!isPlain && original.charCodeAt(at) < 128) continue
    const whole = original.slice(at, end)
    const bare = isPlain ? whole : toLetters(whole)
    if (bare === '') continue
    let isCut = at === extended + 1
    for (; (boundaries[passed] ?? at) < at; passed++) isCut = true
    if (isCut && text !== '') cuts.push(text.length)
    text += bare
    for (let unit = 0; unit < bare.length; unit++) {
      starts.push(isPlain ? at + unit : at)
      ends.push(isPlain ? at + unit + 1 : end)
    }
  }
  cuts.push(text.length)
  return { text: text.toLowerCase(), starts, ends, cuts }
}

/** In lower case, except for letters whose length that changes. */
function toLower(text: string): string {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : toLowerAscii(text)
}

const BITS = 4
const LOW_BITS = 2 ** BITS - 1
const MAY_BEGIN = 2 ** (BITS * MIN_VALUE_LENGTH)

/** Sequences of characters, found in time linear in the text except for the number of lengths that begin alike. */
class Sequences {
  /** Lengths of the sequences that begin with a text, by that text. */
  readonly #lengths = new Map<string, Set<number>>()
  /** Each sequence, and whether it is also found within a word. */
  readonly #all = new Map<string, boolean>()
  readonly #sizes = new Set<number>()
  /** Whether anything begins with characters whose codes have these bits. */
  readonly #mayBegin = new Uint8Array(MAY_BEGIN)

  get size(): number {
    return this.#all.size
  }

  has(sequence: string): boolean {
    return this.#all.has(sequence)
  }

  add(sequence: string, within: boolean): void {
    if (sequence.length < MIN_VALUE_LENGTH) return
    const start = sequence.slice(0, PIECE)
    const lengths = this.#lengths.get(start) ?? new Set()
    this.#lengths.set(start, lengths.add(sequence.length))
    this.#all.set(sequence, within || this.#all.get(sequence) === true)
    this.#sizes.add(start.length)
    this.expect(sequence, 0)
  }

  /** Has `find` look for pieces that begin as the text does at an offset. */
  expect(text: string, at: number): void {
    let bits = 0
    for (let index = at; index < at + MIN_VALUE_LENGTH; index++)
      bits = (bits << BITS) | (text.charCodeAt(index) & LOW_BITS)
    this.#mayBegin[bits] = 1
  }

  find(text: string, onFound: OnFound, pieces?: ReadonlySet<string>): void {
    let bits = 0
    for (let last = 0; last < text.length; last++) {
      bits = ((bits << BITS) | (text.charCodeAt(last) & LOW_BITS)) & (MAY_BEGIN - 1)
      const at = last + 1 - MIN_VALUE_LENGTH
      if (at < 0 || this.#mayBegin[bits] === 0) continue
      if (pieces?.has(text.slice(at, at + PIECE))) onFound(at, at + PIECE)
      for (const size of this.#sizes) {
        for (const length of this.#lengths.get(text.slice(at, at + size)) ?? []) {
          const within = this.#all.get(text.slice(at, at + length))
          if (within === true || (within === false && isWhole(text, at, at + length))) onFound(at, at + length)
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
  if (/\d/.test(bare)) return bare.length >= SHORTEST
  return bare.length >= MIN_LETTERS && (bare.length > MAX_WORD || !isWord(form))
}

/** Letters alone, as in a word: with capitals at most at its beginning, or all in capitals. */
const isWord = (text: string) => /^(?:\p{Lu}?[\p{Ll}\p{Lo}]*|\p{Lu}+)$/u.test(text)

/** Whether a value is certainly no word with a number: it has letters before and after digits, or as no language has. */
const isRandom = (form: string) => /\p{L}\p{N}+\p{L}|\p{L}{16}/u.test(form) || isScrambled(form)

/**
 * Offsets of pieces of letters and digits that hardly consist of words and numbers: they change at least twice between
 * letters and digits or to capitals, or have six digits.
 */
function listScrambled(form: string, starts: readonly number[], ends: readonly number[]): number[] {
  const found: number[] = []
  const kinds = starts.map((at) => (/\p{N}/u.test(form.charAt(at)) ? '1' : /\p{Lu}/u.test(form.charAt(at)) ? 'A' : 'a'))
  const isTurn = (at: number) => {
    const pair = `${kinds[at - 1]}${kinds[at]}`
    return starts[at] === ends[at - 1] && pair !== 'Aa' && pair[0] !== pair[1]
  }
  let [turns, numbers] = [0, 0]
  for (let at = 0; at < kinds.length; at++) {
    const from = at + 1 - PIECE
    if (kinds[at] === '1') numbers++
    if (at > 0 && isTurn(at)) turns++
    if (from > 0 && isTurn(from)) turns--
    if (from > 0 && kinds[from - 1] === '1') numbers--
    if (from >= 0 && (turns >= 2 || numbers >= PIECE - 2)) found.push(from)
  }
  return found
}

import { createAutomaton } from './automaton.ts'

/** An occurrence of a phrase. */
export interface LabelHit<Value> {
  /** That of the phrase. */
  value: Value
  start: number
  end: number
  /** Whether letters follow, which then count as an inflectional ending. */
  inflected: boolean
}

export interface LabelIndex<Value> {
  /**
   * All occurrences of all phrases, ordered by end offset. Ignores case and accents; words may be separated by `
   * _-./'`, a change of case, or nothing; short words also match as dotted abbreviations.
   */
  scan(text: string): LabelHit<Value>[]
}

const KIND_BITS = 3
const KIND = (1 << KIND_BITS) - 1

const SPACE = 1
const FIRST_LETTER = 2
/** The space and the letters a to z, which have dense transitions in the automaton. */
const WIDTH = FIRST_LETTER + 26

const JOINER = 1
const LOWER = 2
const UPPER = 3
const DIGIT = 4
const MARK = 5
/** Letters of scripts without spaces between words. */
const UNSPACED = 6

/** Letters without a Unicode decomposition to an ASCII letter. */
const plainLetters: Readonly<Record<string, string>> = {
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ı: 'i',
  ħ: 'h',
  æ: 'a',
  œ: 'o',
}
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Hangul}]/u

/** The class of each UTF-16 code unit, and its symbol in the automaton. */
interface Alphabet {
  kinds: Uint8Array
  /** A column of the transition table or, for other scripts, the folded code unit. */
  symbols: Uint16Array
  /** Both in one number, with the kind in the lowest bits. */
  classes: Uint32Array
}

let alphabet: Alphabet | undefined

/** The number of code units that are examined together first, because most of what is searched for is in few blocks. */
const BLOCK = 64
const readable = /[\p{M}\p{N}\p{L}]/u

function readAlphabet(): Alphabet {
  const kinds = new Uint8Array(0x10000)
  const symbols = new Uint16Array(0x10000)
  const fillUnspaced = (from: number, end: number) => {
    kinds.fill(UNSPACED, from, end)
    for (let code = from; code < end; code++) symbols[code] = code
  }
  fillUnspaced(0x3400, 0xa000)
  fillUnspaced(0xac00, 0xd7a4)
  for (let from = 0; from < 0x10000; from += BLOCK) {
    if ((from >= 0x3400 && from < 0xa000) || (from >= 0xac00 && from < 0xe000)) continue
    const block = String.fromCharCode(...Array.from({ length: BLOCK }, (_, at) => from + at))
    if (!readable.test(block)) continue
    const hasUpper = block.toLowerCase() !== block
    const isComposed = block.normalize('NFD') !== block || hasUpper
    const hasUnspaced = unspaced.test(block)
    for (let code = from; code < from + BLOCK; code++) {
      const character = String.fromCharCode(code)
      if (/\p{L}/u.test(character)) {
        const lower = hasUpper ? character.toLowerCase() : character
        const base = isComposed ? lower.normalize('NFD').replace(/\p{M}+/gu, '') : lower
        const folded = plainLetters[base] ?? base
        const letter = folded.charCodeAt(0)
        kinds[code] = hasUnspaced && unspaced.test(character) ? UNSPACED : lower === character ? LOWER : UPPER
        symbols[code] = letter >= 97 && letter <= 122 ? FIRST_LETTER + letter - 97 : letter
      } else if (/\p{M}/u.test(character)) kinds[code] = MARK
      else if (/\p{N}/u.test(character)) kinds[code] = DIGIT
    }
  }
  for (const joiner of " \t\r\n\u00a0\u202f_-./'’·#°º№") kinds[joiner.charCodeAt(0)] = JOINER
  const classes = new Uint32Array(0x10000)
  for (let code = 0; code < 0x10000; code++) classes[code] = ((symbols[code] ?? 0) << KIND_BITS) | (kinds[code] ?? 0)
  return { kinds, symbols, classes }
}

const MIN_INFLECTED = 6
const MIN_WITHIN_WORD = 8
const MAX_DOTTED = 5
const MAX_ENDING = 12
/** Number of word starts kept; no phrase has more words. */
const REMEMBERED = 16

interface Pattern<Value> {
  value: Value
  symbols: readonly number[]
  words: number
  /** Whether letters may follow. */
  open: boolean
  dotted: boolean
}

function toSymbols(text: string, { kinds, symbols }: Alphabet): number[] {
  const list: number[] = []
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (kinds[code] === MARK) continue
    list.push(kinds[code] === JOINER ? SPACE : (symbols[code] ?? 0))
  }
  return list
}

function* patternsOf<Value>(text: string, value: Value, letters: Alphabet): Generator<Pattern<Value>> {
  const words = text.split(' ')
  const isUnspaced = letters.kinds[text.charCodeAt(0)] === UNSPACED
  const length = text.length
  const make = (written: string, count: number, open: boolean, dotted = false): Pattern<Value> => ({
    value,
    symbols: toSymbols(written, letters),
    words: count,
    open,
    dotted,
  })
  if (isUnspaced) {
    yield make(text.replaceAll(' ', ''), 0, true)
    if (words.length > 1) yield make(text, 0, true)
    return
  }
  const isOpen = length >= MIN_INFLECTED && (words.length === 1 || (words.at(-1)?.length ?? 0) > 3)
  yield make(` ${text}`, words.length, isOpen)
  const joined = words.join('')
  if (words.length > 1 && joined.length >= MIN_INFLECTED) yield make(` ${joined}`, 1, isOpen)
  if (joined.length >= MIN_WITHIN_WORD) yield make(joined, 0, isOpen)
  if (words.length === 1 && length > 1 && length <= MAX_DOTTED)
    yield make(` ${[...text].join(' ')}`, [...text].length, false, true)
}

/** Phrases are in lower case, with words separated by one space; each has a value. */
export function createLabelIndex<Value>(phrases: ReadonlyMap<string, Value>): LabelIndex<Value> {
  alphabet ??= readAlphabet()
  const letters = alphabet
  const { kinds, classes } = letters
  const patterns = [...phrases].flatMap(([phrase, value]) => [...patternsOf(phrase, value, letters)])
  const { table, bits, stepRare, accepts, ends } = createAutomaton(
    patterns.map(({ symbols }) => symbols),
    WIDTH,
  )
  const isLetter = (kind: number) => kind === LOWER || kind === UPPER || kind === UNSPACED
  const wordStarts = new Int32Array(REMEMBERED)

  return {
    scan(text) {
      const hits: LabelHit<Value>[] = []
      const { length } = text
      const atStart = table[SPACE] ?? 0
      let state = atStart
      let words = 0
      let previous = JOINER
      const kindAt = (at: number) => (at < length ? (kinds[text.charCodeAt(at)] ?? 0) : 0)
      /** One or two lower-case letters after an abbreviation: `BSNs`, `PESELem`. */
      const isEnding = (at: number) =>
        kindAt(at) === LOWER && (!isLetter(kindAt(at + 1)) || (kindAt(at + 1) === LOWER && !isLetter(kindAt(at + 2))))
      const toEnding = (from: number) => {
        let end = from
        while (end - from < MAX_ENDING && kindAt(end) === LOWER) end++
        return end
      }
      const report = (state: number, words: number, end: number, kind: number) => {
        const next = kindAt(end)
        const ended =
          !isLetter(next) ||
          (kind === LOWER && next === UPPER) ||
          (kind === UPPER && next === UPPER && kindAt(end + 1) === LOWER) ||
          (kind === UPPER && isEnding(end))
        for (const at of ends[state] ?? []) {
          const pattern = patterns[at]
          if (pattern === undefined || (!ended && !pattern.open)) continue
          const { value, words: count, dotted } = pattern
          const start =
            count === 0 ? end - pattern.symbols.length : (wordStarts[(words - count + 1) & (REMEMBERED - 1)] ?? 0)
          if (dotted && text.charAt(start + 1) !== '.') continue
          hits.push({ value, start, end: ended ? end : toEnding(end), inflected: !ended })
        }
      }
      for (let at = 0; at < length; at++) {
        const found = classes[text.charCodeAt(at)] ?? 0
        const kind = found & KIND
        if (kind === LOWER || kind === UPPER || kind === UNSPACED) {
          if (previous === LOWER || previous === UPPER || previous === UNSPACED) {
            if (kind === UPPER && (previous === LOWER || (kindAt(at + 1) === LOWER && !isEnding(at + 1)))) {
              state = table[(state << bits) + SPACE] ?? 0
              words++
              wordStarts[words & (REMEMBERED - 1)] = at
            }
          } else {
            if (previous !== JOINER) state = table[(state << bits) + SPACE] ?? 0
            words++
            wordStarts[words & (REMEMBERED - 1)] = at
          }
          const symbol = found >> KIND_BITS
          state = symbol < WIDTH ? (table[(state << bits) + symbol] ?? 0) : stepRare(state, symbol)
          previous = kind
          if (accepts[state] === 1) report(state, words, at + 1, kind)
        } else if (kind === JOINER) {
          if (previous !== JOINER) state = table[(state << bits) + SPACE] ?? 0
          previous = JOINER
        } else if (kind !== MARK) {
          state = kind === DIGIT ? 0 : atStart
          previous = kind === DIGIT ? DIGIT : JOINER
        }
      }
      return hits
    },
  }
}

/** The words of a canonical text as hashes, with the sentence of each. */
export interface Tokens {
  text: string
  count: number
  starts: Int32Array
  ends: Int32Array
  /** 32-bit hash of the word without apostrophes. */
  hashes: Int32Array
  sentences: Int32Array
  sentenceCount: number
}

const FNV_BASIS = 0x811c9dc5
const FNV_PRIME = 0x01000193
export const startHash = FNV_BASIS | 0
export const addToHash = (hash: number, code: number) => Math.imul(hash ^ code, FNV_PRIME)

/** The hash of a word as stored in `Tokens`. */
export function hashWord(word: string): number {
  let hash = startHash
  for (let at = 0; at < word.length; at++) hash = addToHash(hash, word.charCodeAt(at))
  return hash
}

const OTHER = 1
const WORD = 2
const SINGLE = 3
const STOP = 4
const LINE = 5
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\u30fc\p{sc=Thai}\p{sc=Khmer}\p{sc=Lao}\p{sc=Myanmar}]/u
const word = /[\p{L}\p{N}\p{M}]/u
const stops = new Set([...'.!?;。！？…؟।'].map((sign) => sign.charCodeAt(0)))
const classes = new Uint8Array(0x10000)

function classify(code: number): number {
  const character = String.fromCharCode(code)
  let kind = OTHER
  if (code === 10 || code === 13) kind = LINE
  else if (stops.has(code)) kind = STOP
  else if (code >= 0xd800 && code <= 0xdfff) kind = OTHER
  else if (unspaced.test(character)) kind = SINGLE
  else if (word.test(character)) kind = WORD
  classes[code] = kind
  return kind
}

const classOf = (code: number) => classes[code] || classify(code)
const isLetter = (code: number) => classOf(code) === WORD
/** Longer runs without a full stop are split, which bounds the search per sentence. In characters. */
const MAX_SENTENCE_LENGTH = 400
/** A sentence of a single word is joined to the next. */
const MIN_WORDS = 2
/** A line of at least this length that breaks inside a sentence is assumed to be wrapped. */
const WRAPPED_LINE = 60
const APOSTROPHES = new Set([0x27, 0x2019])

/**
 * Whether an apostrophe is inside a word, as in "don't", or separates two, as in "l'utilisateur"; decided by their
 * lengths.
 */
function joinsWord(text: string, at: number, length: number): boolean {
  if (length < 3 || !isLetter(text.charCodeAt(at + 1))) return false
  return !isLetter(text.charCodeAt(at + 2)) || !isLetter(text.charCodeAt(at + 3))
}

/** Whether a sentence continues on the next line. */
function isWrapped(text: string, at: number, lineStart: number): boolean {
  if (at - lineStart < WRAPPED_LINE) return false
  const next = text.charCodeAt(at + 1)
  const before = text.charCodeAt(at - 1)
  return isLetter(next) && next > 57 && (isLetter(before) || before === 44)
}

/** Splits a canonical text into words; in scripts without spaces, every character is a word. */
export function toTokens(text: string): Tokens {
  const capacity = text.length
  const starts = new Int32Array(capacity)
  const ends = new Int32Array(capacity)
  const hashes = new Int32Array(capacity)
  const sentences = new Int32Array(capacity)
  let count = 0
  let sentence = 0
  let lineStart = 0
  let wordsInSentence = 0
  let sentenceStart = 0
  const endSentence = () => {
    if (wordsInSentence < MIN_WORDS) return
    sentence++
    wordsInSentence = 0
  }
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at)
    const kind = classOf(code)
    if (kind === WORD || kind === SINGLE) {
      const start = at
      let hash = addToHash(startHash, code)
      at++
      if (kind === WORD) {
        for (; at < text.length; at++) {
          const next = text.charCodeAt(at)
          if (classOf(next) === WORD) hash = addToHash(hash, next)
          else if (!APOSTROPHES.has(next) || !joinsWord(text, at, at - start)) break
        }
      }
      if (wordsInSentence === 0) sentenceStart = start
      else if (start - sentenceStart > MAX_SENTENCE_LENGTH) {
        sentence++
        sentenceStart = start
        wordsInSentence = 0
      }
      starts[count] = start
      ends[count] = at
      hashes[count] = hash
      sentences[count++] = sentence
      wordsInSentence++
      continue
    }
    if (kind === LINE) {
      if (!isWrapped(text, at, lineStart)) endSentence()
      lineStart = at + 1
    } else if (kind === STOP && (code > 0x7f || endsSentence(text, at))) endSentence()
    at++
  }
  return {
    text,
    count,
    starts: starts.subarray(0, count),
    ends: ends.subarray(0, count),
    hashes: hashes.subarray(0, count),
    sentences: sentences.subarray(0, count),
    sentenceCount: wordsInSentence > 0 ? sentence + 1 : sentence,
  }
}

/** Whether a full stop ends a sentence; inside an address or a number it does not. */
function endsSentence(text: string, at: number): boolean {
  const next = text.charCodeAt(at + 1)
  return Number.isNaN(next) || (classOf(next) !== WORD && next !== 47)
}

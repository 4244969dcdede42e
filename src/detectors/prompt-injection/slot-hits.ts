import { createKeywordIndex, type KeywordIndex } from '../keyword-index.ts'
import { toCanonical } from './canonical.ts'
import { lexicons } from './lexicon/all.ts'
import { type Slot, slots } from './lexicon/slots.ts'
import { addToHash, hashWord, startHash, type Tokens } from './tokens.ts'

/** An occurrence of a lexicon expression; offsets are into the canonical text. */
export interface SlotHit {
  slot: number
  language: number
  start: number
  end: number
  sentence: number
}

export const slotNumber = Object.fromEntries(slots.map((slot, number) => [slot, number])) as Readonly<
  Record<Slot, number>
>
export const languages = lexicons.map(({ language }) => language)
/** Languages whose words count only in the vicinity of one of their `mark` words. */
export const isMarked = lexicons.map(({ words }) => words.mark !== undefined)

interface Expression {
  slot: number
  language: number
  words: readonly { hash: number; stem: string | undefined }[]
}

interface Index {
  /** By the hash of their first word. */
  whole: Map<number, Expression[]>
  /** By the hash of the stem of their first word. */
  stems: Map<number, Expression[]>
  /** 1 at the lower 16 bits of the hash of each stem. */
  stemFilter: Uint8Array
  wholeFilter: Uint8Array
  unspaced: KeywordIndex
  unspacedMeanings: readonly { slot: number; language: number }[][]
}

const FILTER_MASK = 0xffff
const MIN_STEM_LENGTH = 2
const MAX_STEM_LENGTH = 16
let index: Index | undefined

function build(): Index {
  const whole = new Map<number, Expression[]>()
  const stems = new Map<number, Expression[]>()
  const unspaced = new Map<string, { slot: number; language: number }[]>()
  const add = <Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value) => {
    const list = map.get(key)
    if (list === undefined) map.set(key, [value])
    else list.push(value)
  }
  for (const [language, lexicon] of lexicons.entries()) {
    for (const [name, list] of Object.entries(lexicon.words)) {
      const slot = slotNumber[name as Slot]
      for (const expression of new Set(list.split(' '))) {
        const canonical = toCanonical(expression.replaceAll('_', ' ')).text
        if (lexicon.unspaced === true) {
          add(unspaced, canonical, { slot, language })
          continue
        }
        const words = canonical.split(/[ '’-]/).map((word) => {
          const stem = word.endsWith('*') ? word.slice(0, -1) : undefined
          return { hash: hashWord(stem ?? word), stem }
        })
        const [first] = words
        if (first !== undefined) add(first.stem === undefined ? whole : stems, first.hash, { slot, language, words })
      }
    }
  }
  const toFilter = (keys: Iterable<number>) => {
    const filter = new Uint8Array(FILTER_MASK + 1)
    for (const key of keys) filter[key & FILTER_MASK] = 1
    return filter
  }
  return {
    whole,
    stems,
    wholeFilter: toFilter(whole.keys()),
    stemFilter: toFilter(stems.keys()),
    unspaced: createKeywordIndex([...unspaced.keys()]),
    unspacedMeanings: [...unspaced.values()],
  }
}

const beyondSpaced = /[\u0590-\u1dff\u2e80-\ud7ff]/

/** All lexicon expressions in a text, ordered by location. */
export function findSlotHits(tokens: Tokens): SlotHit[] {
  index ??= build()
  const { whole, stems, wholeFilter, stemFilter } = index
  const { text, count, starts, ends, hashes } = tokens
  const hits: SlotHit[] = []
  for (let at = 0; at < count; at++) {
    const hash = hashes[at] ?? 0
    if (wholeFilter[hash & FILTER_MASK] === 1) addExpressions(hits, tokens, at, whole.get(hash))
    const start = starts[at] ?? 0
    const end = Math.min(ends[at] ?? 0, start + MAX_STEM_LENGTH)
    let prefix = startHash
    for (let from = start; from < end; from++) {
      prefix = addToHash(prefix, text.charCodeAt(from))
      if (stemFilter[prefix & FILTER_MASK] === 1 && from - start + 1 >= MIN_STEM_LENGTH)
        addExpressions(hits, tokens, at, stems.get(prefix))
    }
  }
  if (beyondSpaced.test(text)) addUnspaced(hits, tokens, index)
  addMarkers(hits, tokens)
  return addAddresses(hits, tokens).sort((a, b) => a.start - b.start || b.end - a.end)
}

function addExpressions(hits: SlotHit[], tokens: Tokens, at: number, expressions: readonly Expression[] = []): void {
  for (const { slot, language, words } of expressions) {
    const last = at + words.length - 1
    if (last >= tokens.count || tokens.sentences[last] !== tokens.sentences[at]) continue
    if (!follow(tokens, at, words)) continue
    const [start = 0, end = 0] = [tokens.starts[at], tokens.ends[last]]
    hits.push({ slot, language, start, end, sentence: tokens.sentences[at] ?? 0 })
  }
}

function follow(tokens: Tokens, at: number, words: Expression['words']): boolean {
  for (let offset = 1; offset < words.length; offset++) {
    const word = words[offset]
    if (word === undefined || !isWord(tokens, at + offset, word) || !isNext(tokens, at + offset)) return false
  }
  const [first] = words
  return first !== undefined && isWord(tokens, at, first)
}

function isWord({ text, hashes, starts }: Tokens, at: number, { hash, stem }: Expression['words'][number]): boolean {
  return stem === undefined ? hashes[at] === hash : text.startsWith(stem, starts[at])
}

/** Maximum number of characters between the words of one expression. */
const MAX_GAP = 3
const parting = new Set([...',;:{}()[]<>|=/\\`'].map((sign) => sign.charCodeAt(0)))

function isNext({ text, starts, ends }: Tokens, at: number): boolean {
  const [end = 0, start = 0] = [ends[at - 1], starts[at]]
  return start - end <= MAX_GAP && !parting.has(text.charCodeAt(end)) && !parting.has(text.charCodeAt(start - 1))
}

function addUnspaced(
  hits: SlotHit[],
  { text, starts, ends, sentences, count }: Tokens,
  { unspaced, unspacedMeanings }: Index,
) {
  let token = 0
  unspaced.scan(text, (keyword, start, end) => {
    // A keyword in Latin letters must be a whole word.
    if (start > 0 && isAsciiLetter(text.charCodeAt(start)) && isAsciiLetter(text.charCodeAt(start - 1))) return
    if (isAsciiLetter(text.charCodeAt(end - 1)) && isAsciiLetter(text.charCodeAt(end))) return
    while (token < count - 1 && (ends[token] ?? 0) < end) token++
    while (token > 0 && (starts[token] ?? 0) > start) token--
    const sentence = sentences[token] ?? 0
    for (const { slot, language } of unspacedMeanings[keyword] ?? [])
      hits.push({ slot, language, start, end, sentence })
  })
}

const isAsciiLetter = (code: number) => code >= 97 && code <= 122

/** The language of hits that belong to no language. */
export const NEUTRAL = -1
const scheme = /(?:https?|hxxps?)$/
const host = /[a-z0-9-]{2,40}\.(?:com|net|org|io|example|test|evil|xyz|site|ru|top|info|dev|app)$/
const mailHost = /^[a-z0-9-]{1,63}\./
const addressEnd = /[\s)"'<>]/
const MAX_ADDRESS = 400
const MAX_HOST = 48
/** Opening tags, bracketed names and fences that imitate a system message. */
const markers =
  /(?<![a-z])[<[\x60](?:(?<=<)\/?(?:system|instructions?|context|admin|developer)(?:-[a-z]{1,20})?>|(?<=\[)\[?(?:system|admin|developer)(?:[ _-][^\]\n]{0,30})?\](?!\()|(?<=\x60)\x60\x60system)/g

interface Place {
  start: number
  end: number
}

/** Finds web and email addresses, starting at slashes and at signs. */
function findAddresses(text: string): Place[] {
  const places: Place[] = []
  const add = (start: number, from: number) => {
    const rest = text.slice(from, from + MAX_ADDRESS)
    const length = rest.search(addressEnd)
    places.push({ start, end: from + (length < 0 ? rest.length : length) })
  }
  for (let at = text.indexOf('/'); at >= 0; at = text.indexOf('/', at + 1)) {
    const end = places.at(-1)?.end ?? 0
    if (at < end) continue
    const before = text.slice(Math.max(end, at - MAX_HOST), at)
    const isScheme = before.endsWith(':') && text.startsWith('//', at)
    const found = isScheme ? scheme.exec(before.slice(0, -1)) : host.exec(before)
    if (found !== null) add(at - (isScheme ? 1 : 0) - found[0].length, at)
  }
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1))
    if (mailHost.test(text.slice(at + 1, at + MAX_HOST))) places.push({ start: at, end: at + 1 })
  for (let at = text.indexOf('webhook'); at >= 0; at = text.indexOf('webhook', at + 1))
    places.push({ start: at, end: at + 'webhook'.length })
  return places.sort((a, b) => a.start - b.start)
}

/** Converts ranges to hits that count for every language. */
function toNeutral(slot: number, places: readonly Place[], { starts, sentences, count }: Tokens): SlotHit[] {
  let token = 0
  return places.map(({ start, end }) => {
    while (token < count - 1 && (starts[token + 1] ?? 0) < end) token++
    return { slot, language: NEUTRAL, start, end, sentence: sentences[token] ?? 0 }
  })
}

function addMarkers(hits: SlotHit[], tokens: Tokens): void {
  const places = [...tokens.text.matchAll(markers)].map(({ 0: { length }, index: start }) => ({
    start,
    end: start + length,
  }))
  hits.push(...toNeutral(slotNumber.marker, places, tokens))
}

/** Adds addresses and removes hits inside them; the target of a Markdown link is not part of the sentence. */
function addAddresses(hits: readonly SlotHit[], tokens: Tokens): SlotHit[] {
  const addresses = toNeutral(slotNumber.address, findAddresses(tokens.text), tokens)
  if (addresses.length === 0) return [...hits]
  let next = 0
  const outside = hits.filter((hit) => {
    while (next < addresses.length && (addresses[next]?.end ?? 0) <= hit.start) next++
    return hit.start < (addresses[next]?.start ?? tokens.text.length)
  })
  return [...outside, ...addresses.filter(({ start }) => !tokens.text.startsWith('](', start - 2))]
}

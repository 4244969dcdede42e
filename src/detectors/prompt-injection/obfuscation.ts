import type { Signal } from './clusters.ts'
import type { Tokens } from './tokens.ts'

const spaced = /(?<![\p{L}\p{N}])(?:[\p{L}\p{N}][ .\-_*]{1,3}){10,200}[\p{L}\p{N}](?![\p{L}\p{N}])/gu
const joinedWording =
  /(?:ignore|disregard|forget|bypass)(?:all|any|the|of|your|my|these|those){0,4}(?:previous|prior|above|earlier|system|your)?(?:instruction|direction|rule|prompt|guideline|command)|(?:reveal|print|show|output|repeat)(?:me|the|your){0,3}(?:system|initial|hidden)?prompt/
const digitLetters: Record<string, string> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  '@': 'a',
  $: 's',
  '!': 'i',
  '|': 'i',
}
const leetOpening = /[i1!|]gn[o0]r[e3]|d[i1!|][s5$]r[e3]g[a4@]rd|f[o0]rg[e3][t7]|byp[a4@][s5$]{2}/g
const leetWording =
  /^(?:ignore|disregard|forget|bypass)[\s_.-]{1,3}(?:(?:all|any|the|of|your|my)[\s_.-]{1,3}){0,4}(?:(?:previous|prior|above|earlier|system|your)[\s_.-]{1,3})?(?:instructions?|directions?|rules|prompts?|guidelines|commands?)(?![a-z])/
const MAX_WORDING_LENGTH = 120
const nounLike = /(?<![a-z])(?:i[a-z]{9,12}|d[a-z]{8,11}|g[a-z]{8,10})(?![a-z])/g
const verbs = ['ignore', 'disregard', 'forget', 'bypass']
const adjectives = ['previous', 'prior', 'above', 'earlier', 'preceding', 'all', 'your', 'system']
const nouns = ['instructions', 'instruction', 'directions', 'guidelines', 'directives']
const MAX_WORDS = 6

/** Wordings that readers understand but filters miss: spaced letters, digits for letters, swapped letters. */
export function* findDisguised(tokens: Tokens): Generator<Signal> {
  const { text } = tokens
  for (const { 0: run, index } of hasSpacedLetters(tokens) ? text.matchAll(spaced) : []) {
    const wording = joinedWording.exec(run.replace(/[ .\-_*]+/g, ''))
    if (wording !== null) yield toSignal(index, run, 0.85)
  }
  for (const { index } of text.matchAll(leetOpening)) {
    const run = text.slice(index, index + MAX_WORDING_LENGTH)
    const wording = leetWording.exec(run.replace(/[013457@$!|]/g, (sign) => digitLetters[sign] ?? sign))?.[0]
    const spelt = run.slice(0, wording?.length ?? 0)
    if (/[013457@$!|]/.test(spelt)) yield toSignal(index, spelt, 0.8)
  }
  for (const { 0: noun, index } of text.matchAll(nounLike)) {
    if (!looksLike(noun, nouns)) continue
    const before = text.slice(Math.max(0, index - MAX_WORDING_LENGTH), index)
    const words = [...before.matchAll(/[a-z]{2,12}/g)].slice(-MAX_WORDS)
    const verb = words.findLast(([word]) => looksLike(word, verbs))
    if (verb === undefined || (verbs.includes(verb[0]) && nouns.includes(noun))) continue
    if (!words.some(([word], at) => at > words.indexOf(verb) && looksLike(word, adjectives))) continue
    const start = index - before.length + verb.index
    yield toSignal(start, text.slice(start, index + noun.length), 0.8)
  }
}

const SPACED_LETTERS = 10

function hasSpacedLetters({ starts, ends, count }: Tokens): boolean {
  let run = 0
  for (let at = 0; at < count; at++) {
    run = (ends[at] ?? 0) - (starts[at] ?? 0) === 1 ? run + 1 : 0
    if (run > SPACED_LETTERS) return true
  }
  return false
}

/** Equal, or the same letters in another order with the first and last kept, or with one letter doubled or missing. */
function looksLike(word: string, candidates: readonly string[]): boolean {
  return candidates.some((candidate) => {
    if (word === candidate) return true
    if (word.charAt(0) !== candidate.charAt(0) || Math.abs(word.length - candidate.length) > 1 || word.length < 5)
      return false
    if (word.length === candidate.length) return word.at(-1) === candidate.at(-1) && sorted(word) === sorted(candidate)
    const [longer, shorter] = word.length > candidate.length ? [word, candidate] : [candidate, word]
    let at = 0
    while (at < shorter.length && longer.charAt(at) === shorter.charAt(at)) at++
    return longer.slice(at + 1) === shorter.slice(at)
  })
}

const sorted = (word: string) => [...word].sort().join('')

function toSignal(start: number, run: string, confidence: number): Signal {
  return { rule: 'disguised', type: 'OBFUSCATED', severity: 'HIGH', confidence, start, end: start + run.length }
}

import type { Signal } from './clusters.ts'

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
const leet = /(?<![\w@$!|])(?=[a-z@$!|0-9]{0,14}[a-z])[a-z0-9@$!|]{3,15}(?:[\s_.-]{1,3}[a-z0-9@$!|]{2,15}){1,6}/g
const leetWording =
  /\b(?:ignore|disregard|forget|bypass)[\s_.-]+(?:(?:all|any|the|of|your|my)[\s_.-]+){0,4}(?:(?:previous|prior|above|earlier|system|your)[\s_.-]+)?(?:instructions?|directions?|rules|prompts?|guidelines|commands?)\b/
const misspelt = /(?<![a-z])([a-z]{5,12})\s((?:[a-z]{2,11}\s){0,4})([a-z]{6,13})(?![a-z])/g
const verbs = ['ignore', 'disregard', 'forget', 'bypass']
const adjectives = ['previous', 'prior', 'above', 'earlier', 'preceding', 'all', 'your', 'system']
const nouns = ['instructions', 'instruction', 'directions', 'guidelines', 'prompts', 'directives', 'commands']

/** Wordings spelt so that a reader gets them and a filter does not: spaced letters, digits for letters, swapped letters. */
export function* findDisguised(text: string): Generator<Signal> {
  for (const { 0: run, index } of text.matchAll(spaced)) {
    const wording = joinedWording.exec(run.replace(/[ .\-_*]+/g, ''))
    if (wording !== null) yield toSignal(index, run, 0.85)
  }
  if (/[a-z][013457@$!|][a-z]|(?<![\w])[013457@$!|][a-z]{2}/.test(text)) {
    for (const { 0: run, index } of text.matchAll(leet)) {
      if (!/[013457@$!|]/.test(run)) continue
      const wording = leetWording.exec(run.replace(/[013457@$!|]/g, (sign) => digitLetters[sign] ?? sign))
      if (wording !== null && !leetWording.test(run)) yield toSignal(index, run, 0.8)
    }
  }
  for (const { 0: run, 1: verb = '', 2: middle = '', 3: noun = '', index } of text.matchAll(misspelt)) {
    const exact = verbs.includes(verb) && nouns.includes(noun)
    if (exact || !looksLike(verb, verbs) || !looksLike(noun, nouns)) continue
    if (middle.split(/\s/).some((word) => looksLike(word, adjectives))) {
      yield toSignal(index, run, 0.8)
    }
  }
}

/** Equal, or the same letters in another order with the first and last kept, or one letter doubled or left out. */
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

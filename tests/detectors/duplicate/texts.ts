import { hash } from 'node:crypto'
import { type ComparedText, toAnchors } from '../../../src/detectors/duplicate/compare.ts'
import { toShingles } from '../../../src/detectors/duplicate/shingles.ts'
import { toBands } from '../../../src/detectors/duplicate/signature.ts'

/** Numbers from a seed, the same on every machine. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (((state >>> 8) ^ ((state << 3) >>> 20)) / 2 ** 24) % 1
  }
}

const syllables = ['ka', 'lo', 'mi', 'ren', 'tus', 'ver', 'do', 'shan', 'pel', 'qui', 'ba', 'nor']
const vocabulary = Array.from({ length: 1_500 }, (_, index) => {
  const at = (by: number) => syllables[Math.floor(index / by) % syllables.length]
  return `${at(1)}${at(12)}${at(144)}`
})

export function makeWords(random: () => number, length: number): string[] {
  return Array.from({ length }, () => vocabulary[Math.floor(random() * vocabulary.length)] ?? '')
}

/** The same text with single words replaced, taken out or put in. */
export function editWords(words: readonly string[], random: () => number, edits: number): string[] {
  const edited = [...words]
  for (let count = 0; count < edits; count++) {
    const at = Math.floor(random() * edited.length)
    const kind = random()
    if (kind < 0.5) edited[at] = `new${count}`
    else if (kind < 0.75) edited.splice(at, 1)
    else edited.splice(at, 0, `more${count}`)
  }
  return edited
}

/**
 * Families of alike texts around every degree of likeness, and texts that stand alone. The originals come first; at
 * least `count` texts.
 */
export function makeTexts(count: number, seed: number): string[][] {
  const random = createRandom(seed)
  const texts: string[][] = []
  while (texts.length < count) {
    const original = makeWords(random, 60 + Math.floor(random() * 500))
    texts.push(original)
    const copies = random() < 0.5 ? 0 : 1 + Math.floor(random() * 8)
    for (let copy = 0; copy < copies; copy++) {
      texts.push(editWords(original, random, Math.floor(random() * random() * original.length * 0.08)))
    }
  }
  return texts
}

export interface Corpus {
  texts: ComparedText[]
  shinglesOf: (id: number) => Uint32Array
}

export function toCorpus(texts: readonly (readonly string[])[], seed = 7): Corpus {
  const shingles = texts.map((words) => toShingles(words, seed))
  const total = shingles.reduce((sum, { length }) => sum + length, 0)
  return {
    texts: texts.map((words, id) => {
      const own = shingles[id] ?? new Uint32Array()
      const whole = hash('sha256', words.join(' ')).slice(0, 12)
      const digest = { words: words.length, whole, bands: toBands(own) }
      return { id, group: '', at: id, digest, size: own.length, anchors: toAnchors(own, total) }
    }),
    shinglesOf: (id) => shingles[id] ?? new Uint32Array(),
  }
}

export function runToEnd<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** Every pair that shares at least `similarity` of its five-word sequences, found by comparing the words themselves. */
export function listAlikePairs(texts: readonly (readonly string[])[], similarity: number): Map<string, number> {
  const holders = new Map<string, number[]>()
  const sizes = texts.map((words, id) => {
    const own = new Set<string>()
    for (let at = 0; at + 5 <= words.length; at++) own.add(words.slice(at, at + 5).join(' '))
    for (const sequence of own) {
      const list = holders.get(sequence) ?? []
      holders.set(sequence, list)
      list.push(id)
    }
    return own.size
  })
  const shared = new Map<string, number>()
  for (const list of holders.values()) {
    for (const [index, b] of list.entries()) {
      for (const a of list.slice(0, index)) shared.set(`${a} ${b}`, (shared.get(`${a} ${b}`) ?? 0) + 1)
    }
  }
  const alike = new Map<string, number>()
  for (const [pair, count] of shared) {
    const [a = 0, b = 0] = pair.split(' ').map(Number)
    const index = count / ((sizes[a] ?? 0) + (sizes[b] ?? 0) - count)
    if (index >= similarity) alike.set(pair, index)
  }
  return alike
}

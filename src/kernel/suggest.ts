import { byCodeUnits } from './by-code-units.ts'

/**
 * Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours that turn `a` into
 * `b`.
 */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const cost = a[row - 1] === b[column - 1] ? 0 : 1
      let best = Math.min((current[column - 1] ?? 0) + 1, (last[column] ?? 0) + 1, (last[column - 1] ?? 0) + cost)
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        best = Math.min(best, (beforeLast[column - 2] ?? 0) + 1)
      }
      current.push(best)
    }
    beforeLast = last
    last = current
  }
  return last[b.length] ?? a.length
}

/** Names longer than this are compared by their beginning. */
const MAX_CHARACTERS = 200

const wordsOf = (name: string) =>
  name
    .slice(0, MAX_CHARACTERS)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)

const toSingular = (word: string) =>
  word
    .replace(/ies$/, 'y')
    .replace(/(s)es$/, '$1')
    .replace(/([^s])s$/, '$1')

/** The words of a name in the singular and without letter case. */
export const singularWordsOf = (name: string): string[] => wordsOf(name).map(toSingular)

/** Whether two names have the same words, regardless of letter case, separators and plural. */
export function isSameName(a: string, b: string): boolean {
  const words = singularWordsOf(a).join('')
  return words !== '' && words === singularWordsOf(b).join('')
}

/** Similarity of two names, 0..1: the higher of spelling and shared words, regardless of case and separators. */
export function likeness(wanted: string, candidate: string): number {
  const [a, b] = [wordsOf(wanted), wordsOf(candidate)]
  const [left, right] = [a.join(''), b.join('')]
  if (left === '' || right === '') return 0
  if (left === right) return 1
  const spelling = 1 - editDistance(left.slice(0, 80), right.slice(0, 80)) / Math.max(left.length, right.length)
  const shared = a.filter((word) => b.some((other) => other === word || editDistance(word, other) <= word.length / 4))
  const words = (0.9 * shared.length) / Math.max(a.length, b.length)
  const inside = right.startsWith(left) || left.startsWith(right) ? 0.75 : 0
  return Math.max(spelling, words, inside)
}

/** The candidates most similar to `wanted`, best first. */
export function closest<T>(wanted: string, candidates: Iterable<T>, nameOf: (item: T) => string, limit = 5): T[] {
  return [...candidates]
    .map((item) => ({ item, score: likeness(wanted, nameOf(item)) }))
    .filter(({ score }) => score >= 0.4)
    .sort((a, b) => b.score - a.score || byCodeUnits(nameOf(a.item), nameOf(b.item)))
    .slice(0, limit)
    .map(({ item }) => item)
}

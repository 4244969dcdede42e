import { hash } from 'node:crypto'
import { createRandom as createSeeded } from '../kernel/random.ts'

const digestOf = (slug: string) => hash('sha256', slug, 'buffer')

/** A content id in the wiki's format of ten digits; always the same for a slug. */
export function toContentId(slug: string): string {
  return String(1_000_000_000 + (digestOf(slug).readUInt32BE(0) % 8_999_999_999)).padStart(10, '1')
}

/** A GUID derived from a slug. */
export function toGuid(slug: string): string {
  const hex = digestOf(slug).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** Pseudo-random numbers in [0, 1), determined by the seed. */
export function createRandom(seed: number | string): () => number {
  return createSeeded(typeof seed === 'number' ? seed : digestOf(seed).readUInt32BE(0))
}

export function pick<T>(random: () => number, items: readonly [T, ...T[]]): T {
  return items[Math.floor(random() * items.length)] ?? items[0]
}

/** Text over an alphabet, determined by its seed; no character occurs three times in a row. */
export function toRandomText(seed: string, alphabet: string, length: number): string {
  const random = createRandom(seed)
  let text = ''
  while (text.length < length) {
    const letter = alphabet.charAt(Math.floor(random() * alphabet.length))
    if (!text.endsWith(letter + letter)) text += letter
  }
  return text
}

import { parseStorage } from '../../src/documents/markup/confluence-storage.ts'

/** The five-word stretches of a page's text. */
export function toTextFacts(body: string): Set<string> {
  const { parts } = parseStorage(body)
  const words = parts.flatMap(({ text }) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
  return new Set(words.slice(4).map((_, index) => words.slice(index, index + 5).join(' ')))
}

import { z } from 'zod'

const MAX_WORDS = 12

/**
 * Converts any text to FTS5 match expressions, to be tried in order: all words, then any of them. Each word matches as
 * a prefix. Empty when the text has no searchable word.
 */
export function toMatchExpressions(text: string): string[] {
  const words = [...new Set(text.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [])]
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
    .slice(0, MAX_WORDS)
    .map((word) => `"${withoutPlural(word)}"*`)
  if (words.length === 0) return []
  return words.length === 1 ? words : [words.join(' AND '), words.join(' OR ')]
}

function withoutPlural(word: string): string {
  return word.length > 4 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
}

/** A page of search results; `matched` says whether all words were required or any. */
export type Searched<Page> = Page & { matched?: 'all' | 'any' }

/** Runs a search: for all words, or if there are no results, for any of them. */
export function searchPage<Page extends { total: number }>(
  text: string | undefined,
  list: (match: string | undefined) => Page,
  nothing: Page,
): Searched<Page> {
  if (text === undefined || text.trim() === '') return list(undefined)
  let page: Searched<Page> = nothing
  for (const [index, match] of toMatchExpressions(text).entries()) {
    page = { ...list(match), matched: index === 0 ? 'all' : 'any' }
    if (page.total > 0) return page
  }
  return page
}

export const PageInput = {
  limit: z.int().min(1).max(500).describe('Maximum number of items (100).').optional(),
  offset: z.int().min(0).max(1_000_000).describe('Number of items to skip.').optional(),
}

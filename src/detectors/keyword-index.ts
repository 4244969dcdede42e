import { createAutomaton } from './automaton.ts'

/** Called at each occurrence of a keyword; `keyword` is its index in the list. */
export type OnKeyword = (keyword: number, start: number, end: number) => void

export interface KeywordIndex {
  /** Reports every occurrence of every keyword, ignoring the case of ASCII letters, ordered by end offset. */
  scan(text: string, report: OnKeyword): void
}

const ASCII = 128
const toLower = (code: number) => (code >= 65 && code <= 90 ? code + 32 : code)

/** A number for each ASCII character that keywords contain, the same in either case; 0 for all others. */
function numberCharacters(keywords: readonly string[]): { symbols: Uint8Array; width: number } {
  const symbols = new Uint8Array(ASCII)
  let width = 1
  for (const keyword of keywords) {
    for (let at = 0; at < keyword.length; at++) {
      const code = toLower(keyword.charCodeAt(at))
      if (code < ASCII && symbols[code] === 0) symbols[code] = width++
    }
  }
  return { symbols: symbols.map((_, code) => symbols[toLower(code)] ?? 0), width }
}

/** The cost of a text does not depend on the number of keywords. */
export function createKeywordIndex(keywords: readonly string[]): KeywordIndex {
  const { symbols, width } = numberCharacters(keywords)
  const sequences = keywords.map((keyword) =>
    Array.from({ length: keyword.length }, (_, at) => {
      const code = keyword.charCodeAt(at)
      return symbols[code] ?? code
    }),
  )
  const { table, bits, stepRare, accepts, ends } = createAutomaton(sequences, width)
  return {
    scan(text, report) {
      let state = 0
      for (let at = 0; at < text.length; at++) {
        const code = text.charCodeAt(at)
        state = code < ASCII ? (table[(state << bits) + (symbols[code] ?? 0)] ?? 0) : stepRare(state, code)
        if (accepts[state] === 1) {
          for (const keyword of ends[state] ?? []) report(keyword, at + 1 - (sequences[keyword]?.length ?? 0), at + 1)
        }
      }
    },
  }
}

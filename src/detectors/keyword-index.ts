import { createAutomaton } from './automaton.ts'

/** Called at each occurrence of a keyword; `keyword` is its index in the list. */
export type OnKeyword = (keyword: number, start: number, end: number) => void

export interface KeywordIndex {
  /** Reports every occurrence of every keyword, ignoring the case of ASCII letters, ordered by end offset. */
  scan(text: string, report: OnKeyword): void
}

const WIDTH = 128
/** ASCII with letters in lower case. */
const symbols = Uint8Array.from({ length: WIDTH }, (_, code) => (code >= 65 && code <= 90 ? code + 32 : code))

/** The cost of a text does not depend on the number of keywords. */
export function createKeywordIndex(keywords: readonly string[]): KeywordIndex {
  const sequences = keywords.map((keyword) =>
    Array.from({ length: keyword.length }, (_, at) => {
      const code = keyword.charCodeAt(at)
      return symbols[code] ?? code
    }),
  )
  const { table, bits, stepRare, accepts, ends } = createAutomaton(sequences, WIDTH)
  return {
    scan(text, report) {
      let state = 0
      for (let at = 0; at < text.length; at++) {
        const code = text.charCodeAt(at)
        state = code < WIDTH ? (table[(state << bits) + (symbols[code] ?? 0)] ?? 0) : stepRare(state, code)
        if (accepts[state] === 1) {
          for (const keyword of ends[state] ?? []) report(keyword, at + 1 - (sequences[keyword]?.length ?? 0), at + 1)
        }
      }
    },
  }
}

import { createAutomaton } from './automaton.ts'

/** Called at each occurrence of a keyword, until it returns false; `keyword` is its index in the list. */
export type OnKeyword = (keyword: number, start: number, end: number) => unknown

export interface KeywordIndex {
  /** Reports every occurrence of every keyword, ignoring the case of ASCII letters, ordered by end offset. */
  scan(text: string, report: OnKeyword): void
}

const ASCII = 128
const CODES = 0x10000
const toLower = (code: number) => (code >= 65 && code <= 90 ? code + 32 : code)

/**
 * A number below `width` for each ASCII character that keywords contain, the same in either case; its code for each
 * other one; 0 for all characters that they do not contain.
 */
function numberCharacters(keywords: readonly string[]): { symbols: Uint16Array; width: number } {
  const symbols = new Uint16Array(CODES)
  let width = 1
  for (const keyword of keywords) {
    for (let at = 0; at < keyword.length; at++) {
      const code = toLower(keyword.charCodeAt(at))
      if (symbols[code] === 0) symbols[code] = code < ASCII ? width++ : code
    }
  }
  return { symbols: symbols.map((_, code) => symbols[toLower(code)] ?? 0), width }
}

/** The cost of a text does not depend on the number of keywords. */
export function createKeywordIndex(keywords: readonly string[]): KeywordIndex {
  const { symbols, width } = numberCharacters(keywords)
  const sequences = keywords.map((keyword) =>
    Array.from({ length: keyword.length }, (_, at) => symbols[keyword.charCodeAt(at)] ?? 0),
  )
  const { table, bits, stepRare, accepts, ends } = createAutomaton(sequences, width)
  return {
    scan(text, report) {
      // Local, because the loop would read a variable of the outer function for each character.
      const [symbolOf, denseWidth, rows, rowBits, isEnd, { length }] = [symbols, width, table, bits, accepts, text]
      let state = 0
      for (let at = 0; at < length; at++) {
        const symbol = symbolOf[text.charCodeAt(at)] ?? 0
        state = symbol < denseWidth ? (rows[(state << rowBits) + symbol] ?? 0) : stepRare(state, symbol)
        if (isEnd[state] === 1) {
          for (const keyword of ends[state] ?? []) {
            if (report(keyword, at + 1 - (sequences[keyword]?.length ?? 0), at + 1) === false) return
          }
        }
      }
    },
  }
}

import { createAutomaton } from './automaton.ts'

/** Called at each occurrence of a keyword; `keyword` is its index in the list. */
export type OnKeyword = (keyword: number, start: number, end: number) => void

export interface KeywordIndex {
  /**
   * Reports every occurrence of every keyword, ignoring the case of ASCII letters, ordered by end offset. Returns the
   * bitwise OR of all character codes, which is below 128 if the text is ASCII.
   */
  scan(text: string, report: OnKeyword): number
}

/** The cost of a text does not depend on the number of keywords. */
export function createKeywordIndex(keywords: readonly string[]): KeywordIndex {
  const classOf = new Uint16Array(0x10000)
  let width = 1
  const sequences = keywords.map((keyword) =>
    Array.from({ length: keyword.length }, (_, at) => {
      const code = lower(keyword.charCodeAt(at))
      if (classOf[code] === 0) {
        classOf[code] = width
        if (code >= 97 && code <= 122) classOf[code - 32] = width
        width++
      }
      return classOf[code] ?? 0
    }),
  )
  const { table, bits, accepts, ends } = createAutomaton(sequences, width)
  return {
    scan(text, report) {
      let state = 0
      let codes = 0
      for (let at = 0; at < text.length; at++) {
        const code = text.charCodeAt(at)
        codes |= code
        state = table[(state << bits) + (classOf[code] ?? 0)] ?? 0
        if (accepts[state] === 1) {
          for (const keyword of ends[state] ?? []) report(keyword, at + 1 - (sequences[keyword]?.length ?? 0), at + 1)
        }
      }
      return codes
    },
  }
}

const lower = (code: number) => (code >= 65 && code <= 90 ? code + 32 : code)

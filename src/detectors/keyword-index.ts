/** Called at each occurrence of a keyword; `keyword` is its index in the list. */
export type OnKeyword = (keyword: number, start: number, end: number) => void

export interface KeywordIndex {
  /**
   * Reports every occurrence of every keyword, ignoring the case of ASCII letters, ordered by end offset. Returns the
   * bitwise OR of all character codes, which is below 128 if the text is ASCII.
   */
  scan(text: string, report: OnKeyword): number
}

/**
 * An Aho-Corasick automaton: one table lookup per character, independent of the number of keywords, without
 * backtracking. Keywords are compared with ASCII letters folded to lower case.
 */
export function createKeywordIndex(keywords: readonly string[]): KeywordIndex {
  const classes = new Map<number, number>()
  for (const keyword of keywords) {
    for (let at = 0; at < keyword.length; at++) {
      const code = lower(keyword.charCodeAt(at))
      if (!classes.has(code)) classes.set(code, classes.size + 1)
    }
  }
  const width = classes.size + 1
  const classOf = new Uint16Array(0x10000)
  for (const [code, number] of classes) {
    classOf[code] = number
    if (code >= 97 && code <= 122) classOf[code - 32] = number
  }
  const children: Map<number, number>[] = [new Map()]
  const ends: number[][] = [[]]
  for (const [index, keyword] of keywords.entries()) {
    let state = 0
    for (let at = 0; at < keyword.length; at++) {
      const symbol = classOf[keyword.charCodeAt(at)] ?? 0
      let child = children[state]?.get(symbol)
      if (child === undefined) {
        child = children.push(new Map()) - 1
        ends.push([])
        children[state]?.set(symbol, child)
      }
      state = child
    }
    ends[state]?.push(index)
  }
  // The state of the longest proper suffix; it is nearer to the start, so its own is known.
  const fallback = new Uint32Array(children.length)
  const order = [0]
  for (let head = 0; head < order.length; head++) {
    const state = order[head] ?? 0
    for (const [symbol, child] of children[state] ?? []) {
      let back = state
      let found: number | undefined
      while (back !== 0 && found === undefined) {
        back = fallback[back] ?? 0
        found = children[back]?.get(symbol)
      }
      fallback[child] = found ?? 0
      const inherited = ends[found ?? 0] ?? []
      if (inherited.length > 0) ends[child]?.push(...inherited)
      order.push(child)
    }
  }
  // States nearest to the start come first, so that the rows in use lie together, and those that end a keyword last.
  const isEnd = (state: number) => (ends[state]?.length ?? 0) > 0
  const reported = order.filter(isEnd).map((state) => ends[state] ?? [])
  const firstEnd = order.length - reported.length
  const states = [...order.filter((state) => !isEnd(state)), ...order.filter(isEnd)]
  const numbers = new Uint32Array(states.length)
  for (const [number, state] of states.entries()) numbers[state] = number
  const shift = Math.ceil(Math.log2(width))
  const next = new (states.length <= 0x10000 ? Uint16Array : Uint32Array)(states.length << shift)
  for (const state of order) {
    const row = (numbers[state] ?? 0) << shift
    const back = (numbers[fallback[state] ?? 0] ?? 0) << shift
    if (row !== back) next.copyWithin(row, back, back + width)
    for (const [symbol, child] of children[state] ?? []) next[row + symbol] = numbers[child] ?? 0
  }
  const lengths = keywords.map((keyword) => keyword.length)
  return {
    scan(text, report) {
      let state = 0
      let codes = 0
      for (let at = 0; at < text.length; at++) {
        const code = text.charCodeAt(at)
        codes |= code
        state = next[(state << shift) + (classOf[code] ?? 0)] ?? 0
        if (state >= firstEnd) {
          for (const keyword of reported[state - firstEnd] ?? [])
            report(keyword, at + 1 - (lengths[keyword] ?? 0), at + 1)
        }
      }
      return codes
    },
  }
}

const lower = (code: number) => (code >= 65 && code <= 90 ? code + 32 : code)

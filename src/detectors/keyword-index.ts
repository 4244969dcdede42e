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
  const shift = Math.ceil(Math.log2(width))
  const most = keywords.reduce((sum, { length }) => sum + length, 1)
  // A tree of states: the child of each for each symbol, and the children as lists. Tables, because thousands of maps
  // would take most of the start of a command.
  const childOf = new Uint32Array(most << shift)
  const [firstChild, sibling, symbolOf] = [new Uint32Array(most), new Uint32Array(most), new Uint16Array(most)]
  const ends: (number[] | undefined)[] = []
  let count = 1
  for (let index = 0; index < keywords.length; index++) {
    const keyword = keywords[index] ?? ''
    let state = 0
    for (let at = 0; at < keyword.length; at++) {
      const symbol = classOf[keyword.charCodeAt(at)] ?? 0
      let child = childOf[(state << shift) + symbol] ?? 0
      if (child === 0) {
        child = count++
        childOf[(state << shift) + symbol] = child
        symbolOf[child] = symbol
        sibling[child] = firstChild[state] ?? 0
        firstChild[state] = child
      }
      state = child
    }
    const known = ends[state]
    if (known === undefined) ends[state] = [index]
    else known.push(index)
  }
  // The state of the longest proper suffix; it is nearer to the start, so its own is known.
  const fallback = new Uint32Array(count)
  const order = [0]
  for (let head = 0; head < order.length; head++) {
    const state = order[head] ?? 0
    for (let child = firstChild[state] ?? 0; child !== 0; child = sibling[child] ?? 0) {
      const symbol = symbolOf[child] ?? 0
      let back = state
      let found = 0
      while (back !== 0 && found === 0) {
        back = fallback[back] ?? 0
        found = childOf[(back << shift) + symbol] ?? 0
      }
      fallback[child] = found
      const inherited = ends[found]
      if (inherited !== undefined) ends[child] = [...(ends[child] ?? []), ...inherited]
      order.push(child)
    }
  }
  // States nearest to the start come first, so that the rows in use lie together, and those that end a keyword last.
  const isEnd = (state: number) => ends[state] !== undefined
  const reported = order.filter(isEnd).map((state) => ends[state] ?? [])
  const firstEnd = count - reported.length
  const states = [...order.filter((state) => !isEnd(state)), ...order.filter(isEnd)]
  const numbers = new Uint32Array(count)
  for (let number = 0; number < count; number++) numbers[states[number] ?? 0] = number
  const next = new (count <= 0x10000 ? Uint16Array : Uint32Array)(count << shift)
  for (let head = 0; head < count; head++) {
    const state = order[head] ?? 0
    const row = (numbers[state] ?? 0) << shift
    const back = (numbers[fallback[state] ?? 0] ?? 0) << shift
    if (row !== back) next.copyWithin(row, back, back + width)
    for (let child = firstChild[state] ?? 0; child !== 0; child = sibling[child] ?? 0) {
      next[row + (symbolOf[child] ?? 0)] = numbers[child] ?? 0
    }
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

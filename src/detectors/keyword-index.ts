/** Called at each occurrence of a keyword; `keyword` is its index in the list. */
type OnKeyword = (keyword: number, start: number, end: number) => void

export interface KeywordIndex {
  /** Reports every occurrence of every keyword, ignoring the case of ASCII letters, ordered by end offset. */
  scan(text: string, report: OnKeyword): void
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
  keywords.forEach((keyword, index) => {
    let state = 0
    for (let at = 0; at < keyword.length; at++) {
      const symbol = classOf[keyword.charCodeAt(at)] ?? 0
      let next = children[state]?.get(symbol)
      if (next === undefined) {
        next = children.push(new Map()) - 1
        ends.push([])
        children[state]?.set(symbol, next)
      }
      state = next
    }
    ends[state]?.push(index)
  })
  const next =
    children.length < 0x10000 ? new Uint16Array(children.length * width) : new Uint32Array(children.length * width)
  const fallback = new Uint32Array(children.length)
  const queue: number[] = []
  for (const [symbol, child] of children[0] ?? []) {
    next[symbol] = child
    queue.push(child)
  }
  for (let head = 0; head < queue.length; head++) {
    const state = queue[head] ?? 0
    const back = fallback[state] ?? 0
    ends[state]?.push(...(ends[back] ?? []))
    for (let symbol = 0; symbol < width; symbol++) {
      const child = children[state]?.get(symbol)
      if (child === undefined) {
        next[state * width + symbol] = next[back * width + symbol] ?? 0
      } else {
        next[state * width + symbol] = child
        fallback[child] = next[back * width + symbol] ?? 0
        queue.push(child)
      }
    }
  }
  const accepts = Uint8Array.from(ends, (list) => (list.length > 0 ? 1 : 0))
  const lengths = keywords.map((keyword) => keyword.length)
  return {
    scan(text, report) {
      let state = 0
      for (let at = 0; at < text.length; at++) {
        state = next[state * width + (classOf[text.charCodeAt(at)] ?? 0)] ?? 0
        if (accepts[state] === 1) {
          for (const keyword of ends[state] ?? []) report(keyword, at + 1 - (lengths[keyword] ?? 0), at + 1)
        }
      }
    },
  }
}

const lower = (code: number) => (code >= 65 && code <= 90 ? code + 32 : code)

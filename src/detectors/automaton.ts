/** Finds many sequences of symbols at once, as by Aho and Corasick: one step for each symbol, without backtracking. */
export interface Automaton {
  /** The next state for the symbols below the width, at `(state << bits) + symbol`. */
  table: Uint16Array | Uint32Array
  bits: number
  /** The next state for any other symbol. */
  stepRare(state: number, symbol: number): number
  /** Whether sequences end at a state, and their indexes, longest first. */
  accepts: Uint8Array
  ends: readonly (readonly number[])[]
}

/** @param width symbols below it have dense transitions; others should be rare in sequences and texts */
export function createAutomaton(sequences: readonly (readonly number[])[], width: number): Automaton {
  const bits = Math.ceil(Math.log2(width))
  const most = sequences.reduce((sum, { length }) => sum + length, 1)
  // The trie as it is added: the child of each state for each symbol, and the children as lists. Tables, because thousands
  // of maps would take most of the start of a scan.
  const childOf = new Uint32Array(most << bits)
  const rareChildOf = new Map<number, number>()
  const [firstChild, sibling, symbolOf] = [new Uint32Array(most), new Uint32Array(most), new Uint16Array(most)]
  const ownEnds: number[][] = []
  let count = 1
  for (let at = 0; at < sequences.length; at++) {
    let state = 0
    for (const symbol of sequences[at] ?? []) {
      const isDense = symbol < width
      let child = (isDense ? childOf[(state << bits) + symbol] : rareChildOf.get(state * 0x10000 + symbol)) ?? 0
      if (child === 0) {
        child = count++
        if (isDense) childOf[(state << bits) + symbol] = child
        else rareChildOf.set(state * 0x10000 + symbol, child)
        symbolOf[child] = symbol
        sibling[child] = firstChild[state] ?? 0
        firstChild[state] = child
      }
      state = child
    }
    const known = ownEnds[state]
    if (known === undefined) ownEnds[state] = [at]
    else known.push(at)
  }
  // States are numbered by their distance from the start, so that the rows in use lie together.
  const order = [0]
  for (let head = 0; head < order.length; head++)
    for (let child = firstChild[order[head] ?? 0] ?? 0; child !== 0; child = sibling[child] ?? 0) order.push(child)
  const numbers = new Uint32Array(count)
  for (let number = 0; number < count; number++) numbers[order[number] ?? 0] = number
  const table = new (count <= 0x10000 ? Uint16Array : Uint32Array)(count << bits)
  /** The state of the longest proper suffix; it is nearer to the start, so its own is known. */
  const fallback = new Uint32Array(count)
  /** Children over rare symbols, by `state * 65536 + symbol`. */
  const rare = new Map<number, number>()
  const stepRare = (from: number, symbol: number): number => {
    for (let state = from; ; state = fallback[state] ?? 0) {
      const child = rare.get(state * 0x10000 + symbol)
      if (child !== undefined) return child
      if (state === 0) return 0
    }
  }
  const ends: (readonly number[])[] = []
  const accepts = new Uint8Array(count)
  for (let state = 0; state < count; state++) {
    const added = order[state] ?? 0
    const back = fallback[state] ?? 0
    const own = ownEnds[added]
    const inherited = state === 0 ? [] : (ends[back] ?? [])
    const list = own === undefined ? inherited : [...own, ...inherited]
    ends.push(list)
    if (list.length > 0) accepts[state] = 1
    if (state !== 0) table.copyWithin(state << bits, back << bits, (back + 1) << bits)
    for (let addedChild = firstChild[added] ?? 0; addedChild !== 0; addedChild = sibling[addedChild] ?? 0) {
      const symbol = symbolOf[addedChild] ?? 0
      const child = numbers[addedChild] ?? 0
      if (state !== 0) fallback[child] = symbol < width ? (table[(back << bits) + symbol] ?? 0) : stepRare(back, symbol)
      if (symbol < width) table[(state << bits) + symbol] = child
      else rare.set(state * 0x10000 + symbol, child)
    }
  }
  return { table, bits, stepRare, accepts, ends }
}

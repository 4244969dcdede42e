import type { Reader } from './store.ts'

interface Memory {
  turn: number
  count: number
  values: Map<string, unknown>
}

const memories = new WeakMap<Reader, Memory>()
const MAX_VALUES = 2000

/**
 * What was read of definitions (metrics, terms, sources, custom detectors) is computed once and kept until any of them
 * changes. Nothing is kept of a transaction that writes. Callers must not change what they get.
 */
export function cacheDefinition<Value>(reader: Reader, key: string, compute: () => Value): Value {
  const { turn } = reader
  if (turn === undefined) return compute()
  let memory = memories.get(reader)
  if (memory?.turn !== turn) {
    const count = reader.prepare('SELECT n FROM definition_count').pluck().get() as number
    if (memory?.count === count) memory.turn = turn
    else {
      memory = { turn, count, values: new Map() }
      memories.set(reader, memory)
    }
  }
  const { values } = memory
  if (values.has(key)) return values.get(key) as Value
  if (values.size >= MAX_VALUES) values.clear()
  const value = compute()
  values.set(key, value)
  return value
}

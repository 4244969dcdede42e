import type { Reader } from './store.ts'

interface DefinitionCache {
  turn: number
  count: number
  values: Map<string, unknown>
}

const memories = new WeakMap<Reader, DefinitionCache>()
const MAX_VALUES = 2000

/**
 * Computes a value that depends only on definitions (metrics, terms, sources, custom detectors) and caches it until any
 * of them changes. Connections that can write do not use the cache. Callers must not modify the result.
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

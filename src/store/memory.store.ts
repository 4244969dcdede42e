import type { Reader } from './store.ts'

interface DefinitionCache {
  dataVersion: number
  count: number
  values: Map<string, unknown>
}

const caches = new WeakMap<Reader, DefinitionCache>()
const MAX_VALUES = 2000

/**
 * Computes a value that depends only on definitions (metrics, terms, sources, custom detectors) and caches it until any
 * of them changes. Connections that can write do not use the cache. Callers must not modify the result.
 */
export function cacheDefinition<Value>(reader: Reader, key: string, compute: () => Value): Value {
  const { dataVersion } = reader
  if (dataVersion === undefined) return compute()
  let cache = caches.get(reader)
  if (cache?.dataVersion !== dataVersion) {
    const count = reader.prepare('SELECT n FROM definition_count').pluck().get() as number
    if (cache?.count === count) cache.dataVersion = dataVersion
    else {
      cache = { dataVersion, count, values: new Map() }
      caches.set(reader, cache)
    }
  }
  const { values } = cache
  if (values.has(key)) return values.get(key) as Value
  if (values.size >= MAX_VALUES) values.clear()
  const value = compute()
  values.set(key, value)
  return value
}

import { sql } from 'kysely'
import { type FacetName, type FacetRow, type facets, findFacetByFilterKey } from '../../findings/facets.ts'
import { cacheDefinition } from '../../store/memory.store.ts'
import type { Reader } from '../../store/store.ts'

/** A filter key whose values are words found in findings or assets. */
export type FreeKey = {
  [Name in FacetName]: (typeof facets)[Name]['storage']['stores'] extends 'word'
    ? (typeof facets)[Name]['filterKey']
    : never
}[FacetName]
export const isFreeKey = (key: string): key is FreeKey => findFacetByFilterKey(key)?.storage.stores === 'word'

export const facetOfFreeKey = (key: FreeKey): FacetRow => findFacetByFilterKey(key) as FacetRow

/** Every value that occurs under a free filter key, ordered by name. */
export function listValues(reader: Reader, key: FreeKey): string[] {
  const { table, column } = facetOfFreeKey(key)
  const ids = sql`SELECT ${sql.ref(column)} FROM ${sql.table(table)}`
  return reader
    .all(sql<{ text: string }>`SELECT text FROM word WHERE id IN (${ids}) AND id > 0 ORDER BY text LIMIT 5000`)
    .map(({ text }) => text)
}

export function listSourceTypes(reader: Reader): string[] {
  return cacheDefinition(reader, 'types of sources', () =>
    reader
      .all(sql<{ type: string }>`SELECT DISTINCT type FROM source WHERE deleted_at IS NULL ORDER BY type`)
      .map(({ type }) => type),
  )
}

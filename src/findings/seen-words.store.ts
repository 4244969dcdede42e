import { sql } from 'kysely'
import { foldCase } from '../kernel/fold.ts'
import type { SafeText } from '../kernel/safe-text.ts'
import type { Reader } from '../store/store.ts'
import { type FacetName, type FacetRow, type facets, findFacetByFilterKey, readValueId } from './facets.ts'

/** A filter key whose values are words found in findings or assets. */
export type FreeKey = {
  [Name in FacetName]: (typeof facets)[Name]['storage']['stores'] extends 'word' | 'wordSet'
    ? (typeof facets)[Name]['filterKey']
    : never
}[FacetName]
export const isFreeKey = (key: string): key is FreeKey =>
  ['word', 'wordSet'].includes(findFacetByFilterKey(key)?.storage.stores ?? '')

export const facetOfFreeKey = (key: FreeKey): FacetRow => findFacetByFilterKey(key) as FacetRow

/** The ids of the words that occur under a free filter key. */
function idsOf(key: FreeKey) {
  const { table, column, storage } = facetOfFreeKey(key)
  const stored = sql`SELECT ${sql.ref(column)} FROM ${sql.table(table)}`
  return storage.stores === 'wordSet' ? sql`SELECT word_id FROM label_set_member WHERE set_id IN (${stored})` : stored
}

/** Maximum number of values in a list. */
export const MAX_VALUES = 5000

/** Every value that occurs under a free filter key, ordered by name. */
export function listValues(reader: Reader, key: FreeKey): SafeText[] {
  const ids = idsOf(key)
  return reader
    .all(
      sql<{ text: SafeText }>`SELECT text FROM word WHERE id IN (${ids}) AND id > 0 ORDER BY text LIMIT ${MAX_VALUES}`,
    )
    .map(({ text }) => text)
}

export function listSourceTypes(reader: Reader): SafeText[] {
  return reader
    .all(sql<{ type: SafeText }>`SELECT DISTINCT type FROM source WHERE deleted_at IS NULL ORDER BY type`)
    .map(({ type }) => type)
}

/** Whether a value occurs under a free filter key, in any letter case. */
export function isValueSeen(reader: Reader, key: FreeKey, value: string): boolean {
  const found = sql<{
    id: number
  }>`SELECT id FROM word WHERE folded = ${foldCase(value)} AND id IN (${idsOf(key)}) LIMIT 1`
  return reader.first(found) !== undefined
}

/** Whether an asset has this key. */
export function hasAsset(reader: Reader, key: string): boolean {
  const found = sql<{ id: number }>`SELECT a.id FROM source s CROSS JOIN asset a ON a.source_id = s.id
    WHERE a.key = ${key} LIMIT 1`
  return reader.first(found) !== undefined
}

/** Whether a finding has the value of this id. */
export function hasValue(reader: Reader, id: string): boolean {
  const found = sql<{ id: number }>`SELECT id FROM finding WHERE value_id = ${readValueId(id) ?? -1} LIMIT 1`
  return reader.first(found) !== undefined
}

/** The keys of assets with a name, apart from ASCII letter case. */
export function findAssetsByName(reader: Reader, name: string, limit: number): SafeText[] {
  const found = sql<{ key: SafeText }>`SELECT a.key FROM source s CROSS JOIN asset a ON a.source_id = s.id
    WHERE a.name = ${name} COLLATE NOCASE AND a.status = 'ACTIVE' ORDER BY a.key LIMIT ${limit}`
  return reader.all(found).map(({ key }) => key)
}

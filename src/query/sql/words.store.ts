import { sql } from 'kysely'
import { cacheDefinition } from '../../store/memory.store.ts'
import type { Reader } from '../../store/store.ts'

/** Where the values of the free filter keys come from. */
const columns = {
  detectorTypes: sql`SELECT detector_id FROM combo`,
  findingTypes: sql`SELECT type_id FROM combo`,
  categories: sql`SELECT category_id FROM combo`,
  customDetectorKeys: sql`SELECT custom_key_id FROM combo`,
  assetKinds: sql`SELECT kind_id FROM asset`,
  containers: sql`SELECT container_id FROM asset`,
} as const
export type FreeKey = keyof typeof columns
export const isFreeKey = (key: string): key is FreeKey => Object.hasOwn(columns, key)

/** Every value that occurs under a free filter key, by name. */
export function listValues(reader: Reader, key: FreeKey): string[] {
  return reader
    .all(sql<{ text: string }>`SELECT text FROM word WHERE id IN (${columns[key]}) AND id > 0 ORDER BY text LIMIT 5000`)
    .map(({ text }) => text)
}

export function listSourceTypes(reader: Reader): string[] {
  return cacheDefinition(reader, 'types of sources', () =>
    reader
      .all(sql<{ type: string }>`SELECT DISTINCT type FROM source WHERE deleted_at IS NULL ORDER BY type`)
      .map(({ type }) => type),
  )
}

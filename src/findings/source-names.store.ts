import { sql } from 'kysely'
import type { Reader } from '../store/store.ts'

/** Which of some names are no source, by name or id, and the names of those that are. */
export function listUnknownSources(reader: Reader, names: readonly string[]): { unknown: string[]; known: string[] } {
  if (names.length === 0) return { unknown: [], known: [] }
  const rows = reader.all(sql<{ name: string; uid: string }>`SELECT name, uid FROM source ORDER BY name`)
  const fold = (text: string) => text.toLowerCase()
  const all = new Set(rows.flatMap(({ name, uid }) => [fold(name), uid]))
  return { unknown: names.filter((name) => !all.has(fold(name))), known: rows.map(({ name }) => name) }
}

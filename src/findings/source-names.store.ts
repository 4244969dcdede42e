import { sql } from 'kysely'
import { foldCase } from '../kernel/fold.ts'
import type { Reader } from '../store/store.ts'

/** The given names that are neither name nor id of a source, and the names of all sources. */
export function listUnknownSources(reader: Reader, names: readonly string[]): { unknown: string[]; known: string[] } {
  if (names.length === 0) return { unknown: [], known: [] }
  const rows = reader.all(
    sql<{ name: string; uid: string }>`SELECT name, uid FROM source WHERE deleted_at IS NULL ORDER BY name`,
  )
  const known = rows.map(({ name }) => name)
  const all = new Set(rows.flatMap(({ name, uid }) => [foldCase(name), uid]))
  const isKnown = (name: string) => all.has(foldCase(name)) || all.has(name.toLowerCase())
  return { unknown: names.filter((name) => !isKnown(name)), known }
}

/** Ids of sources that are being deleted: what remains of them is not counted. */
export function listDeletedSources(reader: Reader): readonly string[] {
  return reader
    .all(sql<{ uid: string }>`SELECT uid FROM source WHERE deleted_at IS NOT NULL ORDER BY id`)
    .map(({ uid }) => uid)
}

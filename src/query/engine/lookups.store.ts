import { sql } from 'kysely'
import type { Engine } from '../../engine/columnar-index.ts'
import { readColumns } from '../../engine/number-columns.store.ts'
import type { Reader } from '../../store/store.ts'
import type { AssetInstants, IndexLookups } from './selection.ts'

const kept = new WeakMap<Engine, { version: number; instants: AssetInstants }>()

/** What an index that is current with the snapshot of a reader does not have. */
export const openLookups = (reader: Reader): IndexLookups => ({
  findAssets: (keys) =>
    reader
      .all(
        sql<{ id: number }>`SELECT keyed.id FROM source CROSS JOIN asset keyed ON keyed.source_id = source.id
          WHERE keyed.key IN (${sql.join(keys)})`,
      )
      .map(({ id }) => id),
  instantsOfAssets: (engine) => {
    const { dataVersion: version } = reader
    const known = kept.get(engine)
    if (known !== undefined && known.version === version) return known.instants
    const instants = readInstants(reader, engine)
    if (version !== undefined) kept.set(engine, { version, instants })
    return instants
  },
})

const columns = {
  columns: ['id', 'coalesce(last_scanned_at, -1)', 'coalesce(content_updated_at, -1)'],
  table: 'asset',
}

function readInstants(reader: Reader, { assets }: Engine): AssetInstants {
  const [lastScannedAt, contentUpdatedAt] = [new Float64Array(assets.count), new Float64Array(assets.count)]
  lastScannedAt.fill(Number.NaN)
  contentUpdatedAt.fill(Number.NaN)
  for (const [ids = [], scanned = [], updated = []] of readColumns(reader, columns, [0])) {
    for (const [row, id] of ids.entries()) {
      const asset = assets.find(id)
      if (asset === undefined) continue
      lastScannedAt[asset] = orNone(scanned[row])
      contentUpdatedAt[asset] = orNone(updated[row])
    }
  }
  return { lastScannedAt, contentUpdatedAt }
}

const orNone = (stored = -1): number => (stored === -1 ? Number.NaN : stored)

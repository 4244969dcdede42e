import { sql } from 'kysely'
import type { Engine } from '../../engine/columnar-index.ts'
import { readColumns } from '../../engine/number-columns.store.ts'
import type { Reader } from '../../store/store.ts'
import type { AssetColumns, IndexLookups } from './selection.ts'

const kept = new WeakMap<Engine, { version: number; columns: AssetColumns }>()

/** What an index that is current with the snapshot of a reader does not have. */
export const openLookups = (reader: Reader): IndexLookups => ({
  findAssets: (keys) =>
    reader
      .all(
        sql<{ id: number }>`SELECT keyed.id FROM source CROSS JOIN asset keyed ON keyed.source_id = source.id
          WHERE keyed.key IN (${sql.join(keys)})`,
      )
      .map(({ id }) => id),
  columnsOfAssets: (engine) => {
    const { dataVersion: version } = reader
    const known = kept.get(engine)
    if (known !== undefined && known.version === version) return known.columns
    const columns = readAssetColumns(reader, engine)
    if (version !== undefined) kept.set(engine, { version, columns })
    return columns
  },
})

const assetColumns = {
  columns: ['id', 'coalesce(last_scanned_at, -1)', 'coalesce(content_updated_at, -1)', 'coalesce(audience_size, -1)'],
  table: 'asset',
}

function readAssetColumns(reader: Reader, { assets }: Engine): AssetColumns {
  const open = () => new Float64Array(assets.count).fill(Number.NaN)
  const found = { lastScannedAt: open(), contentUpdatedAt: open(), audienceSize: open() }
  for (const [ids = [], scanned = [], updated = [], sizes = []] of readColumns(reader, assetColumns, [0])) {
    for (const [row, id] of ids.entries()) {
      const asset = assets.find(id)
      if (asset === undefined) continue
      found.lastScannedAt[asset] = orNone(scanned[row])
      found.contentUpdatedAt[asset] = orNone(updated[row])
      found.audienceSize[asset] = orNone(sizes[row])
    }
  }
  return found
}

const orNone = (stored = -1): number => (stored === -1 ? Number.NaN : stored)

import { sql } from 'kysely'
import type { Engine } from '../../engine/columnar-index.ts'
import { readColumns } from '../../engine/number-columns.store.ts'
import type { Reader } from '../../store/store.ts'
import type { AssetNumbers, IndexLookups } from './selection.ts'

const kept = new WeakMap<Engine, { version: number; numbers: AssetNumbers }>()

/** What an index that is current with the snapshot of a reader does not have. */
export const openLookups = (reader: Reader): IndexLookups => ({
  findAssets: (keys) =>
    reader
      .all(
        sql<{ id: number }>`SELECT keyed.id FROM source CROSS JOIN asset keyed ON keyed.source_id = source.id
          WHERE keyed.key IN (${sql.join(keys)})`,
      )
      .map(({ id }) => id),
  numbersOfAssets: (engine) => {
    const { dataVersion: version } = reader
    const known = kept.get(engine)
    if (known !== undefined && known.version === version) return known.numbers
    const numbers = readNumbers(reader, engine)
    if (version !== undefined) kept.set(engine, { version, numbers })
    return numbers
  },
})

const columns = {
  columns: ['id', ...['last_scanned_at', 'content_updated_at', 'audience_size'].map((name) => `coalesce(${name}, -1)`)],
  table: 'asset',
}

function readNumbers(reader: Reader, { assets }: Engine): AssetNumbers {
  const none = () => new Float64Array(assets.count).fill(Number.NaN)
  const [lastScannedAt, contentUpdatedAt, audienceSize] = [none(), none(), none()]
  for (const [ids = [], scanned = [], updated = [], sizes = []] of readColumns(reader, columns, [0])) {
    for (const [row, id] of ids.entries()) {
      const asset = assets.find(id)
      if (asset === undefined) continue
      lastScannedAt[asset] = orNone(scanned[row])
      contentUpdatedAt[asset] = orNone(updated[row])
      audienceSize[asset] = orNone(sizes[row])
    }
  }
  return { lastScannedAt, contentUpdatedAt, audienceSize }
}

const orNone = (stored = -1): number => (stored === -1 ? Number.NaN : stored)

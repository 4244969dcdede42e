import { toSafeAddress, toSafeText } from '../detectors/safe-text.ts'
import type { ImportFacets, ImportRow } from '../imports/read/import-line.ts'
import { openBlock, packBlock } from '../imports/stage/import-block.ts'
import type { SafeText } from '../kernel/safe-text.ts'
import type { Writer } from '../store/store.ts'
import { toStoredKey } from './stored-columns.ts'

type Identify = (canonical: string) => number
type Told = ImportRow['asset']
interface WaitingRow {
  uid: SafeText
  ordinal: number
}

const MAX_EXCERPT = 2000

/** Masks staged findings of imports; returns the number of changed rows. */
export function maskStagedImports(writer: Writer, identify: Identify): number {
  const pass = (
    table: 'import_block' | 'import_row',
    column: string,
    toSafe: (stored: never) => SafeText | Uint8Array | undefined,
  ) => {
    const read = writer.prepare(`SELECT ${column} FROM ${table} WHERE uid = ? AND ordinal = ?`).pluck()
    const write = writer.prepare(`UPDATE ${table} SET ${column} = ? WHERE uid = ? AND ordinal = ?`)
    // Findings are sorted by key, so their order may change: storing starts over, and storing a finding twice changes
    // nothing.
    const restart = writer.prepare('UPDATE import_file SET stored = 0 WHERE uid = ?')
    let changed = 0
    for (const { uid, ordinal } of writer.prepare(`SELECT uid, ordinal FROM ${table}`).all() as WaitingRow[]) {
      const safe = toSafe(read.get(uid, ordinal) as never)
      if (safe === undefined) continue
      write.run(safe, uid, ordinal)
      restart.run(uid)
      changed++
    }
    return changed
  }
  return (
    pass('import_block', 'data', (data: Uint8Array) => toSafeBlock(data, identify)) +
    pass('import_row', 'finding', (text: string) => toSafeEarlier(text, identify))
  )
}

/** Masks all texts of a block; undefined if nothing changes. */
function toSafeBlock(packed: Uint8Array, identify: Identify): Uint8Array | undefined {
  const { size, assets, facets, columns, excerpts, order } = openBlock(packed)
  const safeAssets = assets.map((told) => toSafeTold(told, identify))
  const safeFacets = facets.map(toSafeFacets)
  const safeExcerpts = excerpts?.map(toSafeExcerpt)
  const before = JSON.stringify([assets, facets, excerpts])
  if (JSON.stringify([safeAssets, safeFacets, safeExcerpts]) === before) return undefined
  const numberOrNull = (value: number | undefined) => (value === undefined || Number.isNaN(value) ? null : value)
  const rows = Array.from({ length: size }, (_, at): ImportRow => {
    const asset = safeAssets[columns.asset[at] ?? -1]
    const combination = safeFacets[columns.facets[at] ?? -1]
    if (asset === undefined || combination === undefined) throw new RangeError('a waiting finding names no asset')
    return {
      asset,
      facets: combination,
      fp: columns.fp[at] ?? 0,
      confidence: columns.confidence[at] ?? 0,
      firstDetectedAt: columns.firstDetectedAt[at] ?? 0,
      lastDetectedAt: numberOrNull(columns.lastDetectedAt[at]),
      resolvedAt: numberOrNull(columns.resolvedAt[at]),
      excerpt: safeExcerpts?.[at] ?? null,
      ...(columns.undated[at] === 1 ? { undated: true } : {}),
    }
  })
  return packBlock(rows, order)
}

const toSafeExcerpt = (excerpt: string | null): SafeText | null =>
  excerpt === null ? null : toSafeText(excerpt, 'prose', MAX_EXCERPT)

function toSafeTold({ key, kind, name, url, container, ...more }: Told, identify: Identify): Told {
  return {
    key: toStoredKey(key, identify),
    kind: kind === undefined ? undefined : toSafeText(kind, 'prose'),
    name: name === undefined ? undefined : toSafeText(name, 'prose'),
    url: url === undefined ? undefined : toSafeAddress(url),
    container: container === undefined ? undefined : toSafeText(container, 'prose'),
    ...more,
  }
}

const toSafeFacets = ({ severity, status, ...words }: ImportFacets): ImportFacets => ({
  detectorType: toSafeText(words.detectorType, 'prose'),
  findingType: toSafeText(words.findingType, 'prose'),
  category: toSafeText(words.category, 'prose'),
  customDetectorKey: toSafeText(words.customDetectorKey, 'prose'),
  severity,
  status,
})

type FlatRow = Omit<ImportRow, 'facets'> & ImportFacets

/** Masks findings staged by versions before blocks, see `packEarlierRows`; undefined if nothing changes. */
function toSafeEarlier(text: string, identify: Identify): SafeText | undefined {
  const waiting: unknown = JSON.parse(text)
  const rows = Array.isArray(waiting) ? waiting : [waiting]
  const safe = rows.map((row) =>
    Array.isArray(row) ? toSafePack(row as unknown[], identify) : toSafeFlat(row as FlatRow, identify),
  )
  const written = JSON.stringify(Array.isArray(waiting) ? safe : safe[0])
  return written === JSON.stringify(waiting) ? undefined : (written as SafeText)
}

const toSafeFlat = (row: FlatRow, identify: Identify): FlatRow => ({
  ...row,
  asset: { ...row.asset, ...toSafeTold(row.asset, identify) },
  ...toSafeFacets(row),
  excerpt: toSafeExcerpt(row.excerpt),
})

/** Masks an array form of a finding by position; `RowPack` and `AssetPack` define the positions. */
function toSafePack(pack: readonly unknown[], identify: Identify): unknown[] {
  const asset = pack[0]
  return pack.map((value, at) => {
    if (at === 0)
      return Array.isArray(asset) ? asset.map((part, place) => toSafeAssetPart(part, place, identify)) : asset
    if (typeof value !== 'string') return value
    if (at >= 2 && at <= 5) return toSafeText(value, 'prose')
    return at === 12 ? toSafeExcerpt(value) : value
  })
}

function toSafeAssetPart(part: unknown, place: number, identify: Identify): unknown {
  if (typeof part !== 'string') return part
  if (place === 0) return toStoredKey(part, identify)
  return place === 3 ? toSafeAddress(part) : toSafeText(part, 'prose')
}

import { ReportedValues } from '../detectors/reported-values.ts'
import { toSafeText } from '../detectors/safe-text.ts'
import type { ImportedAsset } from '../findings/imported-assets.store.ts'
import { assetColumns, facetNames, type Identify, type ImportFacets } from '../imports/read/import-row.ts'
import { type EarlierRow, earlierRow } from '../imports/stage/earlier-rows.ts'
import { earlierAsset, openBlock, replaceTexts, unpackFacets } from '../imports/stage/import-block.ts'
import type { SafeText } from '../kernel/safe-text.ts'
import type { Writer } from '../store/store.ts'
import { toStoredKey } from './stored-columns.ts'

interface StagedRow {
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
    for (const { uid, ordinal } of writer.prepare(`SELECT uid, ordinal FROM ${table}`).all() as StagedRow[]) {
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
  const block = openBlock(packed)
  const { assets, facets: names, excerpts } = block
  const facets = names.map(unpackFacets)
  const safeAssets = assets.map((asset) => toSafeAsset(asset, identify))
  const safeFacets = facets.map(toSafeFacets)
  const safeExcerpts = excerpts?.map(toSafeExcerpt)
  const before = JSON.stringify([assets, facets, excerpts])
  if (JSON.stringify([safeAssets, safeFacets, safeExcerpts]) === before) return undefined
  return replaceTexts(block, { assets: safeAssets, facets: safeFacets, excerpts: safeExcerpts })
}

const toSafeExcerpt = (excerpt: string | null): SafeText | null =>
  excerpt === null ? null : toSafeText(excerpt, 'prose', MAX_EXCERPT)

const toSafeAsset = (asset: ImportedAsset, identify: Identify): ImportedAsset =>
  Object.fromEntries(
    Object.entries(asset).map(([name, value]) => [name, toSafeMember(name as keyof ImportedAsset, value, identify)]),
  ) as unknown as ImportedAsset

function toSafeMember(name: keyof ImportedAsset, value: unknown, identify: Identify): unknown {
  if (typeof value !== 'string' && !Array.isArray(value)) return value
  return name === 'key'
    ? toStoredKey(String(value), identify)
    : assetColumns[name].toSafe(value as never, new ReportedValues())
}

const toSafeFacets = (facets: ImportFacets): ImportFacets =>
  Object.fromEntries(facetNames.map((name) => [name, toSafeText(facets[name], 'prose')])) as unknown as ImportFacets

/** Masks findings staged by versions before blocks, see `packEarlierRows`; undefined if nothing changes. */
function toSafeEarlier(text: string, identify: Identify): SafeText | undefined {
  const waiting: unknown = JSON.parse(text)
  const rows = Array.isArray(waiting) ? waiting : [waiting]
  const safe = rows.map((row) =>
    Array.isArray(row) ? toSafePack(row as unknown[], identify) : toSafeFlat(row as EarlierRow, identify),
  )
  const written = JSON.stringify(Array.isArray(waiting) ? safe : safe[0])
  return written === JSON.stringify(waiting) ? undefined : (written as SafeText)
}

const toSafeFlat = (row: EarlierRow, identify: Identify): EarlierRow => ({
  ...row,
  asset: toSafeAsset(row.asset, identify),
  ...toSafeFacets(row),
  excerpt: toSafeExcerpt(row.excerpt),
})

/** Masks an array form of a finding. */
function toSafePack(pack: readonly unknown[], identify: Identify): unknown[] {
  return pack.map((value, at) => {
    const name = earlierRow[at]
    if (name === 'asset') {
      return Array.isArray(value)
        ? value.map((part, of) => toSafeMember(earlierAsset[of] ?? 'name', part, identify))
        : value
    }
    if (typeof value !== 'string') return value
    return name === 'excerpt' ? toSafeExcerpt(value) : toSafeText(value, 'prose')
  })
}

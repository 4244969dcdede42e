import { sortBlocks } from '../../src/imports/apply/sorted-rows.ts'
import { type ImportRow, readLine } from '../../src/imports/read/import-row.ts'

/** The findings of some blocks one by one, in the order that they are stored in. */
export function rowsOf(packed: readonly Uint8Array[]): ImportRow[] {
  const rows = sortBlocks(packed)
  return Array.from({ length: rows.size }, (_, index): ImportRow => {
    const asset = rows.assets[rows.columns.asset[index] ?? -1]
    const facets = rows.facets[rows.columns.facets[index] ?? -1]
    if (asset === undefined || facets === undefined) throw new RangeError('a finding is nowhere')
    const excerpt = rows.excerpts?.[index] ?? null
    const line = readLine(rows.columns, index, { facets: { sourceId: 0, ...facets }, excerpt, scanId: 0, at: 0 })
    const { scanId: _scan, at: _at, ...row } = line
    return { ...row, facets, asset }
  })
}

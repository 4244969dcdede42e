import { sortBlocks } from '../../src/imports/apply/sorted-rows.ts'
import type { ImportRow } from '../../src/imports/read/import-line.ts'

/** The findings of some blocks one by one, in the order that they are stored in. */
export function rowsOf(packed: readonly Uint8Array[]): ImportRow[] {
  const rows = sortBlocks(packed)
  const toTime = (at: number | undefined) => (at === undefined || Number.isNaN(at) ? null : at)
  return Array.from({ length: rows.size }, (_, index): ImportRow => {
    const asset = rows.assets[rows.assetAt[index] ?? -1]
    const facets = rows.facets[rows.facetsAt[index] ?? -1]
    if (asset === undefined || facets === undefined) throw new RangeError('a finding is nowhere')
    return {
      asset,
      facets,
      fp: rows.fp[index] ?? Number.NaN,
      confidence: rows.confidence[index] ?? Number.NaN,
      firstDetectedAt: rows.firstDetectedAt[index] ?? Number.NaN,
      lastDetectedAt: toTime(rows.lastDetectedAt[index]),
      resolvedAt: toTime(rows.resolvedAt[index]),
      excerpt: rows.excerpts?.[index] ?? null,
      ...(rows.undated[index] === 1 ? { undated: true } : {}),
    }
  })
}

import type { ImportedAsset } from '../../findings/imported-assets.store.ts'
import { ownText, type SafeText } from '../../kernel/safe-text.ts'
import type { ImportFacets, ImportRow } from '../read/import-line.ts'
import { packBlock, unpackAsset } from './import-block.ts'

type FlatRow = Omit<ImportRow, 'facets'> & ImportFacets
type RowPack = [
  asset: Parameters<typeof unpackAsset>[0] | 0,
  fp: number,
  detectorType: SafeText,
  findingType: SafeText,
  category: SafeText,
  customDetectorKey: SafeText,
  severity: ImportFacets['severity'],
  status: ImportFacets['status'],
  confidence: number,
  firstDetectedAt: number,
  lastDetectedAt: number | null,
  resolvedAt: number | null,
  excerpt: SafeText | null,
  undated: 0 | 1,
]

/**
 * Converts findings that earlier versions staged into a block: JSON arrays in which asset 0 means the asset of the
 * previous finding, to be stored by asset; before that objects, one or several in a row, to be stored in the given
 * order.
 */
export function packEarlierRows(text: string): Uint8Array {
  const waiting: unknown = JSON.parse(text)
  if (!Array.isArray(waiting)) return packBlock([toRow(waiting as FlatRow)], 'given')
  if (!Array.isArray(waiting[0])) return packBlock((waiting as FlatRow[]).map(toRow), 'given')
  let asset: ImportedAsset = { key: ownText('') }
  const rows = (waiting as RowPack[]).map((pack): ImportRow => {
    if (pack[0] !== 0) asset = unpackAsset(pack[0])
    return {
      asset,
      facets: {
        detectorType: pack[2],
        findingType: pack[3],
        category: pack[4],
        customDetectorKey: pack[5],
        severity: pack[6],
        status: pack[7],
      },
      fp: pack[1],
      confidence: pack[8],
      firstDetectedAt: pack[9],
      lastDetectedAt: pack[10],
      resolvedAt: pack[11],
      excerpt: pack[12],
      ...(pack[13] === 1 ? { undated: true } : {}),
    }
  })
  return packBlock(rows, 'arrival')
}

const toRow = ({
  detectorType,
  findingType,
  category,
  customDetectorKey,
  severity,
  status,
  ...row
}: FlatRow): ImportRow => ({
  ...row,
  facets: { detectorType, findingType, category, customDetectorKey, severity, status },
})

import type { ImportedAsset } from '../../findings/imported-assets.store.ts'
import { ownText } from '../../kernel/safe-text.ts'
import { facetNames, type ImportFacets, type ImportRow } from '../read/import-row.ts'
import { packBlock, unpackAsset } from './import-block.ts'

/** The members of a finding that earlier versions staged as an array; asset 0 is the asset of the previous finding. */
export const earlierRow = [
  'asset',
  'fp',
  'detectorType',
  'findingType',
  'category',
  'customDetectorKey',
  'severity',
  'status',
  'confidence',
  'firstDetectedAt',
  'lastDetectedAt',
  'resolvedAt',
  'excerpt',
  'undated',
] as const

/** A finding that earlier versions staged as an object. */
export type EarlierRow = Omit<ImportRow, 'facets' | 'undated'> & ImportFacets & { undated?: boolean }

/**
 * Converts findings that earlier versions staged into a block: JSON arrays, to be stored by asset; before that objects,
 * one or several in a row, to be stored in the given order.
 */
export function packEarlierRows(text: string): Uint8Array {
  const waiting: unknown = JSON.parse(text)
  if (!Array.isArray(waiting)) return packBlock([toRow(waiting as EarlierRow)], 'given')
  if (!Array.isArray(waiting[0])) return packBlock((waiting as EarlierRow[]).map(toRow), 'given')
  let asset: ImportedAsset = { key: ownText('') }
  const rows = (waiting as unknown[][]).map((values) => {
    if (Array.isArray(values[0])) asset = unpackAsset(values[0])
    const row = Object.fromEntries(earlierRow.map((name, at) => [name, values[at]]))
    return toRow({ ...row, asset } as EarlierRow)
  })
  return packBlock(rows, 'arrival')
}

function toRow({ undated = false, ...row }: EarlierRow): ImportRow {
  const facets = Object.fromEntries(facetNames.map((name) => [name, row[name]])) as unknown as ImportFacets
  const { asset, excerpt, fp, firstDetectedAt, lastDetectedAt, resolvedAt, confidence } = row
  const numbers = { fp, firstDetectedAt, lastDetectedAt, resolvedAt, confidence, undated: Number(undated) }
  return { ...numbers, asset, facets, excerpt }
}

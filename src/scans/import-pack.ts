import type { ImportRow } from './import-line.ts'

type AssetPack = [string, string | null, string | null, string | null, string | null, number | null]
type RowPack = [
  asset: AssetPack | 0,
  fp: number,
  detectorType: string,
  findingType: string,
  category: string,
  customDetectorKey: string,
  severity: ImportRow['severity'],
  status: ImportRow['status'],
  confidence: number,
  firstDetectedAt: number,
  lastDetectedAt: number | null,
  resolvedAt: number | null,
  excerpt: string | null,
  undated: 0 | 1,
]

/** Findings as JSON lists without names; one in the same asset as the finding before it has 0 there. */
export function packRows(rows: readonly ImportRow[]): string {
  let last: ImportRow['asset'] | undefined
  const packs = rows.map((row): RowPack => {
    const asset = row.asset === last ? 0 : packAsset(row.asset)
    last = row.asset
    return [
      asset,
      row.fp,
      row.detectorType,
      row.findingType,
      row.category,
      row.customDetectorKey,
      row.severity,
      row.status,
      row.confidence,
      row.firstDetectedAt,
      row.lastDetectedAt,
      row.resolvedAt,
      row.excerpt,
      row.undated === true ? 1 : 0,
    ]
  })
  return JSON.stringify(packs)
}

const packAsset = ({ key, kind, name, url, container, contentUpdatedAt }: ImportRow['asset']): AssetPack => [
  key,
  kind ?? null,
  name ?? null,
  url ?? null,
  container ?? null,
  contentUpdatedAt ?? null,
]

function unpackAsset([key, kind, name, url, container, contentUpdatedAt]: AssetPack): ImportRow['asset'] {
  return {
    key,
    kind: kind ?? undefined,
    name: name ?? undefined,
    url: url ?? undefined,
    container: container ?? undefined,
    contentUpdatedAt: contentUpdatedAt ?? undefined,
  }
}

/** Findings that `packRows` packed; those of an earlier version stand as objects, many to a row or one. */
export function unpackRows(text: string): { rows: ImportRow[]; isPacked: boolean } {
  const waiting: unknown = JSON.parse(text)
  if (!Array.isArray(waiting)) return { rows: [waiting as ImportRow], isPacked: false }
  if (!Array.isArray(waiting[0])) return { rows: waiting as ImportRow[], isPacked: false }
  let asset: ImportRow['asset'] = { key: '' }
  const rows = (waiting as RowPack[]).map((pack): ImportRow => {
    if (pack[0] !== 0) asset = unpackAsset(pack[0])
    const row: ImportRow = {
      asset,
      fp: pack[1],
      detectorType: pack[2],
      findingType: pack[3],
      category: pack[4],
      customDetectorKey: pack[5],
      severity: pack[6],
      status: pack[7],
      confidence: pack[8],
      firstDetectedAt: pack[9],
      lastDetectedAt: pack[10],
      resolvedAt: pack[11],
      excerpt: pack[12],
    }
    if (pack[13] === 1) row.undated = true
    return row
  })
  return { rows, isPacked: true }
}

/** Those of an asset one after the other, in the order that they came in. */
export function gatherByAsset(rows: readonly ImportRow[]): ImportRow[] {
  const byKey = new Map<string, ImportRow[]>()
  for (const row of rows) {
    const found = byKey.get(row.asset.key)
    if (found === undefined) byKey.set(row.asset.key, [row])
    else found.push(row)
  }
  return [...byKey.values()].flat()
}

/** Parts the findings by their assets: all of an asset are in one part. */
export function partRows(rows: readonly ImportRow[], parts: number): ImportRow[][] {
  const parted = Array.from({ length: parts }, (): ImportRow[] => [])
  for (const row of rows) parted[numberOf(row.asset.key) % parts]?.push(row)
  return parted
}

function numberOf(key: string): number {
  let number = 7
  for (let at = 0; at < key.length; at++) number = (Math.imul(number, 31) + key.charCodeAt(at)) | 0
  return number >>> 0
}

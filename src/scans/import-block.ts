import type { ImportFacets, ImportRow } from './import-line.ts'

type AssetPack = [string, string | null, string | null, string | null, string | null, number | null]
type FacetPack = [string, string, string, string, ImportFacets['severity'], ImportFacets['status']]

/** What stands beside the numbers, as JSON; `excerpts` are by row, and absent where no row has one. */
interface Names {
  assets: AssetPack[]
  facets: FacetPack[]
  excerpts?: (string | null)[]
}

/** Bytes of the head (how many findings, and how long the names are), and of the numbers of a finding. */
const HEAD = 8
const ROW = 4 * 8 + 2 * 4 + 2 + 1

/** The columns of a block, in their order: numbers where they are aligned, names at the end. */
function viewColumns(buffer: ArrayBuffer, size: number) {
  return {
    fp: new Float64Array(buffer, HEAD, size),
    firstDetectedAt: new Float64Array(buffer, HEAD + 8 * size, size),
    // NaN: not told.
    lastDetectedAt: new Float64Array(buffer, HEAD + 16 * size, size),
    resolvedAt: new Float64Array(buffer, HEAD + 24 * size, size),
    asset: new Uint32Array(buffer, HEAD + 32 * size, size),
    facets: new Uint32Array(buffer, HEAD + 36 * size, size),
    confidence: new Uint16Array(buffer, HEAD + 40 * size, size),
    undated: new Uint8Array(buffer, HEAD + 42 * size, size),
  }
}

/** Findings in columns, with each asset and each combination of names once. */
export function packBlock(rows: readonly ImportRow[]): Uint8Array<ArrayBuffer> {
  const assets = new Map<ImportRow['asset'], number>()
  const facets = new Map<ImportFacets, number>()
  const names: Names = { assets: [], facets: [] }
  const assetOf = new Uint32Array(rows.length)
  const facetsOf = new Uint32Array(rows.length)
  let at = 0
  for (const row of rows) {
    let asset = assets.get(row.asset)
    if (asset === undefined) {
      asset = names.assets.push(packAsset(row.asset)) - 1
      assets.set(row.asset, asset)
    }
    let combination = facets.get(row.facets)
    if (combination === undefined) {
      const { detectorType, findingType, category, customDetectorKey, severity, status } = row.facets
      combination = names.facets.push([detectorType, findingType, category, customDetectorKey, severity, status]) - 1
      facets.set(row.facets, combination)
    }
    assetOf[at] = asset
    facetsOf[at] = combination
    at++
  }
  if (rows.some(({ excerpt }) => excerpt !== null)) names.excerpts = rows.map(({ excerpt }) => excerpt)
  const text = Buffer.from(JSON.stringify(names))
  const bytes = new Uint8Array(HEAD + ROW * rows.length + text.length)
  new Uint32Array(bytes.buffer, 0, 2).set([rows.length, text.length])
  const columns = viewColumns(bytes.buffer, rows.length)
  columns.asset.set(assetOf)
  columns.facets.set(facetsOf)
  at = 0
  for (const row of rows) {
    columns.fp[at] = row.fp
    columns.firstDetectedAt[at] = row.firstDetectedAt
    columns.lastDetectedAt[at] = row.lastDetectedAt ?? Number.NaN
    columns.resolvedAt[at] = row.resolvedAt ?? Number.NaN
    columns.confidence[at] = row.confidence
    columns.undated[at] = row.undated === true ? 1 : 0
    at++
  }
  bytes.set(text, HEAD + ROW * rows.length)
  return bytes
}

/** Findings that were packed, each made when it is asked for. */
export interface ImportBlock {
  readonly size: number
  /** The assets that the findings are in, the first one first. */
  readonly assets: readonly ImportRow['asset'][]
  /** Which of them a finding is in. */
  assetAt(index: number): number
  rowAt(index: number): ImportRow
}

/** Opens what `packBlock` made; combinations of names are looked up in `known`, and added to it. */
export function openBlock(packed: Uint8Array, known = new Map<string, ImportFacets>()): ImportBlock {
  const buffer = new Uint8Array(packed).buffer
  const [size = 0, length = 0] = new Uint32Array(buffer, 0, 2)
  const columns = viewColumns(buffer, size)
  const names = JSON.parse(Buffer.from(buffer, HEAD + ROW * size, length).toString()) as Names
  const assets = names.assets.map(unpackAsset)
  const facets = names.facets.map((pack) => {
    const key = pack.join('\0')
    const found = known.get(key) ?? unpackFacets(pack)
    known.set(key, found)
    return found
  })
  const toTime = (at: number | undefined) => (at === undefined || Number.isNaN(at) ? null : at)
  return {
    size,
    assets,
    assetAt: (index) => columns.asset[index] ?? 0,
    rowAt(index) {
      const asset = assets[columns.asset[index] ?? -1]
      const combination = facets[columns.facets[index] ?? -1]
      if (asset === undefined || combination === undefined) throw new RangeError('a block has no such finding')
      const row: ImportRow = {
        asset,
        facets: combination,
        fp: columns.fp[index] ?? 0,
        confidence: columns.confidence[index] ?? 0,
        firstDetectedAt: columns.firstDetectedAt[index] ?? 0,
        lastDetectedAt: toTime(columns.lastDetectedAt[index]),
        resolvedAt: toTime(columns.resolvedAt[index]),
        excerpt: names.excerpts?.[index] ?? null,
      }
      if (columns.undated[index] === 1) row.undated = true
      return row
    },
  }
}

const packAsset = ({ key, kind, name, url, container, contentUpdatedAt }: ImportRow['asset']): AssetPack => [
  key,
  kind ?? null,
  name ?? null,
  url ?? null,
  container ?? null,
  contentUpdatedAt ?? null,
]

export function unpackAsset([key, kind, name, url, container, contentUpdatedAt]: AssetPack): ImportRow['asset'] {
  return {
    key,
    kind: kind ?? undefined,
    name: name ?? undefined,
    url: url ?? undefined,
    container: container ?? undefined,
    contentUpdatedAt: contentUpdatedAt ?? undefined,
  }
}

function unpackFacets([detectorType, findingType, category, customDetectorKey, severity, status]: FacetPack) {
  return { detectorType, findingType, category, customDetectorKey, severity, status }
}

/** Parts findings by their assets: all of an asset are in one part. */
export function partRows(rows: readonly ImportRow[], parts: number): ImportRow[][] {
  if (parts === 1) return [[...rows]]
  const parted = Array.from({ length: parts }, (): ImportRow[] => [])
  for (const row of rows) parted[numberOf(row.asset.key) % parts]?.push(row)
  return parted
}

function numberOf(key: string): number {
  let number = 7
  for (let at = 0; at < key.length; at++) number = (Math.imul(number, 31) + key.charCodeAt(at)) | 0
  return number >>> 0
}

/** Findings in an order of their own, each made when it is asked for. */
export interface RowList {
  readonly size: number
  rowAt(index: number): ImportRow
}

/** Those of an asset one after the other, in the order that they came in; the asset that came first is first. */
export function gatherByAsset(blocks: readonly ImportBlock[]): RowList {
  const groups = new Map<string, number>()
  const size = blocks.reduce((sum, block) => sum + block.size, 0)
  const groupOf = new Uint32Array(size)
  const starts: number[] = [0]
  const counts: number[] = []
  let at = 0
  for (const block of blocks) {
    const numbers = block.assets.map(({ key }) => {
      const known = groups.get(key)
      if (known !== undefined) return known
      groups.set(key, groups.size)
      return groups.size - 1
    })
    for (let index = 0; index < block.size; index++, at++) {
      const group = numbers[block.assetAt(index)] ?? 0
      groupOf[at] = group
      counts[group] = (counts[group] ?? 0) + 1
    }
    starts.push(at)
  }
  const next = new Uint32Array(counts.length)
  for (let group = 1; group < counts.length; group++) next[group] = (next[group - 1] ?? 0) + (counts[group - 1] ?? 0)
  const order = new Uint32Array(size)
  for (let index = 0; index < size; index++) {
    const group = groupOf[index] ?? 0
    const place = next[group] ?? 0
    order[place] = index
    next[group] = place + 1
  }
  const blockOf = new Uint32Array(size)
  for (const [number, start] of starts.entries()) blockOf.fill(number, start, starts[number + 1] ?? size)
  return {
    size,
    rowAt(index) {
      const from = order[index] ?? -1
      const number = blockOf[from] ?? -1
      const block = blocks[number]
      if (block === undefined) throw new RangeError('there is no such finding')
      return block.rowAt(from - (starts[number] ?? 0))
    },
  }
}

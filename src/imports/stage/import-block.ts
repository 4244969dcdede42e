import type { SafeText } from '../../kernel/safe-text.ts'
import type { ImportFacets, ImportRow } from '../read/import-line.ts'

type Told = ImportRow['asset']
/** An asset in the format of earlier versions. */
type AssetPack = [SafeText, SafeText | null, SafeText | null, SafeText | null, SafeText | null, number | null]
type FacetPack = [SafeText, SafeText, SafeText, SafeText, ImportFacets['severity'], ImportFacets['status']]

/** Assets in columns; null for values that were not given; repeated words are stored once. */
interface AssetNames {
  words: SafeText[]
  key: SafeText[]
  name: (SafeText | null)[]
  url: (SafeText | null)[]
  kind: (number | null)[]
  container: (number | null)[]
  /** Absent in blocks of earlier versions, as are labels. */
  owner?: (number | null)[]
  labels?: (number[] | null)[]
  contentUpdatedAt: (number | null)[]
}

/** Storage order of findings: by asset key, grouped by asset in order of arrival, or as given. */
export type BlockOrder = 'key' | 'arrival' | 'given'

/** The part of a block that is not numeric, as JSON; `excerpts` are by row, and absent if no row has one. */
interface Names {
  /** Absent: `key`, or `arrival` if an earlier version packed the assets. */
  order?: BlockOrder
  assets: AssetNames | AssetPack[]
  facets: FacetPack[]
  excerpts?: (SafeText | null)[]
}

/** Bytes of the header (number of findings, and length of the names), and of the numeric columns of one finding. */
const HEAD = 8
export const ROW_BYTES = 4 * 8 + 2 * 4 + 2 + 1

/** Offset of the assets in a block of `size` findings; they start with `[` if an earlier version packed them. */
export const assetsAt = (size: number): number => HEAD + ROW_BYTES * size + '{"assets":'.length
export const EARLIER_ASSETS = '['

/** The columns of a block in order, each aligned to its number type; the names follow. */
function viewColumns(buffer: ArrayBuffer, size: number) {
  return {
    fp: new Float64Array(buffer, HEAD, size),
    firstDetectedAt: new Float64Array(buffer, HEAD + 8 * size, size),
    // NaN: not given.
    lastDetectedAt: new Float64Array(buffer, HEAD + 16 * size, size),
    resolvedAt: new Float64Array(buffer, HEAD + 24 * size, size),
    asset: new Uint32Array(buffer, HEAD + 32 * size, size),
    facets: new Uint32Array(buffer, HEAD + 36 * size, size),
    confidence: new Uint16Array(buffer, HEAD + 40 * size, size),
    undated: new Uint8Array(buffer, HEAD + 42 * size, size),
  }
}

/** Packs findings in columns, with each asset and each combination of names once. */
export function packBlock(rows: readonly ImportRow[], order: BlockOrder = 'key'): Uint8Array<ArrayBuffer> {
  const assets = new Map<Told, number>()
  const facets = new Map<ImportFacets, number>()
  const names: Names & { assets: Required<AssetNames> } = { assets: noNames(), facets: [] }
  const words = new Map<SafeText, number>()
  const assetOf = new Uint32Array(rows.length)
  const facetsOf = new Uint32Array(rows.length)
  let at = 0
  for (const row of rows) {
    let asset = assets.get(row.asset)
    if (asset === undefined) {
      asset = assets.size
      assets.set(row.asset, asset)
      packAsset(row.asset, names.assets, words)
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
  names.assets.words.push(...words.keys())
  if (order !== 'key') names.order = order
  if (rows.some(({ excerpt }) => excerpt !== null)) names.excerpts = rows.map(({ excerpt }) => excerpt)
  const text = Buffer.from(JSON.stringify(names))
  const bytes = new Uint8Array(HEAD + ROW_BYTES * rows.length + text.length)
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
  bytes.set(text, HEAD + ROW_BYTES * rows.length)
  return bytes
}

/** Unpacked findings. */
export interface ImportBlock {
  readonly size: number
  /** The distinct assets, in order of first appearance. */
  readonly assets: readonly Told[]
  readonly facets: readonly ImportFacets[]
  readonly columns: ReturnType<typeof viewColumns>
  readonly excerpts: readonly (SafeText | null)[] | undefined
  readonly order: BlockOrder
}

/** Reverses `packBlock`. */
export function openBlock(packed: Uint8Array): ImportBlock {
  const buffer = new Uint8Array(packed).buffer
  const [size = 0, length = 0] = new Uint32Array(buffer, 0, 2)
  const names = JSON.parse(Buffer.from(buffer, HEAD + ROW_BYTES * size, length).toString()) as Names
  const { assets, facets, excerpts } = names
  return {
    size,
    assets: Array.isArray(assets) ? assets.map(unpackAsset) : unpackAssets(assets),
    facets: facets.map(unpackFacets),
    columns: viewColumns(buffer, size),
    excerpts,
    order: names.order ?? (Array.isArray(assets) ? 'arrival' : 'key'),
  }
}

const noNames = (): Required<AssetNames> => ({
  words: [],
  key: [],
  name: [],
  url: [],
  kind: [],
  container: [],
  owner: [],
  labels: [],
  contentUpdatedAt: [],
})

function packAsset(told: Told, columns: Required<AssetNames>, words: Map<SafeText, number>): void {
  columns.key.push(told.key)
  columns.name.push(told.name ?? null)
  columns.url.push(told.url ?? null)
  columns.kind.push(told.kind === undefined ? null : numberOf(told.kind, words))
  columns.container.push(told.container === undefined ? null : numberOf(told.container, words))
  columns.owner.push(told.owner === undefined ? null : numberOf(told.owner, words))
  columns.labels.push(told.labels === undefined ? null : told.labels.map((label) => numberOf(label, words)))
  columns.contentUpdatedAt.push(told.contentUpdatedAt ?? null)
}

function numberOf(word: SafeText, words: Map<SafeText, number>): number {
  const known = words.get(word)
  if (known !== undefined) return known
  words.set(word, words.size)
  return words.size - 1
}

function unpackAssets({ words, key, name, url, kind, container, owner, labels, contentUpdatedAt }: AssetNames): Told[] {
  const toWord = (number: number | null | undefined) => (typeof number === 'number' ? words[number] : undefined)
  return key.map((own, at) => ({
    key: own,
    kind: toWord(kind[at]),
    name: name[at] ?? undefined,
    url: url[at] ?? undefined,
    container: toWord(container[at]),
    owner: toWord(owner?.[at]),
    labels: labels?.[at]?.flatMap((label) => toWord(label) ?? []),
    contentUpdatedAt: contentUpdatedAt[at] ?? undefined,
  }))
}

export function unpackAsset([key, kind, name, url, container, contentUpdatedAt]: AssetPack): Told {
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

/** Partitions findings by asset key: keys below a bound belong to the part before it. */
export function partRows(rows: readonly ImportRow[], bounds: readonly string[]): ImportRow[][] {
  if (bounds.length === 0) return [[...rows]]
  const parted = Array.from({ length: bounds.length + 1 }, (): ImportRow[] => [])
  for (const row of rows) parted[partOf(row.asset.key, bounds)]?.push(row)
  return parted
}

function partOf(key: string, bounds: readonly string[]): number {
  let [low, high] = [0, bounds.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (key < (bounds[middle] ?? '')) high = middle
    else low = middle + 1
  }
  return low
}

/** Bounds that divide the assets of some findings into parts of about equal size. */
export function findBounds(rows: readonly ImportRow[], parts: number): string[] {
  const keys = [...new Set(rows.map(({ asset }) => asset.key))].sort()
  const bounds = Array.from({ length: parts - 1 }, (_, part) => keys[Math.floor(((part + 1) * keys.length) / parts)])
  return [...new Set(bounds.filter((key) => key !== undefined))]
}

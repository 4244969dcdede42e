import type { ImportedAsset } from '../../findings/imported-assets.store.ts'
import type { SafeText } from '../../kernel/safe-text.ts'
import {
  assetColumns,
  assetNames,
  facetNames,
  type ImportFacets,
  type ImportRow,
  type NumberColumns,
  numberNames,
  ROW_BYTES,
  viewColumns,
} from '../read/import-row.ts'

/** The members of an asset as earlier versions packed it, in order. */
export const earlierAsset = ['key', 'kind', 'name', 'url', 'container', 'contentUpdatedAt'] as const

/** Assets in columns; null for values that were not given; repeated words are stored once. */
type AssetPack = Record<keyof ImportedAsset, (SafeText | number | number[] | null)[]> & { words: SafeText[] }

/** Storage order of findings: by asset key, grouped by asset in order of arrival, or as given. */
export type BlockOrder = 'key' | 'arrival' | 'given'

/** The assets that a block adds to those of the earlier blocks of its group from the same converter. */
interface AddedAssets {
  converter: number
  /** Number of the first one. */
  from: number
  added: AssetPack
}

/** The part of a block that is not numeric, as JSON; `excerpts` are by row, and absent if no row has one. */
interface Names {
  /** Absent: `key`, or `arrival` if an earlier version packed the assets. */
  order?: BlockOrder
  /** First, see `assetsAt`. */
  assets: AssetPack | AddedAssets | unknown[][]
  /** Each in the order of `facetNames`. */
  facets: SafeText[][]
  excerpts?: (SafeText | null)[]
}

/** Bytes of the header: number of findings, and length of the names. */
const HEAD = 8

/** Offset of the assets in a block of `size` findings; they start with `[` if an earlier version packed them. */
export const assetsAt = (size: number): number => HEAD + ROW_BYTES * size + '{"assets":'.length
export const EARLIER_ASSETS = '['

/** The assets of a group of blocks that one converter has packed so far: only the first block describes an asset. */
export class PackedAssets {
  readonly converter: number
  readonly group: number
  readonly numbers = new Map<ImportedAsset, number>()

  constructor(converter: number, group: number) {
    this.converter = converter
    this.group = group
  }
}

interface PackOptions {
  order?: BlockOrder
  /** Absent: the block describes all of its assets. */
  packed?: PackedAssets
}

/** Packs findings in columns, with each asset and each combination of names once. */
export function packBlock(
  rows: readonly ImportRow[],
  { order = 'key', packed }: PackOptions = {},
): Uint8Array<ArrayBuffer> {
  const assets = packed?.numbers ?? new Map<ImportedAsset, number>()
  const from = assets.size
  const facets = new Map<ImportFacets, number>()
  const pack = emptyPack()
  const names: Names = {
    assets: packed === undefined ? pack : { converter: packed.converter, from, added: pack },
    facets: [],
  }
  const words = new Map<SafeText, number>()
  const assetOf = new Uint32Array(rows.length)
  const facetsOf = new Uint32Array(rows.length)
  let at = 0
  for (const row of rows) {
    let asset = assets.get(row.asset)
    if (asset === undefined) {
      asset = assets.size
      assets.set(row.asset, asset)
      packAsset(row.asset, pack, words)
    }
    let combination = facets.get(row.facets)
    if (combination === undefined) {
      combination = names.facets.push(packFacets(row.facets)) - 1
      facets.set(row.facets, combination)
    }
    assetOf[at] = asset
    facetsOf[at] = combination
    at++
  }
  pack.words.push(...words.keys())
  if (order !== 'key') names.order = order
  if (rows.some(({ excerpt }) => excerpt !== null)) names.excerpts = rows.map(({ excerpt }) => excerpt)
  const bytes = allocateBlock(rows.length, names)
  const columns = viewColumns(bytes.buffer, HEAD, rows.length)
  columns.asset.set(assetOf)
  columns.facets.set(facetsOf)
  for (const [index, name] of numberNames.entries()) packNumbers(rows, index, columns[name])
  return bytes
}

/** A block of `size` findings whose numbers are all 0. */
function allocateBlock(size: number, names: Names): Uint8Array<ArrayBuffer> {
  const text = Buffer.from(JSON.stringify(names))
  const bytes = new Uint8Array(HEAD + ROW_BYTES * size + text.length)
  new Uint32Array(bytes.buffer, 0, 2).set([size, text.length])
  bytes.set(text, HEAD + ROW_BYTES * size)
  return bytes
}

function packNumbers(rows: readonly ImportRow[], index: number, column: NumberColumns[keyof NumberColumns]): void {
  let place = 0
  for (const { numbers, at } of rows) column[place++] = numbers[at + index] ?? 0
}

/** Unpacked findings. */
export interface ImportBlock {
  readonly size: number
  /** The distinct assets, in order of first appearance, without those of `earlier`. */
  readonly assets: readonly ImportedAsset[]
  /** Present: the first assets are those of the earlier blocks of its group from the same converter. */
  readonly earlier?: Readonly<Omit<AddedAssets, 'added'>>
  /** The distinct combinations of facets, in the order of `facetNames`. */
  readonly facets: readonly (readonly SafeText[])[]
  readonly columns: NumberColumns
  readonly excerpts: readonly (SafeText | null)[] | undefined
  readonly order: BlockOrder
}

/** Reverses `packBlock`. */
export function openBlock(packed: Uint8Array): ImportBlock {
  const buffer = new Uint8Array(packed).buffer
  const [size = 0, length = 0] = new Uint32Array(buffer, 0, 2)
  const names = JSON.parse(Buffer.from(buffer, HEAD + ROW_BYTES * size, length).toString()) as Names
  const { assets, facets, excerpts } = names
  const parts = { size, facets, columns: viewColumns(buffer, HEAD, size), excerpts }
  if (Array.isArray(assets)) return { ...parts, assets: assets.map(unpackAsset), order: names.order ?? 'arrival' }
  const order = names.order ?? 'key'
  if (!('added' in assets)) return { ...parts, assets: unpackAssets(assets), order }
  const { added, ...earlier } = assets
  return { ...parts, assets: unpackAssets(added), earlier, order }
}

/** The block with other texts; it has as many assets and combinations as before. */
export function replaceTexts(
  { size, earlier, columns, order }: ImportBlock,
  texts: { assets: readonly ImportedAsset[]; facets: readonly ImportFacets[]; excerpts: ImportBlock['excerpts'] },
): Uint8Array {
  const pack = emptyPack()
  const words = new Map<SafeText, number>()
  for (const asset of texts.assets) packAsset(asset, pack, words)
  pack.words.push(...words.keys())
  const bytes = allocateBlock(size, {
    assets: earlier === undefined ? pack : { ...earlier, added: pack },
    order,
    facets: texts.facets.map(packFacets),
    ...(texts.excerpts === undefined ? {} : { excerpts: [...texts.excerpts] }),
  })
  const copied = viewColumns(bytes.buffer as ArrayBuffer, HEAD, size)
  for (const name of Object.keys(columns) as (keyof NumberColumns)[]) copied[name].set(columns[name])
  return bytes
}

const packFacets = (facets: ImportFacets): SafeText[] => facetNames.map((name) => facets[name] as SafeText)

const emptyPack = () =>
  Object.fromEntries([['words', []], ...assetNames.map((name) => [name, []])]) as unknown as AssetPack

const wordNames = new Set(assetNames.filter((name) => 'isWord' in assetColumns[name]))

/** A statement for each member: V8 takes several times as long for a loop over their names. */
function packAsset(asset: ImportedAsset, pack: AssetPack, words: Map<SafeText, number>): void {
  pack.key.push(asset.key)
  pack.name.push(asset.name ?? null)
  pack.url.push(asset.url ?? null)
  pack.kind.push(packWord(asset.kind, words))
  pack.container.push(packWord(asset.container, words))
  pack.owner.push(packWord(asset.owner, words))
  pack.labels.push(asset.labels?.map((word) => numberOf(word, words)) ?? null)
  pack.contentUpdatedAt.push(asset.contentUpdatedAt ?? null)
}

const packWord = (word: SafeText | undefined, words: Map<SafeText, number>) =>
  word === undefined ? null : numberOf(word, words)

function numberOf(word: SafeText, words: Map<SafeText, number>): number {
  const known = words.get(word)
  if (known !== undefined) return known
  words.set(word, words.size)
  return words.size - 1
}

/** Its copies have the same hidden class, which keeps the loop below fast. */
const EMPTY: ImportedAsset = toAsset(() => undefined)

function unpackAssets(pack: AssetPack): ImportedAsset[] {
  const { words } = pack
  const assets = pack.key.map(() => ({ ...EMPTY }))
  for (const name of assetNames) {
    const isWord = wordNames.has(name)
    let at = 0
    // Blocks of earlier versions do not have all columns.
    for (const value of pack[name] ?? []) {
      const asset = assets[at++] as Record<string, unknown>
      if (Array.isArray(value)) asset[name] = value.map((number) => words[number])
      else asset[name] = isWord && typeof value === 'number' ? words[value] : (value ?? undefined)
    }
  }
  return assets
}

/** Unpacks an asset of an earlier version. */
export const unpackAsset = (values: readonly unknown[]): ImportedAsset =>
  toAsset((name) => values[(earlierAsset as readonly string[]).indexOf(name)] ?? undefined)

function toAsset(valueFor: (name: keyof ImportedAsset) => unknown): ImportedAsset {
  return Object.fromEntries(assetNames.map((name) => [name, valueFor(name)])) as unknown as ImportedAsset
}

/** The facets of a block by name. */
export const unpackFacets = (names: readonly SafeText[]): ImportFacets =>
  Object.fromEntries(facetNames.map((name, at) => [name, names[at]])) as unknown as ImportFacets

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

import type { ReportedValues } from '../../detectors/reported-values.ts'
import { toHiddenKey } from '../../detectors/safe-text.ts'
import type { ImportedAsset } from '../../findings/imported-assets.store.ts'
import type { SafeText } from '../../kernel/safe-text.ts'
import {
  assetColumns,
  assetNames,
  facetNames,
  type Identify,
  type ImportFacets,
  type ImportRow,
  type NumberColumns,
  ROW_BYTES,
  type RowNumbers,
  viewColumns,
  writeRowNumbers,
} from '../read/import-row.ts'

/** The members of an asset as earlier versions packed it, in order. */
export const earlierAsset = ['key', 'kind', 'name', 'url', 'container', 'contentUpdatedAt'] as const

/** Assets in columns; null for values that were not given; repeated words are stored once. */
export type AssetPack = Record<keyof ImportedAsset, (SafeText | number | number[] | null)[]> & { words: SafeText[] }

/** Storage order of findings: by asset key, grouped by asset in order of arrival, or as given. */
export type BlockOrder = 'key' | 'arrival' | 'given'

/**
 * The assets that a block describes, with their numbers in the file; its findings may refer to any asset that a block of
 * its group describes.
 */
interface NumberedAssets {
  numbers: number[]
  described: AssetPack
}

/** In an earlier version each converter of a file numbered the assets of a group: those of its blocks in order. */
interface GroupNumbers {
  converter: number
  /** Number of the first asset that the block describes. */
  from: number
}

/** The part of a block that is not numeric, as JSON; `excerpts` are by row, and absent if no row has one. */
interface Names {
  /** Absent: `key`, or `arrival` if an earlier version packed the assets. */
  order?: BlockOrder
  /** First, see `assetsAt`. */
  assets: AssetPack | NumberedAssets | (GroupNumbers & { added: AssetPack }) | unknown[][]
  /** Each in the order of `facetNames`. */
  facets: SafeText[][]
  excerpts?: (SafeText | null)[]
}

/** Bytes of the header: number of findings, and length of the names. */
const HEAD = 8

/** Offset of the assets in a block of `size` findings; they start with `[` if an earlier version packed them. */
export const assetsAt = (size: number): number => HEAD + ROW_BYTES * size + '{"assets":'.length
export const EARLIER_ASSETS = '['

interface PackOptions {
  order?: BlockOrder
  /** The block describes all of its assets, numbered from 0 on. */
  isWhole?: boolean
}

const FIRST_ROWS = 64

/** Collects findings in columns, with each asset and each combination of facets once, and packs them into a block. */
export class BlockWriter {
  #capacity = FIRST_ROWS
  #columns = allocateColumns(FIRST_ROWS)
  #size = 0
  #excerpts: (SafeText | null)[] = []
  #facets = new Map<ImportFacets, number>()
  #assets = emptyPack()
  /** The numbers of the described assets, with the places of their descriptions. */
  #places = new Map<number, number>()
  #words = new Map<SafeText, number>()

  get size(): number {
    return this.#size
  }

  /** Describes the asset of a number for all blocks of the group. */
  describe(number: number, asset: ImportedAsset): void {
    this.#places.set(number, this.#assets.key.length)
    packAsset(asset, this.#assets, this.#words)
  }

  /** Masks values in the key, name and address of an asset, if this block describes it. */
  hideInAsset(number: number, values: ReportedValues, identify: Identify): void {
    const place = this.#places.get(number)
    if (place === undefined) return
    const { key, name, url } = this.#assets
    key[place] = toHiddenKey(key[place] as SafeText, identify, values)
    if (name[place]) name[place] = values.hide(name[place] as SafeText)
    if (url[place]) url[place] = values.hideInAddress(url[place] as SafeText)
  }

  /** Adds a finding of the asset of a number; returns its place. */
  add(asset: number, facets: ImportFacets, numbers: Readonly<RowNumbers>): number {
    if (this.#size === this.#capacity) this.#grow()
    const place = this.#size++
    const columns = this.#columns
    let combination = this.#facets.get(facets)
    if (combination === undefined) {
      combination = this.#facets.size
      this.#facets.set(facets, combination)
    }
    columns.asset[place] = asset
    columns.facets[place] = combination
    writeRowNumbers(columns, place, numbers)
    return place
  }

  setExcerpt(place: number, excerpt: SafeText): void {
    while (this.#excerpts.length < place) this.#excerpts.push(null)
    this.#excerpts[place] = excerpt
  }

  /** Packs what was added since the last call, as a block of a group unless it describes all of its assets. */
  pack({ order = 'key', isWhole = false }: PackOptions = {}): Uint8Array<ArrayBuffer> {
    const size = this.#size
    if (this.#excerpts.length > 0) while (this.#excerpts.length < size) this.#excerpts.push(null)
    const described = withWords(this.#assets, this.#words)
    const bytes = allocateBlock(size, {
      assets: isWhole ? described : { numbers: [...this.#places.keys()], described },
      facets: Array.from(this.#facets.keys(), packFacets),
      ...(order === 'key' ? {} : { order }),
      ...(this.#excerpts.length === 0 ? {} : { excerpts: this.#excerpts }),
    })
    copyColumns(this.#columns, viewColumns(bytes.buffer, HEAD, size))
    this.#size = 0
    this.#excerpts = []
    this.#facets = new Map()
    this.#assets = emptyPack()
    this.#places = new Map()
    this.#words = new Map()
    return bytes
  }

  #grow(): void {
    const columns = allocateColumns(this.#capacity * 2)
    copyColumns(this.#columns, columns)
    this.#capacity *= 2
    this.#columns = columns
  }
}

const allocateColumns = (size: number): NumberColumns => viewColumns(new ArrayBuffer(size * ROW_BYTES), 0, size)

/** Copies as many rows as both have. */
function copyColumns(from: NumberColumns, to: NumberColumns): void {
  for (const name of Object.keys(to) as (keyof NumberColumns)[]) to[name].set(from[name].subarray(0, to[name].length))
}

/** Packs findings that are in memory as one block. */
export function packBlock(rows: readonly ImportRow[], order: BlockOrder = 'key'): Uint8Array<ArrayBuffer> {
  const writer = new BlockWriter()
  const assets = new Map<ImportedAsset, number>()
  for (const { asset, facets, excerpt, ...numbers } of rows) {
    let number = assets.get(asset)
    if (number === undefined) {
      number = assets.size
      assets.set(asset, number)
      writer.describe(number, asset)
    }
    const place = writer.add(number, facets, numbers)
    if (excerpt !== null) writer.setExcerpt(place, excerpt)
  }
  return writer.pack({ order, isWhole: true })
}

/** A block of `size` findings whose numbers are all 0. */
function allocateBlock(size: number, names: Names): Uint8Array<ArrayBuffer> {
  const text = Buffer.from(JSON.stringify(names))
  const bytes = new Uint8Array(HEAD + ROW_BYTES * size + text.length)
  new Uint32Array(bytes.buffer, 0, 2).set([size, text.length])
  bytes.set(text, HEAD + ROW_BYTES * size)
  return bytes
}

/** Unpacked findings. */
export interface ImportBlock {
  readonly size: number
  /** The assets that it describes. */
  readonly assets: readonly ImportedAsset[]
  /** To which numbers the column `asset` refers: those of the file, or of a converter; else to `assets`. */
  readonly numbers?: readonly number[]
  readonly earlier?: GroupNumbers
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
  const { assets, facets, excerpts, order = Array.isArray(assets) ? 'arrival' : 'key' } = names
  const columns = viewColumns(buffer, HEAD, size)
  return { size, ...unpackNumbered(assets), facets, columns, excerpts, order }
}

function unpackNumbered(packed: Names['assets']): Pick<ImportBlock, 'assets' | 'numbers' | 'earlier'> {
  if (Array.isArray(packed)) return { assets: packed.map(unpackAsset) }
  if ('numbers' in packed) return { assets: unpackAssets(packed.described), numbers: packed.numbers }
  if (!('added' in packed)) return { assets: unpackAssets(packed) }
  const { added, ...earlier } = packed
  return { assets: unpackAssets(added), earlier }
}

/** The block with other texts; it has as many assets and combinations as before. */
export function replaceTexts(
  { size, numbers, earlier, columns, order }: ImportBlock,
  texts: { assets: readonly ImportedAsset[]; facets: readonly ImportFacets[]; excerpts: ImportBlock['excerpts'] },
): Uint8Array {
  const pack = packAssets(texts.assets)
  const numbered = numbers === undefined ? pack : { numbers: [...numbers], described: pack }
  const bytes = allocateBlock(size, {
    assets: earlier === undefined ? numbered : { ...earlier, added: pack },
    order,
    facets: texts.facets.map(packFacets),
    ...(texts.excerpts === undefined ? {} : { excerpts: [...texts.excerpts] }),
  })
  copyColumns(columns, viewColumns(bytes.buffer, HEAD, size))
  return bytes
}

export function packAssets(assets: readonly ImportedAsset[]): AssetPack {
  const pack = emptyPack()
  const words = new Map<SafeText, number>()
  for (const asset of assets) packAsset(asset, pack, words)
  return withWords(pack, words)
}

const packFacets = (facets: ImportFacets): SafeText[] => facetNames.map((name) => facets[name] as SafeText)

const emptyPack = () =>
  Object.fromEntries([['words', []], ...assetNames.map((name) => [name, []])]) as unknown as AssetPack

const withWords = (pack: AssetPack, words: ReadonlyMap<SafeText, number>): AssetPack => ({
  ...pack,
  words: [...words.keys()],
})
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

export function unpackAssets(pack: AssetPack): ImportedAsset[] {
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

/** The part of a key: keys below a bound belong to the part before it. */
export function partOf(key: string, bounds: readonly string[]): number {
  let [low, high] = [0, bounds.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (key < (bounds[middle] ?? '')) high = middle
    else low = middle + 1
  }
  return low
}

/** Bounds that divide some keys into parts of about equal size. */
export function findBounds(keys: readonly string[], parts: number): string[] {
  const sorted = [...new Set(keys)].sort()
  const bounds = Array.from(
    { length: parts - 1 },
    (_, part) => sorted[Math.floor(((part + 1) * sorted.length) / parts)],
  )
  return [...new Set(bounds.filter((key) => key !== undefined))]
}

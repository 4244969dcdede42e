import { hasSameFields, type ImportedAsset } from '../../findings/imported-assets.store.ts'
import type { SafeText } from '../../kernel/safe-text.ts'
import { type ImportFacets, type NumberColumns, numberNames, ROW_BYTES, viewColumns } from '../read/import-row.ts'
import { type BlockOrder, type ImportBlock, openBlock, unpackFacets } from '../stage/import-block.ts'

/** Findings in columns, in storage order; those of one asset keep their order in the file. */
export interface SortedImportRows {
  size: number
  /** The distinct descriptions of assets, to which the column `asset` refers. */
  assets: ImportedAsset[]
  facets: ImportFacets[]
  columns: NumberColumns
  /** Undefined if no finding has an excerpt. */
  excerpts: (SafeText | null)[] | undefined
}

/** Unpacks blocks and sorts their findings, by default by asset key, so that its index is written sequentially. */
export function sortBlocks(packed: readonly Uint8Array[]): SortedImportRows {
  const blocks = packed.map(openBlock)
  const order = blocks[0]?.order ?? 'key'
  const variants = new AssetVariants()
  numberAssets(blocks, variants)
  const combinations = new Map<string, number>()
  const facets: ImportFacets[] = []
  const size = blocks.reduce((sum, block) => sum + block.size, 0)
  const nextPlaces = order === 'given' ? undefined : variants.startsOf(countByKey(blocks, variants), order)
  const columns = viewColumns(new ArrayBuffer(size * ROW_BYTES), 0, size)
  const excerpts = blocks.some((block) => block.excerpts !== undefined)
    ? new Array<SafeText | null>(size).fill(null)
    : undefined
  let given = 0
  for (const block of blocks) {
    const facetsOf = block.facets.map((names) => {
      const key = JSON.stringify(names)
      const known = combinations.get(key)
      if (known !== undefined) return known
      const number = facets.push(unpackFacets(names)) - 1
      combinations.set(key, number)
      return number
    })
    const places = new Uint32Array(block.size)
    for (let index = 0; index < block.size; index++) {
      const asset = block.columns.asset[index] ?? 0
      const key = variants.keyOf(asset)
      const place = nextPlaces?.[key] ?? given++
      if (nextPlaces !== undefined) nextPlaces[key] = place + 1
      places[index] = place
      columns.asset[place] = asset
      columns.facets[place] = facetsOf[block.columns.facets[index] ?? 0] ?? 0
      if (excerpts !== undefined) excerpts[place] = block.excerpts?.[index] ?? null
    }
    for (const name of numberNames) scatter(block.columns[name], columns[name], places)
  }
  return { size, assets: variants.list, facets, columns, excerpts }
}

const incomplete = () => new RangeError('another block of the staged findings is missing')

/** Makes the column `asset` of all blocks refer to `variants`. */
function numberAssets(blocks: readonly ImportBlock[], variants: AssetVariants): void {
  /** By the numbers of assets in the file. */
  const described = new Map<number, number>()
  /** By converter, see `GroupNumbers`. */
  const earlierLists = new Map<number, number[]>()
  const own = blocks.map(({ assets, numbers, earlier }) => {
    const list = assets.map((asset) => variants.numberOf(asset))
    if (earlier !== undefined) {
      const { converter, from } = earlier
      const before = from === 0 ? [] : (earlierLists.get(converter) ?? [])
      if (before.length !== from) throw incomplete()
      before.push(...list)
      earlierLists.set(converter, before)
      return before
    }
    if (numbers === undefined) return list
    for (const [index, number] of numbers.entries()) described.set(number, list[index] ?? 0)
    return undefined
  })
  for (const [at, { columns }] of blocks.entries()) {
    const list = own[at]
    for (let index = 0; index < columns.asset.length; index++) {
      const number = columns.asset[index] ?? 0
      const variant = list === undefined ? described.get(number) : list[number]
      if (variant === undefined) throw incomplete()
      columns.asset[index] = variant
    }
  }
}

function scatter(from: NumberColumns[keyof NumberColumns], to: typeof from, places: Uint32Array): void {
  for (let index = 0; index < places.length; index++) to[places[index] ?? 0] = from[index] ?? 0
}

function countByKey(blocks: readonly ImportBlock[], variants: AssetVariants): Uint32Array {
  const counts = new Uint32Array(variants.keyCount)
  for (const { columns } of blocks) {
    for (const asset of columns.asset) {
      const key = variants.keyOf(asset)
      counts[key] = (counts[key] ?? 0) + 1
    }
  }
  return counts
}

/** Maximum number of descriptions of an asset with which another one is compared. */
const MAX_COMPARED = 8

/** Numbers distinct descriptions of assets; most keys have one, some have several. */
class AssetVariants {
  readonly list: ImportedAsset[] = []
  readonly #keys = new Map<string, { number: number; variants: number[] }>()
  readonly #keyOf: number[] = []

  get keyCount(): number {
    return this.#keys.size
  }

  numberOf(asset: ImportedAsset): number {
    let key = this.#keys.get(asset.key)
    if (key === undefined) {
      key = { number: this.#keys.size, variants: [] }
      this.#keys.set(asset.key, key)
    }
    // Only the last ones: a repeated description does no harm, and a file could describe an asset in any number of ways.
    for (const number of key.variants.slice(-MAX_COMPARED)) {
      const known = this.list[number]
      if (known !== undefined && hasSameFields(known, asset)) return number
    }
    const number = this.list.push(asset) - 1
    key.variants.push(number)
    this.#keyOf.push(key.number)
    return number
  }

  keyOf(telling: number): number {
    return this.#keyOf[telling] ?? 0
  }

  /** Positions of the first finding of each key, given the number of findings of each. */
  startsOf(counts: Uint32Array, order: BlockOrder): Uint32Array {
    const keys = [...this.#keys.keys()]
    if (order === 'key') keys.sort()
    const starts = new Uint32Array(counts.length)
    let start = 0
    for (const key of keys) {
      const number = this.#keys.get(key)?.number ?? 0
      starts[number] = start
      start += counts[number] ?? 0
    }
    return starts
  }
}

import { hasSameFields, type ImportedAsset } from '../../findings/imported-assets.store.ts'
import type { SafeText } from '../../kernel/safe-text.ts'
import type { ImportFacets } from '../read/import-line.ts'
import { type BlockOrder, type ImportBlock, openBlock } from '../stage/import-block.ts'

/** Findings in columns, in storage order; those of one asset keep their order in the file. */
export interface SortedImportRows {
  size: number
  /** The distinct descriptions of assets, and for each finding the index of its own. */
  assets: ImportedAsset[]
  assetAt: Uint32Array
  facets: ImportFacets[]
  facetsAt: Uint32Array
  fp: Float64Array
  firstDetectedAt: Float64Array
  /** NaN: not given. */
  lastDetectedAt: Float64Array
  resolvedAt: Float64Array
  confidence: Uint16Array
  undated: Uint8Array
  /** Undefined if no finding has an excerpt. */
  excerpts: (SafeText | null)[] | undefined
}

/** Unpacks blocks and sorts their findings, by default by asset key, so that its index is written sequentially. */
export function sortBlocks(packed: readonly Uint8Array[]): SortedImportRows {
  const blocks = packed.map(openBlock)
  const order = blocks[0]?.order ?? 'key'
  const tellings = new AssetVariants()
  const combinations = new Map<string, number>()
  const facets: ImportFacets[] = []
  const numbered = blocks.map((block) => ({
    block,
    assetOf: block.assets.map((told) => tellings.numberOf(told)),
    facetsOf: block.facets.map((one) => {
      const key = JSON.stringify(Object.values(one))
      const number = combinations.get(key) ?? facets.push(one) - 1
      combinations.set(key, number)
      return number
    }),
  }))
  const size = blocks.reduce((sum, block) => sum + block.size, 0)
  const nextPlaces = order === 'given' ? undefined : tellings.startsOf(countByKey(numbered, tellings), order)
  const rows: SortedImportRows = {
    size,
    assets: tellings.list,
    assetAt: new Uint32Array(size),
    facets,
    facetsAt: new Uint32Array(size),
    fp: new Float64Array(size),
    firstDetectedAt: new Float64Array(size),
    lastDetectedAt: new Float64Array(size),
    resolvedAt: new Float64Array(size),
    confidence: new Uint16Array(size),
    undated: new Uint8Array(size),
    excerpts: blocks.some(({ excerpts }) => excerpts !== undefined) ? new Array<null>(size).fill(null) : undefined,
  }
  let given = 0
  for (const { block, assetOf, facetsOf } of numbered) {
    const { columns, excerpts } = block
    for (let index = 0; index < block.size; index++) {
      const asset = assetOf[columns.asset[index] ?? 0] ?? 0
      const key = tellings.keyOf(asset)
      const place = nextPlaces?.[key] ?? given++
      if (nextPlaces !== undefined) nextPlaces[key] = place + 1
      rows.assetAt[place] = asset
      rows.facetsAt[place] = facetsOf[columns.facets[index] ?? 0] ?? 0
      rows.fp[place] = columns.fp[index] ?? 0
      rows.firstDetectedAt[place] = columns.firstDetectedAt[index] ?? 0
      rows.lastDetectedAt[place] = columns.lastDetectedAt[index] ?? Number.NaN
      rows.resolvedAt[place] = columns.resolvedAt[index] ?? Number.NaN
      rows.confidence[place] = columns.confidence[index] ?? 0
      rows.undated[place] = columns.undated[index] ?? 0
      if (rows.excerpts !== undefined) rows.excerpts[place] = excerpts?.[index] ?? null
    }
  }
  return rows
}

function countByKey(numbered: readonly { block: ImportBlock; assetOf: readonly number[] }[], tellings: AssetVariants) {
  const counts = new Uint32Array(tellings.keyCount)
  for (const { block, assetOf } of numbered) {
    for (const number of block.columns.asset) {
      const key = tellings.keyOf(assetOf[number] ?? 0)
      counts[key] = (counts[key] ?? 0) + 1
    }
  }
  return counts
}

/** Numbers distinct descriptions of assets; most keys have one, some have several. */
class AssetVariants {
  readonly list: ImportedAsset[] = []
  readonly #keys = new Map<string, { number: number; tellings: number[] }>()
  readonly #keyOf: number[] = []

  get keyCount(): number {
    return this.#keys.size
  }

  numberOf(told: ImportedAsset): number {
    let key = this.#keys.get(told.key)
    if (key === undefined) {
      key = { number: this.#keys.size, tellings: [] }
      this.#keys.set(told.key, key)
    }
    for (const number of key.tellings) {
      const known = this.list[number]
      if (known !== undefined && hasSameFields(known, told)) return number
    }
    const number = this.list.push(told) - 1
    key.tellings.push(number)
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

import type { Engine } from '../../engine/columnar-index.ts'
import { isOwnFacet, isPlaceFacet } from '../../engine/index/assets.ts'
import type { Facet } from '../../engine/index/facet.ts'
import { codeNamesOf, type FacetRow, type FacetSlot, facetOf, findFacetByFilterKey } from '../../findings/facets.ts'
import { readOwnWord } from '../../findings/missing-value.ts'
import { foldCase } from '../../kernel/fold.ts'
import { internalText, ownText, type SafeText } from '../../kernel/safe-text.ts'
import type { Dimension } from '../../metrics/model.ts'
import type { GroupKey, PlanCondition } from '../plan/plan.ts'

/** The maximum number of parts, and of pairs of a combination part and a place part. */
export const MAX_PARTS = 4_000_000

/** A column of numbered values. */
export type ValueColumn = Pick<Facet, 'values' | 'column'>

/**
 * The columns of the facets of assets, by place or `isByAsset`; those of their findings are by combination. The source
 * of `ofFindings` is that of the combination.
 */
export function openColumns(
  { facets, assets }: Engine,
  { isByAsset, ofFindings }: { isByAsset: boolean; ofFindings: boolean },
): (slot: FacetSlot | 'deleted' | 'scanned') => ValueColumn {
  const { count, placeOf } = assets
  return (slot) => {
    if (slot === 'asset') {
      const column = Uint32Array.from({ length: count }, (_, asset) => asset)
      return { column, values: Array.from(assets.ids.subarray(0, count)) }
    }
    if (slot === 'value') throw new TypeError('values are in the rows of findings')
    if (isOwnFacet(slot)) return assets.own[slot]
    if (!isPlaceFacet(slot) || (slot === 'source' && ofFindings)) return facets.facets[slot]
    const facet = assets.facets[slot]
    if (!isByAsset) return facet
    const column = new Uint32Array(count)
    for (let asset = 0; asset < count; asset++) column[asset] = facet.column[placeOf[asset] as number] as number
    return { column, values: facet.values }
  }
}

/** The values of a facet that a condition admits, by value number. */
export interface AllowMask {
  column: Uint32Array
  allowed: Uint8Array
}

/** The name of each value of a dimension's facet, by value number. */
export interface GroupAxis {
  column: Uint32Array
  indexOf: Uint32Array
  names: (SafeText | null)[]
}

/** Partitions items by their values on the axes; items that a condition excludes get the number after the last part. */
export function partition(
  items: Uint32Array | undefined,
  count: number,
  axes: readonly GroupAxis[],
  sieves: readonly AllowMask[],
): { partOf: Uint32Array; keys: GroupKey[] } | undefined {
  const length = items?.length ?? count
  const domain = axes.reduce((product, { names }) => product * Math.max(1, names.length), 1)
  if (domain > MAX_PARTS) return undefined
  const partOf = new Uint32Array(length)
  for (const { column, indexOf, names } of axes) {
    const own = pick(column, items)
    for (let item = 0; item < length; item++) {
      partOf[item] = (partOf[item] as number) * names.length + (indexOf[own[item] as number] as number)
    }
  }
  const kept = new Uint8Array(length).fill(1)
  for (const { column, allowed } of sieves) {
    const own = pick(column, items)
    for (let item = 0; item < length; item++) if (allowed[own[item] as number] === 0) kept[item] = 0
  }
  const numbers = new Int32Array(domain).fill(-1)
  const keys: GroupKey[] = []
  for (let item = 0; item < length; item++) {
    const at = partOf[item] as number
    if (kept[item] === 0 || numbers[at] !== -1) continue
    numbers[at] = keys.length
    keys.push(toKey(at, axes))
  }
  for (let item = 0; item < length; item++) {
    partOf[item] = kept[item] === 0 ? keys.length : (numbers[partOf[item] as number] as number)
  }
  return { partOf, keys }
}

const pick = (column: Uint32Array, items: Uint32Array | undefined): Uint32Array =>
  items === undefined ? column : items.map((item) => column[item] ?? 0)

function toKey(at: number, axes: readonly GroupAxis[]): GroupKey {
  let left = at
  const key = axes.toReversed().map(({ names }) => {
    const index = left % names.length
    left = Math.floor(left / names.length)
    return names[index] ?? null
  })
  return key.reverse()
}

function toName({ names }: Engine, facet: FacetRow, value: number): SafeText | null {
  const { storage, isOptional } = facet
  if (storage.stores === 'source') return names.sourceOf(value)?.[storage.sourceColumn] ?? null
  if (storage.stores === 'code') return codeNamesOf(facet)?.get(value) ?? null
  if (storage.stores === 'asset' || storage.stores === 'wordSet') return internalText(String(value))
  return value === 0 && !isOptional ? ownText('') : names.wordOf(value)
}

export function toGroupAxis(engine: Engine, { values, column }: ValueColumn, dimension: Dimension): GroupAxis {
  const facet = facetOf(dimension)
  const names: (SafeText | null)[] = []
  const indexes = new Map<SafeText | null, number>()
  const indexOf = Uint32Array.from(values, (value) => {
    const name = toName(engine, facet, value)
    const known = indexes.get(name)
    if (known !== undefined) return known
    indexes.set(name, names.length)
    return names.push(name) - 1
  })
  return { column, indexOf, names }
}

export function toAllowMask(
  { names }: Engine,
  { values, column }: ValueColumn,
  { key, values: asked, exclude }: Pick<PlanCondition, 'key' | 'values' | 'exclude'>,
): AllowMask {
  const texts = asked.map(String)
  const folded = new Set(texts.map(foldCase))
  const uids = new Set(texts.map((text) => text.toLowerCase()))
  const storage = findFacetByFilterKey(key)?.storage
  const codes = new Set(
    texts.flatMap((text) =>
      storage?.stores === 'code' ? (storage.codes[text] ?? []) : names.findWords(readOwnWord(text) ?? ''),
    ),
  )
  const matches = (value: number): boolean => {
    if (storage?.stores === 'wordSet') return names.labelsOf(value).some((word) => codes.has(word))
    if (storage?.stores !== 'source') return codes.has(value)
    const source = names.sourceOf(value)
    if (source === undefined) return false
    if (storage.sourceColumn === 'type') return folded.has(foldCase(source.type))
    return folded.has(foldCase(source.name)) || uids.has(source.uid)
  }
  return { column, allowed: Uint8Array.from(values, (value) => (matches(value) === exclude ? 0 : 1)) }
}

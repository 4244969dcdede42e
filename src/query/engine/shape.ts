import type { Engine } from '../../engine/columnar-index.ts'
import { type AssetTable, isOwnFacet, ownFacets } from '../../engine/index/assets.ts'
import type { Facet } from '../../engine/index/facet.ts'
import type { PlaceParts, Shape } from '../../engine/scan/shape.ts'
import {
  codeNamesOf,
  comboSlots,
  type FacetRow,
  type FacetSlot,
  facetOf,
  findFacetByFilterKey,
  isManyValued,
  NONE,
} from '../../findings/facets.ts'
import { toConfidenceUnits } from '../../findings/filter-terms.ts'
import { foldCase } from '../../kernel/fold.ts'
import { internalText, ownText, type SafeText } from '../../kernel/safe-text.ts'
import type { Dimension } from '../../metrics/model.ts'
import { toGroupId } from '../plan/cells.ts'
import type { GroupKey, Plan, PlanCondition } from '../plan/plan.ts'

/** The lookup tables for a plan's conditions and dimensions, and the keys of its groups. */
export interface CompiledShape {
  shape: Shape
  keys: GroupKey[]
  /** The `toGroupId` of each key. */
  ids: string[]
}

/** The maximum number of parts, and of pairs of a combination part and a place part. */
const MAX_PARTS = 4_000_000

const slotOfKey = (key: string): FacetSlot => findFacetByFilterKey(key)?.slot ?? 'severity'
const ofCells: ReadonlySet<FacetSlot> = new Set(['severity', 'status', 'detector'])
const ofMasks: ReadonlySet<FacetSlot> = new Set(['severity', 'status'])
const ofCombos: ReadonlySet<string> = new Set(comboSlots)

/** Slots of facets that are stored by asset, not by place. */
export const ofOwn: ReadonlySet<string> = new Set([...ownFacets, 'asset'])

/** Keys of assets are not in the index, nor are ranges and terms. */
export const isCompilable = (conditions: readonly PlanCondition[]): boolean =>
  conditions.every(
    ({ key }) =>
      key === 'minConfidence' || key === 'scanned' || (key !== 'assets' && findFacetByFilterKey(key) !== undefined),
  )

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
    if (isOwnFacet(slot)) return assets.own[slot]
    const isOfPlace = slot === 'kind' || slot === 'container' || slot === 'deleted' || slot === 'scanned'
    if (!isOfPlace && (ofFindings || slot !== 'source')) return facets.facets[slot]
    const facet = assets.facets[slot]
    if (!isByAsset) return facet
    const column = new Uint32Array(count)
    for (let asset = 0; asset < count; asset++) column[asset] = facet.column[placeOf[asset] as number] as number
    return { column, values: facet.values }
  }
}

/** The values of a facet that a condition admits, by value number. */
interface AllowMask {
  column: Uint32Array
  allowed: Uint8Array
}

/** The name of each value of a dimension's facet, by value number. */
interface GroupAxis {
  column: Uint32Array
  indexOf: Uint32Array
  names: (SafeText | null)[]
}

/** Builds the lookup tables; undefined when they would be too large. */
export function compileShape(
  engine: Engine,
  plan: Pick<Plan, 'conditions' | 'dimensions' | 'groups'>,
): CompiledShape | undefined {
  const { facets, assets } = engine
  const { groups } = plan
  const dimensions = [...new Set([...plan.dimensions, ...(groups?.dimensions ?? [])])]
  const conditions = plan.conditions.filter(({ key }) => key !== 'minConfidence' && key !== 'scanned')
  const used = new Set([
    ...dimensions.map((dimension) => facetOf(dimension).slot),
    ...conditions.map(({ key }) => slotOfKey(key)),
  ])
  const within = (names: ReadonlySet<FacetSlot>) => [...used].every((name) => names.has(name))
  const isOfCombo = (name: FacetSlot) => ofCombos.has(name)
  const byCell = facets.hasCells && [...used].every((name) => ofCells.has(name) || !isOfCombo(name))
  if (!isCompilable(conditions)) return undefined
  const isByAsset = [...used].some((name) => ofOwn.has(name))
  const placeSlots = [...used].filter((name) => !isOfCombo(name))
  const only = placeSlots.length === 1 ? findAssetFacet(assets, placeSlots[0]) : undefined
  const openColumn = openColumns(engine, { isByAsset, ofFindings: true })
  // Parts that depend on one facet are found for its values instead of all assets or places.
  const columnOf = (slot: FacetSlot): ValueColumn =>
    slot === only?.slot ? { values: only.facet.values, column: countUp(only.facet.values.length) } : openColumn(slot)
  const axesOf = (combos: boolean) =>
    dimensions
      .filter((dimension) => isOfCombo(facetOf(dimension).slot) === combos)
      .map((dimension) => toGroupAxis(engine, columnOf(facetOf(dimension).slot), dimension))
  const masksOf = (combos: boolean) =>
    conditions
      .filter(({ key }) => isOfCombo(slotOfKey(key)) === combos)
      .map((condition) => toAllowMask(engine, columnOf(slotOfKey(condition.key)), condition))

  const combos = partition(
    byCell ? Uint32Array.from(facets.cells) : undefined,
    facets.count,
    axesOf(true),
    masksOf(true),
  )
  const comboDimensions = dimensions.filter((dimension) => isOfCombo(facetOf(dimension).slot))
  const placeDimensions = dimensions.filter((dimension) => !isOfCombo(facetOf(dimension).slot))
  if (combos === undefined) return undefined
  // Combination 0 represents removed findings, and no other combination shares its cell.
  combos.partOf[0] = combos.keys.length
  const hasPlaces = placeSlots.length > 0
  const placeCount = isByAsset ? assets.count : assets.placeCount
  const items = only?.facet.values.length ?? placeCount
  const places = hasPlaces ? partition(undefined, items, axesOf(false), masksOf(false)) : undefined
  if (hasPlaces && places === undefined) return undefined
  if (combos.keys.length * (places?.keys.length ?? 1) > MAX_PARTS) return undefined

  const keys: GroupKey[] = []
  const disjointSetOf: number[] = []
  const numbers = new Map<string, number>()
  const disjointSets = new Map<string, number>()
  const isWanted = toGroupFilter(engine, groups)
  const toGroup = (comboKey: GroupKey, placeKey: GroupKey): number | undefined => {
    const nameOf = (dimension: Dimension) => {
      const index = comboDimensions.indexOf(dimension)
      return (index >= 0 ? comboKey[index] : placeKey[placeDimensions.indexOf(dimension)]) ?? null
    }
    if (isWanted !== undefined && !isWanted((groups?.dimensions ?? []).map(nameOf))) return undefined
    const key = plan.dimensions.map(nameOf)
    const id = toGroupId(key)
    const known = numbers.get(id)
    if (known !== undefined) return known
    const number = keys.length
    keys.push(key)
    numbers.set(id, number)
    const setId = toGroupId(
      plan.dimensions.map((dimension) => (comboDimensions.includes(dimension) ? nameOf(dimension) : '')),
    )
    if (!disjointSets.has(setId)) disjointSets.set(setId, disjointSets.size)
    disjointSetOf.push(disjointSets.get(setId) ?? 0)
    return number
  }

  const partGroups = combos.keys.map((key) => (places === undefined ? toGroup(key, []) : undefined))
  const parts = combos.keys.length
  let placeParts: Shape['places']
  if (places !== undefined) {
    const width = places.keys.length + 1
    const groupOf = new Uint32Array((parts + 1) * width)
    const left: number[] = []
    for (let part = 0; part <= parts; part++) {
      for (let place = 0; place < width; place++) {
        const [comboKey, placeKey] = [combos.keys[part], places.keys[place]]
        const group = comboKey === undefined || placeKey === undefined ? undefined : toGroup(comboKey, placeKey)
        if (group === undefined) left.push(part * width + place)
        else groupOf[part * width + place] = group
      }
    }
    for (const at of left) groupOf[at] = keys.length
    const isOfMasks = byCell && [...used].every((name) => ofMasks.has(name) || !isOfCombo(name))
    const bits = isOfMasks && toMinConfidence(plan.conditions) === 0 ? toBits(engine, combos.partOf, parts) : undefined
    const isOfEveryCombo = [...used].every((name) => !isOfCombo(name))
    const common = { isByAsset, isOfEveryCombo, parts: width, groupOf, bits }
    placeParts =
      only === undefined
        ? { ...common, partOf: places.partOf }
        : spreadLater({ ...common, ofValues: { slot: only.slot, partOf: places.partOf } }, only.facet, placeCount)
  }
  const none = placeParts === undefined ? keys.length : parts
  const own = combos.partOf
  if (placeParts === undefined && isWanted !== undefined) {
    const groupOfPart = new Uint32Array(parts + 1).fill(none)
    for (const [part, group] of partGroups.entries()) if (group !== undefined) groupOfPart[part] = group
    for (let item = 0; item < own.length; item++) own[item] = groupOfPart[own[item] as number] as number
  }
  const groupOf = byCell ? spread(own, facets.cellOf, facets.count) : own
  return {
    keys,
    ids: [...numbers.keys()],
    shape: {
      groups: keys.length,
      groupOf,
      members: byCell ? new Uint32Array(0) : listMembers(groupOf, none),
      ...(byCell ? { cellPartOf: own } : {}),
      ...(byCell && placeParts === undefined ? { cellGroupOf: own } : {}),
      ...(placeParts === undefined ? {} : { places: placeParts }),
      disjointSetOf: Uint32Array.from(disjointSetOf),
      disjointSets: disjointSets.size,
      minConfidence: toMinConfidence(plan.conditions),
      isWhole: conditions.length === 0 && dimensions.length === 0 && toMinConfidence(plan.conditions) === 0,
      ...(byCell && within(ofMasks) && toMinConfidence(plan.conditions) === 0
        ? { bits: toBits(engine, own, keys.length) }
        : {}),
    },
  }
}

const countUp = (count: number) => Uint32Array.from({ length: count }, (_, number) => number)

/** The facet of assets or places in a slot; undefined for the asset itself. */
function findAssetFacet({ own, facets }: AssetTable, slot: FacetSlot | undefined) {
  if (slot === 'kind' || slot === 'container') return { slot, facet: facets[slot] }
  return slot !== undefined && isOwnFacet(slot) ? { slot, facet: own[slot] } : undefined
}

/** Parts by asset or place made from those by value on first use, because counts by value need only these. */
function spreadLater(
  parts: Omit<PlaceParts, 'partOf'> & Required<Pick<PlaceParts, 'ofValues'>>,
  { column }: Facet,
  count: number,
): PlaceParts {
  let spread: Uint32Array | undefined
  const partOfValue = parts.ofValues?.partOf ?? new Uint32Array(0)
  return {
    ...parts,
    get partOf() {
      spread ??= column.subarray(0, count).map((value) => partOfValue[value] as number)
      return spread
    },
  }
}

/** Derives the group of each combination from its cell. */
function spread(own: Uint32Array, cellOf: Uint16Array, count: number): Uint32Array {
  const groupOf = new Uint32Array(count)
  for (let combo = 0; combo < count; combo++) groupOf[combo] = own[cellOf[combo] as number] as number
  return groupOf
}

function listMembers(groupOf: Uint32Array, none: number): Uint32Array {
  const members = new Uint32Array(groupOf.length)
  let count = 0
  for (let combo = 0; combo < groupOf.length; combo++) if (groupOf[combo] !== none) members[count++] = combo
  return members.subarray(0, count)
}

function toMinConfidence(conditions: readonly PlanCondition[]): number {
  const least = conditions
    .filter(({ key }) => key === 'minConfidence')
    .map(({ values }) => toConfidenceUnits(Number(values[0])))
  return Math.max(0, ...least)
}

function toBits({ facets }: Engine, cellGroupOf: Uint32Array, groups: number): number[] {
  const bits = new Array<number>(groups).fill(0)
  for (const [cell, combo] of facets.cells.entries()) {
    const group = cellGroupOf[cell] ?? groups
    if (group < groups) bits[group] = (bits[group] ?? 0) | (1 << facets.bitOf(combo))
  }
  return bits
}

/** Whether a group is wanted; one by a set of labels is if it is under any of them. */
export function toGroupFilter(engine: Engine, groups: Plan['groups']): ((key: GroupKey) => boolean) | undefined {
  if (groups === undefined || groups.dimensions.length === 0) return undefined
  const named = new Set(groups.keys.map(toGroupId))
  const isWanted = (key: GroupKey) => named.has(toGroupId(key)) !== groups.exclude
  const index = groups.dimensions.findIndex(isManyValued)
  if (index < 0) return isWanted
  return (key) => listLabelNames(engine, key[index]).some((label) => isWanted(key.with(index, label)))
}

/** The labels of the set that a group of the index is named by. */
export const listLabelNames = ({ names }: Engine, set: SafeText | null | undefined): (SafeText | null)[] =>
  names.labelsOf(Number(set ?? 0)).map((word) => names.wordOf(word))

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
  { key, values: asked, exclude }: PlanCondition,
): AllowMask {
  const texts = asked.map(String)
  const folded = new Set(texts.map(foldCase))
  const uids = new Set(texts.map((text) => text.toLowerCase()))
  const storage = findFacetByFilterKey(key)?.storage
  const codes = new Set(
    texts.flatMap((text) =>
      storage?.stores === 'code' ? (storage.codes[text] ?? []) : names.findWords(foldCase(text) === NONE ? '' : text),
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

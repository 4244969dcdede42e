import { isDeepStrictEqual } from 'node:util'
import type { Engine } from '../../engine/columnar-index.ts'
import { type AssetTable, isOwnFacet, ownFacets } from '../../engine/index/assets.ts'
import type { Facet } from '../../engine/index/facet.ts'
import { areFindings } from '../../engine/index/rows.ts'
import type { PlaceParts, RowTest, Shape } from '../../engine/scan/shape.ts'
import { comboSlots, type FacetSlot, facetOf, findFacetByFilterKey, isManyValued } from '../../findings/facets.ts'
import { toConfidenceUnits } from '../../findings/filter-terms.ts'
import { internalText, type SafeText } from '../../kernel/safe-text.ts'
import type { Dimension } from '../../metrics/model.ts'
import { toGroupId } from '../plan/cells.ts'
import type { GroupKey, Plan, PlanCondition } from '../plan/plan.ts'
import {
  type GroupAxis,
  MAX_PARTS,
  openColumns,
  partition,
  toAllowMask,
  toGroupAxis,
  type ValueColumn,
} from './columns.ts'
import { type Atom, type RowClass, type Signatures, toJointDecision, toSignatures } from './decision.ts'

/** The lookup tables for a plan's conditions and dimensions, and the keys of its groups. */
export interface CompiledShape {
  /** One for each class of rows that occurs; all have the same groups. */
  parts: { shape: Shape; rows: RowClass }[]
  keys: GroupKey[]
  /** The `toGroupId` of each key. */
  ids: string[]
}

const DAY = 86_400_000
const NO_GROUP = 2 ** 32 - 1
const [LEFT_OUT, UNKNOWN] = [-1, -2]

const slotOfKey = (key: string): FacetSlot => findFacetByFilterKey(key)?.slot ?? 'severity'
const ofCells: ReadonlySet<FacetSlot> = new Set(['severity', 'status', 'detector'])
const ofMasks: ReadonlySet<FacetSlot> = new Set(['severity', 'status'])
const ofCombos: ReadonlySet<string> = new Set(comboSlots)

/** Slots of facets that are stored by asset, not by place. */
export const ofOwn: ReadonlySet<string> = new Set([...ownFacets, 'asset'])

/** Builds the lookup tables of conditions on facets; undefined when they would be too large. `test` is of all others. */
export function compileShape(
  engine: Engine,
  plan: Pick<Plan, 'conditions' | 'dimensions' | 'groups'>,
  test?: RowTest,
): CompiledShape | undefined {
  const { facets, assets } = engine
  const { groups } = plan
  const dimensions = [...new Set([...plan.dimensions, ...(groups?.dimensions ?? [])])]
  if (dimensions.includes('value')) return undefined
  const conditions = plan.conditions.filter(({ key }) => key !== 'minConfidence' && key !== 'scanned')
  const decision = toJointDecision(conditions)
  const plain = conditions.filter(({ anyOf }) => anyOf === undefined)
  const atoms = decision?.atoms ?? []
  const used = new Set([
    ...dimensions.map((dimension) => facetOf(dimension).slot),
    ...[...plain, ...atoms].map(({ key }) => slotOfKey(key)),
  ])
  const within = (names: ReadonlySet<FacetSlot>) => used.isSubsetOf(names)
  const isOfCombo = (name: FacetSlot) => ofCombos.has(name)
  const byCell = facets.hasCells && [...used].every((name) => ofCells.has(name) || !isOfCombo(name))
  const isByAsset = !used.isDisjointFrom(ofOwn)
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
  const masksOf = (combos: boolean, own: readonly Atom[]) =>
    own
      .filter(({ key }) => isOfCombo(slotOfKey(key)) === combos)
      .map((condition) => toAllowMask(engine, columnOf(slotOfKey(condition.key)), condition))
  const placeCount = isByAsset ? assets.count : assets.placeCount
  const items = only?.facet.values.length ?? placeCount
  const signaturesOf = (combos: boolean): Signatures | undefined =>
    decision && toSignatures(combos ? facets.count : items, masksOf(combos, atoms))
  const [comboSignatures, placeSignatures] = [signaturesOf(true), signaturesOf(false)]

  const combos = partition(
    byCell ? Uint32Array.from(facets.cells) : undefined,
    facets.count,
    [...axesOf(true), ...toSignatureAxis(comboSignatures)],
    masksOf(true, plain),
  )
  const comboDimensions = dimensions.filter((dimension) => isOfCombo(facetOf(dimension).slot))
  const placeDimensions = dimensions.filter((dimension) => !isOfCombo(facetOf(dimension).slot))
  if (combos === undefined) return undefined
  // Combination 0 represents removed findings, and no other combination shares its cell.
  combos.partOf[0] = combos.keys.length
  const hasPlaces = placeSlots.length > 0
  const places = hasPlaces
    ? partition(undefined, items, [...axesOf(false), ...toSignatureAxis(placeSignatures)], masksOf(false, plain))
    : undefined
  if (hasPlaces && places === undefined) return undefined
  if (combos.keys.length * (places?.keys.length ?? 1) > MAX_PARTS) return undefined

  const keys: GroupKey[] = []
  const disjointSetOf: number[] = []
  const numbers = new Map<string, number>()
  const disjointSets = new Map<string, number>()
  const isWanted = toGroupFilter(engine, groups)
  const isComboAtom = atoms.map(({ key }) => isOfCombo(slotOfKey(key)))
  const rowClasses: RowClass[] = decision === undefined ? [{ side: 'all' }] : []
  const findClass = (ofCombo: number, ofPlace: number): number => {
    const holding = joinBits(isComboAtom, comboSignatures?.bits[ofCombo], placeSignatures?.bits[ofPlace])
    const rows = decision?.classOf((atom) => holding[atom] === 1)
    if (rows === undefined) return LEFT_OUT
    const known = rowClasses.findIndex((other) => isDeepStrictEqual(other, rows))
    return known < 0 ? rowClasses.push(rows) - 1 : known
  }
  const classes = new Int32Array((comboSignatures?.bits.length ?? 0) * (placeSignatures?.bits.length ?? 0)).fill(
    UNKNOWN,
  )
  const classOf = (comboKey: GroupKey, placeKey: GroupKey): number => {
    if (placeSignatures === undefined) return 0
    const [ofCombo, ofPlace] = [
      Number(comboKey[comboDimensions.length] ?? 0),
      Number(placeKey[placeDimensions.length] ?? 0),
    ]
    const at = ofCombo * placeSignatures.bits.length + ofPlace
    if (classes[at] === UNKNOWN) classes[at] = findClass(ofCombo, ofPlace)
    return classes[at] as number
  }
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

  const parts = combos.keys.length
  const placeKeys: readonly GroupKey[] = places?.keys ?? [[]]
  const width = places === undefined ? 1 : placeKeys.length + 1
  // The group and the class of each pair of a combination part and a place part.
  const groupOfPair = new Uint32Array((parts + 1) * width).fill(NO_GROUP)
  const classOfPair = new Int32Array(decision === undefined ? 0 : groupOfPair.length)
  for (const [part, comboKey] of combos.keys.entries()) {
    for (let place = 0; place < placeKeys.length; place++) {
      const placeKey = placeKeys[place] as GroupKey
      const rows = decision === undefined ? 0 : classOf(comboKey, placeKey)
      const group = rows === LEFT_OUT ? undefined : toGroup(comboKey, placeKey)
      if (group === undefined) continue
      groupOfPair[part * width + place] = group
      if (decision !== undefined) classOfPair[part * width + place] = rows
    }
  }
  const toShape = (rows: RowClass, number: number): Shape => {
    const groupOfRows = decision === undefined ? groupOfPair : groupOfPair.slice()
    for (let pair = 0; pair < groupOfRows.length; pair++) {
      const isOther = decision !== undefined && classOfPair[pair] !== number
      if (isOther || groupOfRows[pair] === NO_GROUP) groupOfRows[pair] = keys.length
    }
    const own = joinTests(toResolutionTest(rows), test)
    const isCountable = toMinConfidence(plan.conditions) === 0 && own === undefined
    const partOf = combos.partOf.slice()
    let placeParts: Shape['places']
    if (places !== undefined) {
      const isOfMasks = byCell && [...used].every((name) => ofMasks.has(name) || !isOfCombo(name))
      const bits = isOfMasks && isCountable ? toBits(engine, partOf, parts) : undefined
      const common = { isByAsset, parts: width, groupOf: groupOfRows, bits }
      placeParts =
        only === undefined
          ? { ...common, partOf: places.partOf }
          : spreadLater({ ...common, ofValues: { slot: only.slot, partOf: places.partOf } }, only.facet, placeCount)
    }
    const none = placeParts === undefined ? keys.length : parts
    if (placeParts === undefined) {
      for (let item = 0; item < partOf.length; item++) partOf[item] = groupOfRows[partOf[item] as number] as number
    }
    const groupOf = byCell ? spread(partOf, facets.cellOf, facets.count) : partOf
    return {
      groups: keys.length,
      groupOf,
      members: byCell ? new Uint32Array(0) : listMembers(groupOf, none),
      ...(byCell ? { cellPartOf: partOf } : {}),
      ...(byCell && placeParts === undefined ? { cellGroupOf: partOf } : {}),
      ...(placeParts === undefined ? {} : { places: placeParts }),
      disjointSetOf: Uint32Array.from(disjointSetOf),
      disjointSets: disjointSets.size,
      minConfidence: toMinConfidence(plan.conditions),
      isWhole: conditions.length === 0 && dimensions.length === 0 && isCountable,
      test: own,
      ...(byCell && within(ofMasks) && isCountable ? { bits: toBits(engine, partOf, keys.length) } : {}),
    }
  }
  return {
    keys,
    ids: [...numbers.keys()],
    parts: rowClasses.map((rows, number) => ({ rows, shape: toShape(rows, number) })),
  }
}

/** Whether findings were resolved in time, of those for which that matters. */
function toResolutionTest(rows: RowClass): RowTest | undefined {
  if (rows.side !== 'met' && rows.side !== 'late') return undefined
  const [withinMs, isLate] = [rows.days * DAY, rows.side === 'late']
  return (own, row) => areFindings(own) && own.resolved.get(row) - own.timeOf(row) > withinMs === isLate
}

const joinTests = (one: RowTest | undefined, other: RowTest | undefined): RowTest | undefined =>
  one === undefined || other === undefined ? (one ?? other) : (rows, row) => one(rows, row) && other(rows, row)

/** Which atoms hold, of those that combinations and of those that places decide. */
function joinBits(
  isComboAtom: readonly boolean[],
  ofCombo: Uint8Array | undefined,
  ofPlace: Uint8Array | undefined,
): Uint8Array {
  let [combo, place] = [0, 0]
  return Uint8Array.from(isComboAtom, (isCombo) => (isCombo ? ofCombo?.[combo++] : ofPlace?.[place++]) ?? 0)
}

/** The number of each signature as the value of a further dimension. */
const toSignatureAxis = (signatures: Signatures | undefined): GroupAxis[] =>
  signatures === undefined
    ? []
    : [
        {
          column: signatures.column,
          indexOf: countUp(signatures.bits.length),
          names: signatures.bits.map((_, number) => internalText(String(number))),
        },
      ]

const countUp = (count: number) => Uint32Array.from({ length: count }, (_, number) => number)

/** The facet of assets or places in a slot; undefined for the asset itself. */
function findAssetFacet({ own, facets }: AssetTable, slot: FacetSlot | undefined) {
  if (slot === 'kind' || slot === 'container' || slot === 'audience') return { slot, facet: facets[slot] }
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

import type { Engine } from '../../engine/columnar-index.ts'
import { areFindings, type OwnRows, type Rows } from '../../engine/index/rows.ts'
import { NEVER } from '../../engine/index/times.ts'
import { isSelected, type Selection } from '../../engine/scan/selection.ts'
import type { RowTest } from '../../engine/scan/shape.ts'
import type { FilterCondition } from '../../findings/conditions.ts'
import { type FacetRow, findFacetByFilterKey } from '../../findings/facets.ts'
import { encodeValues, toFilterTerms } from '../../findings/filter-terms.ts'
import { type AllowMask, openColumns, toAllowMask, type ValueColumn } from './columns.ts'

/** Columns of assets by their numbers; NaN where there is none. */
export interface AssetColumns {
  lastScannedAt: Float64Array
  contentUpdatedAt: Float64Array
  audienceSize: Float64Array
}

/** What the index does not have, from the snapshot that it is current with. */
export interface IndexLookups {
  /** Row ids of the assets with some keys. */
  findAssets: (keys: readonly string[]) => number[]
  columnsOfAssets: (engine: Engine) => AssetColumns
}

type Asked = Pick<FilterCondition, 'values' | 'exclude' | 'anyOf'> & { key: string }

interface Compiling {
  engine: Engine
  lookups: IndexLookups
  columnOf: ReturnType<typeof openColumns>
}

/** The findings that conditions match, ages in which are instants; undefined for conditions that only SQL evaluates. */
export function toSelection(
  engine: Engine,
  conditions: readonly Asked[],
  lookups: IndexLookups,
): Selection | undefined {
  return select({ engine, lookups, columnOf: openColumns(engine, { isByAsset: true, ofFindings: true }) }, conditions)
}

/** By asset: 1 for those that match conditions on assets themselves. */
export function toAssetMask(engine: Engine, conditions: readonly Asked[], lookups: IndexLookups): Uint8Array {
  const compiling = { engine, lookups, columnOf: openColumns(engine, { isByAsset: true, ofFindings: false }) }
  const match = (all: readonly Asked[]) => all.map(toMask).reduce(and, new Uint8Array(engine.assets.count).fill(1))
  const toMask = (condition: Asked): Uint8Array => {
    const { key, anyOf, exclude } = condition
    if (anyOf !== undefined) {
      const lists = anyOf.map(match)
      return new Uint8Array(engine.assets.count).map((_, asset) =>
        lists.some((bits) => bits[asset] === 1) === exclude ? 0 : 1,
      )
    }
    const facet = findFacetByFilterKey(key)
    return facet === undefined ? toAssetRange(compiling, condition) : toAssets(compiling, facet, condition)
  }
  return match(conditions)
}

function select(compiling: Compiling, conditions: readonly Asked[]): Selection | undefined {
  const { engine } = compiling
  const combos = new Uint8Array(engine.facets.count).fill(1, 1)
  let assets: Uint8Array | undefined
  const tests: RowTest[] = []
  const restrict = (own: Selection) => {
    and(combos, own.combos)
    if (own.assets !== undefined) assets = assets === undefined ? own.assets : and(assets, own.assets)
    if (own.test !== undefined) tests.push(own.test)
  }
  for (const condition of conditions) {
    const own = condition.anyOf === undefined ? toPlain(compiling, condition) : toAny(compiling, condition)
    if (own === undefined) return undefined
    restrict(own)
  }
  const [test, ...others] = tests
  return {
    combos,
    assets,
    test: others.length === 0 ? test : (rows, row) => tests.every((each) => each(rows, row)),
  }
}

function and(bits: Uint8Array, others: Uint8Array): Uint8Array {
  for (let item = 0; item < bits.length; item++) bits[item] = (bits[item] as number) & (others[item] as number)
  return bits
}

const spread = ({ column, allowed }: AllowMask, count: number): Uint8Array => {
  const bits = new Uint8Array(count)
  for (let item = 0; item < count; item++) bits[item] = allowed[column[item] as number] as number
  return bits
}

const allCombos = ({ facets }: Engine) => new Uint8Array(facets.count).fill(1, 1)

function toPlain(compiling: Compiling, condition: Asked): Selection | undefined {
  const { engine, columnOf } = compiling
  const facet = findFacetByFilterKey(condition.key)
  if (facet === undefined) return toRange(compiling, condition)
  if (facet.table === 'asset') return { combos: allCombos(engine), assets: toAssets(compiling, facet, condition) }
  if (facet.table === 'finding') return { combos: allCombos(engine), test: toValueTest(engine, condition) }
  const asked = { ...condition, key: facet.filterKey }
  const combos = spread(toAllowMask(engine, columnOf(facet.slot), asked), engine.facets.count)
  combos[0] = 0
  return { combos }
}

/** Findings that have one of some values now, or with `exclude` none of them. */
function toValueTest(engine: Engine, { values, exclude }: Asked): RowTest {
  const numbers = new Set(encodeValues(values).flatMap((stored) => engine.values.find(stored) ?? []))
  return (rows, row) => {
    const found = findFinding(engine, rows, row)
    return found !== undefined && numbers.has(found.rows.value[found.row] ?? 0) !== exclude
  }
}

/** The finding of a row, which may be of the history. */
const findFinding = (engine: Engine, rows: Rows, row: number) =>
  areFindings(rows) ? { rows, row } : engine.findRow(rows.id[row] as number)

function toAssets({ engine, lookups, columnOf }: Compiling, facet: FacetRow, asked: Asked): Uint8Array {
  const { assets } = engine
  if (facet.storage.stores !== 'asset') {
    const column: ValueColumn = columnOf(facet.slot)
    return spread(toAllowMask(engine, column, { ...asked, key: facet.filterKey }), assets.count)
  }
  const bits = new Uint8Array(assets.count).fill(asked.exclude ? 1 : 0)
  for (const id of lookups.findAssets(asked.values.map(String))) {
    const asset = assets.find(id)
    if (asset !== undefined) bits[asset] = asked.exclude ? 0 : 1
  }
  return bits
}

/** The findings that all conditions of at least one list match, or with `exclude` none. */
function toAny(compiling: Compiling, { anyOf = [], exclude }: Asked): Selection | undefined {
  const lists: Selection[] = []
  for (const conditions of anyOf) {
    const own = select(compiling, conditions)
    if (own === undefined) return undefined
    lists.push(own)
  }
  const { engine } = compiling
  if (lists.every(({ assets, test }) => assets === undefined && test === undefined)) {
    const combos = new Uint8Array(engine.facets.count)
    for (let combo = 1; combo < combos.length; combo++) {
      combos[combo] = lists.some((own) => own.combos[combo] === 1) === exclude ? 0 : 1
    }
    return { combos }
  }
  return {
    combos: allCombos(engine),
    test: (rows, row) => lists.some((own) => isSelected(own, rows, row)) !== exclude,
  }
}

/** A range; what has no value is in none. */
function toRange(compiling: Compiling, condition: Asked): Selection | undefined {
  const { engine } = compiling
  const { key, exclude } = condition
  if (!isRowKey(key)) return undefined
  const [low = 0, high = 0] = (toFilterTerms([{ ...condition, key }])[0]?.values ?? []).map(Number)
  const combos = allCombos(engine)
  if (isAssetKey(key)) return { combos, assets: toAssetRange(compiling, condition) }
  const isWithin = (value: number) => (value >= low && value < high) !== exclude
  if (key === 'minConfidence') return { combos, test: ({ confidence }, row) => (confidence[row] as number) >= low }
  const measure = toValue(key, compiling)
  return { combos, test: (rows, row) => isWithin(measure(rows, row)) }
}

const assetKeys = ['contentUpdatedAt', 'audienceSize'] as const
type AssetKey = (typeof assetKeys)[number]
const isAssetKey = (key: string): key is AssetKey => (assetKeys as readonly string[]).includes(key)

/** By asset: 1 for those with a number in a range. */
function toAssetRange({ engine, lookups }: Compiling, { key, values, exclude }: Asked): Uint8Array {
  if (!isAssetKey(key)) throw new TypeError(`${key} is not a range of assets`)
  const [low = 0, high = 0] = values.map(Number)
  const column = lookups.columnsOfAssets(engine)[key]
  return Uint8Array.from(column, (value) => ((value >= low && value < high) === exclude ? 0 : 1))
}

const rowKeys = [
  'minConfidence',
  'confidence',
  'resolutionHours',
  'resolvedAt',
  'lastDetectedAt',
  'firstDetectedAt',
  ...assetKeys,
] as const
type RowKey = (typeof rowKeys)[number]
const isRowKey = (key: string): key is RowKey => (rowKeys as readonly string[]).includes(key)

type Measure<Own = Rows> = (rows: Own, row: number) => number

type FindingKey = Exclude<RowKey, 'minConfidence' | AssetKey>

/** The value of a finding that a range is about, as stored; NaN where there is none. */
export function toValue(key: FindingKey, compiling: Pick<Compiling, 'engine' | 'lookups'>): Measure {
  const { engine } = compiling
  const measure = toPresentValue(key, compiling)
  return (rows, row) => {
    const found = findFinding(engine, rows, row)
    return found === undefined ? Number.NaN : measure(found.rows, found.row)
  }
}

function toPresentValue(key: FindingKey, { engine, lookups }: Pick<Compiling, 'engine' | 'lookups'>): Measure<OwnRows> {
  switch (key) {
    case 'confidence':
      return ({ confidence }, row) => confidence[row] as number
    case 'firstDetectedAt':
      return (rows, row) => rows.timeOf(row)
    case 'resolvedAt':
      return ({ resolved }, row) => orNone(resolved.get(row))
    case 'resolutionHours':
      return (rows, row) => Math.max(0, orNone(rows.resolved.get(row)) - rows.timeOf(row))
    case 'lastDetectedAt': {
      const { lastScannedAt } = lookups.columnsOfAssets(engine)
      return (rows, row) => {
        const last = rows.last.get(row)
        return last === NEVER ? Math.max(lastScannedAt[rows.asset[row] as number] || 0, rows.timeOf(row)) : last
      }
    }
  }
}

const orNone = (instant: number): number => (instant === NEVER ? Number.NaN : instant)

import { sql } from 'kysely'
import { codeNamesOf, type FacetRow, facetOf, isManyValued, readValueId, toValueId } from '../../findings/facets.ts'
import type { FindingAsset } from '../../findings/model.ts'
import type { SafeText } from '../../kernel/safe-text.ts'
import type { Dimension } from '../../metrics/model.ts'
import { numbersIn } from '../../store/builder.ts'
import type { Reader } from '../../store/store.ts'
import { greatest, least, type Partial } from '../plan/cells.ts'
import { toAssetId, toAssetName } from '../plan/group-names.ts'
import type { GroupKey, Plan } from '../plan/plan.ts'
import type { PlanTerms } from './plan-terms.ts'
import type { RowSource, Sql } from './rows.store.ts'

/** A result row: codes of the group, position in time, and the numbers of the measure. */
export interface AnswerRow {
  d0?: number | SafeText | null
  d1?: number | SafeText | null
  d2?: number | SafeText | null
  /** Quotient that locates a row in time, or the start of a span: see `Slots`. */
  slot?: number | null
  /** Quotient that locates the end of a span. */
  ends?: number | null
  /** One distinct value, when they are counted outside SQL. */
  item?: number | string | null
  /** All rows, including those without a value. */
  rows?: number
  n: number
  sum?: number | null
  min?: number | null
  max?: number | null
  quantile?: number | null
}

export function addTo(partial: Partial, { n, sum = 0, min = null, max = null, quantile = null }: AnswerRow): void {
  partial.n += n
  partial.sum += sum ?? 0
  partial.min = least(partial.min, min)
  partial.max = greatest(partial.max, max)
  partial.quantile = quantile
}

/**
 * Selects `item` instead of a number when values must be merged across several result rows: a distinct value, or one of
 * those that a percentile is taken of.
 */
export function toMeasureColumns(
  { measure, isCounted }: Pick<PlanTerms, 'measure' | 'isCounted'>,
  source: Pick<RowSource, 'code' | 'number'>,
  itemized = false,
): Sql[] {
  const { aggregation, field, p } = measure
  if (aggregation === 'COUNT' || field === undefined) {
    return [isCounted ? sql`coalesce(sum(f.n), 0) AS n` : sql`count(*) AS n`]
  }
  if (aggregation === 'COUNT_DISTINCT') {
    const item = source.code(field)
    return itemized ? [sql`${item} AS item`, sql`count(*) AS n`] : [sql`count(DISTINCT ${item}) AS n`]
  }
  const number = source.number(field)
  const counted = sql`count(${number}) AS n`
  switch (aggregation) {
    case 'PERCENTILE':
      return itemized
        ? [sql`${number} AS item`, sql`count(*) AS n`]
        : [counted, sql`percentile_cont(${number}, ${p}) AS quantile`]
    case 'MIN':
      return [counted, sql`min(${number}) AS min`]
    case 'MAX':
      return [counted, sql`max(${number}) AS max`]
    default:
      return [counted, sql`sum(${number}) AS sum`]
  }
}

/**
 * The bucket quotient of an instant in SQL: see `toSlots`. The driver binds every number as REAL, with which the
 * division would not be an integer division.
 */
export function toQuotient(instant: Sql, { base, last, stepMs }: NonNullable<PlanTerms['slots']>): Sql {
  const quotient = sql`(${instant} - CAST(${base} AS BIGINT)) / CAST(${stepMs} AS BIGINT)`
  return sql`CASE WHEN ${instant} < ${base} THEN -1 WHEN ${instant} < ${last} THEN ${quotient} END`
}

type Code = number | SafeText | null
export type Decoder = (row: AnswerRow) => GroupKey

/** The facet's values are stored as text, not as codes. */
const isText = ({ storage }: FacetRow) => storage.stores === 'source' && storage.sourceColumn === 'type'

const codeOf = (row: AnswerRow, index: number): Code => [row.d0, row.d1, row.d2][index] ?? null

/** A function that decodes the codes of rows to names, looking each up once. */
export function toDecoder(reader: Reader, dimensions: readonly Dimension[], rows: readonly AnswerRow[]): Decoder {
  const names = dimensions.map((dimension, index) => {
    const facet = facetOf(dimension)
    if (isText(facet) || facet.storage.stores === 'value') return undefined
    const codes = new Set(rows.map((row) => codeOf(row, index)))
    return codeNamesOf(facet) ?? listNames(reader, nameTableOf(facet), codes)
  })
  return (row) =>
    names.map((known, index) => {
      const code = codeOf(row, index)
      if (code === null) return null
      if (known !== undefined) return known.get(code) ?? null
      return typeof code === 'number' ? toValueId(code) : code
    })
}

type NameTable = 'source' | 'word' | 'asset'

function nameTableOf({ storage }: FacetRow): NameTable {
  return storage.stores === 'source' || storage.stores === 'asset' ? storage.stores : 'word'
}

const namesIn: Readonly<Record<NameTable, Sql>> = {
  source: sql`SELECT id, name FROM source`,
  word: sql`SELECT id, text AS name FROM word`,
  asset: sql`SELECT id, name, key FROM asset`,
}

/** The names of groups by their codes. */
export function listNames(reader: Reader, table: NameTable, codes: ReadonlySet<Code>): ReadonlyMap<Code, SafeText> {
  const ids = JSON.stringify([...codes].filter((code) => code !== null))
  const rows = reader.all(
    sql<{ id: number; name: SafeText; key?: SafeText }>`${namesIn[table]} WHERE id IN ${numbersIn(ids)}`,
  )
  return new Map(rows.map(({ id, name, key }) => [id, key === undefined ? name : toAssetName(name, key, id)]))
}

/** A lookup of assets by row id, each read once. */
export function openAssetFacts(reader: Reader): (id: number) => FindingAsset | undefined {
  const known = new Map<number, FindingAsset | undefined>()
  return (id) => {
    if (!known.has(id)) {
      const found = sql<FindingAsset>`SELECT a.key, kind.text AS kind, a.name, a.url, container.text AS container
        FROM asset a JOIN word kind ON kind.id = a.kind_id JOIN word container ON container.id = a.container_id
        WHERE a.id = ${id}`
      known.set(id, reader.first(found))
    }
    return known.get(id)
  }
}

/** NULL codes are compared as 0, because NULL never matches a list; texts are never NULL. */
const toCompared = (dimension: Dimension, code: Sql): Sql =>
  isText(facetOf(dimension)) ? code : sql`coalesce(${code}, 0)`

/** Restricts a query to listed groups, or excludes them. */
export function toGroupCondition(plan: PlanTerms, source: Pick<RowSource, 'code' | 'labelSet'>): Sql {
  const { groups } = plan
  if (groups === undefined || groups.dimensions.length === 0) return sql``
  const { dimensions, codes, exclude } = groups
  if (codes.length === 0) return exclude ? sql`` : sql`AND 1 = 0`
  // A row with several labels is in several groups, of which one suffices; it counts once unless grouped by label.
  const isInSeveral = (dimension: Dimension) => isManyValued(dimension) && !plan.dimensions.includes(dimension)
  const columns = dimensions.map((dimension) =>
    isInSeveral(dimension) ? sql`own.word_id` : toCompared(dimension, source.code(dimension)),
  )
  const values = codes.map((key) => sql`(${sql.join(key)})`)
  const within = sql`(${sql.join(columns)}) ${exclude ? sql`NOT IN` : sql`IN`} (VALUES ${sql.join(values)})`
  if (!dimensions.some(isInSeveral)) return sql`AND ${within}`
  return sql`AND EXISTS (SELECT 1 FROM label_set_member own WHERE own.set_id = ${source.labelSet()} AND ${within})`
}

/** The codes of the groups that a plan is restricted to or that it excludes. */
export function encodeGroups(reader: Reader, { dimensions, keys, exclude }: NonNullable<Plan['groups']>) {
  return { dimensions, exclude, codes: keys.map(toEncoder(reader, dimensions, keys)) }
}

function toEncoder(reader: Reader, dimensions: readonly Dimension[], keys: readonly GroupKey[]) {
  const codes = dimensions.map((dimension, index): ReadonlyMap<string, Code> | undefined => {
    const facet = facetOf(dimension)
    if (isText(facet)) return undefined
    if (facet.storage.stores === 'code') return new Map(Object.entries(facet.storage.codes))
    if (facet.storage.stores === 'asset' || facet.storage.stores === 'value') return undefined
    const names = JSON.stringify([...new Set(keys.map((key) => key[index]))])
    const coded = namesIn[nameTableOf(facet)]
    const rows = reader.all(
      sql<{
        id: number
        name: string
      }>`SELECT * FROM (${coded}) coded WHERE name IN (SELECT value FROM json_each(${names}))`,
    )
    return new Map(rows.map(({ id, name }) => [name, id]))
  })
  return (key: GroupKey): Code[] =>
    key.map((name, index) => {
      if (name === null) return 0
      const known = codes[index]
      if (known !== undefined) return known.get(name) ?? -1
      if (dimensions[index] === 'value') return readValueId(name) ?? -1
      return dimensions[index] === 'asset' ? toAssetId(name) : name
    })
}

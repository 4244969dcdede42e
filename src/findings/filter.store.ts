import { type Expression, type ExpressionBuilder, expressionBuilder, type SqlBool, sql } from 'kysely'
import { db } from '../store/builder.ts'
import type { Tables } from '../store/schema.ts'
import type { FilterCondition } from './conditions.ts'
import { type FacetRow, findFacetByFilterKey } from './facets.ts'
import { type Compared, type FilterTerm, toFilterTerms } from './filter-terms.ts'
import { contains, findingColumns, searchedFindings } from './search-words.store.ts'

type Aliased = Tables & { f: Tables['finding']; a: Tables['asset']; k: Tables['combo'] }
type Builder = ExpressionBuilder<Aliased, 'f' | 'a' | 'k'>
const build: Builder = expressionBuilder<Aliased, 'f' | 'a' | 'k'>()

type Terms = readonly FilterTerm[]

/** The operand of a comparison; its values are already encoded for the column. */
const listOf = (values: readonly Compared[]) => values as never

const wordIds = (values: readonly Compared[]) =>
  db.selectFrom('word').select('id').where('folded', 'in', listOf(values))

const sourceIds = (column: 'name' | 'type', values: readonly Compared[]) => {
  const sources = db.selectFrom('source').select('source.id')
  const half = values.length / 2
  return column === 'name'
    ? sources.where((eb) =>
        eb.or([
          eb(foldedSource('name'), 'in', listOf(values.slice(0, half))),
          eb('source.uid', 'in', listOf(values.slice(half))),
        ]),
      )
    : sources.where(foldedSource('type'), 'in', listOf(values))
}

/** There are few sources, so no index is needed. */
const foldedSource = (column: 'name' | 'type') => sql<string>`fold_case(${sql.ref(`source.${column}`)})`

const wordSetIds = (values: readonly Compared[]) =>
  db.selectFrom('label_set_member').select('set_id').where('word_id', 'in', wordIds(values))

/** Looked up source by source, because the index of keys begins with the source. */
const assetIds = (values: readonly Compared[]) =>
  sql<number>`(SELECT keyed.id FROM source CROSS JOIN asset keyed ON keyed.source_id = source.id
    WHERE keyed.key IN (${sql.join(values)}))`

const comboColumn = ({ column }: FacetRow) => sql<number>`${sql.ref(`k.${column}`)}`
const assetColumn = ({ column }: FacetRow) => sql<number>`${sql.ref(`a.${column}`)}`
const findingColumn = ({ column }: FacetRow) => sql<number>`${sql.ref(`f.${column}`)}`

function facetTerm(
  column: Expression<number>,
  { storage }: FacetRow,
  values: readonly Compared[],
  exclude: boolean,
): Expression<SqlBool> {
  const within = exclude ? 'not in' : 'in'
  if (storage.stores === 'code') return build(column, within, listOf(values))
  switch (storage.stores) {
    case 'source':
      return build(column, within, sourceIds(storage.sourceColumn, values))
    case 'wordSet':
      return build(column, within, wordSetIds(values))
    case 'asset':
      return build(column, within, assetIds(values))
    case 'value':
      // Without a value means 0, but an index on the column is used only if it is compared as it is.
      return build(exclude || values.includes(0) ? sql<number>`coalesce(${column}, 0)` : column, within, listOf(values))
    case 'word':
      return build(column, within, wordIds(values))
  }
}

export interface FindingTermOptions {
  /** Statuses are compared with this code instead of the current one. */
  status?: Expression<number>
  /** When findings were resolved, instead of the present value; NULL for those that are not. */
  resolvedAt?: Expression<number | null>
  /** The finding is looked up by id, so SQLite must not use the index by asset, of which a filter may match many. */
  isReached?: boolean
}

/** Rows whose value is in a half-open range; one without a value is in none. */
function rangeTerm(
  value: Expression<number | null>,
  [low, high]: readonly Compared[],
  exclude: boolean,
): Expression<SqlBool> {
  const within = sql<SqlBool>`(${value} >= ${low} AND ${value} < ${high})`
  return exclude ? sql<SqlBool>`NOT coalesce(${within}, FALSE)` : within
}

/** Conditions joined in a balanced tree, because the depth of an expression is limited. */
function either(conditions: readonly Expression<SqlBool>[]): Expression<SqlBool> {
  if (conditions.length <= 8) return build.or([...conditions])
  const middle = conditions.length >> 1
  return sql<SqlBool>`(${either(conditions.slice(0, middle))} OR ${either(conditions.slice(middle))})`
}

/** Rows that match all conditions of at least one list. */
function termsTerm(anyOf: readonly Expression<SqlBool>[], exclude: boolean): Expression<SqlBool> {
  const matches = sql<SqlBool>`coalesce(${either(anyOf)}, FALSE)`
  return exclude ? sql<SqlBool>`NOT ${matches}` : matches
}

const lastDetectedAt = sql<number>`coalesce(f.last_detected_at, max(f.first_detected_at,
  coalesce((SELECT scanned.last_scanned_at FROM asset scanned WHERE scanned.id = f.asset_id), 0)))`

/** Findings with all words of a search. */
const searchTerm = (patterns: readonly string[]): Expression<SqlBool> => {
  const found = searchedFindings().select('f.id')
  return build('f.id', 'in', found.where(build.and(patterns.map((pattern) => contains(pattern, findingColumns)))))
}

/** The value of a finding that a range is about. */
function rangedValue(key: FilterCondition['key'], options: FindingTermOptions): Expression<number | null> {
  const resolvedAt = options.resolvedAt ?? sql<number | null>`f.resolved_at`
  switch (key) {
    case 'confidence':
      return sql<number>`f.conf_q`
    case 'resolutionHours':
      return sql<number | null>`max(0, ${resolvedAt} - f.first_detected_at)`
    case 'resolvedAt':
      return resolvedAt
    case 'lastDetectedAt':
      return lastDetectedAt
    case 'firstDetectedAt':
      return sql<number>`f.first_detected_at`
    default:
      throw new TypeError(`${key} is not a range of findings`)
  }
}

/** The columns of assets that ranges are about. */
const rangedColumns: Readonly<Record<string, Expression<number | null> | undefined>> = {
  contentUpdatedAt: sql<number | null>`a.content_updated_at`,
  audienceSize: sql<number | null>`a.audience_size`,
}

/**
 * The rows of `finding f` that conditions match: AND across keys, OR within one; `exclude` removes the rows that match
 * any of its keys, and keeps those without a value. It needs no alias but `f`: the facets are looked up in the small
 * combo table first, so that the time index of findings stays usable.
 */
export const findingCondition = (
  conditions: readonly FilterCondition[],
  options: FindingTermOptions = {},
): Expression<SqlBool> => findingTerms(toFilterTerms(conditions), options)

/** As `findingCondition`, for encoded terms. */
export function findingTerms(terms: Terms, options: FindingTermOptions = {}): Expression<SqlBool> {
  const onCombo: Expression<SqlBool>[] = []
  const onAsset: Expression<SqlBool>[] = []
  const onFinding: Expression<SqlBool>[] = []
  for (const { key, values, exclude, anyOf } of terms) {
    const facet = findFacetByFilterKey(key)
    const ofAsset = rangedColumns[key]
    if (anyOf !== undefined) {
      onFinding.push(
        termsTerm(
          anyOf.map((inner) => findingTerms(inner, options)),
          exclude,
        ),
      )
    } else if (key === 'minConfidence') {
      onFinding.push(build('f.conf_q', '>=', values[0] as number))
    } else if (key === 'search') {
      onFinding.push(searchTerm(values.map(String)))
    } else if (ofAsset !== undefined) {
      onAsset.push(rangeTerm(ofAsset, values, exclude))
    } else if (facet === undefined) {
      onFinding.push(rangeTerm(rangedValue(key, options), values, exclude))
    } else if (facet.name === 'status' && options.status !== undefined) {
      onFinding.push(build(options.status, exclude ? 'not in' : 'in', listOf(values)))
    } else if (facet.table === 'combo') {
      onCombo.push(facetTerm(comboColumn(facet), facet, values, exclude))
    } else if (facet.table === 'finding') {
      onFinding.push(facetTerm(findingColumn(facet), facet, values, exclude))
    } else {
      onAsset.push(facetTerm(assetColumn(facet), facet, values, exclude))
    }
  }
  if (onCombo.length > 0) {
    const combos = db.selectFrom('combo as k').select('k.id').where(build.and(onCombo))
    onFinding.unshift(build('f.combo_id', 'in', combos))
  }
  if (onAsset.length > 0) {
    const assets = db.selectFrom('asset as a').select('a.id').where(build.and(onAsset))
    onFinding.push(build(options.isReached === true ? sql<number>`+f.asset_id` : sql<number>`f.asset_id`, 'in', assets))
  }
  return onFinding.length === 0 ? sql<SqlBool>`1 = 1` : build.and(onFinding)
}

/**
 * The rows of `asset a` that terms match. Keys of assets apply to the asset itself; with any other key, at least one
 * finding of the asset must match the whole filter.
 */
export function assetTerms(terms: Terms): Expression<SqlBool> {
  const { own, ofFindings } = splitByAsset(terms)
  if (ofFindings.length === 0) return ownAssetTerms(own)
  const matching = db.selectFrom('finding as f').select('f.id').whereRef('f.asset_id', '=', build.ref('a.id'))
  return build.and([ownAssetTerms(own), build.exists(matching.where(findingTerms(ofFindings)))])
}

/** The rows of `asset a` that match terms on the asset itself. */
export function ownAssetTerms(own: Terms): Expression<SqlBool> {
  const parts = own.map(({ key, values, exclude, anyOf }) => {
    if (anyOf !== undefined) return termsTerm(anyOf.map(ownAssetTerms), exclude)
    const ranged = rangedColumns[key]
    if (ranged !== undefined) return rangeTerm(ranged, values, exclude)
    const facet = requireFacet(key)
    return facetTerm(assetColumn(facet), facet, values, exclude)
  })
  return parts.length === 0 ? sql<SqlBool>`1 = 1` : build.and(parts)
}

function requireFacet(key: string): FacetRow {
  const facet = findFacetByFilterKey(key)
  if (facet === undefined) throw new TypeError(`${key} is not the filter key of a facet`)
  return facet
}

interface Placeable {
  key: string
  anyOf?: readonly (readonly Placeable[])[]
}

/** Whether a condition is on the asset itself; one on terms is if all of their conditions are. */
const isOfAsset = ({ key, anyOf }: Placeable): boolean =>
  anyOf === undefined
    ? key in rangedColumns || findFacetByFilterKey(key)?.isOfAsset === true
    : anyOf.every((inner) => inner.every(isOfAsset))

/** Splits conditions into those on the asset itself and those on its findings. */
export function splitByAsset<Condition extends Placeable>(conditions: readonly Condition[]) {
  return {
    own: conditions.filter(isOfAsset),
    ofFindings: conditions.filter((condition) => !isOfAsset(condition)),
  }
}

/** Splits conditions into those on columns of the asset and those on columns that findings have themselves. */
export function splitByJoin(conditions: readonly FilterCondition[]) {
  const isOfJoinedAsset = ({ key }: FilterCondition) =>
    key in rangedColumns || findFacetByFilterKey(key)?.table === 'asset'
  return {
    ofAssets: conditions.filter(isOfJoinedAsset),
    ofFindings: conditions.filter((condition) => !isOfJoinedAsset(condition)),
  }
}

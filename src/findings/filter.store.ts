import { type Expression, type ExpressionBuilder, expressionBuilder, type SqlBool, sql } from 'kysely'
import { db } from '../store/builder.ts'
import type { Bound } from '../store/cached-query.ts'
import type { Tables } from '../store/schema.ts'
import { type FacetRow, type FilterKey, findFacetByFilterKey } from './facets.ts'
import { type FilterCondition, type FilterMapping, toConditions } from './filter.ts'
import { type Compared, type FilterTerm, toFilterTerms } from './filter-terms.ts'

type Aliased = Tables & { f: Tables['finding']; a: Tables['asset']; k: Tables['combo'] }
type Builder = ExpressionBuilder<Aliased, 'f' | 'a' | 'k'>
const build: Builder = expressionBuilder<Aliased, 'f' | 'a' | 'k'>()

type Terms<Key = FilterCondition['key']> = readonly FilterTerm<Bound<Compared>, Key>[]

/** The operand of a comparison; its values are already encoded for the column. */
const listOf = (values: readonly Bound<Compared>[]) => values as never

const wordIds = (values: readonly Bound<Compared>[]) =>
  db.selectFrom('word').select('id').where('folded', 'in', listOf(values))

const sourceIds = (column: 'name' | 'type', values: readonly Bound<Compared>[]) => {
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

const wordSetIds = (values: readonly Bound<Compared>[]) =>
  db.selectFrom('label_set_member').select('set_id').where('word_id', 'in', wordIds(values))

/** Looked up source by source, because the index of keys begins with the source. */
const assetIds = (values: readonly Bound<Compared>[]) =>
  sql<number>`(SELECT keyed.id FROM source CROSS JOIN asset keyed ON keyed.source_id = source.id
    WHERE keyed.key IN (${sql.join(values.map((value) => sql`${value}`))}))`

const comboColumn = ({ column }: FacetRow) => sql<number>`${sql.ref(`k.${column}`)}`
const assetColumn = ({ column }: FacetRow) => sql<number>`${sql.ref(`a.${column}`)}`

function facetTerm(
  column: Expression<number>,
  { storage }: FacetRow,
  values: readonly Bound<Compared>[],
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
    case 'word':
      return build(column, within, wordIds(values))
  }
}

export interface FindingTermOptions {
  /** Statuses are compared with this code instead of the current one. */
  status?: Expression<number>
  /** The finding is looked up by id, so SQLite must not use the index by asset, of which a filter may match many. */
  isReached?: boolean
}

/**
 * The rows of `finding f` that a filter matches: AND across keys, OR within one; `exclude` removes the rows that match
 * any of its keys, and keeps those without a value. It needs no alias but `f`: the facets are looked up in the small
 * combo table first, so that the time index of findings stays usable.
 */
export function findingCondition(
  filter: FilterMapping | readonly FilterCondition[],
  options: FindingTermOptions = {},
): Expression<SqlBool> {
  return findingTerms(toFilterTerms(isList(filter) ? filter : toConditions(filter)), options)
}

/** As `findingCondition`, for encoded terms. */
export function findingTerms(terms: Terms, options: FindingTermOptions = {}): Expression<SqlBool> {
  const onCombo: Expression<SqlBool>[] = []
  const onAsset: Expression<SqlBool>[] = []
  const onFinding: Expression<SqlBool>[] = []
  for (const { key, values, exclude } of terms) {
    const facet = findFacetByFilterKey(key)
    if (facet === undefined) {
      onFinding.push(build('f.conf_q', '>=', values[0] as Bound<number>))
    } else if (facet.name === 'status' && options.status !== undefined) {
      onFinding.push(build(options.status, exclude ? 'not in' : 'in', listOf(values)))
    } else if (facet.table === 'combo') {
      onCombo.push(facetTerm(comboColumn(facet), facet, values, exclude))
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
 * The rows of `asset a` that a filter matches. `sources`, `sourceTypes`, `assetKinds` and `containers` apply to the
 * asset itself; with any other key, at least one finding of the asset must match the whole filter.
 */
export function assetCondition(filter: FilterMapping | readonly FilterCondition[]): Expression<SqlBool> {
  return assetTerms(toFilterTerms(isList(filter) ? filter : toConditions(filter)))
}

/** As `assetCondition`, for encoded terms. */
export function assetTerms(terms: Terms): Expression<SqlBool> {
  const { own, ofFindings } = splitByAsset(terms)
  if (ofFindings.length === 0) return ownAssetTerms(own)
  const matching = db.selectFrom('finding as f').select('f.id').whereRef('f.asset_id', '=', build.ref('a.id'))
  return build.and([ownAssetTerms(own), build.exists(matching.where(findingTerms(ofFindings)))])
}

/** The rows of `asset a` that match terms on the asset itself. */
export function ownAssetTerms(own: Terms<FilterKey>): Expression<SqlBool> {
  const parts = own.map(({ key, values, exclude }) => {
    const facet = requireFacet(key)
    return facetTerm(assetColumn(facet), facet, values, exclude)
  })
  return parts.length === 0 ? sql<SqlBool>`1 = 1` : build.and(parts)
}

function requireFacet(key: string): FacetRow {
  const facet = findFacetByFilterKey(key)
  if (facet === undefined) throw new TypeError(`${key} is the filter key of no facet`)
  return facet
}

/** Splits conditions into those on the asset itself and those on its findings. */
export function splitByAsset<Condition extends { key: string }>(conditions: readonly Condition[]) {
  const isOwn = (condition: Condition): condition is Condition & { key: FilterKey } =>
    findFacetByFilterKey(condition.key)?.isOfAsset === true
  return { own: conditions.filter(isOwn), ofFindings: conditions.filter((condition) => !isOwn(condition)) }
}

/** Splits conditions into those on columns of the asset and those on columns that findings have themselves. */
export function splitByJoin(conditions: readonly FilterCondition[]) {
  const isOfAssets = (condition: FilterCondition): condition is FilterCondition & { key: FilterKey } =>
    findFacetByFilterKey(condition.key)?.table === 'asset'
  return {
    ofAssets: conditions.filter(isOfAssets),
    ofFindings: conditions.filter((condition) => !isOfAssets(condition)),
  }
}

function isList(filter: FilterMapping | readonly FilterCondition[]): filter is readonly FilterCondition[] {
  return Array.isArray(filter)
}

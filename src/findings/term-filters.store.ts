import { sql } from 'kysely'
import { AppError, conflict } from '../kernel/errors.ts'
import { foldCase } from '../kernel/fold.ts'
import { quote, showNames } from '../kernel/shown.ts'
import { closest } from '../kernel/suggest.ts'
import type { Reader } from '../store/store.ts'
import { atInstant, type FilterCondition } from './conditions.ts'
import { type FilterMapping, type FindTerm, listNamedTerms, toConditions } from './filter.ts'
import { listPolicies } from './sla.store.ts'

interface TermSqlRow {
  slug: string
  mapping: string
  isActive: number
}

/**
 * Looks up the filters of glossary terms by slug.
 * @throws AppError `not_found` for an unknown term, `conflict` for one that is not active
 */
export function openTermFilters(reader: Reader): FindTerm {
  const termOf = (slug: string) => findTermFilter(reader, slug)
  return Object.assign(termOf, { policies: () => listPolicies(reader) })
}

/**
 * The conditions of a filter in a snapshot, with ages measured at an instant.
 * @throws AppError `not_found` or `conflict` for a term that does not exist or is not active
 */
export const resolveFilter = (reader: Reader, filter: FilterMapping, at: number): FilterCondition[] =>
  atInstant(toConditions(filter, openTermFilters(reader)), at)

export const listActiveTerms = (reader: Reader): string[] =>
  reader.all(sql<{ slug: string }>`SELECT slug FROM term WHERE is_active = 1 ORDER BY slug`).map(({ slug }) => slug)

/** @throws AppError `not_found` or `conflict` for a term that a filter names, which is unknown or not active */
export function requireTerms(reader: Reader, filter: FilterMapping): void {
  const termOf = openTermFilters(reader)
  // As they were written: a credential in a message is not recognized in folded letter case.
  for (const name of listNamedTerms(filter)) termOf(name)
}

function findTermFilter(reader: Reader, name: string): FilterMapping {
  const slug = foldCase(name.trim())
  const rows = reader.all(
    sql<TermSqlRow>`SELECT slug, filter_mapping AS mapping, is_active AS isActive FROM term WHERE slug = ${slug}`,
  )
  const [term] = rows
  if (term === undefined) throw unknownTerm(reader, name)
  if (term.isActive === 1) return JSON.parse(term.mapping) as FilterMapping
  throw conflict(`The term ${slug}, which a filter names, is not active; activate it, or take it out of the filter.`, {
    reason: 'inactive_term',
  })
}

function unknownTerm(reader: Reader, name: string): AppError {
  const slugs = reader.all(sql<{ slug: string }>`SELECT slug FROM term ORDER BY slug`).map(({ slug }) => slug)
  const near = closest(name, slugs, (slug) => slug, 5)
  const hint = near.length === 0 ? 'list_glossary_terms shows them all.' : `the closest are ${showNames(near)}.`
  return new AppError('not_found', `A filter names the term ${quote(name)}, which does not exist; ${hint}`, {
    reason: 'unknown_term',
    suggestions: near.map((value) => ({ value, kind: 'term' })),
  })
}

import { detectorTypes, severities } from '../detectors/detector.ts'
import { facetNames } from '../findings/facets.ts'
import { findingStatuses } from '../findings/model.ts'
import { byCodeUnits } from '../kernel/by-code-units.ts'
import { type AppError, invalidInput, notFound, type Suggestion } from '../kernel/errors.ts'
import { quote, showName } from '../kernel/shown.ts'
import { isSameName, likeness } from '../kernel/suggest.ts'
import type { Reader } from '../store/store.ts'
import { findTermBySlug, listTermNames, listTerms } from './glossary.store.ts'
import type { NamedRow, TermRecord } from './model.ts'
import { searchPage } from './search.ts'

/** A name of another kind of thing, with the input member where it would be valid. */
export interface OtherName {
  name: string
  kind: string
  /** How to use it, as the end of a sentence. */
  use: string
}

const fold = (text: string) => text.trim().normalize('NFC').toLowerCase()

/**
 * Finds the one row with a name: by slug, id, display name, then synonym. Case is ignored unless it distinguishes two
 * display names.
 * @throws AppError `invalid_input`, reason `ambiguous_name`, listing the candidates
 */
export function matchName(kind: string, name: string, rows: readonly NamedRow[]): string | undefined {
  const wanted = fold(name)
  const tiers: Array<(row: NamedRow) => boolean> = [
    (row) => row.slug === wanted,
    (row) => row.uid === wanted,
    (row) => row.displayName === name.trim(),
    (row) => fold(row.displayName) === wanted,
    (row) => row.synonyms.some((synonym) => fold(synonym) === wanted),
  ]
  for (const isNamed of tiers) {
    const found = rows.filter(isNamed)
    if (found.length > 1) throw ambiguous(kind, name, found)
    if (found[0] !== undefined) return found[0].slug
  }
  return undefined
}

function ambiguous(kind: string, name: string, rows: readonly NamedRow[]): AppError {
  return invalidInput(
    `${quote(name)} matches ${rows.length} ${kind}s; use the slug of one of them: ${rows.map((row) => row.slug).join(', ')}.`,
    {
      reason: 'ambiguous_name',
      suggestions: rows.map(toSuggestion(kind)),
    },
  )
}

/** Suggestions from a search, in addition to names of similar spelling. */
interface NameHints {
  before?: readonly Suggestion[]
  behind?: readonly Suggestion[]
  /** Of another kind. */
  elsewhere?: readonly Suggestion[]
}

const ALIKE = 0.45
/** Stricter, for a name that is known to be of another kind: only nearly identical spellings are then suggested. */
const VERY_ALIKE = 0.75

const recorded = `; what is recorded are findings and assets, each with its ${facetNames.join(', ')}`

/** The error for an unknown name, with what kind of thing the name is instead, if any, and the closest names. */
export function unknownName(
  kind: string,
  name: string,
  rows: readonly NamedRow[],
  others: readonly OtherName[],
  also: NameHints = {},
): AppError {
  const other = others.find((candidate) => isSameName(name, candidate.name))
  const near = closestNames(kind, name, rows, other === undefined ? ALIKE : VERY_ALIKE)
  const own = unique([...(also.before ?? []), ...near, ...(also.behind ?? [])]).slice(0, 5)
  const what =
    other === undefined
      ? `No ${kind} is called ${quote(name)}${own.some(({ value }) => likeness(name, value) >= VERY_ALIKE) ? '' : recorded}`
      : `${showName(other.name)} is a ${other.kind}, not a ${kind}; ${other.use}`
  const hint = own.length > 0 ? '' : `; list the ${kind}s to see all of them`
  return notFound(`${what}${hint}.`, {
    reason: other === undefined ? `unknown_${kind}` : 'wrong_kind',
    suggestions: unique([...own, ...closestOthers(name, others), ...(also.elsewhere ?? [])]),
  })
}

function closestNames(kind: string, name: string, rows: readonly NamedRow[], least: number): Suggestion[] {
  const gap = ({ suggestion }: { suggestion: Suggestion }) => Math.abs(suggestion.value.length - name.length)
  return rows
    .map((row) => ({
      suggestion: toSuggestion(kind)(row),
      score: Math.max(...[row.slug, row.displayName, ...row.synonyms].map((other) => likeness(name, other))),
    }))
    .filter(({ score }) => score >= least)
    .sort((a, b) => b.score - a.score || gap(a) - gap(b) || byCodeUnits(a.suggestion.value, b.suggestion.value))
    .slice(0, 5)
    .map(({ suggestion }) => suggestion)
}

function closestOthers(name: string, others: readonly OtherName[]): Suggestion[] {
  return others
    .map((other) => ({ suggestion: { value: other.name, kind: other.kind }, score: likeness(name, other.name) }))
    .filter(({ score }) => score >= VERY_ALIKE)
    .sort((a, b) => b.score - a.score)
    .slice(0, 3)
    .map(({ suggestion }) => suggestion)
}

function unique(suggestions: readonly Suggestion[]): Suggestion[] {
  return suggestions.filter(
    ({ kind, value }, index) =>
      index === suggestions.findIndex((other) => other.kind === kind && other.value === value),
  )
}

/** Filter values that are often mistaken for terms or metrics. */
export const filterValueNames: readonly OtherName[] = [
  ...severities.map((name) => ({ name, kind: 'severity', use: `use it as filters: {severities: [${quote(name)}]}` })),
  ...detectorTypes.map((name) => ({
    name,
    kind: 'detector type',
    use: `use it as filters: {detectorTypes: [${quote(name)}]}`,
  })),
  ...findingStatuses.map((name) => ({ name, kind: 'status', use: `use it as filters: {statuses: [${quote(name)}]}` })),
]

/**
 * Finds the term by slug, id, display name or synonym.
 * @throws AppError `not_found` with the closest names, or `invalid_input` when several terms have the name
 */
export function getTerm(reader: Reader, name: string, others: readonly OtherName[] = filterValueNames): TermRecord {
  const rows = listTermNames(reader)
  const slug = matchName('term', name, rows)
  const term = slug === undefined ? undefined : findTermBySlug(reader, slug)
  if (term !== undefined) return term
  throw unknownName('term', name, rows, others, { behind: searchTerms(reader, name) })
}

/** The terms that match a search text. */
export function searchTerms(reader: Reader, text: string): Suggestion[] {
  const list = (match: string | undefined) =>
    listTerms(reader, { match, includeInactive: false }, { limit: 5, offset: 0 })
  return searchPage(text, list, { terms: [], total: 0 }).terms.map(toSuggestion('term'))
}

/** A function that turns a row with slug and display name into a suggestion. */
export function toSuggestion(kind: string): (named: { slug: string; displayName: string }) => Suggestion {
  return ({ slug, displayName }) => ({ value: slug, kind, label: displayName })
}

/** The slugs, display names and synonyms of rows, as names of another kind. */
export function toOtherNames(kind: string, rows: readonly NamedRow[], use: (slug: string) => string): OtherName[] {
  return rows.flatMap(({ slug, displayName, synonyms }) =>
    [slug, displayName, ...synonyms].map((name) => ({ name, kind, use: use(slug) })),
  )
}

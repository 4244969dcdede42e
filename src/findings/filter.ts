import { z } from 'zod'
import { foldCase } from '../kernel/fold.ts'
import { definitionText } from '../operation/lockdown/disclosure.ts'
import type { FilterCondition } from './conditions.ts'
import { type DueRule, type SlaDays, slaOutcomes, toDueConditions } from './due-conditions.ts'
import { type FilterKey, facetRows, type facets } from './facets.ts'
import { FilterRanges, listRanges } from './ranges.ts'

const nameOfTerm = definitionText('own').min(1).max(200)

const someOf = <Item extends z.ZodType<string>>(item: Item, description: string) =>
  z.array(item).min(1, 'must name at least one value; omit the key to not filter by it.').max(500).describe(description)

type Facets = typeof facets
type Keys = {
  [Name in keyof Facets as Facets[Name]['filterKey']]: z.ZodOptional<z.ZodArray<Facets[Name]['value']>>
}
const keys = Object.fromEntries(
  facetRows.map(({ filterKey, value, description }) => [filterKey, someOf(value, description).optional()]),
) as unknown as Keys

const Terms = someOf(nameOfTerm, 'Glossary terms.')

const FilterExclude = z
  .strictObject({ ...keys, terms: Terms.optional(), ranges: FilterRanges.optional() })
  .describe('Excludes what matches any key.')

/**
 * Selects findings: AND across keys, OR within one, `exclude` subtracts. The same shape is used for a term's mapping, a
 * metric's filters, a caller's filters and pinned filters.
 */
export const FilterMapping = z
  .strictObject({
    ...keys,
    minConfidence: z.number().min(0).max(1).describe('Minimum confidence.').optional(),
    terms: Terms.optional(),
    ranges: FilterRanges.optional(),
    overdue: z.boolean().describe('OPEN and past due; false: all others.').optional(),
    sla: z
      .array(z.enum(slaOutcomes))
      .min(1, 'must name at least one value; omit the key to not filter by it.')
      .describe('MET: in time; MISSED: late or overdue.')
      .optional(),
    exclude: FilterExclude.optional(),
  })
  .describe('AND across keys, OR within a key; exclude subtracts.')
export type FilterMapping = z.infer<typeof FilterMapping>

/** Whether the filter matches every finding. */
export function restrictsNothing(mapping: FilterMapping): boolean {
  const { exclude, ...own } = mapping
  const given = [...Object.values(own), ...Object.values(exclude ?? {})].filter((value) => value !== undefined)
  return given.length === 0
}

/** Returns the filter of a term. @throws AppError if there is no such term or it is not active */
export interface FindTerm {
  (slug: string): FilterMapping
  /** The policies of due dates. */
  policies?: () => readonly { days: SlaDays; mapping: FilterMapping }[]
}

/** The conditions of a filter: one for each key, and one for each key of `exclude`. */
export function toConditions(mapping: FilterMapping, termOf: FindTerm): FilterCondition[] {
  const { exclude = {}, minConfidence, terms, ranges, overdue, sla, ...keys } = mapping
  const { terms: withoutTerms, ranges: withoutRanges, ...without } = exclude
  const confident = minConfidence === undefined ? [] : [{ key: 'minConfidence', values: [minConfidence] } as const]
  return [
    ...listKeys(keys, false),
    ...confident.map((condition) => ({ ...condition, exclude: false })),
    ...toTermConditions(terms, false, termOf),
    ...(ranges === undefined ? [] : listRanges(ranges)).map((range) => ({ ...range, exclude: false })),
    ...(overdue === undefined && sla === undefined ? [] : toDueConditions({ overdue, sla }, listRules(termOf))),
    ...listKeys(without, true),
    ...toTermConditions(withoutTerms, true, termOf),
    ...(withoutRanges === undefined ? [] : listRanges(withoutRanges)).map((range) => ({ ...range, exclude: true })),
  ]
}

const listRules = (termOf: FindTerm): DueRule[] =>
  (termOf.policies?.() ?? []).map(({ days, mapping }) => ({ days, conditions: toConditions(mapping, termOf) }))

function listKeys(mapping: { [Key in FilterKey]?: string[] | undefined }, exclude: boolean): FilterCondition[] {
  return (Object.entries(mapping) as [FilterKey, string[] | undefined][]).flatMap(([key, values]) =>
    values === undefined ? [] : { key, values, exclude },
  )
}

function toTermConditions(slugs: string[] | undefined, exclude: boolean, termOf: FindTerm): FilterCondition[] {
  if (slugs === undefined) return []
  const anyOf = slugs.map((slug) => toConditions(termOf(slug), termOf))
  const [only] = anyOf
  if (anyOf.length > 1 || only === undefined || exclude) return [{ key: 'terms', values: slugs, exclude, anyOf }]
  return only.map((condition) => ({ ...condition, ...(slugs[0] === undefined ? {} : { term: slugs[0] }) }))
}

/** The terms that a filter names, as they were written. */
export const listNamedTerms = ({ terms = [], exclude }: Pick<FilterMapping, 'terms' | 'exclude'>): string[] => [
  ...terms,
  ...(exclude?.terms ?? []),
]

/** The slugs of the terms that a filter names. */
export const listTerms = (filter: Pick<FilterMapping, 'terms' | 'exclude'>): string[] => [
  ...new Set(listNamedTerms(filter).map((slug) => foldCase(slug.trim()))),
]

/** Whether what a filter matches depends on the policies of due dates. */
export const dependsOnDueDates = ({ overdue, sla }: Pick<FilterMapping, 'overdue' | 'sla'>): boolean =>
  overdue !== undefined || sla !== undefined

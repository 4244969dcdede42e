import { z } from 'zod'
import { foldCase } from '../kernel/fold.ts'
import { definitionText } from '../operation/lockdown/disclosure.ts'
import { type FilterKey, facetRows, type facets } from './facets.ts'
import { FilterRanges, listRanges, type RangeKey, toFirstDetected } from './ranges.ts'

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

const Terms = someOf(nameOfTerm, 'Glossary terms, by slug.')

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
    minConfidence: z.number().min(0).max(1).describe('Minimum confidence, 0 to 1.').optional(),
    terms: Terms.optional(),
    ranges: FilterRanges.optional(),
    exclude: FilterExclude.optional(),
  })
  .describe('Findings to match: AND across keys, OR within a key, exclude subtracts.')
export type FilterMapping = z.infer<typeof FilterMapping>

/** Whether the filter matches every finding. */
export function restrictsNothing(mapping: FilterMapping): boolean {
  const { exclude, ...own } = mapping
  const given = [...Object.values(own), ...Object.values(exclude ?? {})].filter((value) => value !== undefined)
  return given.length === 0
}

/** One condition of a filter; all conditions of a list must hold. */
export interface FilterCondition {
  key: FilterKey | 'minConfidence' | 'terms' | RangeKey | 'firstDetectedAt'
  /** Values, any of which match; of a range, its low end (inclusive) and its high end (exclusive). */
  values: readonly (string | number)[]
  /** The rows that match are removed. */
  exclude: boolean
  /** Of `terms`: the conditions of each term. */
  anyOf?: readonly (readonly FilterCondition[])[]
  /** The slug of the term that the condition comes from. */
  term?: string
}

/** Returns the filter of a term. @throws AppError if there is no such term or it is not active */
export type FindTerm = (slug: string) => FilterMapping

/** The conditions of a filter: one for each key, and one for each key of `exclude`. */
export function toConditions(mapping: FilterMapping, termOf: FindTerm): FilterCondition[] {
  const { exclude = {}, minConfidence, terms, ranges, ...keys } = mapping
  const { terms: withoutTerms, ranges: withoutRanges, ...without } = exclude
  const confident = minConfidence === undefined ? [] : [{ key: 'minConfidence', values: [minConfidence] } as const]
  return [
    ...listKeys(keys, false),
    ...confident.map((condition) => ({ ...condition, exclude: false })),
    ...toTermConditions(terms, false, termOf),
    ...(ranges === undefined ? [] : listRanges(ranges)).map((range) => ({ ...range, exclude: false })),
    ...listKeys(without, true),
    ...toTermConditions(withoutTerms, true, termOf),
    ...(withoutRanges === undefined ? [] : listRanges(withoutRanges)).map((range) => ({ ...range, exclude: true })),
  ]
}

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

/** A condition of a filter or a plan. */
type AnyCondition = Omit<FilterCondition, 'key'> & { key: string }

/** The conditions with ages replaced by the first detections that they mean at an instant. */
export function atInstant<Condition extends AnyCondition>(conditions: readonly Condition[], at: number): Condition[] {
  return conditions.map((condition) => {
    const { key, values, anyOf } = condition
    if (anyOf !== undefined) return { ...condition, anyOf: anyOf.map((inner) => atInstant(inner, at)) }
    if (key !== 'ageHours') return condition
    return { ...condition, key: 'firstDetectedAt', values: toFirstDetected(values.map(Number), at) }
  })
}

/** Whether the conditions depend on the age of findings. */
export const dependsOnAge = (conditions: readonly Pick<AnyCondition, 'key' | 'anyOf'>[]): boolean =>
  conditions.some(({ key, anyOf }) => key === 'ageHours' || anyOf?.some(dependsOnAge) === true)

/** The slugs of the terms that a filter names. */
export const listTerms = ({ terms = [], exclude }: Pick<FilterMapping, 'terms' | 'exclude'>): string[] => [
  ...new Set([...terms, ...(exclude?.terms ?? [])].map((slug) => foldCase(slug.trim()))),
]

import { z } from 'zod'
import { type FilterKey, facetRows, type facets } from './facets.ts'

const someOf = <Item extends z.ZodType<string>>(item: Item, description: string) =>
  z.array(item).min(1, 'must name at least one value; omit the key to not filter by it.').max(500).describe(description)

type Facets = typeof facets
type Keys = {
  [Name in keyof Facets as Facets[Name]['filterKey']]: z.ZodOptional<z.ZodArray<Facets[Name]['value']>>
}
const keys = Object.fromEntries(
  facetRows.map(({ filterKey, value, description }) => [filterKey, someOf(value, description).optional()]),
) as unknown as Keys

const FilterExclude = z.strictObject(keys).describe('Excludes what matches any of its keys.')

/**
 * Selects findings: AND across keys, OR within one, `exclude` subtracts. The same shape is used for a term's mapping, a
 * metric's filters, a caller's filters and pinned filters.
 */
export const FilterMapping = z
  .strictObject({
    ...keys,
    minConfidence: z.number().min(0).max(1).describe('Minimum confidence, 0 to 1.').optional(),
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
  key: FilterKey | 'minConfidence'
  values: readonly (string | number)[]
  /** The rows that match are removed. */
  exclude: boolean
}

/** The conditions of a filter: one for each key, and one for each key of `exclude`. */
export function toConditions({ exclude = {}, minConfidence, ...keys }: FilterMapping): FilterCondition[] {
  const listed = (mapping: { [Key in FilterKey]?: string[] | undefined }, taken: boolean) =>
    (Object.entries(mapping) as [FilterKey, string[] | undefined][]).flatMap(([key, values]) =>
      values === undefined ? [] : { key, values, exclude: taken },
    )
  const confident = minConfidence === undefined ? [] : [{ key: 'minConfidence', values: [minConfidence] } as const]
  return [
    ...listed(keys, false),
    ...confident.map((condition) => ({ ...condition, exclude: false })),
    ...listed(exclude, true),
  ]
}

import { foldCase } from '../kernel/fold.ts'
import { type Bind, bindList } from '../store/cached-query.ts'
import { CONFIDENCE_SCALE } from '../store/schema.ts'
import { findFacetByFilterKey, NONE } from './facets.ts'
import type { FilterCondition } from './filter.ts'

/** A value that SQL compares with: a code, a number or a text. */
export type Compared = number | string | null

/** A condition with its values as stored, or with their placeholders. */
export interface FilterTerm<Value = Compared, Key = FilterCondition['key']> {
  key: Key
  values: readonly Value[]
  exclude: boolean
}

export const toFilterTerms = <Key extends FilterCondition['key']>(
  conditions: readonly (Omit<FilterCondition, 'key'> & { key: Key })[],
): FilterTerm<Compared, Key>[] =>
  conditions.map(({ key, values, exclude }) => ({ key, values: encode(key, values), exclude }))

/** Confidence is stored with four decimals, so a minimum is rounded up to them. */
export const toConfidenceUnits = (value: number) => Math.ceil(Number((value * CONFIDENCE_SCALE).toFixed(6)))

const codesOf = (codes: Readonly<Record<string, number>>, values: readonly (string | number)[]) =>
  values.flatMap((value) => codes[value] ?? [])

function encode(key: FilterCondition['key'], values: readonly (string | number)[]): Compared[] {
  const storage = findFacetByFilterKey(key)?.storage
  if (storage === undefined) return [toConfidenceUnits(Number(values[0]))]
  if (storage.stores === 'code') return codesOf(storage.codes, values)
  if (storage.stores === 'asset') return values.map(String)
  if (storage.stores !== 'source') return foldValues(values)
  const names = values.map(String)
  const folded = names.map(foldCase)
  // All names, then all ids, which are lower-case.
  return storage.sourceColumn === 'name' ? [...folded, ...names.map((name) => name.toLowerCase())] : folded
}

/** Words as `word.folded` stores them; '' is no value. */
export const foldValues = (values: readonly (string | number)[]): string[] => [
  ...new Set(values.map((value) => foldCase(String(value))).map((value) => (value === NONE ? '' : value))),
]

/** The part of a term that determines the SQL: everything but its values. */
export const toTermShape = <Key>({ key, exclude, values }: FilterTerm<unknown, Key>) => ({
  key,
  exclude,
  count: values.length,
})

export const placeTerms = <Input, Key>(
  shapes: readonly { key: Key; exclude: boolean; count: number }[],
  give: Bind<Input>,
  pick: (input: Input) => readonly FilterTerm<Compared, Key>[],
) =>
  shapes.map(({ key, exclude, count }, index) => ({
    key,
    exclude,
    values: bindList(give, count, (input) => pick(input)[index]?.values ?? []),
  }))

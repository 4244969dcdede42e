import { foldCase } from '../kernel/fold.ts'
import { type Bind, type Bound, bindList } from '../store/cached-query.ts'
import { CONFIDENCE_SCALE } from '../store/schema.ts'
import type { FilterCondition } from './conditions.ts'
import { findFacetByFilterKey, readOwnWord } from './facets.ts'
import { toMilliseconds } from './ranges.ts'

/** A value that SQL compares with: a code, a number or a text. */
export type Compared = number | string | null

/** A condition with its values as stored, or with their placeholders. */
export interface FilterTerm<Value = Compared, Key = FilterCondition['key']> {
  key: Key
  values: readonly Value[]
  exclude: boolean
  /** Of `terms`: the conditions of each term. */
  anyOf?: readonly (readonly FilterTerm<Value>[])[]
}

/** A condition as `toFilterTerms` takes it. */
type Encodable<Key> = Pick<FilterCondition, 'values' | 'exclude' | 'anyOf'> & { key: Key }

export const toFilterTerms = <Key extends FilterCondition['key']>(
  conditions: readonly Encodable<Key>[],
): FilterTerm<Compared, Key>[] =>
  conditions.map(({ key, values, exclude, anyOf }) => ({
    key,
    values: encode(key, values),
    exclude,
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map((inner) => toFilterTerms(inner)) }),
  }))

/** Confidence is stored with four decimals, so a minimum is rounded up to them. */
export const toConfidenceUnits = (value: number) => Math.ceil(Number((value * CONFIDENCE_SCALE).toFixed(6)))

const codesOf = (codes: Readonly<Record<string, number>>, values: readonly (string | number)[]) =>
  values.flatMap((value) => codes[value] ?? [])

function encode(key: FilterCondition['key'], values: readonly (string | number)[]): Compared[] {
  const storage = findFacetByFilterKey(key)?.storage
  if (storage === undefined) return encodeNumbers(key, values.map(Number))
  if (storage.stores === 'code') return codesOf(storage.codes, values)
  if (storage.stores === 'asset') return values.map(String)
  if (storage.stores !== 'source') return foldValues(values)
  const names = values.map(String)
  const folded = names.map(foldCase)
  // All names, then all ids, which are lower-case.
  return storage.sourceColumn === 'name' ? [...folded, ...names.map((name) => name.toLowerCase())] : folded
}

function encodeNumbers(key: FilterCondition['key'], values: number[]): number[] {
  switch (key) {
    case 'terms':
    case 'overdue':
    case 'sla':
      return []
    case 'confidence':
    case 'minConfidence':
      return values.map(toConfidenceUnits)
    case 'resolutionHours':
      return values.map(toMilliseconds)
    case 'ageHours':
      throw new TypeError('an age needs an instant: see atInstant')
    default:
      return values
  }
}

/** Words as `word.folded` stores them; '' is no value. */
export const foldValues = (values: readonly (string | number)[]): string[] => [
  ...new Set(values.map((value) => foldCase(readOwnWord(String(value)) ?? ''))),
]

/** The part of a term that determines the SQL: everything but its values. */
export interface TermShape<Key = FilterCondition['key']> {
  key: Key
  exclude: boolean
  count: number
  anyOf?: readonly (readonly TermShape[])[]
}

export const toTermShape = <Key>({ key, exclude, values, anyOf }: FilterTerm<unknown, Key>): TermShape<Key> => ({
  key,
  exclude,
  count: values.length,
  ...(anyOf === undefined ? {} : { anyOf: anyOf.map((inner) => inner.map((term) => toTermShape(term))) }),
})

export const placeTerms = <Input, Key>(
  shapes: readonly TermShape<Key>[],
  give: Bind<Input>,
  pick: (input: Input) => readonly FilterTerm<Compared, unknown>[],
): FilterTerm<Bound<Compared>, Key>[] =>
  shapes.map(({ key, exclude, count, anyOf }, index) => ({
    key,
    exclude,
    values: bindList(give, count, (input) => pick(input)[index]?.values ?? []),
    ...(anyOf === undefined
      ? {}
      : {
          anyOf: anyOf.map((inner, part) =>
            placeTerms(inner, give, (input) => pick(input)[index]?.anyOf?.[part] ?? []),
          ),
        }),
  }))

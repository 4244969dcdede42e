import { foldCase } from '../kernel/fold.ts'
import { CONFIDENCE_SCALE } from '../store/schema.ts'
import type { FilterCondition } from './conditions.ts'
import { findFacetByFilterKey, readValueId } from './facets.ts'
import { readOwnWord } from './missing-value.ts'
import { toMilliseconds } from './ranges.ts'
import { toPatterns } from './search-words.store.ts'

/** A value that SQL compares with: a code, a number or a text. */
export type Compared = number | string | null

/** A condition with its values as stored. */
export interface FilterTerm<Key = FilterCondition['key']> {
  key: Key
  values: readonly Compared[]
  exclude: boolean
  /** Of `terms`: the conditions of each term. */
  anyOf?: readonly (readonly FilterTerm[])[]
}

/** A condition as `toFilterTerms` takes it. */
type Encodable<Key> = Pick<FilterCondition, 'values' | 'exclude' | 'anyOf'> & { key: Key }

export const toFilterTerms = <Key extends FilterCondition['key']>(
  conditions: readonly Encodable<Key>[],
): FilterTerm<Key>[] =>
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
  if (key === 'search') return values.flatMap((value) => toPatterns(String(value)))
  const storage = findFacetByFilterKey(key)?.storage
  if (storage === undefined) return encodeNumbers(key, values.map(Number))
  if (storage.stores === 'code') return codesOf(storage.codes, values)
  if (storage.stores === 'asset') return values.map(String)
  if (storage.stores === 'value') return encodeValues(values)
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

/** Numbers of values, 0 for none, and -1, which none has, for what is not the id of a value. */
export const encodeValues = (values: readonly (string | number)[]): number[] =>
  values.map((value) => (readOwnWord(String(value)) === null ? 0 : (readValueId(String(value)) ?? -1)))

/** Words as `word.folded` stores them; '' is no value. */
export const foldValues = (values: readonly (string | number)[]): string[] => [
  ...new Set(values.map((value) => foldCase(readOwnWord(String(value)) ?? ''))),
]

import { listCustomDetectors } from '../../custom-detectors/custom.store.ts'
import { toSafeMessage, toSafeText } from '../../detectors/safe-text.ts'
import { facetRows, findFacetByFilterKey } from '../../findings/facets.ts'
import { NONE, readOwnWord } from '../../findings/missing-value.ts'
import {
  type FreeKey,
  facetOfFreeKey,
  findAssetsByName,
  hasAsset,
  hasValue,
  isFreeKey,
  isValueSeen,
  listSourceTypes,
  MAX_VALUES,
} from '../../findings/seen-words.store.ts'
import { listUnknownSources } from '../../findings/source-names.store.ts'
import { listTermNames } from '../../glossary/glossary.store.ts'
import { foldCase } from '../../kernel/fold.ts'
import type { SafeText } from '../../kernel/safe-text.ts'
import { quote } from '../../kernel/shown.ts'
import { closest } from '../../kernel/suggest.ts'
import { listMetricNames } from '../../metrics/metrics.store.ts'
import type { Reader } from '../../store/store.ts'
import { listSeenValues } from '../engine/executor.ts'
import { isByValue } from '../engine/value-plan.ts'
import type { QueryWarning } from '../model.ts'
import type { Plan, PlanCondition } from '../plan/plan.ts'
import { listSources } from '../sql/freshness.store.ts'
import { type RunPlan, toWhole } from './value.ts'

/** Values of one condition whose other meanings are looked for. */
const MAX_CHECKED = 5
const MAX_CLOSEST = 3
const MAX_MEANINGS = 3
/** Longer values are not suggested. */
const MAX_LENGTH = 200

type Suggested = NonNullable<QueryWarning['suggestions']>[number]

/** Warnings about filter values that have never occurred, or that are values of another facet with another number. */
export function warnOfValues(reader: Reader, plans: readonly Plan[], run: RunPlan): QueryWarning[] {
  const count = openCount(plans, run)
  return [...warnOfUnknownValues(reader, plans, count), ...warnOfOtherMeanings(reader, plans, count)]
}

/** The rows that the first plan would count with other conditions. */
type CountRows = (conditions: Plan['conditions']) => number

const openCount =
  ([plan]: readonly Plan[], run: RunPlan): CountRows =>
  (conditions) => {
    if (plan === undefined) return 0
    const { edges, groups, ...whole } = plan
    return toWhole({ ...whole, measure: { aggregation: 'COUNT' }, dimensions: [], conditions }, run).n
  }

const HAVE_VALUES = ['SECRETS', 'PII']

/** Says how many findings of a question about values have none yet. */
export function warnOfMissingValues(plans: readonly Plan[], run: RunPlan): QueryWarning[] {
  const plan = plans.find((each) => each.entity === 'finding' && isByValue(each))
  if (plan === undefined) return []
  const { edges, groups, ...whole } = plan
  const conditions = plan.conditions.filter(({ key }) => key !== 'values')
  const without = [
    { key: 'detectorTypes', values: HAVE_VALUES, exclude: false },
    // The name of a column is no datum of a person.
    { key: 'findingTypes', values: ['SENSITIVE_COLUMN'], exclude: true },
    { key: 'values', values: [NONE], exclude: false },
  ] as const
  const measure = { aggregation: 'COUNT' } as const
  const asked = without.map((condition) => ({ ...condition, origin: 'caller' as const }))
  const { n } = toWhole({ ...whole, measure, dimensions: [], conditions: [...conditions, ...asked] }, run)
  if (n === 0) return []
  const [what, has, is] = n === 1 ? ['finding', 'has', 'is'] : ['findings', 'have', 'are']
  const message = `${n} ${what} of secrets or personal data ${has} no value id and ${is} left out of the number of values: the next scan of their items gives them one, or an import with valueKey.`
  return [{ code: 'no_value_id', message: toSafeMessage(message) }]
}

/** Warnings about values by which a caller filters that are values of another facet, too, with another number. */
function warnOfOtherMeanings(reader: Reader, [plan]: readonly Plan[], count: CountRows): QueryWarning[] {
  const conditions = plan?.conditions ?? []
  return conditions.flatMap((condition) => {
    const { key, values, origin, term, exclude } = condition
    if (origin !== 'caller' || term !== undefined || exclude || findFacetByFilterKey(key) === undefined) return []
    const countAs = (change: Partial<PlanCondition>) =>
      count(conditions.map((each) => (each === condition ? { ...condition, ...change } : each)))
    return values.slice(0, MAX_CHECKED).flatMap((value) => {
      return findFacetMeanings(reader, String(value), key).flatMap(({ suggestion }): QueryWarning[] => {
        const other = countAs({ key: suggestion.key as PlanCondition['key'], values: [suggestion.value] })
        const own = countAs({ values: [value] })
        if (other === 0 || own === 0 || other === own) return []
        const message = `${quote(String(value))} is also a value of ${suggestion.key}: as that it would match ${other}, not ${own}.`
        return [{ code: 'other_meaning', message: toSafeMessage(message), suggestions: [suggestion] }]
      })
    })
  })
}

/** Warnings about filter values of a caller or placement that have never occurred. */
function warnOfUnknownValues(reader: Reader, plans: readonly Plan[], count: CountRows): QueryWarning[] {
  const asked = new Map<string, Set<string>>()
  for (const { key, values, origin } of plans.flatMap(({ conditions }) => conditions)) {
    if (origin !== 'caller' && origin !== 'placement' && key !== 'detectorTypes' && key !== 'sources') continue
    const known = asked.get(key) ?? new Set()
    for (const value of values) known.add(String(value))
    asked.set(key, known)
  }
  return [...asked].flatMap(([key, values]) => {
    if (key === 'sources') return toSourceWarnings(reader, [...values])
    const seen = listSeen(reader, key)
    if (seen === undefined && key !== 'assets' && key !== 'values') return []
    const folded = new Set(['', ...(seen?.map(foldCase) ?? [])])
    return [...values]
      .filter((value) => !folded.has(foldCase(readOwnWord(value) ?? '')) && !isOfLongList(reader, key, seen, value))
      .map((value) => toWarning(reader, key, value, seen ?? [], (meant) => count(withMeaning(plans, key, meant))))
  })
}

/** Whether a value that is missing from a truncated list of values occurs. */
function isOfLongList(reader: Reader, key: string, seen: readonly string[] | undefined, value: string): boolean {
  if (key === 'assets') return hasAsset(reader, value)
  if (key === 'values') return hasValue(reader, value)
  return isFreeKey(key) && (seen?.length ?? 0) >= MAX_VALUES && isValueSeen(reader, key, value)
}

/** The conditions of the first plan with another one instead of those that a caller set by a key. */
function withMeaning([plan]: readonly Plan[], key: string, { key: meant, value }: Suggested): PlanCondition[] {
  const others = (plan?.conditions ?? []).filter((each) => each.key !== key || each.origin !== 'caller')
  return [...others, { key: meant as PlanCondition['key'], values: [value], exclude: false, origin: 'caller' }]
}

function toWarning(
  reader: Reader,
  key: string,
  value: string,
  seen: readonly SafeText[],
  count: (meant: Suggested) => number,
): QueryWarning {
  const usable = seen.filter(({ length }) => length <= MAX_LENGTH)
  const near = closest(value, usable, (name) => name, MAX_CLOSEST).map((name): Suggested => ({ key, value: name }))
  const meanings = findMeanings(reader, value, key)
  const also = meanings.map(
    ({ what, suggestion }) =>
      `${quote(value)} is ${what}${suggestion === undefined ? '' : ` (with ${suggestion.key} instead, ${count(suggestion)} match)`}`,
  )
  const rest = also.length === 0 ? '' : `; ${also.join(', ')}`
  const suggestions = [...meanings.flatMap(({ suggestion }) => suggestion ?? []), ...near]
  const offered = suggestions.length === 0 ? {} : { suggestions }
  return key === 'detectorTypes'
    ? {
        code: 'unknown_detector',
        message: toSafeMessage(`No detector and no finding is called ${quote(value)}${rest}.`),
        ...offered,
      }
    : {
        code: 'unknown_value',
        message: toSafeMessage(`Nothing has ${key} ${quote(value)}${rest}.`),
        ...offered,
      }
}

/** Warnings about sources named in a term, metric or placement that may have been deleted since. */
function toSourceWarnings(reader: Reader, names: readonly string[]): QueryWarning[] {
  return listUnknownSources(reader, names).unknown.map((name) => ({
    code: 'unknown_value',
    message: toSafeMessage(`No source is called ${quote(name)}; list_sources lists them.`),
  }))
}

interface Meaning {
  /** In words, such as `a source, never scanned`. */
  what: string
  /** The filter that finds it. */
  suggestion?: Suggested
}

/** The facets other than that of a filter key that have a value of the same letters and digits. */
function findFacetMeanings(reader: Reader, value: string, exceptKey: string): Required<Meaning>[] {
  const letters = toLetters(value)
  const isSame = (name: string) => letters !== '' && toLetters(name) === letters
  const found: Required<Meaning>[] = []
  for (const { name, lastCompletedScanAt } of exceptKey === 'sources' ? [] : listSources(reader)) {
    if (!isSame(name)) continue
    const what = lastCompletedScanAt === null ? 'a source, never scanned' : 'a source'
    found.push({ what, suggestion: { key: 'sources', value: toSafeText(name, 'definition') } })
  }
  for (const { filterKey, name, possible } of facetRows) {
    if (filterKey === exceptKey || filterKey === 'sources' || filterKey === 'assets') continue
    const same = findSame(listSeen(reader, filterKey) ?? (possible as readonly SafeText[]), letters)
    if (same !== undefined) found.push({ what: `a value of ${name}`, suggestion: { key: filterKey, value: same } })
  }
  return found
}

/** What else a value is the name of, other than values of the filter key that it was given for. */
export function findMeanings(reader: Reader, value: string, exceptKey: string): Meaning[] {
  const letters = toLetters(value)
  const isSame = (name: string) => letters !== '' && toLetters(name) === letters
  const found: Meaning[] = findFacetMeanings(reader, value, exceptKey)
  if (exceptKey !== 'assets' || !hasAsset(reader, value)) {
    for (const key of findAssetsByName(reader, value, MAX_MEANINGS)) {
      found.push({ what: 'the name of an item', suggestion: { key: 'assets', value: key } })
    }
  }
  if (listTermNames(reader).some(({ slug, displayName }) => isSame(slug) || isSame(displayName))) {
    found.push({ what: 'a term' })
  }
  if (listMetricNames(reader).some(({ slug, displayName }) => isSame(slug) || isSame(displayName))) {
    found.push({ what: 'a metric' })
  }
  return found.slice(0, MAX_MEANINGS)
}

/** A name without letter case and punctuation. */
const toLetters = (name: string) => foldCase(name).replaceAll(/[^\p{L}\p{N}]+/gu, '')

const indexes = new WeakMap<readonly SafeText[], ReadonlyMap<string, SafeText>>()

/** The name of these letters in a list, which is indexed once. */
function findSame(names: readonly SafeText[], letters: string): SafeText | undefined {
  const index = indexes.get(names) ?? new Map(names.map((name) => [toLetters(name), name]))
  indexes.set(names, index)
  return letters === '' ? undefined : index.get(letters)
}

/** The values that occur or may occur under a filter key; undefined for a key without a list. */
function listSeen(reader: Reader, key: string): readonly SafeText[] | undefined {
  if (key === 'sourceTypes') return listSourceTypes(reader)
  if (!isFreeKey(key)) return undefined
  const [possible, seen] = [listPossible(reader, key), listSeenValues(reader, key)]
  return possible.length === 0 ? seen : [...new Set([...possible, ...seen])]
}

/** Values that may still occur. */
function listPossible(reader: Reader, key: FreeKey): readonly SafeText[] {
  const { name, possible } = facetOfFreeKey(key)
  if (name !== 'customDetectorKey') return possible as readonly SafeText[]
  return listCustomDetectors(reader).map(({ key: own }) => toSafeText(own, 'definition'))
}

import { listCustomDetectors } from '../../custom-detectors/custom.store.ts'
import { toSafeMessage } from '../../detectors/safe-text.ts'
import { NONE } from '../../findings/facets.ts'
import { listUnknownSources } from '../../findings/source-names.store.ts'
import { quote, showNames } from '../../kernel/shown.ts'
import { closest } from '../../kernel/suggest.ts'
import type { Trust } from '../../metrics/drift.ts'
import type { MetricRecord } from '../../metrics/model.ts'
import type { Coercion } from '../../operation/input/coerce.ts'
import type { Reader } from '../../store/store.ts'
import { listSeenValues } from '../engine/executor.ts'
import type { QueryWarning } from '../model.ts'
import type { Plan, PlanCondition } from '../plan/plan.ts'
import { type FreeKey, facetOfFreeKey, isFreeKey, listSourceTypes } from '../sql/words.store.ts'
import type { Breakdown } from './breakdown.ts'

/** Warnings about the metric's governance state. */
export function warnOfGovernance(metric: MetricRecord, trust: Trust): QueryWarning[] {
  switch (trust.tier) {
    case 'draft':
      return [
        {
          code: 'draft',
          message: toSafeMessage(`${metric.slug} is a draft that nobody has certified; say so with the number.`),
        },
      ]
    case 'deprecated': {
      const instead = metric.replacedBy === null ? 'it has no successor' : `use ${metric.replacedBy} instead`
      const why = metric.deprecationReason === null ? '' : ` (${quote(metric.deprecationReason)})`
      return [{ code: 'deprecated', message: toSafeMessage(`${metric.slug} is deprecated${why}; ${instead}.`) }]
    }
    case 'drifted':
      return [{ code: 'drifted', message: toSafeMessage(trust.label) }]
    case 'certified':
      return []
  }
}

export function warnOfCoercions(coerced: readonly Coercion[]): QueryWarning[] {
  return coerced
    .slice(0, 20)
    .map(({ path, message }) => ({ code: 'coerced', message: toSafeMessage(`${path} ${message}`) }))
}

/** Warnings about conditions on one key that exclude each other, each naming its origin. */
export function warnOfContradictions(plans: readonly Plan[]): QueryWarning[] {
  const messages = plans.flatMap(({ conditions }) => {
    const keys = [...new Set(conditions.map(({ key }) => key))].filter((key) => key !== 'minConfidence')
    return keys.flatMap((key) => findContradiction(conditions.filter((condition) => condition.key === key)) ?? [])
  })
  return [...new Set(messages)].map((message) => ({ code: 'contradiction', message: toSafeMessage(message) }))
}

function findContradiction(conditions: readonly PlanCondition[]): string | undefined {
  const included = conditions.filter(({ exclude }) => !exclude)
  const [first, ...others] = included
  // Source names and ids identify the same sources, so they cannot be compared with each other.
  if (first === undefined || (first.key === 'sources' && conditions.some(({ values }) => values.some(isUid)))) return
  const fold = (value: string | number) => (first.key === 'sources' ? String(value).toLowerCase() : String(value))
  let left = new Set(first.values.map(fold))
  for (const { values } of others) left = new Set(values.map(fold).filter((value) => left.has(value)))
  for (const { values, exclude } of conditions) {
    if (exclude) for (const value of values) left.delete(fold(value))
  }
  if (left.size > 0) return undefined
  const part = conditions.find((condition) => condition.part !== undefined)?.part
  const where = part === undefined ? '' : ` in ${part}`
  return `Nothing can match${where}: ${conditions.map(describeCondition).join(', but ')}.`
}

const isUid = (value: string | number) => /^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(String(value))

/** A condition in words. */
export function describeCondition({ origin, term, key, values, exclude }: PlanCondition): string {
  const who = term === undefined ? `the ${origin}` : `the term ${term}`
  const listed = showNames(values.slice(0, 5).map(String)) + (values.length > 5 ? ', …' : '')
  return `${who} ${exclude ? 'takes away' : 'asks for'} ${key} ${listed}`
}

/**
 * Keys whose values are written by users of scanned systems: messages refer to a breakdown instead of quoting those
 * names.
 */
const tenantWritten: Readonly<Record<string, string>> = { containers: 'container', categories: 'category' }

function toHint(key: string, near: readonly string[]): string {
  if (near.length === 0) return ''
  const dimension = tenantWritten[key]
  if (dimension === undefined) return `; the closest are ${showNames(near)}`
  return `; a breakdown by ${dimension} shows the names there are, some of them close to it`
}

/** Warnings about filter values of a caller or placement that have never occurred. */
export function warnOfUnknownValues(reader: Reader, plans: readonly Plan[]): QueryWarning[] {
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
    if (seen === undefined) return []
    return [...values]
      .filter((value) => value !== NONE && !seen.includes(value))
      .map((value): QueryWarning => {
        const hint = toHint(
          key,
          closest(value, seen, (name) => name, 3),
        )
        return key === 'detectorTypes'
          ? {
              code: 'unknown_detector',
              message: toSafeMessage(`No detector and no finding is called ${quote(value)}${hint}.`),
            }
          : { code: 'unknown_value', message: toSafeMessage(`Nothing has ${key} ${quote(value)}${hint}.`) }
      })
  })
}

/** Warnings about sources named in a term, metric or placement that may have been deleted since. */
function toSourceWarnings(reader: Reader, names: readonly string[]): QueryWarning[] {
  return listUnknownSources(reader, names).unknown.map((name) => ({
    code: 'unknown_value',
    message: toSafeMessage(`No source is called ${quote(name)} any more, or yet.`),
  }))
}

function listSeen(reader: Reader, key: string): string[] | undefined {
  if (key === 'sourceTypes') return listSourceTypes(reader)
  if (!isFreeKey(key)) return undefined
  const seen = listSeenValues(reader, key)
  return [...new Set([...listPossible(reader, key), ...seen])]
}

/** Values that may still occur. */
function listPossible(reader: Reader, key: FreeKey): readonly string[] {
  const { name, possible } = facetOfFreeKey(key)
  return name === 'customDetectorKey' ? listCustomDetectors(reader).map(({ key: own }) => own) : possible
}

/** A warning about groups of one value of which a limit lists only some. */
export function warnOfTie(tie: Breakdown['tie'], of = 'groups'): QueryWarning[] {
  if (tie === undefined) return []
  const message = `The limit cuts through a tie: ${tie.groups} ${of} have the same value, and ${tie.listed} of them are listed, chosen by name.`
  return [{ code: 'tie_cut', message: toSafeMessage(message) }]
}

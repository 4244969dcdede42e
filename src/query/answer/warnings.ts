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
import type { Freshness, QueryWarning } from '../model.ts'
import type { Plan, PlanCondition } from '../plan/plan.ts'
import { isInScope, listSources, type SourceFreshness } from '../sql/freshness.store.ts'
import { type FreeKey, facetOfFreeKey, isFreeKey, listSourceTypes } from '../sql/words.store.ts'

const DAY = 24 * 3_600_000
const STALE_AFTER = 7 * DAY
/** A scheduled scan may start this much later (in milliseconds) before its source counts as stale. */
const LATE_AFTER = 3_600_000
const MAX_SOURCES = 20
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

/** How recent the data in scope is, with warnings if there is none or it is stale. */
export function toFreshness(
  reader: Reader,
  plans: readonly Plan[],
  now: number,
): { freshness: Freshness; warnings: QueryWarning[] } {
  const populations = plans.map(({ conditions }) => conditions)
  const sources = listSources(reader).filter((source) => isInScope(source, populations))
  const freshness = {
    asOf: new Date(now).toISOString(),
    sources: sources.slice(0, MAX_SOURCES).map((source) => ({
      name: source.name,
      lastCompletedScanAt:
        source.lastCompletedScanAt === null ? null : new Date(source.lastCompletedScanAt).toISOString(),
      stale: isStale(source, now),
    })),
  }
  const newest = Math.max(...sources.map(({ lastCompletedScanAt }) => lastCompletedScanAt ?? -1))
  if (newest > now + CLOCK_TOLERANCE_MS)
    return { freshness, warnings: [{ code: 'clock_moved', message: toSafeMessage(sayAhead(newest)) }] }
  if (newest >= 0) return { freshness, warnings: [] }
  const which = sources.length === 0 ? 'There is no source in scope' : 'No scan of a source in scope has completed'
  const message = toSafeMessage(`${which}, so nothing found does not mean that nothing is there.`)
  return { freshness, warnings: [{ code: 'not_scanned', message }] }
}

/** Clock differences between two machines are tolerated up to this. */
const CLOCK_TOLERANCE_MS = 2 * 60_000

const sayAhead = (newest: number) =>
  `The newest scan in scope ended at ${new Date(newest).toISOString()}, which is later than this machine's clock: the clock was set back, or was wrong then. What is dated later than now may be missing; set the clock.`

function isStale({ lastCompletedScanAt, nextRunAt }: SourceFreshness, now: number): boolean {
  if (lastCompletedScanAt === null || now - lastCompletedScanAt > STALE_AFTER) return true
  return nextRunAt !== null && now - nextRunAt > LATE_AFTER
}

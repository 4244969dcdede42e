import { toSafeMessage } from '../../detectors/safe-text.ts'
import { findFacetByFilterKey } from '../../findings/facets.ts'
import { count } from '../../kernel/count.ts'
import { toInstantOrNull } from '../../kernel/instant.ts'
import { showName } from '../../kernel/shown.ts'
import type { TimeRange } from '../../kernel/time-range.ts'
import type { Reader } from '../../store/store.ts'
import type { Freshness, QueryWarning } from '../model.ts'
import type { Plan } from '../plan/plan.ts'
import { isInScope, listSources, type SourceFreshness } from '../sql/freshness.store.ts'
import { listDoubles } from '../sql/source-scans.store.ts'
import type { RunPlan } from './value.ts'

const DAY = 24 * 3_600_000
const STALE_AFTER = 7 * DAY
/** A scheduled scan may start this much later (in milliseconds) before its source counts as stale. */
const LATE_AFTER = 3_600_000
const MAX_SOURCES = 20
/** Maximum number of sources named in a warning. */
const MAX_NAMED = 3
/** Clock differences between two machines are tolerated up to this. */
const CLOCK_TOLERANCE_MS = 2 * 60_000

/** The sources whose findings or assets at least one of the plans may count. */
export function listSourcesInScope(
  reader: Reader,
  plans: readonly Plan[],
  run: RunPlan,
  now: number,
): SourceFreshness[] {
  const populations = plans.map(({ conditions }) => conditions)
  const named = listSources(reader).filter((source) => isInScope(source, populations))
  // Which sources hold the counted assets matters only if one of them must be named as stale.
  if (!named.some((source) => source.lastCompletedScanAt === null || isStale(source, now))) return named
  const holding = plans.map((plan) => listHolding(plan, run))
  const held = named.filter(({ name }) => holding.some((names) => names === undefined || names.has(name)))
  return held.length === 0 ? named : held
}

/** From when on what plans count was observed; undefined where that is not known, or does not depend on scans. */
export function findObservedFrom(reader: Reader, plans: readonly Plan[]): number | undefined {
  if (plans.some(({ mode, timeField }) => mode === 'flow' && timeField === 'contentUpdatedAt')) return undefined
  const populations = plans.map(({ conditions }) => conditions)
  const known = listSources(reader).filter((source) => isInScope(source, populations))
  const times = known.flatMap(({ observedFrom }) => observedFrom ?? [])
  return times.length === 0 ? undefined : Math.min(...times)
}

/** The sources that have assets of the kinds or containers that a plan requires; undefined when it requires none. */
function listHolding({ conditions, at }: Plan, run: RunPlan): ReadonlySet<string | null> | undefined {
  const ofAssets = conditions.filter(({ key }) => {
    const facet = findFacetByFilterKey(key)
    return facet?.isOfAsset === true && facet.storage.stores !== 'source'
  })
  if (ofAssets.length === 0) return undefined
  const cells = run({
    entity: 'asset',
    mode: 'flow',
    measure: { aggregation: 'COUNT' },
    conditions: ofAssets,
    timeField: 'firstSeenAt',
    range: {},
    at,
    dimensions: ['source'],
  })
  return new Set(cells.map(({ key }) => key[0] ?? null))
}

/** How recent the data of sources is, with warnings where a result of zero may only mean that nothing was scanned. */
export function toFreshness(
  sources: readonly SourceFreshness[],
  plans: readonly Plan[],
  now: number,
): { freshness: Freshness; warnings: QueryWarning[] } {
  const freshness = {
    asOf: new Date(now).toISOString(),
    sources: sources.slice(0, MAX_SOURCES).map((source) => ({
      name: source.name,
      lastCompletedScanAt: toInstantOrNull(source.lastCompletedScanAt),
      observedFrom: toInstantOrNull(source.observedFrom),
      stale: isStale(source, now),
    })),
  }
  const newest = Math.max(...sources.map(({ lastCompletedScanAt }) => lastCompletedScanAt ?? -1))
  if (newest > now + CLOCK_TOLERANCE_MS)
    return { freshness, warnings: [{ code: 'clock_moved', message: toSafeMessage(sayAhead(newest)) }] }
  if (newest >= 0) return { freshness, warnings: warnOfUnobserved(sources, plans) }
  const which = sources.length === 0 ? 'There is no source in scope' : 'No scan of a source in scope has completed'
  const message = toSafeMessage(`${which}, so no findings does not mean that there are none.`)
  return { freshness, warnings: [{ code: 'not_scanned', message }] }
}

const sayAhead = (newest: number) =>
  `The newest scan in scope ended at ${new Date(newest).toISOString()}, which is later than this machine's clock: the clock was set back, or was wrong then. Findings dated in the future may be missing; set the clock.`

function isStale({ lastCompletedScanAt, nextRunAt }: SourceFreshness, now: number): boolean {
  // A source that was never scanned has nothing that could be out of date.
  if (lastCompletedScanAt === null) return false
  if (now - lastCompletedScanAt > STALE_AFTER) return true
  return nextRunAt !== null && now - nextRunAt > LATE_AFTER
}

/** The earliest instant that a plan covers; content dates are also known for times before the first scan. */
function toEarliest({ mode, at, edges, range, timeField }: Plan): number | undefined {
  if (mode === 'stock') return edges?.[0] ?? at
  return timeField === 'contentUpdatedAt' ? undefined : range.from
}

/** A warning about a range that begins before its sources were observed. */
function warnOfUnobserved(sources: readonly SourceFreshness[], plans: readonly Plan[]): QueryWarning[] {
  const from = Math.min(...plans.map((plan) => toEarliest(plan) ?? Number.POSITIVE_INFINITY))
  const late = sources.flatMap(({ name, observedFrom }) =>
    observedFrom === null || observedFrom <= from ? [] : { name, observedFrom },
  )
  if (late.length === 0 || from === Number.POSITIVE_INFINITY) return []
  const message = `The range begins before the first observation of ${nameObserved(late)}, so zero before then does not mean none.`
  return [{ code: 'not_scanned', message: toSafeMessage(message) }]
}

/** Warnings about sources of which two scan the same spaces or workspaces. */
export function warnOfDoubles(reader: Reader, sources: readonly SourceFreshness[]): QueryWarning[] {
  if (sources.length < 2) return []
  const names = new Set(sources.map(({ name }) => name))
  return listDoubles(reader)
    .filter(({ first, second }) => names.has(first) && names.has(second))
    .slice(0, MAX_NAMED)
    .map(({ first, second }) => {
      const message = `${showName(first)} and ${showName(second)} scan the same spaces or workspaces of one tenant, so what is found there counts twice; remove one of them, or limit each to others.`
      return { code: 'counted_twice', message: toSafeMessage(message) }
    })
}

function nameObserved(sources: readonly { name: string; observedFrom: number }[]): string {
  const named = sources
    .slice(0, MAX_NAMED)
    .map(({ name, observedFrom }) => `${showName(name)} (${new Date(observedFrom).toISOString()})`)
  const others = sources.length - named.length
  return named.join(', ') + (others === 0 ? '' : ` and ${count(others, 'other')}`)
}

/** A warning about sources that were observed for different shares of the two ranges of a comparison. */
export function warnOfCoverage(
  sources: readonly SourceFreshness[],
  asked: TimeRange,
  compared: TimeRange,
  now: number,
): QueryWarning[] {
  const uneven = sources.flatMap(({ name, observedFrom }) =>
    observedFrom !== null && toCoverage(asked, observedFrom, now) !== toCoverage(compared, observedFrom, now)
      ? { name, observedFrom }
      : [],
  )
  if (uneven.length === 0) return []
  const message = `The two ranges do not cover the same sources (first observed: ${nameObserved(uneven)}), so part of the change may be new coverage.`
  return [{ code: 'coverage_differs', message: toSafeMessage(message) }]
}

/** The share of a range in which a source was observed; of an open range or a moment, 0 or 1. */
function toCoverage({ from, to }: TimeRange, observedFrom: number, now: number): number {
  const end = to ?? now
  if (from === undefined || from >= end) return observedFrom < end ? 1 : 0
  return Math.min(1, Math.max(0, (end - observedFrom) / (end - from)))
}

import { toSafeMessage } from '../detectors/safe-text.ts'
import { NONE, quoteOwnWord, readOwnWord } from '../findings/missing-value.ts'
import { AppError } from '../kernel/errors.ts'
import { ownText } from '../kernel/safe-text.ts'
import { showName } from '../kernel/shown.ts'
import type { TimeRange } from '../kernel/time-range.ts'
import type { Dimension, MetricRecord } from '../metrics/model.ts'
import { listGroups } from '../query/answer/breakdown.ts'
import { toAppliedRange, toTrendBase } from '../query/answer/describe.ts'
import { findObservedFrom, warnOfCoverage } from '../query/answer/freshness.ts'
import { once, type RunPlan, toDifference, toNodeValue, toTotal, type Value } from '../query/answer/value.ts'
import { openExecutor } from '../query/engine/executor.ts'
import { emptyPartial, toGroupId } from '../query/plan/cells.ts'
import { readDimensions } from '../query/plan/dimensions.ts'
import { compareKeys } from '../query/plan/group-names.ts'
import { type GroupKey, listPlans, type PlanCondition, planMetric, type ValueNode } from '../query/plan/plan.ts'
import { openScope, type ResolvedQuestion } from '../query/plan/scope.ts'
import { beforeWindow, getZone, previousPeriod } from '../query/plan/time.ts'
import { isInScope, listSources, type SourceFreshness } from '../query/sql/freshness.store.ts'
import { readSourceScans, type SourceScanState } from '../query/sql/source-scans.store.ts'
import type { Reader } from '../store/store.ts'
import { MAX_WATCH_GROUPS, type UnknownReason, type WatchGroupKey, type WatchRecord } from './model.ts'
import { meets } from './transition.ts'

const WEEK_MS = 7 * 86_400_000

/** The value of one group at an evaluation. */
export interface GroupReading {
  key: WatchGroupKey
  /** For `changeAbove`, the change as a fraction. */
  value: number | null
  /** Null: unknown, see `reason`. */
  met: boolean | null
  reason: string | null
}

/** The result of an evaluation. */
export interface WatchReading {
  /** Why the whole watch is UNKNOWN. */
  problem: UnknownReason | null
  groups: GroupReading[]
  /** The number of groups; at most `MAX_WATCH_GROUPS` of them have a state. */
  totalGroups: number
}

/**
 * Evaluates a watch in the snapshot of the reader; changes nothing.
 * @param activeGroups The groups that the reading must include, because they are FIRING or UNKNOWN
 */
export function readWatch(
  reader: Reader,
  watch: WatchRecord,
  { now, activeGroups }: { now: number; activeGroups: readonly WatchGroupKey[] },
): WatchReading {
  try {
    return evaluate(reader, watch, now, activeGroups)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const problem = { code: error.facts.reason ?? error.code, message: toSafeMessage(error.message) }
    return toUnknownReading(watch, activeGroups, problem)
  }
}

/** The reading of a watch that could not be evaluated. */
export function toUnknownReading(
  { dimensions }: WatchRecord,
  activeGroups: readonly WatchGroupKey[],
  problem: UnknownReason,
): WatchReading {
  const keys = dimensions.length === 0 ? [[]] : activeGroups
  const groups = keys.map((key) => ({ key, value: null, met: null, reason: problem.code }))
  return { problem, groups, totalGroups: keys.length }
}

function evaluate(
  reader: Reader,
  watch: WatchRecord,
  now: number,
  activeGroups: readonly WatchGroupKey[],
): WatchReading {
  const scope = openWatchScope(reader, watch)
  const { node, earlier, range } = planWatch(watch, scope, now, {})
  const run = once(openExecutor(reader))
  const scans = readSourceScans(reader)
  const populations = listPlans(node).map((plan) => plan.conditions)
  const compared =
    range === undefined || earlier === undefined ? toTrendRanges(scope.metric, node) : [range, previousPeriod(range)]
  const judge = (source: SourceFreshness) =>
    judgeScans(source, scans.get(source.uid)) ?? judgeCoverage(source, compared, now)
  const problem = findProblem(reader, judge, populations)

  const { groups, totalGroups } = listValues(node, earlier, { run, watch, activeGroups })
  const isBySource = watch.dimensions.indexOf('source')
  const readings = groups.map(({ key, value }): GroupReading => {
    const own = isBySource === -1 ? problem : findGroupProblem(reader, judge, key[isBySource] ?? null, problem)
    const named = key.map((name) => (name === null ? ownText(NONE) : quoteOwnWord(name)))
    if (own !== null) return { key: named, value, met: null, reason: own.code }
    return { key: named, value, met: meets(watch.condition, value), reason: value === null ? 'no_value' : null }
  })
  return { problem, groups: readings, totalGroups }
}

type WatchScope = ResolvedQuestion & { dimensions: readonly Dimension[] }

function openWatchScope(reader: Reader, { metricSlug, termSlug, filters, dimensions }: WatchRecord): WatchScope {
  const question = { metricSlug, ...(termSlug === null ? {} : { glossaryTermSlug: termSlug }), filters: filters ?? {} }
  const scope = openScope(reader, question, undefined)
  return { ...scope, dimensions: readDimensions(reader, scope.metric, dimensions).dimensions }
}

/** What an evaluation at an instant computes; `whole` is the range of a watch without one of its own. */
function planWatch(
  { last, condition }: Pick<WatchRecord, 'last' | 'condition'>,
  scope: WatchScope,
  now: number,
  whole: TimeRange,
): { node: ValueNode; earlier: ValueNode | undefined; range: { from: number; to: number } | undefined } {
  const zone = getZone('UTC')
  const nodeOver = (range: TimeRange) =>
    planMetric(scope.metric, scope.conditions, { ...scope, range, now, zone, weekStart: 'monday' })
  // Changes of the current millisecond are included, as for a stock.
  const to = now + 1
  const range = last === null ? undefined : { from: beforeWindow(to, zone, last), to }
  const isChange = condition.kind === 'changeAbove' && range !== undefined
  return { node: nodeOver(range ?? whole), earlier: isChange ? nodeOver(previousPeriod(range)) : undefined, range }
}

/** What an evaluation at a past instant would have found: of the groups, the one nearest to meeting the condition. */
export interface PastReading {
  at: number
  /** Null before the first scan, and where there was no value. */
  value: number | null
  met: boolean | null
}

/** What evaluations once a week would have found until now, with the statuses that findings had then. */
export function readPast(
  reader: Reader,
  watch: WatchRecord,
  { now, weeks }: { now: number; weeks: number },
): PastReading[] {
  const scope = openWatchScope(reader, watch)
  const run = once(openExecutor(reader))
  const observedFrom = findObservedFrom(reader, listPlans(planWatch(watch, scope, now, {}).node))
  return Array.from({ length: weeks + 1 }, (_, index): PastReading => {
    const at = now - (weeks - index) * WEEK_MS
    if (observedFrom === undefined || at < observedFrom) return { at, value: null, met: null }
    const { node, earlier } = planWatch(watch, scope, at, { to: at + 1 })
    const [first] = listValues(node, earlier, { run, watch, activeGroups: [] }).groups
    const value = first?.value ?? null
    return { at, value, met: meets(watch.condition, value) }
  })
}

interface GroupSearch {
  run: RunPlan
  watch: WatchRecord
  activeGroups: readonly WatchGroupKey[]
}

interface WatchedValue {
  key: GroupKey
  value: number | null
}

/**
 * The groups that get a state: those that fire or are UNKNOWN, then those that are nearest to meeting the condition.
 */
function listValues(
  node: ValueNode,
  earlier: ValueNode | undefined,
  { run, watch, activeGroups }: GroupSearch,
): { groups: WatchedValue[]; totalGroups: number } {
  const toWatched = (key: GroupKey, present: Value, before: Value | undefined): WatchedValue => ({
    key,
    value: before === undefined ? present.value : toDifference(present.value, before.value).pctChange,
  })
  if (watch.dimensions.length === 0) {
    const before = earlier === undefined ? undefined : toTotal(earlier, run)
    return { groups: [toWatched([], toTotal(node, run), before)], totalGroups: 1 }
  }
  const found = listGroups(node, earlier, run).groups.map(({ key, before, ...present }) =>
    toWatched(key, present, before),
  )
  const nothing = (each: ValueNode) => toNodeValue(each, () => emptyPartial)
  const empty = toWatched([], nothing(node), earlier === undefined ? undefined : nothing(earlier)).value
  const byId = new Map(found.map((group) => [toGroupId(group.key), group]))
  const kept = activeGroups.map((names): WatchedValue => {
    const key = names.map(readOwnWord)
    return byId.get(toGroupId(key)) ?? { key, value: empty }
  })
  const sign = watch.condition.kind === 'below' ? 1 : -1
  const rankOf = ({ value }: WatchedValue) => (value === null ? Number.POSITIVE_INFINITY : sign * value)
  const ordered = found.sort((a, b) => rankOf(a) - rankOf(b) || compareKeys(a.key, b.key))
  const all = new Map([...kept, ...ordered].map((group) => [toGroupId(group.key), group]))
  return { groups: all.values().take(MAX_WATCH_GROUPS).toArray(), totalGroups: all.size }
}

/** Why the state is unknown because of the sources in scope: the worst problem of any of them. */
function findProblem(
  reader: Reader,
  judge: Judge,
  populations: readonly (readonly PlanCondition[])[],
): UnknownReason | null {
  const sources = listSources(reader).filter((source) => isInScope(source, populations))
  if (sources.length === 0) return { code: 'no_source', message: ownText('There is no source in scope.') }
  const problems = sources.flatMap((source) => judge(source) ?? [])
  return order.flatMap((code) => problems.filter((problem) => problem.code === code))[0] ?? null
}

type Judge = (source: SourceFreshness) => UnknownReason | null

const order = ['never_scanned', 'scan_failed', 'scan_partial', 'not_observed']

function findGroupProblem(
  reader: Reader,
  judge: Judge,
  name: string | null,
  whole: UnknownReason | null,
): UnknownReason | null {
  const source = listSources(reader).find((each) => each.name === name)
  return source === undefined ? whole : judge(source)
}

function judgeScans({ name }: SourceFreshness, state: SourceScanState | undefined): UnknownReason | null {
  const shown = showName(name)
  if (
    state === undefined ||
    (state.lastCompletedScanAt === null && state.lastStatus !== 'FAILED' && state.lastStatus !== 'PARTIAL')
  ) {
    return {
      code: 'never_scanned',
      message: toSafeMessage(
        `No scan of ${shown} has completed, so what it would add is unknown; scan it, remove it, or filter the watch by other sources.`,
      ),
    }
  }
  if (state.lastStatus === 'FAILED')
    return { code: 'scan_failed', message: toSafeMessage(`The last scan of ${shown} failed.`) }
  if (state.isResuming || (state.lastStatus !== null && state.lastStatus !== 'COMPLETED')) {
    return { code: 'scan_partial', message: toSafeMessage(`The last scan of ${shown} was not complete.`) }
  }
  return null
}

/** The two ranges that a trend compares; undefined for another metric. */
function toTrendRanges(metric: MetricRecord, node: ValueNode): readonly TimeRange[] | undefined {
  const plans = listPlans(node)
  const before = toTrendBase(metric, plans)
  return before === undefined ? undefined : [toAppliedRange(metric, plans, {}), before]
}

/** A change is unknown where a source was observed for different shares of the two ranges. */
function judgeCoverage(
  source: SourceFreshness,
  [asked, before]: readonly TimeRange[] = [],
  now: number,
): UnknownReason | null {
  if (asked === undefined || before === undefined || warnOfCoverage([source], asked, before, now).length === 0)
    return null
  const message = `The ranges that are compared begin before the first observation of ${showName(source.name)}, so part of the change may be new coverage.`
  return { code: 'not_observed', message: toSafeMessage(message) }
}

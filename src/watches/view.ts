import { z } from 'zod'
import { dimensionText } from '../findings/facet-texts.ts'
import { FilterMapping } from '../findings/filter.ts'
import { readOwnWord } from '../findings/missing-value.ts'
import { toInstant } from '../kernel/instant.ts'
import { MASK } from '../kernel/redaction.ts'
import { findMetricBySlug } from '../metrics/metrics.store.ts'
import { outsideText, ownText } from '../operation/lockdown/disclosure.ts'
import { toValueName } from '../query/plan/group-names.ts'
import type { Reader } from '../store/store.ts'
import { receiverFormats, WatchCondition, type WatchGroupKey, type WatchRecord, watchStates } from './model.ts'
import { type ChangeRecord, getRun, listChanges, listQueues, listStates } from './states.store.ts'

const instant = (description: string) => ownText().describe(description)
const state = z.enum(watchStates)
const value = z.number().nullable().describe('Value at the evaluation; of changeAbove, the change as a fraction.')
const group = z.record(ownText(), dimensionText()).describe('Value of each dimension of the watch.')
const reason = ownText().describe('Why it is UNKNOWN, such as scan_failed.').optional()

const GroupState = z.object({
  group,
  state: state.describe('OK, FIRING or UNKNOWN.'),
  since: instant('Since when it has this state.'),
  value,
  reason,
})

const ShownReceiver = z.object({
  type: z.literal('webhook').describe('Kind of receiver.'),
  url: ownText().describe('Scheme and host of the address; the rest is secret.'),
  format: z.enum(receiverFormats).describe('Format of the messages.'),
  secret: ownText().describe('******** where one is stored.').optional(),
  pending: z.number().describe('Changes that are still to be sent.'),
  dropped: z.number().describe('Changes that were dropped after a day.').optional(),
  lastFailure: ownText().describe('Why the last attempt failed.').optional(),
})

export const Watch = z.object({
  slug: ownText().describe('Name in paths.'),
  displayName: ownText().describe('Name for people.'),
  metricSlug: ownText().describe('The metric.'),
  failingTests: z
    .array(ownText())
    .describe('The tests of the metric that failed when they last ran; absent if none did.')
    .optional(),
  glossaryTermSlug: ownText().nullable().describe('The term that restricts it.'),
  filters: FilterMapping.nullable().describe('Filters that restrict it.'),
  dimensions: z.array(ownText()).describe('Each of their groups has its own state.'),
  last: ownText().nullable().describe('Range, ending at the evaluation.'),
  cron: ownText().nullable().describe('Further times of evaluation, in UTC.'),
  condition: WatchCondition,
  deliver: z.array(ShownReceiver).describe('Receivers of changes of state.'),
  state: state.describe('The worst state of its groups; UNKNOWN before the first evaluation.'),
  since: instant('Since when it has this state; absent with dimensions.').optional(),
  value,
  reason,
  message: outsideText().describe('Why the state is unknown.').optional(),
  groups: z.array(GroupState).describe('The groups, those that fire first; empty without dimensions.'),
  totalGroups: z.number().describe('Number of groups; at most 100 have a state.'),
  evaluatedAt: instant('Last evaluation.').nullable(),
  nextRunAt: instant('Next evaluation by cron.').optional(),
  createdAt: instant('Created.'),
  updatedAt: instant('Last changed.'),
})
export type Watch = z.infer<typeof Watch>

export const WatchStateChange = z.object({
  id: ownText().describe('Id of the change, the same in every message about it.'),
  watch: ownText().describe('Slug of the watch.'),
  displayName: ownText().describe('Its name.'),
  state: state.describe('The new state.'),
  previousState: state.describe('The previous state.'),
  value,
  condition: WatchCondition,
  at: instant('When.'),
  group: group.optional(),
  reason,
})
export type WatchStateChange = z.infer<typeof WatchStateChange>

export const WatchDetail = Watch.extend({
  history: z.array(WatchStateChange).describe('The last 100 changes of state, newest first.'),
})

export const WatchAnswer = Watch.extend({
  warnings: z
    .array(
      z.object({ code: ownText().describe('Code of the warning.'), message: ownText().describe('What it means.') }),
    )
    .describe('Warnings; absent if there are none.')
    .optional(),
})

const worst = ['FIRING', 'UNKNOWN', 'OK'] as const

export const toGroup = ({ dimensions }: WatchRecord, key: WatchGroupKey) =>
  Object.fromEntries(
    dimensions.map((dimension, index) => {
      const name = key[index]
      return [dimension, toValueName(name === undefined ? null : readOwnWord(name))]
    }),
  )

const toFailing = (failing: string[] | null | undefined) => (failing == null ? {} : { failingTests: failing })

export function toWatch(reader: Reader, watch: WatchRecord): Watch {
  const run = getRun(reader, watch.id)
  const states = listStates(reader, watch.id)
  const queues = new Map(listQueues(reader, watch.id).map((queue) => [queue.receiverId, queue]))
  const isGrouped = watch.dimensions.length > 0
  const single = isGrouped ? undefined : states[0]
  const groups = isGrouped
    ? states
        .map(({ key, state, since, value, reason }) => ({
          group: toGroup(watch, key),
          state,
          since: toInstant(since),
          value,
          ...(state === 'UNKNOWN' && reason !== null ? { reason } : {}),
        }))
        .sort((a, b) => worst.indexOf(a.state) - worst.indexOf(b.state))
    : []
  const isUnknown = run.evaluatedAt === null || run.problem !== null
  const found = worst.find((each) => states.some(({ state }) => state === each)) ?? 'OK'
  const overall = found === 'OK' && isUnknown ? 'UNKNOWN' : found
  const why = run.evaluatedAt === null ? 'not_evaluated' : (run.problem?.code ?? single?.reason ?? undefined)
  const { slug, displayName, metricSlug, termSlug, filters, dimensions, last, cron, condition } = watch
  return {
    slug,
    displayName,
    metricSlug,
    ...toFailing(findMetricBySlug(reader, metricSlug)?.failing),
    glossaryTermSlug: termSlug,
    filters,
    dimensions,
    last,
    cron,
    condition,
    deliver: watch.receivers.map(({ id, address, format, hasSecret }) => {
      const { pending = 0, dropped = 0, lastFailure = null } = queues.get(id) ?? {}
      return {
        type: 'webhook' as const,
        url: address,
        format,
        ...(hasSecret ? { secret: MASK } : {}),
        pending,
        ...(dropped === 0 ? {} : { dropped }),
        ...(lastFailure === null ? {} : { lastFailure }),
      }
    }),
    state: overall,
    ...(single === undefined ? {} : { since: toInstant(single.since) }),
    value: single?.value ?? null,
    ...(overall === 'UNKNOWN' && why !== undefined ? { reason: why } : {}),
    ...(run.problem === null ? {} : { message: run.problem.message }),
    groups,
    totalGroups: run.totalGroups,
    evaluatedAt: run.evaluatedAt === null ? null : toInstant(run.evaluatedAt),
    ...(run.dueAt === null || cron === null ? {} : { nextRunAt: toInstant(run.dueAt) }),
    createdAt: toInstant(watch.createdAt),
    updatedAt: toInstant(watch.updatedAt),
  }
}

export function toStateChange(watch: WatchRecord, change: ChangeRecord): WatchStateChange {
  const { uid, at, from, to, value, key, reason } = change
  return {
    id: uid,
    watch: watch.slug,
    displayName: watch.displayName,
    state: to,
    previousState: from,
    value,
    condition: watch.condition,
    at: toInstant(at),
    ...(watch.dimensions.length === 0 || key.length === 0 ? {} : { group: toGroup(watch, key) }),
    ...(to === 'UNKNOWN' && reason !== null ? { reason } : {}),
  }
}

const MAX_HISTORY = 100

export function toWatchDetail(reader: Reader, watch: WatchRecord): z.infer<typeof WatchDetail> {
  const history = listChanges(reader, { watchId: watch.id, limit: MAX_HISTORY })
  return { ...toWatch(reader, watch), history: history.map((change) => toStateChange(watch, change)) }
}

/** A watch with warnings about its metric. */
export function toWatchAnswer(reader: Reader, watch: WatchRecord): z.infer<typeof WatchAnswer> {
  const metric = findMetricBySlug(reader, watch.metricSlug)
  const warnings =
    metric?.status === 'DRAFT'
      ? [{ code: 'draft', message: `${metric.slug} is a draft that no one has certified; its meaning may change.` }]
      : metric?.status === 'DEPRECATED'
        ? [{ code: 'deprecated', message: `${metric.slug} is deprecated; watch another metric.` }]
        : []
  return { ...toWatch(reader, watch), ...(warnings.length === 0 ? {} : { warnings }) }
}

import { z } from 'zod'
import { FilterMapping } from '../findings/filter.ts'
import { DisplayName, Slug } from '../glossary/model.ts'
import type { SafeText } from '../kernel/safe-text.ts'
import { Duration } from '../metrics/model.ts'
import { CronExpression } from '../sources/schedule.ts'

export const watchStates = ['OK', 'FIRING', 'UNKNOWN'] as const
export type WatchState = (typeof watchStates)[number]

const conditionKinds = ['above', 'below', 'changeAbove'] as const

export const WatchCondition = z
  .strictObject({
    kind: z
      .enum(conditionKinds)
      .describe('above, below: the value; changeAbove: its change from the previous range, as a fraction.'),
    value: z.number().describe('The threshold, which itself does not meet the condition.'),
    for: z.int().min(1).max(100).describe('Consecutive evaluations for which it must hold (1).').optional(),
  })
  .describe('When the watch fires.')
export type WatchCondition = z.infer<typeof WatchCondition>

export const receiverFormats = ['json', 'slack'] as const

const Receiver = z.strictObject({
  type: z.literal('webhook').describe('Kind of receiver.'),
  url: z
    .string()
    .trim()
    .min(1)
    .max(2000)
    .describe('https address, a secret; the form that is shown, such as https://hooks.acme.com/********, keeps it.'),
  format: z.enum(receiverFormats).describe('json: the change, signed; slack: {text}.'),
  secret: z
    .string()
    .min(1)
    .max(500)
    .describe('Key that signs messages of the format json; omitted or ******** keeps the stored one.')
    .optional(),
})
export type ReceiverInput = z.infer<typeof Receiver>

export const MAX_RECEIVERS = 10
export const MAX_WATCHES = 500
/** Maximum number of groups of one watch that have a state. */
export const MAX_WATCH_GROUPS = 100

const MetricRef = z.string().min(1).max(200)

const members = {
  filters: FilterMapping.nullable().describe('Filters that restrict the metric.').optional(),
  glossaryTermSlug: z.string().min(1).max(200).nullable().describe('A term that restricts the metric.').optional(),
  dimensions: z
    .array(z.string().max(100))
    .max(20)
    .describe('Up to 3 allowed dimensions: each group has its own state, at most 100 groups.')
    .optional(),
  last: Duration.nullable().describe('Range of a flow metric, ending at the evaluation, such as 7d.').optional(),
  cron: CronExpression.nullable()
    .describe('Cron expression (UTC) of evaluations in addition to those after each scan and import.')
    .optional(),
  deliver: z
    .array(Receiver)
    .max(MAX_RECEIVERS)
    .describe('Receivers of changes of state; setting them needs the scope admin.')
    .optional(),
}

export const CreateWatch = z.strictObject({
  slug: Slug.describe('Name in paths, such as open-criticals; never changes.'),
  displayName: DisplayName.describe('Name for people.'),
  metricSlug: MetricRef.describe('Metric: slug, id, name or synonym.'),
  condition: WatchCondition,
  ...members,
})
export type CreateWatch = z.infer<typeof CreateWatch>

/** A watch as a file: it refers to other definitions by slug and contains no secrets. */
export const WatchFile = CreateWatch.extend({
  metricSlug: Slug.describe('The metric.'),
  glossaryTermSlug: Slug.nullable().describe('A term that restricts the metric.').optional(),
  deliver: z
    .array(Receiver.omit({ secret: true }))
    .max(MAX_RECEIVERS)
    .describe('Receivers of changes of state; their secrets stay in the database.')
    .optional(),
})

export const WatchChange = z.strictObject({
  displayName: DisplayName.describe('Name for people.').optional(),
  metricSlug: MetricRef.describe('Metric: slug, id, name or synonym.').optional(),
  condition: WatchCondition.optional(),
  ...members,
})
export type WatchChange = z.infer<typeof WatchChange>

/** A receiver as stored; `address` is what is shown of its URL. */
export interface ReceiverRecord {
  id: number
  uid: string
  format: (typeof receiverFormats)[number]
  address: SafeText
  sealed: string
  hasSecret: boolean
}

/** A watch as stored; times in milliseconds. */
export interface WatchRecord {
  id: number
  uid: string
  slug: string
  displayName: string
  metricSlug: string
  termSlug: string | null
  filters: FilterMapping | null
  dimensions: string[]
  last: string | null
  cron: string | null
  condition: WatchCondition
  receivers: ReceiverRecord[]
  createdAt: number
  updatedAt: number
}

/** The names of a group, in the order of the watch's dimensions; a missing value is `(none)`, see `quoteOwnWord`. */
export type WatchGroupKey = readonly SafeText[]

/** Why a state is UNKNOWN. */
export interface UnknownReason {
  /** Such as `scan_failed`, `scan_partial`, `never_scanned`, `no_source`, `no_value`, or the reason of an error. */
  code: string
  message: SafeText
}

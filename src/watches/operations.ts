import { z } from 'zod'
import { createWebhookSender } from '../connectors/webhooks.ts'
import { dimensionText } from '../findings/facet-texts.ts'
import { Slug } from '../glossary/model.ts'
import { toInstant } from '../kernel/instant.ts'
import { quote } from '../kernel/shown.ts'
import { authorOf } from '../operation/author.ts'
import type { WriteContext } from '../operation/context.ts'
import { outsideText, ownText } from '../operation/lockdown/disclosure.ts'
import { type Operation, operation, requireScope } from '../operation/operation.ts'
import { applyReading, type EvaluationStart, listActiveGroups, startEvaluation } from './evaluation.ts'
import { createWatch, deleteWatch, getWatch, setsReceivers, toDraft, updateWatch } from './lifecycle.ts'
import { CreateWatch, WatchChange } from './model.ts'
import { readPast, readWatch, type WatchReading } from './reading.ts'
import type { ReceiverTools } from './receivers.ts'
import { listChanges } from './states.store.ts'
import {
  toGroup,
  toStateChange,
  toWatch,
  toWatchAnswer,
  toWatchDetail,
  Watch,
  WatchAnswer,
  WatchDetail,
  WatchStateChange,
} from './view.ts'
import { listWatches } from './watches.store.ts'

const WatchSlug = z.string().min(1).max(100).describe('Slug of the watch.')

/** What is needed to set receivers, from the context of an operation. */
export const toReceiverTools = ({ vault, webhookHosts = [] }: WriteContext): ReceiverTools => ({
  vault,
  sender: createWebhookSender({ hosts: webhookHosts }),
})

const SET_RECEIVERS = 'Setting deliver'

const WatchPreview = z.object({
  slug: ownText().describe('The watch.'),
  problem: z
    .object({ code: ownText().describe('Which problem.'), message: outsideText().describe('What is wrong.') })
    .nullable()
    .describe('Why the whole watch is UNKNOWN.'),
  groups: z
    .array(
      z.object({
        group: z.record(ownText(), dimensionText()).describe('Value of each dimension; empty without dimensions.'),
        value: z.number().nullable().describe('Value now; of changeAbove, the change as a fraction.'),
        met: z.boolean().nullable().describe('Whether the condition holds; null if unknown.'),
        reason: ownText().nullable().describe('Why it is unknown.'),
      }),
    )
    .describe('The groups, or one for a watch without dimensions.'),
  totalGroups: z.number().describe('Number of groups.'),
  past: z
    .array(
      z.object({
        at: ownText().describe('When it would have been evaluated.'),
        value: z.number().nullable().describe('The value then; of groups, the one nearest to firing.'),
        met: z.boolean().nullable().describe('Whether the condition held; null if unknown.'),
      }),
    )
    .describe('Evaluations once a week until now, if asked for.')
    .optional(),
})
type WatchPreview = z.infer<typeof WatchPreview>

const previewWatch = operation({
  name: 'preview_watch',
  title: 'Preview watch',
  summary: 'Evaluate a watch now, as it is or with other members, without changing anything.',
  effect: 'read',
  runsOn: 'query-thread',
  cost: 'computed',
  scope: 'read',
  route: 'POST /semantic/watches/{slug}/preview',
  untrusted: true,
  input: z.strictObject({
    slug: WatchSlug,
    change: WatchChange.describe('Members to evaluate it with; of a new watch, its metric and condition.').optional(),
    weeks: z.int().min(1).max(53).describe('Also as of the end of each of the last weeks.').optional(),
  }),
  output: WatchPreview,
  run: ({ slug, change, weeks }, context) =>
    context.read((reader) => {
      const watch = change === undefined ? getWatch(reader, slug) : toDraft(reader, slug, change)
      const reading = readWatch(reader, watch, { now: context.now(), activeGroups: listActiveGroups(reader, watch.id) })
      const groups = reading.groups.map(({ key, ...rest }) => ({ group: toGroup(watch, key), ...rest }))
      const past = weeks === undefined ? undefined : readPast(reader, watch, { now: context.now(), weeks })
      return {
        ...{ ...reading, slug: watch.slug, groups },
        ...(past && { past: past.map(({ at, ...rest }) => ({ at: toInstant(at), ...rest })) }),
      }
    }),
})

/** Answers an operation on another thread; undefined where there is none. */
export type ReadElsewhere = (operation: string, input: object) => Promise<{ output: unknown } | undefined> | undefined

/** Reads a watch by its operation, in the thread given by `answer`. */
export const readWatchElsewhere =
  (answer: ReadElsewhere) =>
  async ({ watch }: EvaluationStart): Promise<WatchReading | undefined> => {
    // The answer identifies groups by asset names, which need not be unique.
    if (watch.dimensions.includes('asset')) return undefined
    const answered = await answer(previewWatch.name, { slug: watch.slug })
    if (answered === undefined) return undefined
    const { problem, groups, totalGroups } = answered.output as WatchPreview
    const readings = groups.map(({ group, ...reading }) => ({
      key: watch.dimensions.flatMap((dimension) => group[dimension] ?? []),
      ...reading,
    }))
    return { problem, groups: readings, totalGroups }
  }

/** Evaluates a watch and writes its states; false if it was evaluated or changed by another process meanwhile. */
export function evaluateWatchNow(context: Pick<WriteContext, 'store' | 'now'>, slug: string): boolean {
  const { store, now } = context
  const found = store.read((reader) => {
    const start = startEvaluation(reader, slug)
    if (start === undefined) return undefined
    return {
      start,
      reading: readWatch(reader, start.watch, { now: now(), activeGroups: listActiveGroups(reader, start.watch.id) }),
    }
  })
  if (found === undefined) return false
  return store.write((writer) => applyReading(writer, found.start, found.reading, now()), { durable: true })
}

/** The last changes of state of all watches; read by the feed alone. */
export const watchFeed = operation({
  name: 'read_watch_feed',
  title: 'Read the feed of watches',
  summary: 'The last changes of state of all watches.',
  effect: 'read',
  scope: 'read',
  untrusted: true,
  input: z.strictObject({}),
  output: z.object({ items: z.array(WatchStateChange).describe('The changes, newest first.') }),
  run: (_input, context) =>
    context.read((reader) => {
      const watches = new Map(listWatches(reader).map((watch) => [watch.slug, watch]))
      const items = listChanges(reader, { limit: 100 }).flatMap((change) => {
        const watch = watches.get(change.slug)
        return watch === undefined ? [] : [toStateChange(watch, change)]
      })
      return { items }
    }),
})

export const watchOperations: readonly Operation[] = [
  operation({
    name: 'list_watches',
    title: 'List watches',
    summary: 'The watches and the state of each: OK, FIRING or UNKNOWN.',
    effect: 'read',
    isRevalidated: true,
    scope: 'read',
    route: 'GET /semantic/watches',
    untrusted: true,
    input: z.strictObject({}),
    output: z.object({
      items: z.array(Watch).describe('The watches, by slug.'),
      total: z.number().describe('Number of watches.'),
    }),
    run: (_input, context) =>
      context.read((reader) => {
        const items = listWatches(reader).map((watch) => toWatch(reader, watch))
        return { items, total: items.length }
      }),
  }),

  operation({
    name: 'get_watch',
    title: 'Get watch',
    summary: 'One watch with the states of its groups and its last changes of state.',
    effect: 'read',
    scope: 'read',
    route: 'GET /semantic/watches/{slug}',
    untrusted: true,
    input: z.strictObject({ slug: WatchSlug }),
    output: WatchDetail,
    run: ({ slug }, context) => context.read((reader) => toWatchDetail(reader, getWatch(reader, slug))),
  }),

  operation({
    name: 'create_watch',
    title: 'Create watch',
    summary:
      'Create a watch on a metric: it is evaluated after each scan and import, and fires when its condition holds.',
    effect: 'write',
    consent: 'none',
    scope: 'author',
    route: 'POST /semantic/watches',
    status: 201,
    location: ({ slug }) => `/semantic/watches/${slug}`,
    input: CreateWatch,
    output: WatchAnswer,
    run: (input, context) => {
      if ((input.deliver ?? []).length > 0) requireScope(SET_RECEIVERS, 'admin', context.caller)
      return context.store.write(
        (writer) => toWatchAnswer(writer, createWatch(writer, input, authorOf(context), toReceiverTools(context))),
        { durable: true },
      )
    },
  }),

  operation({
    name: 'update_watch',
    title: 'Update watch',
    summary: 'Change the given fields of a watch. It is evaluated again at once.',
    effect: 'write',
    consent: 'none',
    scope: 'author',
    route: 'PUT /semantic/watches/{slug}',
    idempotent: true,
    untrusted: true,
    input: WatchChange.extend({ slug: Slug.describe('Slug of the watch.') }),
    output: WatchAnswer,
    run: ({ slug, ...change }, context) =>
      context.store.write(
        (writer) => {
          const watch = getWatch(writer, slug)
          if (setsReceivers(watch, change)) requireScope(SET_RECEIVERS, 'admin', context.caller)
          return toWatchAnswer(writer, updateWatch(writer, watch, change, authorOf(context), toReceiverTools(context)))
        },
        { durable: true },
      ),
  }),

  operation({
    name: 'delete_watch',
    title: 'Delete watch',
    summary: 'Delete a watch with its states and history; unsent messages are discarded.',
    effect: 'write',
    consent: 'always',
    scope: 'author',
    route: 'DELETE /semantic/watches/{slug}',
    destructive: true,
    untrusted: true,
    input: z.strictObject({ slug: WatchSlug }),
    output: Watch,
    affected: ({ slug }, context) =>
      context.read((reader) => {
        const { displayName, metricSlug } = toWatch(reader, getWatch(reader, slug))
        return [`${quote(displayName)} (${slug}), which watches ${metricSlug}`]
      }),
    run: ({ slug }, context) =>
      context.store.write(
        (writer) => {
          const watch = getWatch(writer, slug)
          const deleted = toWatch(writer, watch)
          deleteWatch(writer, watch, authorOf(context))
          return deleted
        },
        { durable: true },
      ),
  }),

  previewWatch,

  operation({
    name: 'check_watches',
    title: 'Check watches',
    summary: 'Evaluate watches now (all, unless some are named) and return their states.',
    effect: 'write',
    consent: 'none',
    scope: 'author',
    route: 'POST /semantic/watches/check',
    untrusted: true,
    input: z.strictObject({
      watches: z.array(Slug).min(1).max(500).describe('Slugs of the watches to evaluate; default: all.').optional(),
    }),
    output: z.object({
      items: z.array(Watch).describe('The watches, by slug.'),
      total: z.number().describe('Number of evaluated watches.'),
    }),
    run: ({ watches }, context) => {
      const slugs = context.read((reader) =>
        watches === undefined
          ? listWatches(reader).map(({ slug }) => slug)
          : [...new Set(watches)].map((slug) => getWatch(reader, slug).slug),
      )
      for (const slug of slugs) evaluateWatchNow(context, slug)
      const items = context.read((reader) =>
        listWatches(reader).flatMap((watch) => (slugs.includes(watch.slug) ? [toWatch(reader, watch)] : [])),
      )
      return { items, total: items.length }
    },
  }),
]

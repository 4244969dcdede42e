import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type Author, appendAudit } from '../audit/audit.store.ts'
import { requireSources } from '../findings/source-names.ts'
import { requireTerms } from '../findings/term-filters.store.ts'
import {
  type AppError,
  atPath,
  conflict,
  describeMoreProblems,
  type Issue,
  invalidInput,
  notFound,
} from '../kernel/errors.ts'
import { given } from '../kernel/json-object.ts'
import { quote } from '../kernel/shown.ts'
import { closest } from '../kernel/suggest.ts'
import { loadInputs } from '../metrics/dependencies.ts'
import type { MetricRecord } from '../metrics/model.ts'
import { resolveMetric, resolveTerm } from '../metrics/names.ts'
import { getActiveTerm } from '../query/plan/scope.ts'
import type { Reader, Writer } from '../store/store.ts'
import { checkWatch } from './checks.ts'
import { type CreateWatch, MAX_WATCHES, type WatchChange, type WatchRecord } from './model.ts'
import { keepsReceivers, mergeReceivers, type ReceiverTools } from './receivers.ts'
import { removeStates, resetStreaks, setDue } from './states.store.ts'
import {
  countWatches,
  findWatch,
  insertWatch,
  listWatches,
  type NewReceiver,
  removeWatch,
  replaceReceivers,
  replaceWatch,
  type WatchMembers,
} from './watches.store.ts'

const KIND = 'watch'

/** @throws AppError `not_found` with the closest slugs */
export function getWatch(reader: Reader, slug: string): WatchRecord {
  const found = findWatch(reader, slug)
  if (found !== undefined) return found
  const near = closest(slug, listWatches(reader), (watch) => watch.slug, 3)
  throw notFound(`There is no watch ${quote(slug)}; list_watches shows them all.`, {
    ...(near.length === 0
      ? {}
      : { suggestions: near.map((watch) => ({ value: watch.slug, kind: 'watch', label: watch.displayName })) }),
  })
}

/**
 * Adds a watch, which is evaluated at once.
 * @throws AppError `conflict` when the slug is taken or the metric deprecated, `not_found` for an unknown metric or
 * term, `invalid_input` with every problem
 */
export function createWatch(writer: Writer, given: CreateWatch, author: Author, tools: ReceiverTools): WatchRecord {
  const { slug, deliver = [] } = given
  if (findWatch(writer, slug) !== undefined) {
    throw conflict(`A watch ${quote(slug)} already exists; choose another slug or update that one.`, {
      reason: 'slug_taken',
    })
  }
  if (countWatches(writer) >= MAX_WATCHES) {
    throw conflict(`There are ${MAX_WATCHES} watches already; delete one first.`, { reason: 'too_many_watches' })
  }
  const { displayName, metricSlug, condition, glossaryTermSlug = null } = given
  const { filters = null, dimensions = [], last = null, cron = null } = given
  const wanted = { displayName, metricSlug, glossaryTermSlug, filters, dimensions, last, cron, condition }
  checkGiven(writer, wanted, true)
  const members = toMembers(writer, wanted)
  const uid = randomUUID()
  const receivers = mergeReceivers(tools, uid, [], deliver)
  const id = insertWatch(writer, { ...members, uid, slug }, { createdAt: author.at, dueAt: author.at })
  replaceReceivers(writer, id, receivers)
  const created = getWatch(writer, slug)
  appendAudit(writer, author, { action: 'create', kind: KIND, name: slug, after: toAudited(created) })
  return created
}

/**
 * Changes the given members. Unless only names or receivers change, the watch becomes due and its count of evaluations
 * in a row starts over.
 */
export function updateWatch(
  writer: Writer,
  watch: WatchRecord,
  { deliver, ...change }: WatchChange,
  author: Author,
  tools: ReceiverTools,
): WatchRecord {
  const present = toGiven(watch)
  const wanted = { ...present, ...given(change) } as typeof present
  const [before, members] = [toMembers(writer, present), toMembers(writer, wanted)]
  const { displayName: _before, ...watched } = before
  const { displayName: _after, ...watching } = members
  const isRedefined = !isDeepStrictEqual(watching, watched)
  if (isRedefined) checkGiven(writer, wanted, members.metricId !== before.metricId)
  const receivers = deliver === undefined ? undefined : mergeReceivers(tools, watch.uid, watch.receivers, deliver)
  const isRouted = receivers !== undefined && !isSameReceivers(watch, receivers)
  if (isDeepStrictEqual(members, before) && !isRouted) return watch
  replaceWatch(writer, watch.id, members, author.at)
  if (isRouted) replaceReceivers(writer, watch.id, receivers)
  if (isRedefined) {
    if (isDeepStrictEqual(members.dimensions, before.dimensions)) resetStreaks(writer, watch.id)
    else removeStates(writer, watch.id)
    setDue(writer, watch.id, author.at)
  }
  const updated = getWatch(writer, watch.slug)
  const [from, to] = [toAudited(watch), toAudited(updated, listNewSecrets(watch, updated))]
  appendAudit(writer, author, { action: 'update', kind: KIND, name: watch.slug, before: from, after: to })
  return updated
}

export function deleteWatch(writer: Writer, watch: WatchRecord, author: Author): void {
  removeWatch(writer, watch.id)
  appendAudit(writer, author, { action: 'delete', kind: KIND, name: watch.slug, before: toAudited(watch) })
}

/** Whether a change sets receivers, which requires the scope `admin`. */
export const setsReceivers = (watch: WatchRecord | undefined, { deliver }: WatchChange): boolean =>
  deliver !== undefined && !keepsReceivers(watch?.receivers ?? [], deliver)

/**
 * A watch as it would be with other members, or a new one, without storing it.
 * @throws AppError `not_found` where there is none and `change` does not say what a new one watches
 */
export function toDraft(reader: Reader, slug: string, { deliver: _, ...change }: WatchChange): WatchRecord {
  const stored = findWatch(reader, slug)
  const { metricSlug = stored?.metricSlug, condition = stored?.condition } = change
  if (metricSlug === undefined || condition === undefined) return getWatch(reader, slug)
  const blank = { displayName: slug, glossaryTermSlug: null, filters: null, dimensions: [], last: null, cron: null }
  const wanted: WatchGiven = {
    ...(stored === undefined ? blank : toGiven(stored)),
    ...given(change),
    metricSlug: getMetric(reader, metricSlug).slug,
    condition,
  }
  checkGiven(reader, wanted, true)
  const { glossaryTermSlug: termSlug, ...members } = wanted
  return { ...members, termSlug, id: 0, uid: '', slug, receivers: [], createdAt: 0, updatedAt: 0 }
}

type WatchGiven = Pick<
  WatchRecord,
  'displayName' | 'metricSlug' | 'filters' | 'dimensions' | 'last' | 'cron' | 'condition'
> & { glossaryTermSlug: string | null }

const getMetric = (reader: Reader, slug: string): MetricRecord =>
  atPath('metricSlug', () => resolveMetric(reader, slug))

/** The members of a stored watch that are checked. */
function toGiven({
  displayName,
  metricSlug,
  termSlug,
  filters,
  dimensions,
  last,
  cron,
  condition,
}: WatchRecord): WatchGiven {
  return { displayName, metricSlug, glossaryTermSlug: termSlug, filters, dimensions, last, cron, condition }
}

/** @throws AppError listing every problem of a watch with its metric, its term and its sources */
function checkGiven(reader: Reader, given: WatchGiven, isNewMetric: boolean): void {
  const { metricSlug, glossaryTermSlug, filters, dimensions, last, condition } = given
  const metric = getMetric(reader, metricSlug)
  if (isNewMetric) requireLiving(metric)
  const issues = checkWatch(metric, loadInputs(reader, metric), { dimensions, last, condition })
  const [first] = issues
  if (first !== undefined) throw badWatch(first, issues)
  requireSources(reader, filters ?? undefined, 'filters')
  if (filters !== null) atPath('filters.terms', () => requireTerms(reader, filters))
  if (glossaryTermSlug !== null) getActiveTerm(reader, glossaryTermSlug)
}

function toMembers(reader: Reader, given: WatchGiven): WatchMembers {
  const { displayName, metricSlug, glossaryTermSlug, filters, dimensions, last, cron, condition } = given
  const term =
    glossaryTermSlug === null ? null : atPath('glossaryTermSlug', () => resolveTerm(reader, glossaryTermSlug))
  const { kind, value, for: times = 1 } = condition
  return {
    displayName,
    metricId: getMetric(reader, metricSlug).id,
    termId: term?.id ?? null,
    filters,
    dimensions: [...dimensions],
    last,
    cron,
    condition: { kind, value, for: times },
  }
}

function badWatch(first: Issue, issues: Issue[]): AppError {
  const message = `The watch is not valid: ${first.path} ${first.message}${describeMoreProblems(issues)}`
  return invalidInput(message, { reason: 'invalid_watch', issues })
}

function requireLiving({ slug, status, replacedBy }: MetricRecord): void {
  if (status !== 'DEPRECATED') return
  const instead = replacedBy === null ? 'choose another one' : `watch ${replacedBy} instead`
  throw conflict(`The metric ${slug} is deprecated; ${instead}.`, {
    reason: 'deprecated_metric',
    issues: [{ path: 'metricSlug', message: `is deprecated; ${instead}.` }],
    ...(replacedBy === null ? {} : { suggestions: [{ value: replacedBy, kind: 'metric' }] }),
  })
}

const sealedOf = (receivers: readonly NewReceiver[]) =>
  receivers.map(({ uid, format, sealed, address, hasSecret }) => ({ uid, format, sealed, address, hasSecret }))

const isSameReceivers = ({ receivers }: WatchRecord, wanted: readonly NewReceiver[]): boolean =>
  isDeepStrictEqual(sealedOf(receivers), sealedOf(wanted))

/** The addresses whose secret was set again; the secrets themselves are never shown. */
const listNewSecrets = (before: WatchRecord, after: WatchRecord): string[] =>
  after.receivers
    .filter(({ uid, sealed }) => before.receivers.find((other) => other.uid === uid)?.sealed !== sealed)
    .map(({ address }) => address)

/** A watch as recorded in the audit trail. */
function toAudited(watch: WatchRecord, newSecrets: readonly string[] = []): object {
  const { slug } = watch
  const deliver = watch.receivers.map(({ format, address, hasSecret }) => ({
    type: 'webhook',
    url: address,
    format,
    hasSecret,
  }))
  return { slug, ...toGiven(watch), deliver, ...(newSecrets.length === 0 ? {} : { newSecrets }) }
}

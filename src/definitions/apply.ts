import type { Author } from '../audit/audit.store.ts'
import { AppError } from '../kernel/errors.ts'
import { listInputs } from '../metrics/dependencies.ts'
import { getTrust, isByDueDates, toDigest } from '../metrics/drift.ts'
import { loadMetrics } from '../metrics/metrics.store.ts'
import type { MetricRecord, TrustTier } from '../metrics/model.ts'
import { evaluateMetric } from '../query/answer/evaluate.ts'
import { tested } from '../query/metric-test-runs.ts'
import { findInstallId } from '../store/keys/vault-file.ts'
import type { Reader, Store, Writer } from '../store/store.ts'
import type { ReceiverInput } from '../watches/model.ts'
import { matchReceivers, type ReceiverTools } from '../watches/receivers.ts'
import { findWatch } from '../watches/watches.store.ts'
import { type DefinitionChange, listChanges, toWanted } from './changes.ts'
import { type DefinitionFile, type DefinitionFolder, type Problem, requireValidFiles } from './folder.ts'
import { type DefinitionSet, type Kind, keyOf } from './model.ts'
import { loadDefinitions } from './normal.ts'
import { checkTogether, findOutside } from './references.ts'
import { type Base, readBase, requireKnown, toBase, writeBase } from './sync-state.ts'
import { performChanges } from './write.ts'

/** A metric whose value changes; null when it does not exist before or after. */
export interface ValueChange {
  metric: string
  before: MetricValue | null
  after: MetricValue | null
}

export interface MetricValue {
  value: number | null
  formatted: string
}

/** A metric whose trust tier changes. */
export interface TrustChange {
  metric: string
  before: TrustTier
  after: TrustTier
}

/** The result of applying a folder. */
export interface Outcome {
  changes: DefinitionChange[]
  /** The number of definitions in the folder that equal those in the database. */
  unchanged: number
  moves: ValueChange[]
  trust: TrustChange[]
}

export interface ApplyOptions {
  dryRun: boolean
  /** Delete definitions without a file, of the kinds that have a folder. */
  prune: boolean
  /** Overwrite definitions that were edited in the database since the last synchronization. */
  force: boolean
}

/**
 * Makes the database's definitions equal to a folder's, in one transaction.
 * @throws AppError `invalid_input` with every problem of the files, `conflict` with every definition edited since
 */
export function applyFolder(
  store: Store,
  read: DefinitionFolder,
  options: ApplyOptions,
  author: Author,
  receivers: ReceiverTools,
): Outcome {
  const { path: folder, files, problems, managed } = read
  requireValidFiles(problems)
  const installId = store.read(findInstallId)
  const memory = readBase(folder, installId)
  const target = { files, pruned: options.prune ? managed : new Set<Kind>() }
  let agreed: Base | undefined
  const work = (writer: Writer): Outcome => {
    const present = loadDefinitions(writer)
    const wanted = toWanted(present, target)
    requireValidFiles(checkTogether(wanted, files))
    const listed = listChanges(present, wanted, target)
    const changes = [...listed, ...listNewAddresses(writer, files, listed, receivers)]
    if (!options.force) requireKnown(memory, changes)
    const before = readMetricsState(writer)
    const values = evaluate(writer, listTouched(writer, before.metrics, changes), author.at)
    performChanges(writer, changes, wanted, { author, receivers, files })
    for (const metric of loadMetrics(writer).values()) tested(writer, metric, author.at)
    agreed = memory && toNextSyncState(memory, wanted, files)
    const asked = changes.filter(({ file }) => file !== undefined).length
    return { changes, unchanged: files.length - asked, ...compare(writer, before, values, author.at) }
  }
  if (options.dryRun) return store.dryRun(work)
  const outcome = store.write(work, { durable: true })
  // A folder without sync state, such as a clone, gets none by an apply.
  if (agreed !== undefined) writeBase(folder, installId, agreed)
  return outcome
}

/** Changes to watches of which only the address of a receiver is new, on the same host: definitions show no more of it. */
function listNewAddresses(
  reader: Reader,
  files: readonly DefinitionFile[],
  changes: readonly DefinitionChange[],
  { vault }: ReceiverTools,
): DefinitionChange[] {
  return files.flatMap(({ path, definition, stated }): DefinitionChange[] => {
    const { kind, name } = definition
    if (kind !== 'watch' || changes.some(({ file }) => file === path)) return []
    const watch = findWatch(reader, name)
    if (watch === undefined) return []
    const given = (stated.deliver ?? []) as ReceiverInput[]
    const members = matchReceivers(vault, watch.uid, watch.receivers, given).flatMap((known, index) => {
      const shown = watch.receivers[index]?.address
      const after = 'another address on this host'
      return known === undefined ? [{ path: `deliver[${index}].url`, before: shown, after }] : []
    })
    if (members.length === 0) return []
    return [{ action: 'update', kind, name, file: path, before: definition, after: definition, members }]
  })
}

/**
 * The new sync state: the digests of the files, and the previous digests of definitions without a file. Definitions
 * that the folder has never contained stay out.
 */
function toNextSyncState(memory: Base, wanted: DefinitionSet, files: readonly DefinitionFile[]): Base {
  const stated = toBase(new Map(files.map(({ definition }) => [keyOf(definition), definition])))
  const rest = [...memory].filter(([key]) => wanted.has(key) && !stated.has(key))
  return new Map([...rest, ...stated])
}

/** Validates a folder without a database; `outside` lists what the database must contain. */
export function validateFolder({ files, problems }: DefinitionFolder): {
  files: number
  problems: Problem[]
  outside: Problem[]
} {
  const { problems: outside, placeholders } = findOutside(files)
  const target = { files, pruned: new Set<Kind>() }
  const wanted = toWanted(
    new Map(placeholders.map((definition) => [`${definition.kind}/${definition.name}`, definition])),
    target,
  )
  return { files: files.length, problems: [...problems, ...checkTogether(wanted, files)], outside }
}

interface MetricsState {
  metrics: Map<string, MetricRecord>
  digests: Map<string, string>
  trust: Map<string, TrustTier>
}

function readMetricsState(reader: Reader): MetricsState {
  const metrics = loadMetrics(reader)
  const each = <T>(of: (metric: MetricRecord) => T) => new Map([...metrics].map(([slug, metric]) => [slug, of(metric)]))
  return {
    metrics,
    digests: each((metric) => toDigest(reader, metric, listInputs(metrics, metric)) + toTermState(metric)),
    trust: each((metric) => getTrust(reader, metric).tier),
  }
}

const toTermState = ({ term }: MetricRecord) => (term === null || term.isActive ? '' : ' inactive')

/**
 * The metrics whose values may change: changed metrics, those scoped by a changed term, those of due dates where
 * policies change, and all their dependents.
 */
function listTouched(
  reader: Reader,
  metrics: ReadonlyMap<string, MetricRecord>,
  changes: readonly DefinitionChange[],
): string[] {
  const named = (kind: Kind) => new Set(changes.filter((change) => change.kind === kind).map(({ name }) => name))
  const [changed, terms, policies] = [named('metric'), named('term'), named('sla')]
  const isTouched = (metric: MetricRecord) =>
    changed.has(metric.slug) ||
    (metric.term !== null && terms.has(metric.term.slug)) ||
    (policies.size > 0 && isByDueDates(reader, metric))
  return [...metrics.values()]
    .filter((metric) => [metric, ...listInputs(metrics, metric).values()].some(isTouched))
    .map(({ slug }) => slug)
}

function evaluate(reader: Reader, slugs: readonly string[], now: number): Map<string, MetricValue> {
  return new Map(slugs.map((slug) => [slug, toMetricValue(reader, slug, now)]))
}

function toMetricValue(reader: Reader, metricSlug: string, now: number): MetricValue {
  try {
    const { value, formatted } = evaluateMetric(reader, { metricSlug }, { now })
    return { value, formatted }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { value: null, formatted: `no value: ${error.message}` }
  }
}

function compare(
  reader: Reader,
  before: MetricsState,
  values: ReadonlyMap<string, MetricValue>,
  now: number,
): Pick<Outcome, 'moves' | 'trust'> {
  const after = readMetricsState(reader)
  const moves = [...new Set([...before.metrics.keys(), ...after.metrics.keys()])]
    .sort()
    .flatMap((metric): ValueChange[] => {
      if (before.digests.get(metric) === after.digests.get(metric)) return []
      const was = values.get(metric) ?? null
      const is = after.metrics.has(metric) ? toMetricValue(reader, metric, now) : null
      return was !== null && is !== null && was.value === is.value ? [] : [{ metric, before: was, after: is }]
    })
  const trust = [...after.trust].flatMap(([metric, tier]): TrustChange[] => {
    const was = before.trust.get(metric)
    return was === undefined || was === tier ? [] : [{ metric, before: was, after: tier }]
  })
  return { moves, trust }
}

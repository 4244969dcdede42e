import { findDueDates } from '../../findings/due-dates.store.ts'
import { isManyValued } from '../../findings/facets.ts'
import { findings, toFinding } from '../../findings/list.store.ts'
import type { TermRecord } from '../../glossary/model.ts'
import { toInstant } from '../../kernel/instant.ts'
import { listFilterTerms } from '../../metrics/definition.ts'
import { listDependents, listDirectDependents, listInputs } from '../../metrics/dependencies.ts'
import { isByDueDates } from '../../metrics/drift.ts'
import { previewMetric } from '../../metrics/lifecycle.ts'
import {
  findMetricBySlug,
  listDashboardsOf,
  listDashboardsPinning,
  listWatchesNaming,
  listWatchesOf,
  listWatchesUnder,
  loadMetrics,
} from '../../metrics/metrics.store.ts'
import { type Dimension, dimensions, type MetricRecord } from '../../metrics/model.ts'
import { listOpenProposalsOf } from '../../proposals/proposals.store.ts'
import type { Reader } from '../../store/store.ts'
import { openExecutor, openNarrowing, openTop } from '../engine/executor.ts'
import { type Impact, MAX_EXAMPLES } from '../impact-model.ts'
import { readDimensions } from '../plan/dimensions.ts'
import { toGroupName } from '../plan/group-names.ts'
import { listPlans, type Plan } from '../plan/plan.ts'
import { beforeWindow, getZone, toBuckets } from '../plan/time.ts'
import { openAssetFacts } from '../sql/groups.store.ts'
import { listMembers } from '../sql/members.store.ts'
import { toBreakdown } from './breakdown.ts'
import { type Definitions, openDefinitions } from './definitions.ts'
import { toFormatted } from './format.ts'
import { runTests } from './metric-tests.ts'
import { evaluateBuckets } from './node-series.ts'
import { isTrendCovered, toMetricTotal } from './trend.ts'
import { once, toTotal } from './value.ts'

const PERIOD = '12mo'
const MAX_GROUPS = 20
const zone = getZone('UTC')

const toPeriod = (now: number) => ({ from: beforeWindow(now, zone, PERIOD), to: now })

/** A definition before and after a change; `before` is absent for a new one. */
interface Change<Record> {
  before: Record | undefined
  after: Record
}

interface ImpactOptions {
  dimension?: Dimension | undefined
  now: number
}

/** What a change of a metric does to its numbers and to what depends on it, in the snapshot of a reader. */
export function metricImpact(reader: Reader, { before, after }: Change<MetricRecord>, options: ImpactOptions): Impact {
  const { slug } = after
  const definitions = openDefinitions(reader, { metric: after })
  const graph = loadMetrics(reader)
  const usedBy = {
    metrics: before === undefined ? [] : listDirectDependents(graph, slug),
    dashboards: before === undefined ? [] : listDashboardsOf(reader, before.id),
    watches: before === undefined ? [] : listWatchesOf(reader, before.id),
    proposals: listOpenProposalsOf(reader, { kind: 'metric', name: slug }, options.now),
  }
  const dependents = before === undefined ? [] : listDependents(graph, slug)
  return {
    ...compare(reader, { before, after }, definitions, options),
    usedBy,
    metrics: compareEach(reader, dependents, definitions, options.now),
    tests: runTests(reader, after, options.now, definitions),
  }
}

/** What a change of a term does: to the number of its findings, and to the metrics that it filters. */
export function termImpact(reader: Reader, { before, after }: Change<TermRecord>, options: ImpactOptions): Impact {
  const { slug } = after
  const definitions = openDefinitions(reader, { term: after })
  const graph = loadMetrics(reader)
  const isFiltered = (metric: MetricRecord) => metric.term?.slug === slug || listFilterTerms(metric).includes(slug)
  const metrics = [...graph.values()]
  const affected = metrics.filter((metric) =>
    [metric, ...listInputs(graph, metric).values()].some((part) => isFiltered(part) || isByDueDates(reader, part)),
  )
  const counted = previewMetric(reader, undefined, slug, { unit: 'findings', allowedDimensions: [...dimensions] })
  const ofTerm = (term: TermRecord): MetricRecord => ({ ...counted, term })
  return {
    ...compare(reader, { before: before && ofTerm(before), after: ofTerm(after) }, openDefinitions(reader), {
      dimension: 'findingType',
      ...options,
    }),
    usedBy: {
      metrics: metrics.filter(isFiltered).map((metric) => metric.slug),
      dashboards: listDashboardsPinning(reader, slug),
      watches: [
        ...new Set([
          ...listWatchesNaming(reader, slug),
          ...(before === undefined ? [] : listWatchesUnder(reader, before.id)),
        ]),
      ],
      proposals: listOpenProposalsOf(reader, { kind: 'term', name: slug }, options.now),
    },
    metrics: compareEach(
      reader,
      affected.map((metric) => metric.slug),
      definitions,
      options.now,
    ),
    tests: [],
  }
}

/** The numbers of a metric by the stored definitions and by the changed ones. */
function compare(
  reader: Reader,
  { before, after }: Change<MetricRecord>,
  changed: Definitions,
  { dimension, now }: ImpactOptions,
): Omit<Impact, 'usedBy' | 'metrics' | 'tests'> {
  const stored = openDefinitions(reader)
  const run = once(openExecutor(reader))
  const range = toPeriod(now)
  const named = dimension === undefined ? undefined : readDimensions(reader, after, [dimension]).dimensions[0]
  const by = named ?? after.allowedDimensions.find((each) => !isManyValued(each) && each !== 'asset')
  const groupedBy = by === undefined ? [] : [by]
  const nodeOf = (metric: MetricRecord, definitions: Definitions, over: readonly Dimension[] = []) =>
    definitions.plan(metric, { range, now, zone, weekStart: 'monday', dimensions: over })
  const nodes = { before: before && nodeOf(before, stored), after: nodeOf(after, changed) }
  const asked = { range, now, run }
  const covered = {
    before: before && nodes.before && isTrendCovered(reader, nodes.before, { metric: before, ...asked }),
    after: isTrendCovered(reader, nodes.after, { metric: after, ...asked }),
  }
  const values = {
    before: covered.before === true && nodes.before ? toTotal(nodes.before, run).value : null,
    after: covered.after ? toTotal(nodes.after, run).value : null,
  }
  const breakdown =
    by === undefined
      ? undefined
      : toBreakdown(nodeOf(after, changed, groupedBy), run, {
          limit: MAX_GROUPS,
          before: before && nodeOf(before, stored, groupedBy),
          topOf: openTop(reader),
        })
  const months = toBuckets(range, { granularity: 'month', zone, weekStart: 'monday', now })
  const pointsOf = (metric: MetricRecord, definitions: Definitions) => {
    const at = { now, zone, weekStart: 'monday' as const, observedFrom: undefined }
    return evaluateBuckets(reader, definitions.scopeOf(metric), months, at, run)
  }
  const earlier = before && pointsOf(before, stored)
  const list = openMembers(reader)
  const [was, is] = [nodes.before === undefined ? [] : listPlans(nodes.before), listPlans(nodes.after)]
  return {
    slug: after.slug,
    ...(before === undefined ? { isNew: true as const } : {}),
    from: toInstant(range.from),
    to: toInstant(range.to),
    value: {
      ...values,
      formattedBefore: before === undefined ? '' : toFormatted(values.before, before.format, before.unit),
      formattedAfter: toFormatted(values.after, after.format, after.unit),
    },
    format: after.format,
    unit: after.unit,
    dimension: by ?? null,
    groups: (breakdown?.groups ?? []).map((group) => ({
      dimensionValue: toGroupName(group.key),
      before: covered.before === true ? (group.before?.value ?? null) : null,
      after: covered.after ? group.value : null,
    })),
    totalGroups: breakdown?.totalGroups ?? 0,
    series: pointsOf(after, changed).map(({ timestamp, value }, index) => ({
      ...{ timestamp, before: earlier?.[index]?.value ?? null, after: value },
    })),
    gained: list(is, was, now),
    lost: list(was, is, now),
  }
}

function compareEach(reader: Reader, slugs: readonly string[], changed: Definitions, now: number): Impact['metrics'] {
  const stored = openDefinitions(reader)
  const run = once(openExecutor(reader))
  const range = toPeriod(now)
  return slugs.flatMap((slug) => {
    const metric = findMetricBySlug(reader, slug)
    if (metric === undefined) return []
    const valueBy = (definitions: Definitions) => {
      const node = definitions.plan(metric, { range, now, zone, weekStart: 'monday' })
      return toMetricTotal(reader, node, { metric, range, now, run }).value
    }
    const [before, after] = [valueBy(stored), valueBy(changed)]
    const format = (value: number | null) => toFormatted(value, metric.format, metric.unit)
    return [{ slug, before, after, formattedBefore: format(before), formattedAfter: format(after) }]
  })
}

/** Lists what some plans count and others do not: findings, or assets where no plan counts findings. */
function openMembers(reader: Reader) {
  const narrow = openNarrowing(reader)
  const membersOf = once((plan: Plan) => listMembers(reader, plan))
  const assetOf = openAssetFacts(reader)
  return (plans: readonly Plan[], others: readonly Plan[], now: number): Impact['gained'] => {
    const entity = [...plans, ...others].some((plan) => plan.entity === 'finding') ? 'finding' : 'asset'
    const idOf = (plan: Plan) => JSON.stringify({ ...plan, measure: undefined })
    const same = new Set(others.map(idOf))
    const differing = plans.filter((plan) => plan.entity === entity && !same.has(idOf(plan)))
    const found = new Set(differing.flatMap((plan) => membersOf(narrow(plan))))
    if (found.size > 0) {
      for (const plan of others.filter((other) => other.entity === entity)) {
        for (const id of membersOf(narrow(plan))) found.delete(id)
      }
    }
    const newest = [...found].sort((a, b) => b - a).slice(0, MAX_EXAMPLES)
    if (entity === 'asset')
      return { entity, count: found.size, findings: [], assets: newest.flatMap((id) => assetOf(id) ?? []) }
    const rows = newest.length === 0 ? [] : reader.all(findings().where('f.id', 'in', newest).orderBy('f.id', 'desc'))
    const dueDates = findDueDates(reader, rows, now)
    return { entity, count: found.size, findings: rows.map((row) => toFinding(row, dueDates.get(row.id))), assets: [] }
  }
}

import { z } from 'zod'
import { DisplayName, GlossaryTerm } from '../glossary/model.ts'
import { PageInput, searchPage } from '../glossary/search.ts'
import { toTermWarnings, Warnings } from '../glossary/warnings.ts'
import { type Issue, invalidInput } from '../kernel/errors.ts'
import {
  joinShown,
  line,
  type PrintableText,
  quote,
  showCode,
  showJson,
  showName,
  showNames,
  showSentence,
} from '../kernel/shown.ts'
import { auditOperations } from '../metrics/audit-operations.ts'
import { listInline, readDefinition } from '../metrics/definition.ts'
import { requireOtherEyes } from '../metrics/four-eyes.ts'
import { certifyMetric, deprecateMetric } from '../metrics/governance.ts'
import { createMetric, deleteMetric, updateMetric } from '../metrics/lifecycle.ts'
import { listMetrics } from '../metrics/metrics.store.ts'
import {
  CreateMetric,
  type MetricRecord,
  metricMembers,
  metricStatuses,
  metricTypes,
  OpenDefinition,
} from '../metrics/model.ts'
import { resolveMetric, resolveTerm } from '../metrics/names.ts'
import { checkReadOnly, readOnly } from '../metrics/read-only.ts'
import { termOperations } from '../metrics/term-operations.ts'
import { Metric, MetricDetail, toMetric, toMetricDetail, UsedBy } from '../metrics/view.ts'
import { authorOf } from '../operation/author.ts'
import type { ReadContext, WriteContext } from '../operation/context.ts'
import { type Operation, operation } from '../operation/operation.ts'
import type { Reader, Writer } from '../store/store.ts'
import { tested } from './metric-test-runs.ts'

/** The metric as a path parameter. */
export const MetricName = z.string().min(1).max(200).describe('Metric: slug, id, name or synonym.')

const UpdateMetric = z.strictObject({
  slug: MetricName,
  displayName: DisplayName.describe('Display name.').optional(),
  type: z.enum(metricTypes).describe('Type of metric.').optional(),
  definition: OpenDefinition.optional(),
  ...metricMembers,
  status: z.enum(metricStatuses).describe('DRAFT ends the certification; others: own operations.').optional(),
  id: readOnly(z.string()),
  version: readOnly(z.number()),
  certifiedBy: readOnly(z.string().nullable()),
  certifiedAt: readOnly(z.string().nullable()),
  certifiedVersion: readOnly(z.number().nullable()),
  certifiedVia: readOnly(z.string().nullable()),
  deprecatedBy: readOnly(z.string().nullable()),
  deprecatedAt: readOnly(z.string().nullable()),
  deprecationReason: readOnly(z.string().nullable()),
  replacedBy: readOnly(z.string().nullable()),
  trust: readOnly(Metric.shape.trust),
  glossaryTerm: readOnly(GlossaryTerm.nullable()),
  usedBy: readOnly(UsedBy),
  createdAt: readOnly(z.string()),
  updatedAt: readOnly(z.string()),
})

const MetricAnswer = Metric.extend({ warnings: Warnings.optional() })

function toAnswer(reader: Reader, metric: MetricRecord): z.infer<typeof MetricAnswer> {
  const filters = listInline(metric).flatMap(({ filters: { scanned, ...mapping } = {} }) => mapping)
  return { ...toMetric(reader, metric), ...toTermWarnings(reader, ...filters) }
}

const write = <Result>(context: WriteContext, work: (writer: Writer) => Result): Result =>
  context.store.write(work, { durable: true })

const listMetricsOperation = operation({
  name: 'list_metrics',
  title: 'List metrics',
  summary: 'List governed metrics with their allowed dimensions and trust. Search by name, synonym or dimension.',
  effect: 'read',
  isRevalidated: true,
  scope: 'read',
  route: 'GET /semantic/metrics',
  toolset: 'agent',
  texts: 'own',
  input: z.strictObject({
    search: z.string().max(500).describe('Words in name, description, synonyms or dimensions.').optional(),
    type: z.enum(metricTypes).describe('Only this type.').optional(),
    status: z.enum(metricStatuses).describe('Only this status.').optional(),
    glossaryTermSlug: z.string().max(200).describe('Only metrics linked to this term.').optional(),
    ...PageInput,
  }),
  output: z.object({
    items: z.array(Metric).describe('The metrics, best match first.'),
    total: z.number().describe('Number of all matches.'),
    matched: z.enum(['all', 'any']).describe('Whether all searched words occur, or only some.').optional(),
  }),
  run: ({ search, type, status, glossaryTermSlug, limit = 100, offset = 0 }, context) =>
    context.read((reader) => {
      const termId = glossaryTermSlug === undefined ? undefined : resolveTerm(reader, glossaryTermSlug).id
      const { metrics, ...found } = searchPage(
        search,
        (match) => listMetrics(reader, { type, status, termId, match }, { limit, offset }),
        { metrics: [], total: 0 },
      )
      return { items: metrics.map((metric) => toMetric(reader, metric)), ...found }
    }),
  render: ({ items, total }, input) => {
    const shared = findShared(items.map(({ allowedDimensions }) => allowedDimensions.join(', ')))
    const next = Number(input.offset ?? 0) + items.length
    return [
      line`${items.length} of ${total} metrics${next < total ? line`; offset ${next} lists the next` : line``}`,
      ...(shared === undefined ? [] : [line`by ${showSentence(shared)}, where nothing else is said`]),
      ...items.flatMap((metric) => [
        renderMetricLine(metric, shared),
        line`  ${showSentence(metric.description)}`,
        ...(metric.tests === undefined ? [] : [line`  tests: ${showJson(metric.tests)}`]),
      ]),
    ]
  },
})

/** The list that most metrics have in common; undefined where none occurs twice. */
function findShared(lists: readonly string[]): string | undefined {
  const counts = new Map<string, number>()
  for (const list of lists) counts.set(list, (counts.get(list) ?? 0) + 1)
  const [most] = [...counts].sort(([, a], [, b]) => b - a)
  return most !== undefined && most[1] > 1 ? most[0] : undefined
}

function renderMetricLine(metric: Metric, shared: string | undefined): PrintableText {
  const { slug, displayName, type, format, synonyms, allowedDimensions, trust, version } = metric
  const unit = metric.unit === '' ? line`` : line` in ${showName(metric.unit)}`
  const term = metric.glossaryTermSlug === null ? line`` : line`; term ${showCode(metric.glossaryTermSlug)}`
  const also = synonyms.length === 0 ? line`` : line`; also ${showNames(synonyms)}`
  const by = allowedDimensions.length === 0 ? line`nothing` : joinShown(allowedDimensions.map(showCode))
  const facts = line`${showCode(type)}, ${showCode(format)}${unit}, ${showCode(trust.tier)}, version ${version}${term}${also}`
  const own = allowedDimensions.join(', ') === shared ? line`` : line`; by ${by}`
  return line`${showCode(slug)}: ${showName(displayName)} (${facts})${own}`
}

const getMetric = operation({
  name: 'get_metric',
  title: 'Get metric',
  summary: 'Get one metric with its definition, governance, term and dependents.',
  effect: 'read',
  scope: 'read',
  route: 'GET /semantic/metrics/{slug}',
  toolset: 'admin',
  texts: 'own',
  input: z.strictObject({ slug: MetricName }),
  output: MetricDetail,
  run: ({ slug }, context) => context.read((reader) => toMetricDetail(reader, resolveMetric(reader, slug))),
})

const createMetricOperation = operation({
  name: 'create_metric',
  title: 'Create metric',
  summary: 'Create a DRAFT metric. An error lists every problem of the definition with its path.',
  effect: 'write',
  changes: { kind: 'metrics', list: true },
  consent: 'none',
  scope: 'author',
  route: 'POST /semantic/metrics',
  status: 201,
  location: ({ slug }) => `/semantic/metrics/${slug}`,
  toolset: 'admin',
  texts: 'own',
  impact: 'get_metric_impact',
  input: CreateMetric,
  examine: examineDefinition,
  output: MetricAnswer,
  run: (input, context) =>
    write(context, (writer) =>
      toAnswer(writer, tested(writer, createMetric(writer, input, authorOf(context)), context.now())),
    ),
})

const updateMetricOperation = operation({
  name: 'update_metric',
  title: 'Update metric',
  summary: 'Change the given fields. A new meaning makes a new version and ends the certification.',
  effect: 'write',
  changes: { kind: 'metrics', list: false },
  consent: 'none',
  scope: 'author',
  route: 'PUT /semantic/metrics/{slug}',
  toolset: 'admin',
  idempotent: true,
  texts: 'own',
  impact: 'get_metric_impact',
  input: UpdateMetric,
  examine: examineDefinition,
  output: MetricAnswer,
  run: (input, context) =>
    write(context, (writer) => {
      const metric = resolveMetric(writer, input.slug)
      const { slug, displayName, type, definition, status, ...rest } = input
      const {
        description,
        allowedDimensions,
        format,
        unit,
        glossaryTermSlug,
        owner,
        color,
        synonyms,
        emptyAs,
        better,
        tests,
        ...fixed
      } = rest
      checkReadOnly(fixed, toMetricDetail(writer, metric))
      const texts = { displayName, description, owner, color, synonyms, better, tests }
      const meaning = { type, definition, allowedDimensions, format, unit, glossaryTermSlug, emptyAs }
      const change = { ...texts, ...meaning, ...toStatusChange(metric, status) }
      return toAnswer(writer, tested(writer, updateMetric(writer, metric, change, authorOf(context)), context.now()))
    }),
})

/** The problems of a definition, given its sibling member `type`. */
export function examineDefinition({ type, definition }: Readonly<Record<string, unknown>>): Issue[] {
  const named = CreateMetric.shape.type.safeParse(type).data
  return named === undefined || definition === undefined ? [] : readDefinition(named, definition).issues
}

function toStatusChange(metric: MetricRecord, status: MetricRecord['status'] | undefined): { status?: 'DRAFT' } {
  if (status === undefined || status === metric.status) return {}
  if (status === 'DRAFT') return { status }
  const verb = status === 'ACTIVE' ? 'certify' : 'deprecate'
  const message = `${status} is not set by an update; use ${verb}_metric (POST /semantic/metrics/${metric.slug}/${verb}).`
  throw invalidInput(message, { reason: 'status_not_settable', issues: [{ path: 'status', message }] })
}

/** A metric for a person who decides about it. */
const describeMetric = ({ slug }: { slug: string }, context: ReadContext): string[] =>
  context.read((reader) => {
    const metric = resolveMetric(reader, slug)
    const { displayName, description, type, status, version, definition, term } = metric
    const within = term === null ? '' : `, of the term ${term.slug}`
    return [
      `${quote(displayName)} (${metric.slug}), ${status}, version ${version}: ${description}`,
      `Definition: ${type}${within}, ${JSON.stringify(definition)}`,
    ]
  })

const deleteMetricOperation = operation({
  name: 'delete_metric',
  title: 'Delete metric',
  summary: 'Delete a metric that no other metric and no dashboard uses.',
  effect: 'write',
  changes: { kind: 'metrics', list: true },
  consent: 'always',
  scope: 'author',
  route: 'DELETE /semantic/metrics/{slug}',
  toolset: 'admin',
  destructive: true,
  texts: 'own',
  input: z.strictObject({ slug: MetricName }),
  output: Metric,
  affected: describeMetric,
  run: ({ slug }, context) =>
    write(context, (writer) => {
      const metric = resolveMetric(writer, slug)
      const deleted = toMetric(writer, metric)
      deleteMetric(writer, metric, authorOf(context))
      return deleted
    }),
})

const certifyMetricOperation = operation({
  name: 'certify_metric',
  title: 'Certify metric',
  summary: 'Set the current version of a metric to ACTIVE and record who certified it.',
  effect: 'write',
  changes: { kind: 'metrics', list: false },
  consent: 'always',
  scope: 'certify',
  route: 'POST /semantic/metrics/{slug}/certify',
  toolset: 'admin',
  texts: 'own',
  impact: 'get_metric_impact',
  input: z.strictObject({
    slug: MetricName,
    certifiedBy: z.string().trim().min(1).max(200).describe('On whose behalf (the caller).').optional(),
  }),
  output: Metric,
  affected: describeMetric,
  run: ({ slug, certifiedBy }, context) =>
    write(context, (writer) => {
      const author = authorOf(context)
      const metric = resolveMetric(writer, slug)
      requireOtherEyes(writer, metric, author, context.fourEyes)
      const certified = certifyMetric(writer, metric, certifiedBy ?? author.name, author)
      return toMetric(writer, tested(writer, certified, context.now()))
    }),
})

const deprecateMetricOperation = operation({
  name: 'deprecate_metric',
  title: 'Deprecate metric',
  summary: 'Mark a metric as no longer to be used and name its successor.',
  effect: 'write',
  changes: { kind: 'metrics', list: false },
  consent: 'none',
  scope: 'author',
  route: 'POST /semantic/metrics/{slug}/deprecate',
  toolset: 'admin',
  texts: 'own',
  input: z.strictObject({
    slug: MetricName,
    replacedBy: z.string().min(1).max(200).describe('The metric to use instead.').optional(),
    reason: z.string().max(1000).describe('Why.').optional(),
    deprecatedBy: z.string().trim().min(1).max(200).describe('On whose behalf (the caller).').optional(),
  }),
  output: Metric,
  run: ({ slug, deprecatedBy, ...deprecation }, context) =>
    write(context, (writer) => {
      const by = deprecatedBy ?? context.caller.name
      const metric = resolveMetric(writer, slug)
      return toMetric(writer, deprecateMetric(writer, metric, { ...deprecation, deprecatedBy: by }, authorOf(context)))
    }),
})

export const metricOperations: readonly Operation[] = [
  ...termOperations,
  listMetricsOperation,
  getMetric,
  createMetricOperation,
  updateMetricOperation,
  deleteMetricOperation,
  certifyMetricOperation,
  deprecateMetricOperation,
  ...auditOperations,
]

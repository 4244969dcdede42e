import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type Author, appendAudit } from '../audit/audit.store.ts'
import { requireTerms } from '../findings/term-filters.store.ts'
import {
  AppError,
  conflict,
  describeMoreProblems,
  type Issue,
  invalidInput,
  notFound,
  type Suggestion,
} from '../kernel/errors.ts'
import { quote, showNames } from '../kernel/shown.ts'
import { defuseAssistantText, describeAuthor } from '../operation/author.ts'
import type { Reader, Writer } from '../store/store.ts'
import { listInline, readDefinition } from './definition.ts'
import { checkGraph, checkReferences, listDirectDependents, type MetricGraph } from './dependencies.ts'
import { canonical } from './drift.ts'
import { listFormulaNames, parseFormula, toFormulaName } from './formula.ts'
import {
  findMetricBySlug,
  insertMetric,
  insertVersion,
  listDashboardsOf,
  listWatchesOf,
  loadMetrics,
  type MetricMembers,
  removeMetric,
  replaceMetric,
} from './metrics.store.ts'
import type {
  BetterDirection,
  Dimension,
  MetricFormat,
  MetricRecord,
  MetricTest,
  MetricType,
  TypedDefinition,
} from './model.ts'
import { resolveTerm } from './names.ts'
import { toMetric } from './view.ts'

/** The editable members of a metric; the slug never changes. */
export interface MetricChange {
  displayName?: string | undefined
  description?: string | undefined
  type?: MetricType | undefined
  definition?: unknown
  allowedDimensions?: Dimension[] | undefined
  format?: MetricFormat | undefined
  unit?: string | undefined
  /** null unlinks the term. */
  glossaryTermSlug?: string | null | undefined
  owner?: string | null | undefined
  color?: string | null | undefined
  synonyms?: string[] | undefined
  emptyAs?: 'zero' | 'null' | null | undefined
  better?: BetterDirection | null | undefined
  tests?: MetricTest[] | undefined
  /** Removes a certification or deprecation. */
  status?: 'DRAFT' | undefined
}

export interface NewMetric extends MetricChange {
  slug: string
  displayName: string
  type: MetricType
  definition: unknown
}

/** The members that are free text. */
const writtenKeys = ['displayName', 'description', 'unit', 'owner', 'synonyms']

const uncertified = {
  certifiedBy: null,
  certifiedAt: null,
  certifiedVersion: null,
  certifiedVia: null,
  certifiedDigest: null,
}
/** The governance members of a metric that is not deprecated. */
export const current = { deprecatedBy: null, deprecatedAt: null, deprecationReason: null, replacedBy: null }

/**
 * Adds a metric as a DRAFT.
 * @param graph all metrics as they will be after a change of several; by default the stored ones
 * @throws AppError `conflict` when the slug is taken, `invalid_input` with every problem of the definition, `not_found`
 * when a metric or the term that it refers to does not exist
 */
export function createMetric(writer: Writer, metric: NewMetric, author: Author, graph?: MetricGraph): MetricRecord {
  if (findMetricBySlug(writer, metric.slug) !== undefined) {
    throw conflict(`A metric ${quote(metric.slug)} already exists; choose another slug or update that metric.`, {
      reason: 'slug_taken',
    })
  }
  const blank = toBlank(metric.slug, author.at)
  insertMetric(writer, applyChange(writer, blank, defuseAssistantText(author, metric, writtenKeys), graph))
  const created = getStored(writer, metric.slug)
  saveVersion(writer, created, author)
  auditMetric(writer, author, 'create', undefined, created)
  return created
}

const toBlank = (slug: string, at: number): MetricMembers => ({
  ...uncertified,
  ...current,
  uid: randomUUID(),
  slug,
  displayName: slug,
  description: '',
  type: 'SIMPLE',
  definition: { aggregation: 'COUNT', entity: 'finding' },
  allowedDimensions: [],
  format: 'number',
  unit: '',
  status: 'DRAFT',
  term: null,
  owner: null,
  color: null,
  synonyms: [],
  emptyAs: null,
  better: null,
  tests: [],
  failing: null,
  version: 1,
  updatedAt: at,
})

/**
 * A metric as a change would make it, or a new one; nothing is written.
 * @throws AppError as `updateMetric`
 */
export function previewMetric(
  reader: Reader,
  metric: MetricRecord | undefined,
  slug: string,
  change: MetricChange,
): MetricRecord {
  const { id = 0, createdAt = 0, ...members } = metric ?? { ...toBlank(slug, 0), id: 0, createdAt: 0 }
  return { ...applyChange(reader, members, change), id, createdAt }
}

/**
 * Changes the given members. A change of meaning creates a new version, which is an uncertified DRAFT; a change of the
 * allowed dimensions creates one that keeps status and certification.
 */
export function updateMetric(
  writer: Writer,
  metric: MetricRecord,
  change: MetricChange,
  author: Author,
  graph?: MetricGraph,
): MetricRecord {
  const { id, createdAt, ...members } = metric
  const changed = applyChange(writer, members, defuseAssistantText(author, change, writtenKeys), graph)
  const means = canonical(toMeaning(changed)) !== canonical(toMeaning(members))
  const opens = canonical(changed.allowedDimensions) !== canonical(members.allowedDimensions)
  if (means) Object.assign(changed, uncertified, current, { status: 'DRAFT', version: metric.version + 1 })
  else {
    if (opens) {
      const version = metric.version + 1
      Object.assign(changed, { version, ...(metric.certifiedVersion === null ? {} : { certifiedVersion: version }) })
    }
    if (change.status === 'DRAFT') Object.assign(changed, uncertified, current, { status: 'DRAFT' })
  }
  if (isDeepStrictEqual(changed, members)) return metric
  replaceMetric(writer, id, { ...changed, updatedAt: author.at })
  const updated = getStored(writer, metric.slug)
  if (means || opens) saveVersion(writer, updated, author)
  auditMetric(writer, author, 'update', metric, updated)
  return updated
}

/** @throws AppError `conflict` listing the metrics, dashboards and watches that use it */
export function deleteMetric(writer: Writer, metric: MetricRecord, author: Author): void {
  const graph = loadMetrics(writer)
  const metrics = listDirectDependents(graph, metric.slug)
  const dashboards = listDashboardsOf(writer, metric.id)
  const watches = listWatchesOf(writer, metric.id)
  if (metrics.length + dashboards.length + watches.length > 0) {
    const users = [
      ...(metrics.length > 0 ? [`the metrics ${metrics.join(', ')}`] : []),
      ...(dashboards.length > 0 ? [`the dashboards ${showNames(dashboards)}`] : []),
      ...(watches.length > 0 ? [`the watches ${watches.join(', ')}`] : []),
    ]
    throw conflict(`${metric.slug} is used by ${users.join(' and ')}; change or remove those first.`, {
      reason: 'in_use',
      facts: { metrics, dashboards, watches },
    })
  }
  for (const other of graph.values()) {
    if (other.replacedBy !== metric.slug) continue
    const { id, createdAt, ...members } = other
    replaceMetric(writer, id, { ...members, replacedBy: null, updatedAt: author.at })
    auditMetric(writer, author, 'update', other, getStored(writer, other.slug))
  }
  removeMetric(writer, metric.id)
  auditMetric(writer, author, 'delete', metric, undefined)
}

/**
 * A metric as it would be with other members, or a new one, without storing it.
 * @throws AppError as a change of the stored one would
 */
export function toDraft(reader: Reader, slug: string, change: MetricChange): MetricRecord {
  return { ...previewMetric(reader, findMetricBySlug(reader, slug), slug, change), status: 'DRAFT' }
}

function applyChange(
  reader: Reader,
  members: MetricMembers,
  change: MetricChange,
  graph: MetricGraph = loadMetrics(reader),
): MetricMembers {
  const { definition, type, glossaryTermSlug, allowedDimensions, status, ...texts } = change
  const given = Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined))
  const linked = findLinked(reader, glossaryTermSlug)
  const wanted = {
    ...members,
    ...given,
    term: linked.term === undefined ? members.term : linked.term,
    allowedDimensions: allowedDimensions === undefined ? members.allowedDimensions : [...new Set(allowedDimensions)],
  }
  const problems = checkTests(wanted, graph)
  if (problems.length > 0) throw badDefinition(problems, false, [])
  const touched =
    definition !== undefined || type !== undefined || allowedDimensions !== undefined || 'emptyAs' in given
  if (!touched) {
    if (linked.problem !== undefined) throw linked.problem
    return wanted
  }
  const draft = {
    slug: members.slug,
    type: type ?? members.type,
    definition: definition ?? members.definition,
    allowedDimensions: wanted.allowedDimensions,
    emptyAs: wanted.emptyAs,
  }
  const typed = checkDefinition(graph, draft, linked.problem)
  for (const { filters } of listInline(typed)) if (filters !== undefined) requireTerms(reader, filters)
  return { ...wanted, ...typed }
}

/** The problems of the tests of a metric among the metrics of the graph. */
function checkTests({ tests, allowedDimensions }: MetricMembers, graph: MetricGraph): Issue[] {
  return tests.flatMap((test, index): Issue[] => {
    const at = `tests[${index}]`
    if (test.kind === 'sumOf' && !allowedDimensions.includes(test.dimension)) {
      const others = allowedDimensions.length === 0 ? '' : `, or use one of ${allowedDimensions.join(', ')}`
      const message = `${test.dimension} is not among the allowed dimensions; add it to allowedDimensions${others}.`
      return [{ path: `${at}.dimension`, message }]
    }
    if (test.kind !== 'equals') return []
    if (test.metricSlug !== undefined) {
      return checkReferences('', [{ slug: test.metricSlug, path: `${at}.metricSlug` }], graph).issues
    }
    const parsed = parseFormula(test.formula ?? '')
    if ('problems' in parsed) {
      return parsed.problems.map(({ message }) => ({ path: `${at}.formula`, message }))
    }
    const known = new Set([...graph.keys()].map(toFormulaName))
    return [...listFormulaNames(parsed.formula).keys()]
      .filter((name) => !known.has(name))
      .map((name) => ({
        path: `${at}.formula`,
        message: `there is no metric ${quote(name)}; write slugs with _ for -.`,
      }))
  })
}

/** The term to link, null for none, undefined for no change; or the error if there is no such term. */
function findLinked(
  reader: Reader,
  name: string | null | undefined,
): { term?: MetricRecord['term'] | undefined; problem?: AppError } {
  if (name === null || name === undefined) return { term: name }
  try {
    return { term: resolveTerm(reader, name) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const issues = [{ path: 'glossaryTermSlug', message: error.message }]
    return { problem: new AppError(error.code, error.message, { ...error.facts, issues }) }
  }
}

/** The members that decide whether a metric is valid. */
export interface MeaningDraft {
  slug: string
  type: MetricType
  definition: unknown
  allowedDimensions: Dimension[]
  emptyAs: MetricRecord['emptyAs']
}

/** @throws AppError with every problem of the definition among the metrics of the graph, each with its path */
export function checkDefinition(graph: MetricGraph, draft: MeaningDraft, termProblem?: AppError): TypedDefinition {
  const read = readDefinition(draft.type, draft.definition)
  const references = checkReferences(draft.slug, read.references, graph)
  const issues = [...read.issues, ...references.issues, ...checkEmptyAs(draft, read.typed)]
  if (read.typed !== undefined && references.issues.length === 0) {
    const { slug, allowedDimensions } = draft
    issues.push(...checkGraph(slug, { ...read.typed, allowedDimensions }, graph))
    if (issues.length === 0) {
      if (termProblem !== undefined) throw termProblem
      return read.typed
    }
  }
  const onlyMissing = references.missing.length === issues.length && termProblem?.code !== 'invalid_input'
  const { issues: more = [], suggestions = [] } = termProblem?.facts ?? {}
  throw badDefinition([...issues, ...more], onlyMissing, [...references.suggestions, ...suggestions])
}

function checkEmptyAs({ emptyAs }: MeaningDraft, typed: TypedDefinition | undefined): Issue[] {
  if (emptyAs === null || typed === undefined) return []
  if (typed.type === 'SIMPLE' && typed.definition.aggregation === 'SUM') return []
  return [{ path: 'emptyAs', message: 'is for SIMPLE metrics that SUM; remove it (or send null).' }]
}

function badDefinition(issues: Issue[], onlyMissing: boolean, suggestions: Suggestion[]): AppError {
  const [first] = issues
  const more = describeMoreProblems(issues)
  const message = `The metric is not valid at ${first?.path ?? 'definition'}: ${first?.message ?? 'unknown problem'}${more}`
  const facts = { issues, ...(suggestions.length > 0 ? { suggestions } : {}) }
  if (onlyMissing) return notFound(message, { reason: 'unknown_metric', ...facts })
  const circular = issues.some((issue) => issue.message.startsWith('creates a cycle'))
  return invalidInput(message, { reason: circular ? 'cycle' : 'invalid_definition', ...facts })
}

/** The members that define what a metric means: changing any of them takes its certification away. */
function toMeaning(metric: MetricMembers) {
  const { type, definition, format, unit, emptyAs, term } = metric
  return { type, definition, format, unit, emptyAs, glossaryTermSlug: term?.slug ?? null }
}

function saveVersion(writer: Writer, metric: MetricRecord, author: Author): void {
  const { displayName, description, version, allowedDimensions } = metric
  const snapshot = { displayName, description, allowedDimensions, ...toMeaning(metric) }
  insertVersion(writer, metric.id, { version, at: author.at, actor: describeAuthor(author), via: author.via, snapshot })
}

/** Appends a change of a metric to the audit trail, from which its trust label takes who certified it. */
export function auditMetric(
  writer: Writer,
  author: Author,
  action: string,
  before: MetricRecord | undefined,
  after: MetricRecord | undefined,
): void {
  const toAudited = (metric: MetricRecord) => {
    const { trust: _, ...stored } = toMetric(writer, metric)
    // What a certification covers besides the metric itself.
    return action === 'certify' ? { ...stored, certifiedDigest: metric.certifiedDigest } : stored
  }
  appendAudit(writer, author, {
    action,
    kind: 'metric',
    name: (after ?? before)?.slug ?? '',
    ...(before === undefined ? {} : { before: toAudited(before) }),
    ...(after === undefined ? {} : { after: toAudited(after) }),
  })
}

/** Reads back the metric just written. */
export function getStored(reader: Reader, slug: string): MetricRecord {
  const stored = findMetricBySlug(reader, slug)
  if (stored === undefined) throw new TypeError(`the metric ${slug} was not stored`)
  return stored
}

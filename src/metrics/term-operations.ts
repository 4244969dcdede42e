import { z } from 'zod'
import { listPolicies } from '../findings/sla.store.ts'
import { listSuppressionsOfTerm } from '../findings/suppressions/suppressions.store.ts'
import {
  DisplayName,
  GlossaryTerm,
  TermMapping,
  type TermRecord,
  termMembers,
  toGlossaryTerm,
} from '../glossary/model.ts'
import { TermAnswer, TermName } from '../glossary/operations.ts'
import { showTags, withReview } from '../glossary/review.ts'
import { deleteTerm, updateTerm } from '../glossary/terms.ts'
import { type TermWarning, toTermWarnings } from '../glossary/warnings.ts'
import { conflict } from '../kernel/errors.ts'
import { line, quote, showCode, showJson, showName, showNames, showSentence } from '../kernel/shown.ts'
import { authorOf } from '../operation/author.ts'
import { type Operation, operation } from '../operation/operation.ts'
import type { Reader } from '../store/store.ts'
import { listFilterTerms } from './definition.ts'
import { listInputs } from './dependencies.ts'
import { findDrift } from './drift.ts'
import { updateMetric } from './lifecycle.ts'
import {
  listDashboardsPinning,
  listMetrics,
  listWatchesNaming,
  listWatchesUnder,
  loadMetrics,
} from './metrics.store.ts'
import { metricFormats, metricStatuses, metricTypes } from './model.ts'
import { resolveTerm } from './names.ts'
import { checkReadOnly, readOnly } from './read-only.ts'

const LinkedMetric = z.object({
  slug: z.string().describe('Name in queries.'),
  displayName: z.string().describe('Display name.'),
  type: z.enum(metricTypes).describe('Type of metric.'),
  status: z.enum(metricStatuses).describe('ACTIVE when certified.'),
  format: z.enum(metricFormats).describe('Format of its value.'),
  unit: z.string().describe('Unit; may be empty.'),
})

const TermDetail = GlossaryTerm.extend({
  metrics: z.array(LinkedMetric).describe('The metrics that it always filters.'),
})

function listLinked(reader: Reader, term: TermRecord) {
  return listMetrics(reader, { termId: term.id }, { limit: 500, offset: 0 }).metrics
}

function toTermDetail(reader: Reader, term: TermRecord): z.infer<typeof TermDetail> {
  const metrics = listLinked(reader, term).map(({ slug, displayName, type, status, format, unit }) => ({
    slug,
    displayName,
    type,
    status,
    format,
    unit,
  }))
  return { ...withReview(reader, toGlossaryTerm(term)), metrics }
}

const getGlossaryTerm = operation({
  name: 'get_glossary_term',
  title: 'Get glossary term',
  summary: 'Get one business term: its meaning, the findings it covers, and its metrics.',
  effect: 'read',
  scope: 'read',
  route: 'GET /semantic/glossary/{slug}',
  toolset: 'agent',
  texts: 'own',
  input: z.strictObject({ slug: TermName }),
  output: TermDetail,
  run: ({ slug }, context) => context.read((reader) => toTermDetail(reader, resolveTerm(reader, slug))),
  render: (term) => [
    line`${showName(term.displayName)} (${showCode(term.slug)})${showTags(term)}: ${showSentence(term.description)}`,
    line`category: ${term.category ? showName(term.category) : line`none`}; synonyms: ${term.synonyms.length === 0 ? line`none` : showNames(term.synonyms)}`,
    line`findings: ${showJson(term.filterMapping)}`,
    ...term.metrics.map(
      ({ slug, displayName, type, status }) =>
        line`metric ${showCode(slug)}: ${showName(displayName)}, ${showCode(type)}, ${showCode(status)}`,
    ),
  ],
})

const updateGlossaryTerm = operation({
  name: 'update_glossary_term',
  title: 'Update glossary term',
  summary: 'Change the given fields of a term. Certified metrics drift when its mapping changes.',
  effect: 'write',
  changes: { kind: 'terms', list: false },
  consent: 'none',
  scope: 'author',
  route: 'PUT /semantic/glossary/{slug}',
  toolset: 'admin',
  idempotent: true,
  texts: 'own',
  impact: 'get_term_impact',
  input: z.strictObject({
    slug: TermName,
    displayName: DisplayName.describe('Display name.').optional(),
    filterMapping: TermMapping.optional(),
    ...termMembers,
    id: readOnly(z.string()),
    metrics: readOnly(z.array(z.looseObject({}))),
    unreviewed: readOnly(z.literal(true)),
    createdAt: readOnly(z.string()),
    updatedAt: readOnly(z.string()),
  }),
  output: TermAnswer,
  run: (input, context) =>
    context.store.write(
      (writer) => {
        const term = resolveTerm(writer, input.slug)
        const { slug, id, metrics, unreviewed, createdAt, updatedAt, ...change } = input
        checkReadOnly({ id, metrics, unreviewed, createdAt, updatedAt }, toTermDetail(writer, term))
        const before = listDrifted(writer)
        const updated = updateTerm(writer, term, change, authorOf(context))
        const drifted = listDrifted(writer).filter((metric) => !before.includes(metric))
        const warnings = [
          ...(toTermWarnings(writer, updated.filterMapping).warnings ?? []),
          ...drifted.map(toDriftWarning),
        ]
        return { ...withReview(writer, toGlossaryTerm(updated)), ...(warnings.length > 0 ? { warnings } : {}) }
      },
      { durable: true },
    ),
})

function listDrifted(reader: Reader): string[] {
  const graph = loadMetrics(reader)
  return [...graph.values()]
    .filter((metric) => findDrift(reader, metric, listInputs(graph, metric)).length > 0)
    .map((metric) => metric.slug)
}

function toDriftWarning(slug: string): TermWarning {
  return {
    code: 'drifted',
    message: `The certified metric ${slug} now counts something else; have it certified again.`,
  }
}

/** @throws AppError `conflict` that lists the metrics, dashboards, watches and suppressions whose filters name the term */
function requireUnnamed(reader: Reader, { slug }: TermRecord): void {
  const metrics = [...loadMetrics(reader).values()].flatMap((metric) =>
    listFilterTerms(metric).includes(slug) ? [metric.slug] : [],
  )
  const dashboards = listDashboardsPinning(reader, slug)
  const suppressions = listSuppressionsOfTerm(reader, slug)
  const watches = listWatchesNaming(reader, slug)
  const users = [
    ...(metrics.length > 0 ? [`the metrics ${metrics.join(', ')}`] : []),
    ...(dashboards.length > 0 ? [`placements on the dashboards ${showNames(dashboards)}`] : []),
    ...(watches.length > 0 ? [`the watches ${watches.join(', ')}`] : []),
    ...(suppressions.length > 0 ? [`the suppressions ${suppressions.join(', ')}`] : []),
  ]
  if (users.length === 0) return
  throw conflict(`${slug} is named by filters of ${users.join(' and ')}; change those first.`, {
    reason: 'in_use',
    facts: { metrics, dashboards, watches, suppressions: suppressions.map(String) },
  })
}

const deleteGlossaryTerm = operation({
  name: 'delete_glossary_term',
  title: 'Delete glossary term',
  summary: 'Delete a term. Fails if metrics use it, unless detach is true.',
  effect: 'write',
  changes: { kind: 'terms', list: true },
  consent: 'always',
  scope: 'author',
  route: 'DELETE /semantic/glossary/{slug}',
  toolset: 'admin',
  destructive: true,
  texts: 'own',
  input: z.strictObject({
    slug: TermName,
    detach: z.boolean().describe('Unlink metrics that use it; they become drafts.').optional(),
  }),
  output: GlossaryTerm,
  affected: ({ slug }, context) =>
    context.read((reader) => {
      const term = resolveTerm(reader, slug)
      const linked = listLinked(reader, term).map((metric) => metric.slug)
      return [
        `${quote(term.displayName)} (${term.slug}): ${term.description}`,
        `Definition: ${JSON.stringify(term.filterMapping)}; used by ${linked.length === 0 ? 'no metric' : linked.join(', ')}`,
      ]
    }),
  run: ({ slug, detach = false }, context) =>
    context.store.write(
      (writer) => {
        const term = resolveTerm(writer, slug)
        requireUnnamed(writer, term)
        const linked = listLinked(writer, term)
        if (linked.length > 0 && !detach) {
          const metrics = linked.map((metric) => metric.slug)
          throw conflict(
            `${term.slug} filters the metrics ${metrics.join(', ')}; change those, or delete with detach=true, which makes them drafts without this filter.`,
            { reason: 'in_use', facts: { metrics } },
          )
        }
        const watches = listWatchesUnder(writer, term.id)
        if (watches.length > 0) {
          throw conflict(`${term.slug} narrows the watches ${watches.join(', ')}; change or delete those first.`, {
            reason: 'in_use',
            facts: { watches },
          })
        }
        if (listPolicies(writer).some(({ termSlug }) => termSlug === term.slug)) {
          throw conflict(`${term.slug} has a policy of due dates; remove that first.`, { reason: 'in_use' })
        }
        const author = authorOf(context)
        for (const metric of linked) updateMetric(writer, metric, { glossaryTermSlug: null }, author)
        deleteTerm(writer, term, author)
        return toGlossaryTerm(term)
      },
      { durable: true },
    ),
})

export const termOperations: readonly Operation[] = [getGlossaryTerm, updateGlossaryTerm, deleteGlossaryTerm]

import { z } from 'zod'
import { findProposer } from '../audit/actors.store.ts'
import { listAuditRows } from '../audit/audit.store.ts'
import { verifyAudit } from '../audit/audit-chain.store.ts'
import { parseSafeObject } from '../kernel/safe-text.ts'
import { decodeCursor, encodeCursor } from '../operation/cursor.ts'
import { outsideValue, ownText } from '../operation/lockdown/disclosure.ts'
import { type Operation, operation } from '../operation/operation.ts'
import { listVersions } from './metrics.store.ts'
import { resolveMetric } from './names.ts'
import { Metric } from './view.ts'

const instant = ownText().describe('ISO 8601 UTC timestamp.')
const Snapshot = z.record(ownText(), outsideValue())

const MetricVersion = Metric.pick({
  version: true,
  displayName: true,
  description: true,
  type: true,
  definition: true,
  allowedDimensions: true,
  format: true,
  unit: true,
  emptyAs: true,
  glossaryTermSlug: true,
}).extend({
  createdAt: instant,
  createdBy: z.string().describe('Who created it.'),
  createdVia: z.string().describe('Interface used: http, mcp or cli.'),
})
type MetricVersion = z.infer<typeof MetricVersion>

const listMetricVersions = operation({
  name: 'list_metric_versions',
  title: 'List metric versions',
  summary: 'List the versions of a metric, newest first, with who created each and when.',
  effect: 'read',
  scope: 'read',
  route: 'GET /semantic/metrics/{slug}/versions',
  texts: 'own',
  input: z.strictObject({
    slug: z.string().min(1).max(200).describe('Metric: slug, id, name or synonym.'),
  }),
  output: z.object({
    items: z.array(MetricVersion).describe('The versions, each with the full definition at that time.'),
    total: z.number().describe('Number of versions.'),
  }),
  run: ({ slug }, context) =>
    context.read((reader) => {
      const rows = listVersions(reader, resolveMetric(reader, slug).id)
      const items = rows.map(({ version, at, actor, via, snapshot }) => ({
        ...(snapshot as Omit<MetricVersion, 'version' | 'createdAt' | 'createdBy' | 'createdVia'>),
        version,
        createdAt: new Date(at).toISOString(),
        createdBy: actor,
        createdVia: via,
      }))
      return { items, total: items.length }
    }),
})

const listAudit = operation({
  name: 'list_audit',
  title: 'List audit trail',
  summary:
    'List who changed which definition, triaged which findings or looked for personal data, when and through which interface; newest first.',
  effect: 'read',
  scope: 'read',
  route: 'GET /semantic/audit',
  input: z.strictObject({
    kind: z.string().max(50).describe('Only this kind: term, metric, placement, finding or suppression.').optional(),
    name: z.string().max(300).describe('Only this slug or id (of a placement: dashboard/slug).').optional(),
    limit: z.int().min(1).max(500).describe('Maximum number of items (50).').optional(),
    cursor: z.string().max(500).describe('nextCursor of the previous page.').optional(),
  }),
  output: z.object({
    items: z
      .array(
        z.object({
          at: instant,
          actor: ownText().describe('Name of the caller at that time.'),
          actorId: ownText()
            .nullable()
            .describe('Stable identity of the caller: a token, or issuer#subject; null for the local user.'),
          via: ownText().describe('Interface used: http, mcp or cli.'),
          client: ownText().nullable().describe('Client program, as it names itself; null if unknown.'),
          proposal: ownText().nullable().describe('Id of the proposal that the caller approved; null: none.'),
          proposedBy: ownText().describe('Who had made that proposal.').optional(),
          action: ownText().describe(
            'create, update, delete, certify, deprecate, triage, find, propose, approve, reject.',
          ),
          kind: ownText().describe('Kind of object: term, metric, placement, finding, suppression, value.'),
          name: ownText().describe('Its slug or id; * for findings selected by a filter.'),
          before: Snapshot.nullable().describe('The definition before the change.'),
          after: Snapshot.nullable().describe('The definition after the change.'),
        }),
      )
      .describe('The entries.'),
    nextCursor: ownText().describe('Cursor of the next page; absent on the last one.').optional(),
  }),
  run: ({ kind, name, limit = 50, cursor }, context) =>
    context.read((reader) => {
      const [beforeSeq] = cursor === undefined ? [] : decodeCursor(reader, context, 'audit', cursor, 1)
      const rows = listAuditRows(reader, { kind, name, beforeSeq, limit: limit + 1 })
      const last = rows.length > limit ? rows[limit - 1] : undefined
      return {
        items: rows.slice(0, limit).map(({ seq, at, actor_id: actorId, before, after, ...row }) => ({
          ...row,
          ...(row.proposal === null ? {} : { proposedBy: findProposer(reader, row.proposal)?.name }),
          actorId,
          at: new Date(at).toISOString(),
          before: before === null ? null : parseSafeObject(before),
          after: after === null ? null : parseSafeObject(after),
        })),
        ...(last === undefined ? {} : { nextCursor: encodeCursor(reader, context, 'audit', [last.seq]) }),
      }
    }),
})

const verifyAuditOperation = operation({
  name: 'verify_audit',
  title: 'Verify audit trail',
  summary: 'Recompute the hash chain of the audit trail and report the first entry that was changed or removed.',
  effect: 'read',
  scope: 'admin',
  route: 'GET /semantic/audit/verify',
  texts: 'own',
  input: z.strictObject({
    head: z.string().max(100).describe('An earlier head, to check that the trail still contains it.').optional(),
  }),
  output: z.object({
    intact: z.boolean().describe('Whether the trail matches its hash chain.'),
    entries: z.number().describe('Number of entries.'),
    unchained: z.number().describe('Entries of the installation that are not part of the chain yet.'),
    brokenAt: z.number().describe('Number of the first entry that does not match.').optional(),
    head: z.string().describe('Hash of the newest entry; store it elsewhere to detect a truncated trail.'),
    known: z
      .boolean()
      .describe('Whether the chain contains the given head; false if the trail was truncated.')
      .optional(),
  }),
  run: ({ head }, context) =>
    context.read((reader) => {
      const verdict = verifyAudit(reader, head)
      return { intact: verdict.brokenAt === undefined && verdict.known !== false, ...verdict }
    }),
})

export const auditOperations: readonly Operation[] = [listMetricVersions, listAudit, verifyAuditOperation]

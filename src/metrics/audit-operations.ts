import { z } from 'zod'
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
  createdBy: z.string().describe('Who made it.'),
  createdVia: z.string().describe('Through which door: http, mcp or cli.'),
})
type MetricVersion = z.infer<typeof MetricVersion>

const listMetricVersions = operation({
  name: 'list_metric_versions',
  title: 'List metric versions',
  summary: 'Every version of what a metric has meant, newest first, with who made it and when.',
  effect: 'read',
  scope: 'read',
  route: 'GET /semantic/metrics/{slug}/versions',
  texts: 'own',
  input: z.strictObject({
    slug: z.string().min(1).max(200).describe('The metric: slug, id, display name or synonym.'),
  }),
  output: z.object({
    items: z.array(MetricVersion).describe('The versions; each holds the whole meaning at that time.'),
    total: z.number().describe('How many there are.'),
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
  summary: 'Who changed which definition or triaged which findings, when and through which door; newest first.',
  effect: 'read',
  scope: 'read',
  route: 'GET /semantic/audit',
  input: z.strictObject({
    kind: z.string().max(50).describe('Only this kind: term, metric, placement, finding or suppression.').optional(),
    name: z.string().max(300).describe('Only this slug or id (of a placement: dashboard/slug).').optional(),
    limit: z.int().min(1).max(500).describe('At most this many (50).').optional(),
    cursor: z.string().max(500).describe('nextCursor of the page before.').optional(),
  }),
  output: z.object({
    items: z
      .array(
        z.object({
          at: instant,
          actor: ownText().describe('Who did it, by the name at that time.'),
          actorId: ownText()
            .nullable()
            .describe('Who that is, whatever the name: a token, or issuer#subject; null at this machine.'),
          via: ownText().describe('Through which door: http, mcp or cli.'),
          client: ownText().nullable().describe('Through which program, by its own name; null where it gave none.'),
          action: ownText().describe('create, update, delete, certify, deprecate, triage.'),
          kind: ownText().describe('What kind of thing it is: term, metric, placement, finding, suppression.'),
          name: ownText().describe('Its slug or id; * for findings that a filter takes in.'),
          before: Snapshot.nullable().describe('The definition as it was.'),
          after: Snapshot.nullable().describe('The definition as it became.'),
        }),
      )
      .describe('The entries.'),
    nextCursor: ownText().describe('Continues the list; absent at its end.').optional(),
  }),
  run: ({ kind, name, limit = 50, cursor }, context) =>
    context.read((reader) => {
      const [beforeSeq] = cursor === undefined ? [] : decodeCursor(reader, context, 'audit', cursor, 1)
      const rows = listAuditRows(reader, { kind, name, beforeSeq, limit: limit + 1 })
      const last = rows.length > limit ? rows[limit - 1] : undefined
      return {
        items: rows.slice(0, limit).map(({ seq, at, actor_id: actorId, before, after, ...row }) => ({
          ...row,
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
  summary: 'Recomputes the hash chain of the audit trail, and says where an entry was changed or taken out.',
  effect: 'read',
  scope: 'admin',
  route: 'GET /semantic/audit/verify',
  texts: 'own',
  input: z.strictObject({
    head: z.string().max(100).describe('A head of before: says whether the trail still holds it.').optional(),
  }),
  output: z.object({
    intact: z.boolean().describe('Whether trail and chain agree.'),
    entries: z.number().describe('How many entries there are.'),
    unchained: z.number().describe('Entries of the installation that no later change has chained yet.'),
    brokenAt: z.number().describe('Number of the entry where they part.').optional(),
    head: z.string().describe('Hash of the newest entry; keep it elsewhere to notice a trail cut short.'),
    known: z
      .boolean()
      .describe('Whether the given head is one of this chain; false when the trail was cut.')
      .optional(),
  }),
  run: ({ head }, context) =>
    context.read((reader) => {
      const verdict = verifyAudit(reader, head)
      return { intact: verdict.brokenAt === undefined && verdict.known !== false, ...verdict }
    }),
})

export const auditOperations: readonly Operation[] = [listMetricVersions, listAudit, verifyAuditOperation]

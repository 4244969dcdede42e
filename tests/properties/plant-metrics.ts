import type { Store } from '../../src/store/store.ts'
import { safe } from '../support/safe-text.ts'
import { dimensionsOf, type MadeMetric } from './query-data.ts'
import type { OracleFilter, OraclePolicy } from './query-terms.ts'

/** Puts made metrics into the tables, as drafts. */
export function plantMetrics(store: Pick<Store, 'write'>, metrics: readonly MadeMetric[]): void {
  store.write((writer) => {
    const term = writer
      .prepare(
        `INSERT INTO term (uid, slug, display_name, filter_mapping, created_at, updated_at) VALUES (?, ?, ?, ?, 0, 0) RETURNING id`,
      )
      .pluck()
    const metric = writer.prepare(
      `INSERT INTO metric (uid, slug, display_name, type, definition, allowed_dimensions, status, term_id, empty_as,
         created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, 'DRAFT', ?, ?, 0, 0)`,
    )
    for (const { slug, type, definition, entity, term: mapping, emptyAs } of metrics) {
      const termId =
        mapping === null
          ? null
          : Number(
              term.write(safe(crypto.randomUUID()), safe(`term-${slug}`), safe(slug), safe(JSON.stringify(mapping))),
            )
      const allowed = JSON.stringify(dimensionsOf(entity))
      metric.run(
        safe(crypto.randomUUID()),
        safe(slug),
        safe(slug),
        safe(type),
        safe(JSON.stringify(definition)),
        safe(allowed),
        termId,
        safe(emptyAs),
      )
    }
  })
}

/** Adds an active term. */
export function plantTerm(store: Pick<Store, 'write'>, slug: string, mapping: OracleFilter): void {
  store.write((writer) =>
    writer
      .prepare(
        `INSERT INTO term (uid, slug, display_name, filter_mapping, created_at, updated_at) VALUES (?, ?, ?, ?, 0, 0)`,
      )
      .run(safe(crypto.randomUUID()), safe(slug), safe(slug), safe(JSON.stringify(mapping))),
  )
}

/** Sets the policies of due dates, whose terms are there. */
export function plantPolicies(store: Pick<Store, 'write'>, policies: readonly OraclePolicy[]): void {
  store.write((writer) => {
    const policy = writer.prepare(
      `INSERT INTO sla_policy (name, term_id, days, created_at, updated_at)
       VALUES (?, (SELECT id FROM term WHERE slug = ?), ?, 0, 0)`,
    )
    for (const { term, days } of policies) policy.run(safe(term ?? '_all'), safe(term), safe(JSON.stringify(days)))
  })
}

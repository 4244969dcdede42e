import { type SqlBool, sql } from 'kysely'
import { atInstant } from '../../findings/conditions.ts'
import { toSeverity, toStatus } from '../../findings/facets.store.ts'
import { findingCondition } from '../../findings/filter.store.ts'
import { findIndex } from '../../findings/finding-index.ts'
import type { SafeText } from '../../kernel/safe-text.ts'
import { numbersIn } from '../../store/builder.ts'
import { CONFIDENCE_SCALE, statusCodes } from '../../store/schema.ts'
import type { Reader } from '../../store/store.ts'
import type { Plan } from '../plan/plan.ts'
import { onFilterKeys } from './rows.store.ts'

export interface ExampleRow {
  id: number
  detectorType: SafeText
  findingType: SafeText
  severity: string
  status: string
  confidence: number
  excerpt: SafeText | null
  firstDetectedAt: number
  page: SafeText
  url: SafeText
  container: SafeText
}

interface SqlRow extends Omit<ExampleRow, 'severity' | 'status'> {
  severity: number
  status: number
}

/** A few findings of a population: open ones first, then by severity, confidence and recency. */
export function listExamples(reader: Reader, plan: Plan, limit: number): ExampleRow[] {
  const { from, to } = plan.range
  const conditions = onFilterKeys(atInstant(plan.conditions, plan.at))
  const values = [from ?? Number.NEGATIVE_INFINITY, to ?? Number.POSITIVE_INFINITY]
  const within = { key: 'firstDetectedAt', values, exclude: false } as const
  const asked = {
    conditions: [...conditions, within],
    sort: 'examples',
    limit,
    upTo: Number.POSITIVE_INFINITY,
  } as const
  const ids = findIndex(reader)?.listIds(asked)
  const rows = reader.all(
    sql<SqlRow>`SELECT f.id, d.text AS detectorType, t.text AS findingType, c.severity, c.status,
        f.conf_q * 1.0 / ${CONFIDENCE_SCALE} AS confidence, f.excerpt, f.first_detected_at AS firstDetectedAt,
        a.name AS page, a.url, w.text AS container
      FROM finding f JOIN combo c ON c.id = f.combo_id JOIN asset a ON a.id = f.asset_id
        JOIN word d ON d.id = c.detector_id JOIN word t ON t.id = c.type_id JOIN word w ON w.id = a.container_id
      WHERE ${ids === undefined ? findingCondition(conditions) : sql<SqlBool>`f.id IN ${numbersIn(JSON.stringify(ids))}`}
        AND c.source_id NOT IN (SELECT id FROM source WHERE deleted_at IS NOT NULL)
        ${from === undefined ? sql`` : sql`AND f.first_detected_at >= ${from}`}
        ${to === undefined ? sql`` : sql`AND f.first_detected_at < ${to}`}
      ORDER BY c.status = ${statusCodes.OPEN} DESC, c.severity DESC, f.conf_q DESC, f.first_detected_at DESC, f.id
      LIMIT ${limit}`,
  )
  return rows.map((row) => ({
    ...row,
    severity: toSeverity(row.severity),
    status: toStatus(row.status),
  }))
}

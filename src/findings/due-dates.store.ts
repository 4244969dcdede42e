import { db, numbersIn } from '../store/builder.ts'
import { statusCodes } from '../store/schema.ts'
import type { Reader } from '../store/store.ts'
import { toSeverity } from './facets.store.ts'
import { findingTerms } from './filter.store.ts'
import { toFilterTerms } from './filter-terms.ts'
import { listPolicies } from './sla.store.ts'
import { resolveFilter } from './term-filters.store.ts'

const DAY = 86_400_000

interface DatedRow {
  id: number
  severity: number
  status: number
  first_detected_at: number
}

/**
 * The due dates of findings by row id, with ages in the filters of policies measured at `at`. Of several policies that
 * fit, the fewest days count. Findings that are false positives or ignored are not due.
 */
export function findDueDates(reader: Reader, rows: readonly DatedRow[], at: number): Map<number, number> {
  const found = new Map<number, number>()
  const policies = listPolicies(reader)
  const dated = rows.filter(({ status }) => status === statusCodes.OPEN || status === statusCodes.RESOLVED)
  if (policies.length === 0 || dated.length === 0) return found
  const ids = JSON.stringify(dated.map(({ id }) => id))
  for (const { termSlug, mapping, days } of policies) {
    const terms = toFilterTerms(resolveFilter(reader, mapping, at))
    const matching = db
      .selectFrom('finding as f')
      .select('f.id')
      .where('f.id', 'in', numbersIn(ids))
      .where(findingTerms(terms, { isReached: true }))
    const fitting = termSlug === null ? undefined : new Set(reader.all(matching).map(({ id }) => id))
    for (const { id, severity, first_detected_at } of dated) {
      const own = days[toSeverity(severity)]
      if (own === undefined || fitting?.has(id) === false) continue
      found.set(id, Math.min(found.get(id) ?? Number.POSITIVE_INFINITY, first_detected_at + own * DAY))
    }
  }
  return found
}

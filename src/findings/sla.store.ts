import type { Reader } from '../store/store.ts'
import type { SlaDays } from './due-conditions.ts'
import type { FilterMapping } from './filter.ts'

/** In how many days findings are due, by severity: all findings, or those of a term. */
export interface SlaPolicy {
  id: number
  /** The slug of its term, or `ALL_FINDINGS`. */
  name: string
  termSlug: string | null
  /** The filter of its term; of all findings, the empty one. */
  mapping: FilterMapping
  days: SlaDays
  updatedAt: number
}

/** The name of the policy for all findings; no slug has a `_`. */
export const ALL_FINDINGS = '_all'

type SlaSqlRow = Omit<SlaPolicy, 'mapping' | 'days'> & { mapping: string | null; days: string }

const selectPolicies = `SELECT p.id, p.name, t.slug AS termSlug, t.filter_mapping AS mapping, p.days, p.updated_at AS updatedAt
  FROM sla_policy p LEFT JOIN term t ON t.id = p.term_id ORDER BY p.name`

/** Every policy, that for all findings first. */
export function listPolicies(reader: Reader): SlaPolicy[] {
  return (reader.prepare(selectPolicies).all() as SlaSqlRow[]).map(({ mapping, days, ...policy }) => ({
    ...policy,
    mapping: mapping === null ? {} : (JSON.parse(mapping) as FilterMapping),
    days: JSON.parse(days) as SlaDays,
  }))
}

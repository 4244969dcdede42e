import type { Reader } from '../store/store.ts'
import { atInstant, type FilterCondition } from './conditions.ts'
import { type FilterMapping, toConditions } from './filter.ts'
import { openTermFilters } from './term-filters.store.ts'

/**
 * The conditions of a filter in a snapshot, with ages measured at an instant.
 * @throws AppError `not_found` or `conflict` for a term that does not exist or is not active
 */
export const resolveFilter = (reader: Reader, filter: FilterMapping, at: number): FilterCondition[] =>
  atInstant(toConditions(filter, openTermFilters(reader)), at)

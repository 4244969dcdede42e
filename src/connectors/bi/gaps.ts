import type { UnreadReason, UnreadSection } from '../../documents/section.ts'
import type { ScanAnswer } from './model.ts'
import type { Item } from './wire.ts'

/** Builds unread sections that share one reason. */
export const unread = (reason: UnreadReason, detail: string, ...sections: string[]): UnreadSection[] =>
  sections.map((section) => ({ section, reason, detail }))

/** Reports a gap where items lack a member that the platform always sends to authorized callers. */
export const requireMember = (items: readonly Item[], key: string, ...sections: string[]): UnreadSection[] =>
  items.some((item) => !item.has(key)) ? unread('missing', '', ...sections) : []

/**
 * Reports a gap where no item has a member that the platform omits when empty, because it may have been withheld from
 * all of them.
 */
export const expectMember = (items: readonly Item[], key: string, ...sections: string[]): UnreadSection[] =>
  items.length === 0 || items.some((item) => item.has(key))
    ? []
    : unread('missing', '', ...sections).map((section) => ({ ...section, isEmptyIfRepeated: true }))

/** Gaps in the texts of tables. */
export function listTableGaps(tables: readonly Item[]): UnreadSection[] {
  const columns = tables.flatMap((table) => table.items('columns'))
  const measures = tables.flatMap((table) => table.items('measures'))
  return [
    ...requireMember(tables, 'name', 'tables'),
    ...requireMember(tables, 'columns', 'tables/names', 'tables/descriptions', 'tables/columns'),
    ...requireMember(columns, 'name', 'tables/names', 'tables/descriptions', 'tables/columns'),
    ...requireMember(tables, 'measures', 'tables/measures'),
    ...requireMember(measures, 'name', 'tables/measures'),
    ...requireMember(measures, 'expression', 'tables/measures/expressions'),
    ...expectMember(measures, 'description', 'tables/measures/descriptions'),
    ...expectMember(tables, 'description', 'tables/descriptions/tables'),
    ...expectMember(columns, 'description', 'tables/descriptions/columns'),
    ...expectMember(columns, 'expression', 'tables/columns'),
    ...expectMember(tables, 'source', 'tables/sources'),
    ...requireMember(
      tables.flatMap((table) => table.items('source')),
      'expression',
      'tables/sources',
    ),
  ]
}

export function listRoleGaps(roles: readonly Item[] | undefined): UnreadSection[] {
  if (roles === undefined) return []
  const permissions = roles.flatMap((role) => role.items('tablePermissions'))
  return [
    ...requireMember(roles, 'name', 'roles'),
    ...expectMember(roles, 'tablePermissions', 'roles'),
    ...requireMember(permissions, 'name', 'roles'),
    ...requireMember(permissions, 'filterExpression', 'roles'),
  ]
}

export function listExpressionGaps(items: readonly Item[], value: string, section: string): UnreadSection[] {
  return [
    ...requireMember(items, 'name', section),
    ...requireMember(items, value, section),
    ...expectMember(items, 'description', section),
  ]
}

/** Data source details in the API contract; which of them a source has depends on its type. */
const connectionDetails = [
  'account',
  'classInfo',
  'database',
  'domain',
  'emailAddress',
  'kind',
  'loginServer',
  'path',
  'server',
  'url',
]

export function listSourceGaps(sources: readonly Item[]): UnreadSection[] {
  const details = sources.flatMap((source) => source.item('connectionDetails') ?? [])
  return [
    ...requireMember(sources, 'connectionDetails', 'sources/details'),
    ...expectMember(sources, 'connectionString', 'sources/connectionString'),
    ...expectMember(sources, 'name', 'sources/name'),
    ...connectionDetails.flatMap((key) => expectMember(details, key, toDetailSection(key))),
  ]
}

export const toDetailSection = (key: string) => `sources/details/${key.toLowerCase()}`

/**
 * Why the metadata scan has no data on an item; undefined for items of the caller's own workspace, which it never
 * covers.
 */
export function toScanGap(answer: ScanAnswer): { reason: UnreadReason; detail: string } | undefined {
  if ('workspace' in answer) return { reason: 'missing', detail: 'not_in_scan_result' }
  if (answer.missing === 'own_workspace') return undefined
  if (answer.temporary) return { reason: 'failed', detail: answer.missing }
  return { reason: answer.missing === 'not_in_scan_result' ? 'missing' : 'refused', detail: answer.missing }
}

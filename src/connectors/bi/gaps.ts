import { toSafeText } from '../../detectors/safe-text.ts'
import type { UnreadReason, UnreadSection } from '../../documents/section.ts'
import type { ScanAnswer } from './model.ts'
import type { Item } from './wire.ts'

/** Builds unread sections that share one reason. */
export const unread = (reason: UnreadReason, detail: string, ...sections: string[]): UnreadSection[] =>
  sections.map((section) => ({ section, reason, detail }))

type IsPresent = (item: Item, key: string) => boolean
const isText: IsPresent = (item, key) => item.isText(key)
const isList: IsPresent = (item, key) => item.list(key) !== undefined
const isObject: IsPresent = (item, key) => item.item(key) !== undefined

const createRequirement =
  (isPresent: IsPresent) =>
  (items: readonly Item[], key: string, ...sections: string[]): UnreadSection[] =>
    items.some((item) => !isPresent(item, key)) ? unread('missing', '', ...sections) : []

/** Report a gap where items lack a text, list or object that the platform always sends to authorized callers. */
export const requireMember = createRequirement(isText)
const requireList = createRequirement(isList)
const requireObject = createRequirement(isObject)

const createExpectation =
  (isPresent: IsPresent) =>
  (items: readonly Item[], key: string, ...sections: string[]): UnreadSection[] =>
    items.length === 0 || items.some((item) => isPresent(item, key))
      ? []
      : unread('missing', '', ...sections).map((section) => ({ ...section, isEmptyIfRepeated: true }))

/**
 * Report a gap where no item has a text or list that the platform omits when empty, because it may have been withheld
 * from all of them.
 */
export const expectMember = createExpectation(isText)
export const expectList = createExpectation(isList)

/** Gaps in the texts of tables. */
export function listTableGaps(tables: readonly Item[]): UnreadSection[] {
  const columns = tables.flatMap((table) => table.items('columns'))
  const measures = tables.flatMap((table) => table.items('measures'))
  return [
    ...requireMember(tables, 'name', 'tables'),
    ...requireList(tables, 'columns', 'tables/names', 'tables/descriptions', 'tables/columns'),
    ...requireMember(columns, 'name', 'tables/names', 'tables/descriptions', 'tables/columns'),
    ...requireList(tables, 'measures', 'tables/measures'),
    ...requireMember(measures, 'name', 'tables/measures'),
    ...requireMember(measures, 'expression', 'tables/measures/expressions'),
    ...expectMember(measures, 'description', 'tables/measures/descriptions'),
    ...expectMember(tables, 'description', 'tables/descriptions/tables'),
    ...expectMember(columns, 'description', 'tables/descriptions/columns'),
    ...expectMember(columns, 'expression', 'tables/columns'),
    ...expectList(tables, 'source', 'tables/sources'),
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
    ...expectList(roles, 'tablePermissions', 'roles'),
    ...requireMember(permissions, 'name', 'roles'),
    ...requireMember(permissions, 'filterExpression', 'roles'),
  ]
}

/**
 * Gaps of a dataset in the metadata scan without tables, whose metadata the platform did not provide: what else is
 * absent is unread, not empty.
 */
export function listBareGaps(dataset: Item): UnreadSection[] {
  if ((dataset.list('tables') ?? []).length > 0) return []
  const error = dataset.text('schemaRetrievalError')
  const absent = ['expressions', 'roles'].filter((key) => dataset.list(key) === undefined)
  return error === undefined
    ? unread('missing', 'not_in_scan_result', ...absent)
    : unread('not_available', toWord(error), ...absent)
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
    ...requireObject(sources, 'connectionDetails', 'sources/details'),
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

/** Converts a message of the platform, credentials hidden, to a snake_case code of at most 60 characters. */
export const toWord = (text: string) =>
  toSafeText(text, 'prose')
    .replace(/[^\w]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 60)
    .toLowerCase()

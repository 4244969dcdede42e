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

/**
 * Report a gap where items lack a text, list or object that the platform always sends to authorized callers. A member
 * that it omits when empty is empty.
 */
export const requireMember = createRequirement(isText)
const requireList = createRequirement(isList)
const requireObject = createRequirement(isObject)

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
    ...requireMember(permissions, 'name', 'roles'),
    ...requireMember(permissions, 'filterExpression', 'roles'),
  ]
}

/** The sections that hold expressions of the tables of a dataset. */
export const expressionSections = ['tables/columns', 'tables/measures/expressions', 'tables/sources']

/**
 * Whether a result of the metadata scan has no expressions: without the tenant setting for them, the platform
 * returns neither DAX nor Power Query.
 */
export const lacksExpressions = (datasets: readonly Item[]) =>
  !datasets.some(
    (dataset) =>
      dataset.list('expressions') !== undefined ||
      dataset
        .items('tables')
        .some((table) => table.items('source').length > 0 || table.items('measures').some(isExpressed)),
  )

const isExpressed = (measure: Item) => measure.isText('expression')

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
  return [...requireMember(items, 'name', section), ...requireMember(items, value, section)]
}

export const listSourceGaps = (sources: readonly Item[]) => requireObject(sources, 'connectionDetails', 'sources')

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

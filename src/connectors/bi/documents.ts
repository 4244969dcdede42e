import type { AssayDocument, DocumentLink, Part } from '../../documents/document.ts'
import type {
  Dashboard,
  DataSource,
  Dataset,
  Field,
  NamedExpression,
  Report,
  Schema,
  Table,
  Workspace,
} from './model.ts'

/** Media type of an item's description; there is no source text behind it, so offsets are those of the parts. */
const MIME = 'application/vnd.assay.bi-item'
const MAX_PART_LENGTH = 200_000
const address = /\bhttps?:\/\/[^\s<>"'`|\\^{}]+/gi

const byName = <T extends { name: string }>(items: readonly T[]) =>
  [...items].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))

const name = (text: string, path: string, label: string): Part[] =>
  text === '' ? [] : [{ kind: 'name', text, path, label }]

const text = (value: string | undefined, path: string): Part[] =>
  value === undefined ? [] : [{ kind: 'text', text: value, path, label: 'description' }]

const expression = (value: string | undefined, path: string, language: 'dax' | 'm'): Part[] =>
  value === undefined ? [] : [{ kind: 'expression', text: value, path, language }]

function fieldParts(table: string, field: Field, label: string): Part[] {
  const path = `${table}.${field.name}`
  return [
    ...name(field.name, path, label),
    ...text(field.description, path),
    ...expression(field.expression, path, 'dax'),
  ]
}

function toTableParts(table: Table): Part[] {
  return [
    ...name(table.name, table.name, 'table'),
    ...text(table.description, table.name),
    ...byName(table.columns).flatMap((column) => fieldParts(table.name, column, 'column')),
    ...byName(table.measures).flatMap((measure) => fieldParts(table.name, measure, 'measure')),
    ...table.sources.flatMap((source) => expression(source, `${table.name} source`, 'm')),
  ]
}

const namedParts = (items: readonly NamedExpression[], what: string, language: 'dax' | 'm'): Part[] =>
  byName(items).flatMap((item) => {
    const path = `${what} ${item.name}`
    return [
      ...name(item.name, path, what),
      ...text(item.description, path),
      ...expression(item.expression, path, language),
    ]
  })

/** The words that name a source to people: its kind and where it is, never how one signs in to it. */
export function toSourceLabel(source: DataSource): string {
  const details = new Map(source.details.map(([key, value]) => [key.toLowerCase(), value]))
  const place = ['server', 'database', 'url', 'path', 'account', 'loginserver'].flatMap((key) => details.get(key) ?? [])
  return [source.type, ...place].join(' ')
}

function dataSourceParts(sources: readonly DataSource[]): Part[] {
  return sources.flatMap((source, index) =>
    source.details.map(
      ([label, value]): Part => ({ kind: 'attribute', text: value, path: `data source ${index + 1} ${label}`, label }),
    ),
  )
}

function withoutClosingMarks(url: string): string {
  const trimmed = url.replace(/[.,;:!?*_\]]+$/, '')
  return trimmed.endsWith(')') && !trimmed.includes('(') ? withoutClosingMarks(trimmed.slice(0, -1)) : trimmed
}

/** Addresses that a person has written into a description. */
function toLinks(parts: readonly Part[]): DocumentLink[] {
  return parts
    .filter(({ kind }) => kind === 'text')
    .flatMap((part) =>
      [...part.text.matchAll(address)].map((match): DocumentLink => {
        const url = withoutClosingMarks(match[0])
        return { kind: 'web', url, path: part.path, offset: match.index }
      }),
    )
}

function toDocument(parts: readonly Part[]): AssayDocument {
  const long = parts.some((part) => part.text.length > MAX_PART_LENGTH)
  const kept = long ? parts.map((part) => ({ ...part, text: part.text.slice(0, MAX_PART_LENGTH) })) : parts
  const cut = { truncated: true, notes: ['Expressions of more than 200,000 characters were cut.'] }
  return { mime: MIME, parts: kept, links: toLinks(kept), ...(long ? cut : {}) }
}

export function toWorkspaceDocument(workspace: Workspace): AssayDocument {
  return toDocument([...name(workspace.name, 'name', 'workspace'), ...text(workspace.description, 'description')])
}

/** `schema` is left out where the tables are assets of their own. */
export function toDatasetDocument(dataset: Dataset, schema: Schema | undefined, withTables: boolean): AssayDocument {
  return toDocument([
    ...name(dataset.name, 'name', 'dataset'),
    ...text(dataset.description, 'description'),
    ...(withTables ? byName(schema?.tables ?? []).flatMap(toTableParts) : []),
    ...namedParts(schema?.expressions ?? [], 'expression', 'm'),
    ...namedParts(dataset.parameters, 'parameter', 'm'),
    ...namedParts(dataset.roleFilters, 'role', 'dax'),
    ...dataSourceParts(dataset.dataSources ?? []),
  ])
}

export const toTableDocument = (table: Table): AssayDocument => toDocument(toTableParts(table))

/** `pages` are the names as readers see them, in their order. */
export function toReportDocument(report: Report, pages: readonly string[]): AssayDocument {
  return toDocument([
    ...name(report.name, 'name', 'report'),
    ...text(report.description, 'description'),
    ...pages.flatMap((page, index) => name(page, `page ${index + 1}`, 'page')),
  ])
}

export function toDashboardDocument(dashboard: Dashboard): AssayDocument {
  return toDocument([
    ...name(dashboard.name, 'name', 'dashboard'),
    ...(dashboard.tiles ?? []).flatMap(({ title }, index) => name(title ?? '', `tile ${index + 1}`, 'tile')),
  ])
}

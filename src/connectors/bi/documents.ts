import type { AssayDocument, DocumentLink, Part } from '../../documents/document.ts'
import { byCodeUnits } from '../../kernel/by-code-units.ts'
import { cutText } from '../../kernel/well-formed.ts'
import type {
  BiDashboard,
  BiReport,
  DataSource,
  Dataset,
  Described,
  Field,
  NamedExpression,
  Schema,
  Table,
  Workspace,
} from './model.ts'

/** Media type of an item's metadata as a document; there is no source text, so offsets are relative to each part. */
const MIME = 'application/vnd.assay.bi-item'
const MAX_PART_LENGTH = 200_000
const address = /\bhttps?:\/\/[^\s<>"'`|\\^{}]+/gi

const byName = <T extends { name: string }>(items: readonly T[]) =>
  items.toSorted((a, b) => byCodeUnits(a.name, b.name))

const name = (text: string, path: string, label: string, section: string): Part[] =>
  text === '' ? [] : [{ kind: 'name', text, path, label, section }]

const text = (value: string | undefined, path: string, section: string): Part[] =>
  value === undefined ? [] : [{ kind: 'text', text: value, path, label: 'description', section }]

const expression = (value: string | undefined, path: string, language: 'dax' | 'm', section: string): Part[] =>
  value === undefined ? [] : [{ kind: 'expression', text: value, path, language, section }]

/** The sections that contain a field's names, descriptions and expressions. */
interface FieldSections {
  names: string
  descriptions: string
  expressions: string
}

const ofColumns = {
  names: 'tables/names',
  descriptions: 'tables/descriptions/columns',
  expressions: 'tables/columns',
}
const ofMeasures = {
  names: 'tables/measures',
  descriptions: 'tables/measures/descriptions',
  expressions: 'tables/measures/expressions',
}

function fieldParts(table: string, field: Field, label: string, sections: FieldSections): Part[] {
  const path = `${table}.${field.name}`
  return [
    ...name(field.name, path, label, sections.names),
    ...text(field.description, path, sections.descriptions),
    ...expression(field.expression, path, 'dax', sections.expressions),
  ]
}

function toTableParts(table: Table): Part[] {
  return [
    ...name(table.name, table.name, 'table', 'tables/names'),
    ...text(table.description, table.name, 'tables/descriptions/tables'),
    ...byName(table.columns).flatMap((column) => fieldParts(table.name, column, 'column', ofColumns)),
    ...byName(table.measures).flatMap((measure) => fieldParts(table.name, measure, 'measure', ofMeasures)),
    ...expression(table.expression, `${table.name} source`, 'm', 'tables/columns'),
    ...table.sources.flatMap((source) => expression(source, `${table.name} source`, 'm', 'tables/sources')),
  ]
}

/** The text literal of a Power Query parameter, as Power Query writes its value. */
const parameterValue = /^\s*"((?:[^"]|""){0,1000})"\s*meta\s*\[[^\]]*\bIsParameterQuery\s*=\s*true/i

/** A Power Query expression; the value of a parameter is labelled by the name of the parameter. */
function queryParts(item: NamedExpression, path: string, section: string): Part[] {
  const value = parameterValue.exec(item.expression)?.[1]
  return value === undefined
    ? expression(item.expression, path, 'm', section)
    : [{ kind: 'attribute', text: value.replaceAll('""', '"'), path, label: item.name, section }]
}

const parameterParts = ({ expression: text, name: label }: NamedExpression, path: string, section: string): Part[] => [
  { kind: 'attribute', text, path, label, section },
]

const roleParts = (item: NamedExpression, path: string, section: string): Part[] =>
  expression(item.expression, path, 'dax', section)

const namedParts = (
  items: readonly NamedExpression[],
  what: string,
  section: string,
  read: typeof queryParts,
): Part[] =>
  byName(items).flatMap((item) => {
    const path = `${what} ${item.name}`
    return [
      ...name(item.name, path, what, section),
      ...text(item.description, path, section),
      ...read(item, path, section),
    ]
  })

/** Human-readable label of a data source: its type and location, never its credentials. */
export function toSourceLabel(source: DataSource): string {
  const details = new Map(source.details.map(([key, value]) => [key.toLowerCase(), value]))
  const place = ['server', 'database', 'url', 'path', 'account', 'loginserver'].flatMap((key) => details.get(key) ?? [])
  return [source.type, ...place].join(' ')
}

function dataSourceParts(sources: readonly DataSource[]): Part[] {
  return sources.flatMap((source, index) =>
    source.details.map(
      ([label, value]): Part => ({
        kind: 'attribute',
        text: value,
        path: `data source ${index + 1} ${label}`,
        label,
        section: 'sources',
      }),
    ),
  )
}

function withoutClosingMarks(url: string): string {
  const trimmed = url.replace(/[.,;:!?*_\]]+$/, '')
  return trimmed.endsWith(')') && !trimmed.includes('(') ? withoutClosingMarks(trimmed.slice(0, -1)) : trimmed
}

/** URLs written in descriptions. */
function toLinks(parts: readonly Part[]): DocumentLink[] {
  return parts
    .filter(({ kind }) => kind === 'text')
    .flatMap((part) =>
      [...part.text.matchAll(address)].map((match): DocumentLink => {
        const url = withoutClosingMarks(match[0])
        const section = part.section ?? ''
        return { kind: 'web', url, path: part.path, section, offset: match.index }
      }),
    )
}

function toDocument(parts: readonly Part[]): AssayDocument {
  const long = parts.some((part) => part.text.length > MAX_PART_LENGTH)
  const kept = long ? parts.map((part) => ({ ...part, text: cutText(part.text, MAX_PART_LENGTH) })) : parts
  const cut = { truncated: true, notes: ['Expressions of more than 200,000 characters were cut.'] }
  return { mime: MIME, parts: kept, links: toLinks(kept), ...(long ? cut : {}) }
}

const described = (item: Pick<Described, 'description' | 'isDescribedByScan'>): Part[] =>
  text(item.description, 'description', item.isDescribedByScan === true ? 'scan/description' : 'description')

export function toWorkspaceDocument(workspace: Workspace): AssayDocument {
  return toDocument([...name(workspace.name, 'name', 'workspace', 'name'), ...described(workspace)])
}

/** `schema` is ignored where tables are assets of their own. */
export function toDatasetDocument(dataset: Dataset, schema: Schema | undefined, withTables: boolean): AssayDocument {
  return toDocument([
    ...name(dataset.name, 'name', 'dataset', 'name'),
    ...described(dataset),
    ...(withTables ? byName(schema?.tables ?? []).flatMap(toTableParts) : []),
    ...namedParts(dataset.expressions ?? [], 'expression', 'expressions', queryParts),
    ...namedParts(dataset.parameters, 'parameter', 'parameters', parameterParts),
    ...namedParts(dataset.roleFilters ?? [], 'role', 'roles', roleParts),
    ...dataSourceParts(dataset.dataSources ?? []),
  ])
}

export const toTableDocument = (table: Table): AssayDocument => toDocument(toTableParts(table))

/** `pages` are display names, in order. */
export function toReportDocument(report: BiReport, pages: readonly string[]): AssayDocument {
  return toDocument([
    ...name(report.name, 'name', 'report', 'name'),
    ...described(report),
    ...pages.flatMap((page, index) => name(page, `page ${index + 1}`, 'page', 'pages')),
  ])
}

export function toDashboardDocument(dashboard: BiDashboard): AssayDocument {
  return toDocument([
    ...name(dashboard.name, 'name', 'dashboard', 'name'),
    ...(dashboard.tiles ?? []).flatMap(({ title }, index) => name(title ?? '', `tile ${index + 1}`, 'tile', 'tiles')),
  ])
}

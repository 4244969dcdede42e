import type { UnreadSection } from '../../documents/section.ts'
import {
  expressionSections,
  listExpressionGaps,
  listRoleGaps,
  listTableGaps,
  requireMember,
  toWord,
  unread,
} from './gaps.ts'
import type {
  BiDashboard,
  BiReport,
  ColumnReference,
  DataSource,
  Dataset,
  Field,
  NamedExpression,
  Schema,
  Table,
  Tile,
} from './model.ts'
import type { Item } from './wire.ts'

type Optional<T> = { [K in keyof T]?: T[K] | undefined }

/** Omits undefined members, so that equal objects compare and hash equally. */
export function defined<T extends object>(members: Optional<T>): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>
}

const internalTables = /^(?:LocalDateTable|DateTableTemplate)_/i
const internalColumn = /^RowNumber-[0-9a-f-]{36}$/i

export const isInternalTable = (name: string) => internalTables.test(name)
export const isInternalColumn = (name: string) => internalColumn.test(name)

/** The name of a part of a dataset whose name the platform left out. */
export const NO_NAME = '(no name)'

const isNamed = ({ name }: { name: string }) => name !== NO_NAME

function toField(item: Item): Field {
  return {
    name: item.text('name') || NO_NAME,
    ...defined<Field>({
      dataType: item.text('dataType'),
      description: item.text('description'),
      expression: item.text('expression'),
      hidden: item.flag('isHidden') === true ? true : undefined,
    }),
  }
}

/**
 * Tables as the metadata scan and the push API return them, without the columns that the platform generates internally.
 */
export function toTables(items: readonly Item[]): Table[] {
  const tables = items
    .map((item) => ({
      name: item.text('name') || NO_NAME,
      ...defined<Table>({
        description: item.text('description'),
        hidden: item.flag('isHidden') === true ? true : undefined,
      }),
      columns: item
        .items('columns')
        .map(toField)
        .filter(({ name }) => !isInternalColumn(name)),
      measures: item.items('measures').map(toField),
      sources: item.items('source').flatMap((source) => source.text('expression') ?? []),
    }))
    .filter(({ name }) => !isInternalTable(name))
  return joinUnnamed(tables)
}

/** Tables without a name are one table, because nothing identifies them from one scan to the next. */
function joinUnnamed(tables: readonly Table[]): Table[] {
  const unnamed = tables.filter((table) => !isNamed(table))
  if (unnamed.length < 2) return [...tables]
  const descriptions = unnamed.flatMap(({ description }) => description ?? [])
  const joined: Table = {
    name: NO_NAME,
    ...defined<Table>({ description: descriptions.length > 0 ? descriptions.join('\n') : undefined }),
    columns: unnamed.flatMap(({ columns }) => columns),
    measures: unnamed.flatMap(({ measures }) => measures),
    sources: unnamed.flatMap(({ sources }) => sources),
  }
  return [...tables.filter(isNamed), joined]
}

function toExpressions(items: readonly Item[], value: string): NamedExpression[] {
  return items.flatMap((item) => {
    const expression = item.text(value)
    if (expression === undefined) return []
    return {
      name: item.text('name') || NO_NAME,
      expression,
      ...defined<NamedExpression>({ description: item.text('description') }),
    }
  })
}

export const toParameters = (items: readonly Item[]) => toExpressions(items, 'currentValue')

function toReferences(items: readonly Item[], key: string): ColumnReference[] {
  return items.flatMap((item) => {
    const id = item.id(key)
    return id === undefined ? [] : { id, ...defined<ColumnReference>({ workspaceId: item.id('groupId') }) }
  })
}

export function toDataSource(item: Item): DataSource {
  const details = item.item('connectionDetails')?.texts() ?? []
  const connectionString = item.text('connectionString')
  const name = item.text('name')
  return {
    type: item.text('datasourceType') ?? 'Unknown',
    details: [
      ...(name === undefined ? [] : [['name', name] as [string, string]]),
      ...details,
      ...(connectionString === undefined ? [] : [['connectionString', connectionString] as [string, string]]),
    ],
  }
}

function toScanned(item: Item, isWithheld: boolean): NonNullable<Dataset['scanned']> {
  const error = item.text('schemaRetrievalError')
  const tables = item.list('tables')
  if (tables === undefined || tables.length === 0) {
    return defined({ error })
  }
  const schema: Schema = {
    way: 'scanner',
    tables: toTables(tables),
    unread: [
      ...listTableGaps(tables),
      ...(isWithheld ? unread('missing', 'no_expressions', ...expressionSections) : []),
      ...(error === undefined ? [] : unread('not_available', toWord(error), 'tables')),
    ],
    ...(item.flag('schemaMayNotBeUpToDate') === true ? { stale: true } : {}),
  }
  return { schema, ...(error === undefined ? {} : { error }) }
}

function toRoleFilters(roles: readonly Item[]): NamedExpression[] {
  return roles.flatMap((role) =>
    toExpressions(role.items('tablePermissions'), 'filterExpression').map((filter) => ({
      ...filter,
      name: `${role.text('name') ?? 'role'} on ${filter.name}`,
    })),
  )
}

/** The data sources of a dataset in the metadata scan; undefined where the list is incomplete. */
function toUsedSources(item: Item, known: ReadonlyMap<string, DataSource>): DataSource[] | undefined {
  const used = item.list('datasourceUsages')
  if (used === undefined) return undefined
  const sources = [...used, ...item.items('misconfiguredDatasourceUsages')].map((usage) =>
    known.get(usage.id('datasourceInstanceId') ?? ''),
  )
  return sources.includes(undefined) ? undefined : sources.flatMap((source) => source ?? [])
}

const toModifiedAt = (item: Item) => item.instant('modifiedDateTime') ?? item.instant('updatedDateTime')

/**
 * `dataSources` maps the metadata scan's instance ids; absent for items of the member list. `isWithheld`: the metadata
 * scan returned no expressions.
 */
export function toDataset(item: Item, dataSources?: ReadonlyMap<string, DataSource>, isWithheld = false): Dataset {
  const references = (list: string, key: string) => {
    const items = item.list(list)
    return items === undefined ? undefined : toReferences(items, key)
  }
  const roles = dataSources === undefined ? undefined : item.list('roles')
  const expressions = dataSources === undefined ? undefined : item.list('expressions')
  return {
    id: item.id('id') ?? '',
    name: item.text('name') ?? '',
    unread: [
      ...listRoleGaps(roles),
      ...(expressions === undefined ? [] : listExpressionGaps(expressions, 'expression', 'expressions')),
      ...(isWithheld ? unread('missing', 'no_expressions', 'expressions') : []),
    ],
    pushRows: item.flag('addRowsAPIEnabled') === true,
    refreshable: item.flag('isRefreshable') === true,
    identityRequired: item.flag('isEffectiveIdentityRequired') === true,
    parameters: [],
    ...defined<Dataset>({
      upstreamDatasets: references('upstreamDatasets', 'targetDatasetId'),
      upstreamDataflows: references('upstreamDataflows', 'targetDataflowId'),
      roleFilters: roles === undefined ? undefined : toRoleFilters(roles),
      expressions: expressions === undefined ? undefined : toExpressions(expressions, 'expression'),
      description: item.text('description'),
      url: item.text('webUrl'),
      configuredBy: item.text('configuredBy'),
      ownerless: item.blank('configuredBy') ? true : undefined,
      createdAt: item.instant('createdDate'),
      modifiedAt: toModifiedAt(item),
      storageMode: item.text('targetStorageMode'),
      contentProvider: item.text('contentProviderType'),
    }),
    ...(dataSources === undefined
      ? {}
      : {
          ...defined<Dataset>({ dataSources: toUsedSources(item, dataSources) }),
          scanned: toScanned(item, isWithheld),
        }),
  }
}

function toDatasetReference(item: Item): ColumnReference | undefined {
  const id = item.id('datasetId')
  return id === undefined
    ? undefined
    : { id, ...defined<ColumnReference>({ workspaceId: item.id('datasetWorkspaceId') }) }
}

export function toReport(item: Item): BiReport {
  return {
    id: item.id('id') ?? '',
    name: item.text('name') ?? '',
    unread: [],
    ...defined<BiReport>({
      description: item.text('description'),
      url: item.text('webUrl'),
      type: item.text('reportType'),
      dataset: toDatasetReference(item),
      createdBy: item.text('createdBy'),
      modifiedBy: item.text('modifiedBy'),
      createdAt: item.instant('createdDateTime'),
      modifiedAt: toModifiedAt(item),
      appId: item.id('appId'),
      originalId: item.id('originalReportId') ?? item.id('originalReportObjectId'),
    }),
  }
}

export const listTileGaps = (tiles: readonly Item[]): UnreadSection[] => requireMember(tiles, 'id', 'tiles')

export function toTile(item: Item): Tile {
  return {
    id: item.id('id') ?? '',
    ...defined<Tile>({
      title: item.text('title'),
      reportId: item.id('reportId'),
      dataset: toDatasetReference(item),
    }),
  }
}

export function toDashboard(item: Item, scanned = false): BiDashboard {
  const owner = item
    .items('users')
    .find((user) => /owner/i.test(user.text('dashboardUserAccessRight') ?? user.text('appUserAccessRight') ?? ''))
  return {
    id: item.id('id') ?? '',
    name: item.text('displayName') ?? item.text('name') ?? '',
    unread: scanned ? listTileGaps(item.items('tiles')) : [],
    ...defined<BiDashboard>({
      url: item.text('webUrl'),
      appId: item.id('appId'),
      owner: owner?.text('emailAddress') ?? owner?.text('identifier'),
      tiles: scanned ? item.list('tiles')?.map(toTile) : undefined,
    }),
  }
}

/** Members of the first object win where both are set; empty strings and lists count as not set. */
export function merge<T extends object>(listed: T, scanned: T | undefined): T {
  if (scanned === undefined) return listed
  const said = Object.entries(listed).filter(
    ([, value]) => value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0),
  )
  return { ...scanned, ...Object.fromEntries(said) }
}

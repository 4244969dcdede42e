import type { UnreadSection } from '../../documents/section.ts'

/** Common shape of items from the member lists and the metadata scan. Ids are lower-cased GUIDs. */
export interface Workspace {
  /** `me` for the caller's own workspace. */
  id: string
  name: string
  description?: string
  /** True where the description comes from the metadata scan. */
  isDescribedByScan?: boolean
  kind: 'workspace' | 'personal' | 'me'
  /** False where only an administrator sees it, so its items come from the metadata scan alone. */
  member: boolean
}

export interface ColumnReference {
  id: string
  workspaceId?: string
}

export interface Field {
  name: string
  dataType?: string
  description?: string
  expression?: string
  hidden?: boolean
}

export interface Table {
  name: string
  description?: string
  hidden?: boolean
  columns: Field[]
  measures: Field[]
  /** DAX expression that defines a calculated table. */
  expression?: string
  /** Power Query expressions that load the table. */
  sources: string[]
}

export interface NamedExpression {
  name: string
  description?: string
  expression: string
}

export interface DataSource {
  /** Type of the source, such as `Sql`. */
  type: string
  /** Name and value of each detail, including connection strings. */
  details: [string, string][]
}

export interface Schema {
  /** How the schema was read. */
  way: 'scanner' | 'tables' | 'queries' | 'statistics'
  tables: Table[]
  /** Sections that this method did not provide. */
  unread: UnreadSection[]
  stale?: boolean
}

export type SchemaAnswer =
  | { status: 'available'; schema: Schema }
  | { status: 'unavailable'; reason: string; temporary: boolean; tried: Record<string, string> }
  | { status: 'not_requested' }

/** Members that the lists and the metadata scan have for every item. */
export interface Described {
  id: string
  name: string
  description?: string
  /** True where the description comes from the metadata scan. */
  isDescribedByScan?: boolean
  /** Sections that were not read. */
  unread: UnreadSection[]
}

export interface Dataset extends Described {
  url?: string
  configuredBy?: string
  /** True where the platform reports that there is no owner. */
  ownerless?: boolean
  createdAt?: number
  modifiedAt?: number
  storageMode?: string
  contentProvider?: string
  pushRows: boolean
  refreshable: boolean
  identityRequired: boolean
  /** Undefined where the platform did not report them. */
  upstreamDatasets?: ColumnReference[]
  upstreamDataflows?: ColumnReference[]
  /** Undefined where the metadata scan did not report them; the member API is used then. */
  dataSources?: DataSource[]
  parameters: NamedExpression[]
  /** Filters of row-level security roles; undefined where the metadata scan did not report them. */
  roleFilters?: NamedExpression[]
  /** Shared Power Query expressions; undefined where the metadata scan did not report them. */
  expressions?: NamedExpression[]
  scanned?: { schema?: Schema; error?: string }
}

export interface BiReport extends Described {
  url?: string
  type?: string
  dataset?: ColumnReference
  createdBy?: string
  modifiedBy?: string
  createdAt?: number
  modifiedAt?: number
  appId?: string
  originalId?: string
}

export interface Tile {
  id: string
  title?: string
  reportId?: string
  dataset?: ColumnReference
}

export interface BiDashboard extends Described {
  url?: string
  owner?: string
  appId?: string
  /** Undefined where only the member API provides them. */
  tiles?: Tile[]
}

export interface WorkspaceContent {
  workspace: Workspace
  datasets: Dataset[]
  reports: BiReport[]
  dashboards: BiDashboard[]
  /** Administrators of the workspace; undefined where owners are not extracted or could not be read. */
  admins?: string[]
}

/** A workspace as returned by the metadata scan. */
export interface ScannedWorkspace {
  description?: string
  /** Undefined where the metadata scan did not list them. */
  datasets?: Dataset[]
  reports?: BiReport[]
  dashboards?: BiDashboard[]
  /** Sections that the scan omitted for data sources. */
  sourceGaps: UnreadSection[]
}

export type ScanAnswer =
  | { workspace: ScannedWorkspace }
  /** `temporary`: a later scan may succeed, so missing data proves nothing. */
  | { missing: string; temporary: boolean }

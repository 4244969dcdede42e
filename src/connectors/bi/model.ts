import type { UnreadSection } from '../../documents/section.ts'

/** What the member lists and the admin scanner say alike, in one shape. Ids are lower-cased GUIDs. */
export interface Workspace {
  /** `me` for the caller's own workspace. */
  id: string
  name: string
  description?: string
  /** The description is the metadata scan's. */
  isDescribedByScan?: boolean
  kind: 'workspace' | 'personal' | 'me'
  /** False where only an administrator sees it: its items come from the scanner alone. */
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
  /** What a calculated table is made by. */
  expression?: string
  /** Power Query that fills the table. */
  sources: string[]
}

export interface NamedExpression {
  name: string
  description?: string
  expression: string
}

export interface DataSource {
  /** Kind of source, such as `Sql`. */
  type: string
  /** Name and value of each detail, connection strings included. */
  details: [string, string][]
}

export interface Schema {
  /** How it was read. */
  way: 'scanner' | 'tables' | 'queries' | 'statistics'
  tables: Table[]
  /** What of it this way did not tell. */
  unread: UnreadSection[]
  stale?: boolean
}

export type SchemaAnswer =
  | { status: 'available'; schema: Schema }
  | { status: 'unavailable'; reason: string; temporary: boolean; tried: Record<string, string> }
  | { status: 'not_requested' }

/** What lists and the metadata scan tell of every item. */
export interface Described {
  id: string
  name: string
  description?: string
  /** The description is the metadata scan's. */
  isDescribedByScan?: boolean
  /** What was not told of it. */
  unread: UnreadSection[]
}

export interface Dataset extends Described {
  url?: string
  configuredBy?: string
  /** The platform says that nobody is its owner. */
  ownerless?: boolean
  createdAt?: number
  modifiedAt?: number
  storageMode?: string
  contentProvider?: string
  pushRows: boolean
  refreshable: boolean
  identityRequired: boolean
  /** Undefined where the platform did not say. */
  upstreamDatasets?: ColumnReference[]
  upstreamDataflows?: ColumnReference[]
  /** Undefined where the scanner did not say; then the member API is asked. */
  dataSources?: DataSource[]
  parameters: NamedExpression[]
  /** Filters of row-level security roles; undefined where the scanner did not say. */
  roleFilters?: NamedExpression[]
  /** Shared Power Query; undefined where the scanner did not say. */
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
  /** Undefined where only the member API has them. */
  tiles?: Tile[]
}

export interface WorkspaceContent {
  workspace: Workspace
  datasets: Dataset[]
  reports: BiReport[]
  dashboards: BiDashboard[]
  /** People and groups with their right, where ownership is asked for. */
  admins?: string[]
}

/** A workspace as an administrator's metadata scan shows it. */
export interface ScannedWorkspace {
  description?: string
  /** Undefined where the scan did not list them. */
  datasets?: Dataset[]
  reports?: BiReport[]
  dashboards?: BiDashboard[]
  /** What was not told of any data source. */
  sourceGaps: UnreadSection[]
  /** Gaps of all items of a kind. */
  gaps: Record<'workspace' | 'datasets' | 'reports', UnreadSection[]>
}

export type ScanAnswer =
  | { workspace: ScannedWorkspace }
  /** `temporary`: the next scan may well get it, so its absence says nothing. */
  | { missing: string; temporary: boolean }

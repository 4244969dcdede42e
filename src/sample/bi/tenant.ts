import { toGuid } from '../ids.ts'

export interface BiColumn {
  name: string
  dataType: string
  description?: string
  isHidden?: boolean
}

export interface BiMeasure {
  name: string
  /** DAX. */
  expression: string
  description?: string
}

export interface BiTable {
  name: string
  description?: string
  isHidden?: boolean
  columns: BiColumn[]
  measures: BiMeasure[]
  /** Power Query expression that loads the table. */
  source?: string
}

export interface BiDataSource {
  datasourceType: string
  connectionDetails: Record<string, string>
  connectionString?: string
  name?: string
}

export interface BiDataset {
  id: string
  name: string
  description?: string
  configuredBy: string
  /** Milliseconds since the epoch. */
  createdAt: number
  /** Absent: not modified since it was created. */
  modifiedAt?: number
  refreshedAt: number
  /** True for a dataset filled through the API, the only kind whose tables the platform lists directly. */
  push: boolean
  /** Row-level security: an application may not query the dataset. */
  identityRequired: boolean
  storageMode: string
  tables: BiTable[]
  expressions: { name: string; expression: string; description?: string }[]
  parameters: { name: string; type: string; currentValue: string; isRequired: boolean }[]
  dataSources: BiDataSource[]
  upstreamDatasets: { id: string; workspaceId: string }[]
  upstreamDataflows: { id: string; workspaceId: string }[]
  roles: { name: string; table: string; filter: string }[]
  /** Error that the metadata scan reports in place of the tables. */
  schemaRetrievalError?: string
}

export interface SampleReport {
  id: string
  name: string
  description?: string
  /** Undefined for paginated reports. */
  datasetId?: string
  datasetWorkspaceId?: string
  reportType: 'PowerBIReport' | 'PaginatedReport'
  /** Display names of the pages, in order. */
  pages: string[]
  createdBy: string
  modifiedBy: string
  createdAt: number
  modifiedAt: number
  appId?: string
  originalReportId?: string
}

export interface BiTile {
  id: string
  title: string
  reportId?: string
  datasetId?: string
}

export interface SampleDashboard {
  id: string
  displayName: string
  tiles: BiTile[]
  owner: string
  appId?: string
}

/** Whom a workspace or an item is open to; `None` is the whole organization. */
export interface BiPrincipal {
  email: string
  displayName: string
  principalType?: 'User' | 'Group' | 'App' | 'None'
}

export interface BiUser extends BiPrincipal {
  right: 'Admin' | 'Member' | 'Contributor' | 'Viewer'
}

export interface BiWorkspace {
  id: string
  name: string
  description?: string
  type: 'Workspace' | 'PersonalGroup'
  state: 'Active' | 'Deleted'
  /** Whether the application of the sample credentials is a member. */
  open: boolean
  modifiedAt: number
  users: BiUser[]
  datasets: BiDataset[]
  reports: SampleReport[]
  dashboards: SampleDashboard[]
}

function need<T>(found: T | undefined, what: string): T {
  if (found === undefined) throw new Error(`the sample BI tenant has no ${what}`)
  return found
}

/** All content of a BI tenant. Items may be edited between scans; `touch` then marks their workspace as modified. */
export class BiTenant {
  readonly tenantId: string
  readonly workspaces = new Map<string, BiWorkspace>()
  /** Whom an item is shared with beside its owner, by its id. */
  readonly sharedWith = new Map<string, readonly BiPrincipal[]>()
  /** Ids of the items that everyone in the organization, or on the web, can open by a link. */
  readonly widelyShared = {
    linksSharedToWholeOrganization: new Set<string>(),
    publishedToWeb: new Set<string>(),
  }
  /** "My workspace" of the person behind a user token; applications have none. */
  readonly personal: BiWorkspace
  readonly #now: () => number

  /** `now` is the clock for modification times. */
  constructor(options: { tenantId?: string; now?: () => number } = {}) {
    this.tenantId = options.tenantId ?? toGuid('sample-bi tenant')
    this.#now = options.now ?? Date.now
    this.personal = this.#create({ name: 'My workspace', type: 'PersonalGroup' })
  }

  #create(workspace: Partial<BiWorkspace> & { name: string }): BiWorkspace {
    return {
      id: toGuid(`workspace ${this.tenantId} ${workspace.name}`),
      type: 'Workspace',
      state: 'Active',
      open: true,
      modifiedAt: this.#now(),
      users: [],
      datasets: [],
      reports: [],
      dashboards: [],
      ...workspace,
    }
  }

  addWorkspace(workspace: Partial<BiWorkspace> & { name: string }): BiWorkspace {
    const added = this.#create(workspace)
    this.workspaces.set(added.id, added)
    return added
  }

  getWorkspace(name: string): BiWorkspace {
    return need(
      this.workspaces.values().find((workspace) => workspace.name === name),
      `workspace "${name}"`,
    )
  }

  /** Marks a workspace as modified now. */
  touch(workspace: BiWorkspace): void {
    workspace.modifiedAt = this.#now()
  }

  findReport(id: string): { workspace: BiWorkspace; report: SampleReport } | undefined {
    for (const workspace of this.workspaces.values()) {
      const report = workspace.reports.find((candidate) => candidate.id === id)
      if (report !== undefined) return { workspace, report }
    }
    return undefined
  }

  findDataset(id: string): { workspace: BiWorkspace; dataset: BiDataset } | undefined {
    for (const workspace of this.workspaces.values()) {
      const dataset = workspace.datasets.find((candidate) => candidate.id === id)
      if (dataset !== undefined) return { workspace, dataset }
    }
    return undefined
  }
}

/** A BI tenant as data. Ids are GUIDs. */
export interface BiField {
  name: string
  dataType?: string
  description?: string
  expression?: string
  isHidden?: boolean
}

export interface BiTable {
  name: string
  description?: string
  isHidden?: boolean
  columns: BiField[]
  measures: BiField[]
  /** Power Query that fills it. */
  source?: string
}

export interface BiDataSource {
  datasourceId: string
  datasourceType: string
  connectionDetails: Record<string, string>
  connectionString?: string
}

export interface BiDataset {
  id: string
  name: string
  description?: string
  configuredBy: string
  createdDate: string
  /** A push dataset: its tables can be listed. */
  push?: boolean
  /** Row-level security: a service principal may not query it. */
  secured?: boolean
  tables: BiTable[]
  dataSources: BiDataSource[]
  upstreamDatasets?: { id: string; workspaceId: string }[]
}

export interface BiReport {
  id: string
  name: string
  description?: string
  reportType: 'PowerBIReport' | 'PaginatedReport'
  datasetId?: string
  datasetWorkspaceId?: string
  pages: string[]
  createdDateTime: string
  modifiedDateTime: string
  createdBy: string
}

export interface BiTile {
  id: string
  title: string
  reportId?: string
  datasetId?: string
}

export interface BiDashboard {
  id: string
  displayName: string
  tiles: BiTile[]
}

export interface BiWorkspace {
  id: string
  name: string
  description?: string
  type: 'Workspace' | 'PersonalGroup'
  users: { emailAddress: string; displayName: string; groupUserAccessRight: string }[]
  datasets: BiDataset[]
  reports: BiReport[]
  dashboards: BiDashboard[]
}

export class BiTenant {
  readonly tenantId: string
  readonly workspaces: BiWorkspace[]

  constructor(content: { tenantId: string; workspaces: BiWorkspace[] }) {
    this.tenantId = content.tenantId
    this.workspaces = content.workspaces
  }

  getWorkspace(id: string): BiWorkspace {
    const workspace = this.workspaces.find((candidate) => candidate.id === id.toLowerCase())
    if (workspace === undefined) throw new Error(`the sample BI tenant has no workspace ${id}`)
    return workspace
  }

  deleteReport(id: string): void {
    for (const workspace of this.workspaces) workspace.reports = workspace.reports.filter((report) => report.id !== id)
  }

  editReport(id: string, change: Partial<BiReport>): void {
    for (const workspace of this.workspaces) {
      workspace.reports = workspace.reports.map((report) => (report.id === id ? { ...report, ...change } : report))
    }
  }

  renameWorkspace(id: string, name: string): void {
    this.getWorkspace(id).name = name
  }
}

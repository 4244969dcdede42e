import { type BiDataset, BiTenant, type SampleReport } from '../../src/sample/bi/tenant.ts'
import { toGuid } from '../../src/sample/ids.ts'

export interface GeneratedBiOptions {
  workspaces: number
  datasets: number
  reports: number
  dashboards?: number
  /** When everything was last edited; milliseconds since the epoch. */
  editedAt: number
  /** Clock of later edits. */
  now?: () => number
}

function toDataset(index: number, editedAt: number): BiDataset {
  return {
    id: toGuid(`generated dataset ${index}`),
    name: `Dataset ${index}`,
    configuredBy: 'ana@shop.example',
    createdAt: editedAt,
    modifiedAt: editedAt,
    refreshedAt: editedAt,
    push: false,
    identityRequired: false,
    storageMode: 'Import',
    tables: [
      {
        name: `Orders ${index}`,
        columns: [{ name: `Amount${index}`, dataType: 'Int64' }],
        measures: [{ name: `Total ${index}`, expression: `SUM(Orders[Amount${index}])` }],
        source: `let Source = Sql.Database("warehouse", "orders${index}") in Source`,
      },
    ],
    expressions: [],
    parameters: [{ name: 'Region', type: 'Text', currentValue: `Region ${index}`, isRequired: true }],
    dataSources: [{ datasourceType: 'Sql', connectionDetails: { server: 'warehouse', database: `orders${index}` } }],
    upstreamDatasets: [],
    upstreamDataflows: [],
    roles: [],
  }
}

const toReport = (index: number, editedAt: number, datasetId: string | undefined): SampleReport => ({
  id: toGuid(`generated report ${index}`),
  name: `Report ${index}`,
  ...(datasetId === undefined ? {} : { datasetId }),
  reportType: 'PowerBIReport',
  pages: [`Overview ${index}`, `Details ${index}`],
  createdBy: 'ana@shop.example',
  modifiedBy: 'ana@shop.example',
  createdAt: editedAt,
  modifiedAt: editedAt,
})

/** A BI tenant of any size, whose items are spread evenly over its workspaces. */
export function generatedBi(options: GeneratedBiOptions): BiTenant {
  const { editedAt, now } = options
  const tenant = new BiTenant(now === undefined ? {} : { now })
  const workspaces = Array.from({ length: options.workspaces }, (_, index) =>
    tenant.addWorkspace({ name: `Workspace ${index}`, modifiedAt: editedAt }),
  )
  const spread = (count: number, add: (workspace: (typeof workspaces)[number], index: number) => void) => {
    for (let index = 0; index < count; index++) {
      const workspace = workspaces[index % workspaces.length]
      if (workspace !== undefined) add(workspace, index)
    }
  }
  spread(options.datasets, (workspace, index) => workspace.datasets.push(toDataset(index, editedAt)))
  spread(options.reports, (workspace, index) =>
    workspace.reports.push(toReport(index, editedAt, workspace.datasets[0]?.id)),
  )
  spread(options.dashboards ?? 0, (workspace, index) =>
    workspace.dashboards.push({
      id: toGuid(`generated dashboard ${index}`),
      displayName: `Dashboard ${index}`,
      tiles: [{ id: toGuid(`generated tile ${index}`), title: `Tile ${index}` }],
      owner: 'ana@shop.example',
    }),
  )
  return tenant
}

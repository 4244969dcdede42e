import type { BiDashboard, BiDataSource, BiDataset, BiReport, BiTable, BiWorkspace } from './tenant.ts'

/** The objects of the platform's replies, with the letter case of its answers. */

const WEB = 'https://app.powerbi.com'

export const toGroup = (workspace: BiWorkspace) => ({
  id: workspace.id,
  name: workspace.name,
  type: workspace.type,
  isReadOnly: false,
  isOnDedicatedCapacity: false,
})

export const toDataset = (dataset: BiDataset, workspace: BiWorkspace) => ({
  id: dataset.id,
  name: dataset.name,
  ...(dataset.description === undefined ? {} : { description: dataset.description }),
  webUrl: `${WEB}/groups/${workspace.id}/datasets/${dataset.id}`,
  addRowsAPIEnabled: dataset.push === true,
  configuredBy: dataset.configuredBy,
  createdDate: dataset.createdDate,
  isRefreshable: dataset.push !== true,
  isEffectiveIdentityRequired: dataset.secured === true,
  isEffectiveIdentityRolesRequired: dataset.secured === true,
  isOnPremGatewayRequired: false,
  targetStorageMode: dataset.push === true ? 'Push' : 'Abf',
  upstreamDatasets: (dataset.upstreamDatasets ?? []).map(({ id, workspaceId }) => ({
    targetDatasetId: id,
    groupId: workspaceId,
  })),
  users: [],
})

export const toReport = (report: BiReport, workspace: BiWorkspace) => ({
  id: report.id,
  reportType: report.reportType,
  name: report.name,
  ...(report.description === undefined ? {} : { description: report.description }),
  webUrl: `${WEB}/groups/${workspace.id}/reports/${report.id}`,
  embedUrl: `${WEB}/reportEmbed?reportId=${report.id}&groupId=${workspace.id}&w=2`,
  isFromPbix: report.reportType === 'PowerBIReport',
  isOwnedByMe: false,
  ...(report.datasetId === undefined
    ? {}
    : { datasetId: report.datasetId, datasetWorkspaceId: report.datasetWorkspaceId ?? workspace.id }),
  users: [],
})

export const toDashboard = (dashboard: BiDashboard, workspace: BiWorkspace) => ({
  id: dashboard.id,
  displayName: dashboard.displayName,
  isReadOnly: false,
  webUrl: `${WEB}/groups/${workspace.id}/dashboards/${dashboard.id}`,
  embedUrl: `${WEB}/dashboardEmbed?dashboardId=${dashboard.id}`,
  users: [],
})

export const toTile = ({ id, title, reportId, datasetId }: BiDashboard['tiles'][number]) => ({
  id,
  title,
  rowSpan: 0,
  colSpan: 0,
  embedUrl: `${WEB}/embed?tileId=${id}`,
  ...(reportId === undefined ? {} : { reportId }),
  ...(datasetId === undefined ? {} : { datasetId }),
})

export const toDataSource = (source: BiDataSource) => ({
  datasourceType: source.datasourceType,
  connectionDetails: source.connectionDetails,
  ...(source.connectionString === undefined ? {} : { connectionString: source.connectionString }),
  datasourceId: source.datasourceId,
  gatewayId: '11111111-2222-4333-8444-555555555555',
})

const toTable = (table: BiTable) => ({
  name: table.name,
  ...(table.description === undefined ? {} : { description: table.description }),
  isHidden: table.isHidden === true,
  columns: table.columns.map((column) => ({ dataType: 'String', isHidden: false, ...column })),
  measures: table.measures.map((measure) => ({ isHidden: false, ...measure })),
  source: table.source === undefined ? [] : [{ expression: table.source }],
})

export const toPushTable = ({ name, columns, measures }: BiTable) => ({
  name,
  columns: columns.map(({ name, dataType = 'String' }) => ({ name, dataType })),
  measures: measures.map(({ name, expression = '' }) => ({ name, expression })),
})

/** A workspace as the admin scanner answers it. */
export const toScanned = (workspace: BiWorkspace) => ({
  id: workspace.id,
  name: workspace.name,
  ...(workspace.description === undefined ? {} : { description: workspace.description }),
  type: workspace.type,
  state: 'Active',
  isOnDedicatedCapacity: false,
  reports: workspace.reports.map((report) => ({
    ...toReport(report, workspace),
    createdDateTime: report.createdDateTime,
    modifiedDateTime: report.modifiedDateTime,
    createdBy: report.createdBy,
    modifiedBy: report.createdBy,
  })),
  dashboards: workspace.dashboards.map((dashboard) => ({
    ...toDashboard(dashboard, workspace),
    tiles: dashboard.tiles.map(toTile),
  })),
  datasets: workspace.datasets.map((dataset) => ({
    ...toDataset(dataset, workspace),
    tables: dataset.tables.map(toTable),
    expressions: [],
    datasourceUsages: dataset.dataSources.map(({ datasourceId }) => ({ datasourceInstanceId: datasourceId })),
  })),
  dataflows: [],
  users: workspace.users,
})

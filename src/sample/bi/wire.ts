import { toGuid } from '../ids.ts'
import type {
  BiDataSource,
  BiDataset,
  BiPrincipal,
  BiTable,
  BiTenant,
  BiTile,
  BiWorkspace,
  SampleDashboard,
  SampleReport,
} from './tenant.ts'

/**
 * Items of the BI platform as its API returns them; the letter case is that of actual replies, not of the
 * documentation.
 */

const WEB = 'https://app.powerbi.com'
const EMBED = 'https://app.powerbi.com/reportEmbed'
const instant = (at: number) => new Date(at).toISOString()

export const toGroupWire = (workspace: BiWorkspace) => ({
  id: workspace.id,
  type: workspace.type,
  name: workspace.name,
})

export const toUserWire = ({ email, displayName, principalType = 'User' }: BiPrincipal) => ({
  emailAddress: email,
  displayName,
  identifier: email,
  principalType,
})

const placeOf = (workspace: BiWorkspace) => (workspace.type === 'PersonalGroup' ? 'me' : workspace.id)

export const toDatasetWire = (dataset: BiDataset, workspace: BiWorkspace) => ({
  id: dataset.id,
  name: dataset.name,
  webUrl: `${WEB}/groups/${placeOf(workspace)}/datasets/${dataset.id}`,
  addRowsAPIEnabled: dataset.push,
  configuredBy: dataset.configuredBy,
  isRefreshable: !dataset.push,
  isEffectiveIdentityRequired: dataset.identityRequired,
  targetStorageMode: dataset.storageMode,
  createdDate: instant(dataset.createdAt),
  ContentProviderType: dataset.push ? 'PushDatasetXml' : 'PbixInImportMode',
  upstreamDatasets: dataset.upstreamDatasets.map(({ id, workspaceId }) => ({
    targetDatasetId: id,
    groupId: workspaceId,
  })),
  ...(dataset.description === undefined ? {} : { description: dataset.description }),
})

/** `embedUrl` differs in every reply, as on the platform. */
export const toReportWire = (report: SampleReport, workspace: BiWorkspace, call: number) => ({
  id: report.id,
  reportType: report.reportType,
  name: report.name,
  webUrl: `${WEB}/groups/${placeOf(workspace)}/reports/${report.id}`,
  embedUrl: `${EMBED}?reportId=${report.id}&groupId=${workspace.id}&w=2&config=${call}`,
  ...(report.datasetId === undefined
    ? {}
    : { datasetId: report.datasetId, datasetWorkspaceId: report.datasetWorkspaceId ?? workspace.id }),
  ...(report.description === undefined ? {} : { description: report.description }),
  ...(report.appId === undefined ? {} : { appId: report.appId }),
  ...(report.originalReportId === undefined ? {} : { originalReportId: report.originalReportId }),
})

export const toPageWires = (report: SampleReport) =>
  report.pages.map((displayName, order) => ({
    name: `ReportSection${toGuid(`${report.id} ${order}`).slice(0, 8)}`,
    displayName,
    order,
  }))

export const toDashboardWire = (dashboard: SampleDashboard, workspace: BiWorkspace, call: number) => ({
  id: dashboard.id,
  displayName: dashboard.displayName,
  webUrl: `${WEB}/groups/${placeOf(workspace)}/dashboards/${dashboard.id}`,
  embedUrl: `https://app.powerbi.com/dashboardEmbed?dashboardId=${dashboard.id}&config=${call}`,
  ...(dashboard.appId === undefined ? {} : { appId: dashboard.appId }),
})

export const toTileWire = (tile: BiTile) => ({
  id: tile.id,
  title: tile.title,
  ...(tile.reportId === undefined ? {} : { reportId: tile.reportId }),
  ...(tile.datasetId === undefined ? {} : { datasetId: tile.datasetId }),
})

export const toDataSourceId = (source: BiDataSource) =>
  toGuid(`source ${source.datasourceType} ${JSON.stringify(source.connectionDetails)} ${source.connectionString ?? ''}`)

export const toDataSourceWire = (source: BiDataSource) => ({
  ...(source.name === undefined ? {} : { name: source.name }),
  datasourceType: source.datasourceType,
  connectionDetails: source.connectionDetails,
  ...(source.connectionString === undefined ? {} : { connectionString: source.connectionString }),
  datasourceId: toDataSourceId(source),
})

/** Tables as returned by the push API and by the metadata scan, which may also include expressions. */
export const toTableWire = (table: BiTable, withExpressions: boolean) => ({
  name: table.name,
  isHidden: table.isHidden ?? false,
  ...(table.description === undefined ? {} : { description: table.description }),
  columns: table.columns.map(({ name, dataType, description, isHidden = false }) => ({
    name,
    dataType,
    isHidden,
    ...(description === undefined ? {} : { description }),
  })),
  measures: table.measures.map(({ name, expression, description }) => ({
    name,
    ...(withExpressions ? { expression } : {}),
    isHidden: false,
    ...(description === undefined ? {} : { description }),
  })),
  ...(withExpressions && table.source !== undefined ? { source: [{ expression: table.source }] } : {}),
})

export interface ScanFlags {
  lineage: boolean
  datasourceDetails: boolean
  datasetSchema: boolean
  datasetExpressions: boolean
  getArtifactUsers: boolean
}

const usersOf = (tenant: BiTenant, item: { id: string }, email: string, right: string, flags: ScanFlags) =>
  flags.getArtifactUsers
    ? {
        users: [
          { ...toUserWire({ email, displayName: email }), [right]: 'Owner' },
          ...(tenant.sharedWith.get(item.id) ?? []).map((user) => ({ ...toUserWire(user), [right]: 'Read' })),
        ],
      }
    : {}

function toScannedDataset(tenant: BiTenant, dataset: BiDataset, flags: ScanFlags) {
  const schema =
    dataset.schemaRetrievalError === undefined
      ? { tables: dataset.tables.map((table) => toTableWire(table, flags.datasetExpressions)) }
      : { schemaRetrievalError: dataset.schemaRetrievalError }
  const dependencies = (key: string, items: readonly { id: string; workspaceId: string }[]) =>
    items.map(({ id, workspaceId }) => ({ [key]: id, groupId: workspaceId }))
  return {
    id: dataset.id,
    name: dataset.name,
    configuredBy: dataset.configuredBy,
    targetStorageMode: dataset.storageMode,
    createdDate: instant(dataset.createdAt),
    contentProviderType: dataset.push ? 'PushDatasetXml' : 'PbixInImportMode',
    ...(dataset.description === undefined ? {} : { description: dataset.description }),
    ...(flags.datasetSchema ? schema : {}),
    ...(flags.datasetExpressions ? { expressions: dataset.expressions } : {}),
    ...(dataset.roles.length === 0 || !flags.datasetExpressions
      ? {}
      : {
          roles: dataset.roles.map(({ name, table, filter }) => ({
            name,
            modelPermission: 'Read',
            tablePermissions: [{ name: table, filterExpression: filter }],
          })),
        }),
    ...(flags.datasourceDetails
      ? { datasourceUsages: dataset.dataSources.map((source) => ({ datasourceInstanceId: toDataSourceId(source) })) }
      : {}),
    ...(flags.lineage
      ? {
          upstreamDatasets: dependencies('targetDatasetId', dataset.upstreamDatasets),
          upstreamDataflows: dependencies('targetDataflowId', dataset.upstreamDataflows),
        }
      : {}),
    ...usersOf(tenant, dataset, dataset.configuredBy, 'datasetUserAccessRight', flags),
  }
}

/** Result of a metadata scan over the given workspaces. */
export function toScanResult(tenant: BiTenant, ids: readonly string[], flags: ScanFlags) {
  const found = ids.flatMap((id) => tenant.workspaces.get(id) ?? [])
  const sources = new Map<string, BiDataSource>()
  for (const { datasets } of found) {
    for (const { dataSources } of datasets)
      for (const source of dataSources) sources.set(toDataSourceId(source), source)
  }
  return {
    workspaces: found.map((workspace) => ({
      id: workspace.id,
      name: workspace.name,
      type: workspace.type,
      state: workspace.state,
      ...(workspace.description === undefined ? {} : { description: workspace.description }),
      reports: workspace.reports.map((report) => ({
        id: report.id,
        name: report.name,
        reportType: report.reportType,
        createdDateTime: instant(report.createdAt),
        modifiedDateTime: instant(report.modifiedAt),
        modifiedBy: report.modifiedBy,
        createdBy: report.createdBy,
        ...(report.datasetId === undefined
          ? {}
          : { datasetId: report.datasetId, datasetWorkspaceId: report.datasetWorkspaceId ?? workspace.id }),
        ...(report.description === undefined ? {} : { description: report.description }),
        ...(report.appId === undefined ? {} : { appId: report.appId }),
        ...(report.originalReportId === undefined ? {} : { originalReportObjectId: report.originalReportId }),
        ...usersOf(tenant, report, report.createdBy, 'reportUserAccessRight', flags),
      })),
      dashboards: workspace.dashboards.map((dashboard) => ({
        id: dashboard.id,
        displayName: dashboard.displayName,
        tiles: dashboard.tiles.map(({ id, title, reportId, datasetId }) => ({
          id,
          title,
          ...(reportId === undefined ? {} : { reportId }),
          // The workspace of a deleted dataset is still reported; here it is the workspace of the tile.
          ...(datasetId === undefined
            ? {}
            : { datasetId, datasetWorkspaceId: tenant.findDataset(datasetId)?.workspace.id ?? workspace.id }),
        })),
        ...(dashboard.appId === undefined ? {} : { appId: dashboard.appId }),
        ...usersOf(tenant, dashboard, dashboard.owner, 'dashboardUserAccessRight', flags),
      })),
      datasets: workspace.datasets.map((dataset) => toScannedDataset(tenant, dataset, flags)),
      ...(flags.getArtifactUsers
        ? { users: workspace.users.map((user) => ({ ...toUserWire(user), groupUserAccessRight: user.right })) }
        : {}),
    })),
    datasourceInstances: [...sources.values()].map(toDataSourceWire),
  }
}

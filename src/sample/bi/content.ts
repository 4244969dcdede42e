import {
  type ColumnSpec,
  type DatasetSpec,
  dashboards,
  datasets,
  GONE_DATASET,
  GONE_REPORT,
  type ReportSpec,
  reports,
} from '../company/bi.ts'
import { authors } from '../company/page.ts'
import { toGuid } from '../ids.ts'
import { type BiColumn, type BiDataset, BiTenant, type BiUser } from './tenant.ts'

const DAY_MS = 86_400_000
const FOUNDED = Date.UTC(2021, 1, 1, 9)

const workspaces: readonly (readonly [name: string, admin: number, open: boolean, description?: string])[] = [
  ['Finance', 3, true, 'Closing, budget and payments.'],
  ['Supply Chain', 2, true, 'Warehouse, carriers and the packing line.'],
  ['Stores', 4, true],
  ['Customer and Marketing', 7, true, 'Club, campaigns and care.'],
  ['Data Platform', 9, true],
  ['Board room', 0, false, 'Not for applications.'],
]

export const toWorkspaceId = (name: string) => toGuid(`sample workspace ${name}`)
export const toDatasetId = (name: string) => toGuid(`sample dataset ${name}`)
export const toReportId = (workspace: string, name: string) => toGuid(`sample report ${workspace}/${name}`)
export const toDashboardId = (workspace: string, name: string) => toGuid(`sample dashboard ${workspace}/${name}`)
const toDataflowId = (name: string) => toGuid(`sample dataflow ${name}`)
const DATAFLOW_WORKSPACE = 'Data Platform'

const toMail = (name: string) => `${name}@larkmoor-outfitters.com`
const mailOf = (author: number) => toMail(authors[author % authors.length]?.[1] ?? '')

function toColumn(spec: ColumnSpec): BiColumn {
  const [, hidden, name = '', dataType = '', description] = /^(!?)([^:]+): (\w+)(?:\|(.+))?$/.exec(spec) ?? []
  return {
    name,
    dataType,
    ...(hidden === '!' ? { isHidden: true } : {}),
    ...(description === undefined ? {} : { description }),
  }
}

const toSource = (table: string) =>
  `let\n  Source = Sql.Database("warehouse.larkmoor.internal", "marts"),\n  Rows = Source{[Schema="mart",Item="${table.toLowerCase().replaceAll(' ', '_')}"]}[Data]\nin\n  Rows`

function toDataset(spec: DatasetSpec, index: number, today: number): BiDataset {
  const workspaceOf = (name: string) => datasets.find((dataset) => dataset.name === name)?.workspace ?? spec.workspace
  return {
    id: toDatasetId(spec.name),
    name: spec.name,
    ...(spec.description === undefined ? {} : { description: spec.description }),
    configuredBy: toMail(spec.owner),
    createdAt: FOUNDED + index * 20 * DAY_MS,
    refreshedAt: today - DAY_MS / 4,
    push: spec.push === true,
    identityRequired: spec.secured === true,
    storageMode: 'Abf',
    tables: spec.tables.map((table) => ({
      name: table.name,
      ...(table.description === undefined ? {} : { description: table.description }),
      columns: table.columns.map(toColumn),
      measures: (table.measures ?? []).map(([name, expression, description]) => ({
        name,
        expression,
        ...(description === undefined ? {} : { description }),
      })),
      ...(spec.push === true ? {} : { source: table.source ?? toSource(table.name) }),
    })),
    expressions: [],
    parameters: (spec.parameters ?? []).map(([name, currentValue]) => ({
      name,
      type: 'Text',
      currentValue,
      isRequired: true,
    })),
    dataSources: spec.sources.map(({ type, details, connectionString }) => ({
      datasourceType: type,
      connectionDetails: details,
      ...(connectionString === undefined ? {} : { connectionString }),
    })),
    upstreamDatasets: (spec.upstream ?? []).map((name) => ({
      id: toDatasetId(name),
      workspaceId: toWorkspaceId(workspaceOf(name)),
    })),
    upstreamDataflows: (spec.dataflows ?? []).map((name) => ({
      id: toDataflowId(name),
      workspaceId: toWorkspaceId(DATAFLOW_WORKSPACE),
    })),
    roles:
      spec.secured === true
        ? [
            {
              name: 'Own store',
              table: 'Shift',
              filter: '[Store] = LOOKUPVALUE(Access[Store], Access[Who], USERPRINCIPALNAME())',
            },
          ]
        : [],
    ...(spec.retrievalError === undefined ? {} : { schemaRetrievalError: spec.retrievalError }),
  }
}

function toDatasetLink(report: ReportSpec): { datasetId?: string; datasetWorkspaceId?: string } {
  if (report.dataset === undefined) return {}
  if (report.dataset === GONE_DATASET) return { datasetId: toDatasetId(`${report.name} ${GONE_DATASET}`) }
  const home = datasets.find(({ name }) => name === report.dataset)?.workspace ?? report.workspace
  return { datasetId: toDatasetId(report.dataset), datasetWorkspaceId: toWorkspaceId(home) }
}

const usersOf = (admin: number): BiUser[] =>
  authors.slice(0, 5).map(([displayName], index) => ({
    email: mailOf(admin + index),
    displayName: authors[(admin + index) % authors.length]?.[0] ?? displayName,
    right: index === 0 ? 'Admin' : index < 3 ? 'Member' : 'Viewer',
  }))

/**
 * The BI tenant of the sample company. Ids, names and texts are the same in every run; dates are relative to `today`.
 */
export function createSampleBiTenant(options: { today?: number } = {}): BiTenant {
  const today = Math.floor((options.today ?? Date.now()) / DAY_MS) * DAY_MS
  const tenant = new BiTenant()
  for (const [name, admin, open, description] of workspaces) {
    tenant.addWorkspace({
      id: toWorkspaceId(name),
      name,
      open,
      modifiedAt: today - 10 * DAY_MS,
      users: usersOf(admin),
      ...(description === undefined ? {} : { description }),
      datasets: datasets
        .filter(({ workspace }) => workspace === name)
        .map((spec, index) => toDataset(spec, index, today)),
      reports: reports
        .filter(({ workspace }) => workspace === name)
        .map((report, index) => ({
          id: toReportId(name, report.name),
          name: report.name,
          reportType: report.dataset === undefined ? ('PaginatedReport' as const) : ('PowerBIReport' as const),
          pages: report.dataset === undefined ? [] : [...report.pages],
          createdBy: mailOf(admin + index),
          modifiedBy: mailOf(admin + index + 1),
          createdAt: FOUNDED + index * 31 * DAY_MS,
          modifiedAt: today - report.edited * DAY_MS,
          ...(report.description === undefined ? {} : { description: report.description }),
          ...toDatasetLink(report),
        })),
      dashboards: dashboards
        .filter(({ workspace }) => workspace === name)
        .map((dashboard) => ({
          id: toDashboardId(name, dashboard.name),
          displayName: dashboard.name,
          owner: toMail(dashboard.owner),
          tiles: dashboard.tiles.map(([title, report, dataset]) => ({
            id: toGuid(`sample tile ${name}/${dashboard.name}/${title}`),
            title,
            ...(report === undefined || report === null
              ? {}
              : {
                  reportId: report === GONE_REPORT ? toGuid(`sample report gone ${title}`) : toReportId(name, report),
                }),
            ...(dataset === undefined
              ? {}
              : {
                  datasetId: dataset === GONE_DATASET ? toGuid(`sample dataset gone ${title}`) : toDatasetId(dataset),
                }),
          })),
        })),
    })
  }
  tenant.personal.reports.push({
    id: toReportId('My workspace', 'Trying things out'),
    name: 'Trying things out',
    reportType: 'PowerBIReport',
    pages: ['Draft'],
    createdBy: mailOf(0),
    modifiedBy: mailOf(0),
    createdAt: FOUNDED,
    modifiedAt: today - 40 * DAY_MS,
    datasetId: toDatasetId('Store sales'),
    datasetWorkspaceId: toWorkspaceId('Stores'),
  })
  return tenant
}

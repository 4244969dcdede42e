import type { SampleReply, SampleRequest } from '../exchange.ts'
import { toGuid } from '../ids.ts'
import { createRouter, readJson } from '../router.ts'
import { matchesFilter } from './filter.ts'
import { answerQuery } from './queries.ts'
import type { BiDataset, BiTenant, BiWorkspace } from './tenant.ts'
import type { TokenHolder } from './tokens.ts'
import {
  type ScanFlags,
  toDashboardWire,
  toDataSourceWire,
  toDatasetWire,
  toGroupWire,
  toPageWires,
  toReportWire,
  toScanResult,
  toTableWire,
  toTileWire,
  toUserWire,
} from './wire.ts'

export const API_PATH = '/v1.0/myorg'

export interface BiApiOptions {
  tenant: BiTenant
  url: () => string
  /** Whether callers may use the admin API. */
  adminApi: boolean
  /** Whether the tenant allows queries on datasets. */
  queries: boolean
  /** Number of polls for which a metadata scan is reported as Running before it is Succeeded. */
  scanPolls: number
  now: () => number
  /** Whether the member lists include modification times. */
  listTimes: boolean
}

const SHARED_PER_PAGE = 5

interface Call {
  request: SampleRequest
  params: Record<string, string>
  query: URLSearchParams
  holder: TokenHolder
}

export const toError = (status: number, code: string, message?: string): SampleReply => ({
  status,
  headers: { requestid: toGuid(`request ${status} ${code}`) },
  body: { error: { code, ...(message === undefined ? {} : { message }) } },
})

const notFound = (code = 'ItemNotFound') => toError(404, code)
const same = (a: string, b: string | undefined) => a.toLowerCase() === b?.toLowerCase()

/** The API of the BI platform for one tenant: handles authenticated requests below `/v1.0/myorg`. */
export function createBiApi({ tenant, url, adminApi, queries, scanPolls, now, listTimes }: BiApiOptions) {
  const scans = new Map<string, { ids: string[]; flags: ScanFlags; polls: number }>()
  let calls = 0

  const list = (kind: string, value: readonly unknown[]): SampleReply => ({
    status: 200,
    body: { '@odata.context': `${url()}${API_PATH}/$metadata#${kind}`, value },
  })

  const isMember = (workspace: BiWorkspace, holder: TokenHolder) => holder === 'person' || workspace.open
  const listVisible = (holder: TokenHolder) =>
    [...tenant.workspaces.values()].filter(
      (workspace) => workspace.state === 'Active' && workspace.type === 'Workspace' && isMember(workspace, holder),
    )

  /** The workspace of a call, or an error reply. */
  function enter({ params, holder }: Call): BiWorkspace | SampleReply {
    if (params.groupId === undefined) {
      return holder === 'person' ? tenant.personal : toError(403, 'API is not accessible for application')
    }
    const workspace = tenant.workspaces.values().find(({ id }) => same(id, params.groupId))
    if (workspace === undefined || workspace.state !== 'Active') return notFound('PowerBIEntityNotFound')
    return isMember(workspace, holder) ? workspace : toError(403, 'PowerBINotAuthorizedException')
  }

  const inWorkspace = (work: (workspace: BiWorkspace, call: Call) => SampleReply) => (call: Call) => {
    const workspace = enter(call)
    return 'status' in workspace ? workspace : work(workspace, call)
  }
  const withDataset = (work: (dataset: BiDataset, call: Call) => SampleReply) =>
    inWorkspace((workspace, call) => {
      const dataset = workspace.datasets.find(({ id }) => same(id, call.params.datasetId))
      return dataset === undefined ? notFound() : work(dataset, call)
    })
  function cut<T>(items: readonly T[], query: URLSearchParams): readonly T[] {
    const skip = Number(query.get('$skip') ?? 0)
    const top = query.get('$top')
    return top === null ? items.slice(skip) : items.slice(skip, skip + Number(top))
  }

  /** Filters and pages a list; the filter applies to the members returned by `toRow`. */
  function select<T>(items: readonly T[], query: URLSearchParams, toRow: (item: T) => Record<string, unknown>) {
    const filter = query.get('$filter')
    if (filter === null) return cut(items, query)
    const kept: T[] = []
    for (const item of items) {
      const fits = matchesFilter(filter, toRow(item))
      if (fits === undefined) return undefined
      if (fits) kept.push(item)
    }
    return cut(kept, query)
  }
  const badFilter = () => toError(400, 'BadRequest', 'The $filter is not understood.')

  function listGroups({ query, holder }: Call): SampleReply {
    const groups = select(listVisible(holder), query, ({ id, name, type }) => ({ id, name, type }))
    return groups === undefined ? badFilter() : list('groups', groups.map(toGroupWire))
  }

  const toAdminGroup = (workspace: BiWorkspace) => ({
    ...toGroupWire(workspace),
    state: workspace.state,
    hasWorkspaceLevelSettings: false,
    ...(workspace.description === undefined ? {} : { description: workspace.description }),
  })

  function listAdminGroups({ query }: Call): SampleReply {
    const all = [...tenant.workspaces.values()]
    const groups = select(all, query, ({ id, name, type, state }) => ({ id, name, type, state }))
    return groups === undefined ? badFilter() : list('groups', groups.map(toAdminGroup))
  }

  function listAdminItems<T extends { id: string }>(
    { query }: Call,
    kind: string,
    itemsOf: (workspace: BiWorkspace) => T[],
    toWire: (item: T, workspace: BiWorkspace) => object,
  ): SampleReply {
    const wires = [...tenant.workspaces.values()].flatMap((workspace) =>
      itemsOf(workspace).map((item) => ({ ...toWire(item, workspace), workspaceId: workspace.id })),
    )
    const items = select(wires, query, (wire) => wire as Record<string, unknown>)
    return items === undefined ? badFilter() : list(kind, items)
  }

  function listModified({ query }: Call): SampleReply {
    const from = Date.parse(query.get('modifiedSince') ?? '1970-01-01')
    const age = now() - from
    if (query.has('modifiedSince') && !(age >= 30 * 60_000 && age <= 30 * 86_400_000))
      return toError(400, 'BadRequest', 'modifiedSince must lie 30 minutes to 30 days back.')
    const found = [...tenant.workspaces.values()].filter(({ modifiedAt }) => modifiedAt >= from)
    return { status: 200, body: found.map(({ id }) => ({ id })) }
  }

  function startScan({ request, query }: Call): SampleReply {
    const ids = (readJson(request.body) as { workspaces?: unknown } | undefined)?.workspaces
    if (!Array.isArray(ids) || ids.length === 0 || ids.length > 100 || !ids.every((id) => typeof id === 'string')) {
      return toError(400, 'BadRequest', 'workspaces must hold 1 to 100 ids.')
    }
    const on = (name: string) => query.get(name)?.toLowerCase() === 'true'
    const flags: ScanFlags = {
      lineage: on('lineage'),
      datasourceDetails: on('datasourceDetails'),
      datasetSchema: on('datasetSchema'),
      datasetExpressions: on('datasetExpressions'),
      getArtifactUsers: on('getArtifactUsers'),
    }
    const id = toGuid(`scan ${scans.size + 1}`)
    scans.set(id, { ids: ids.map((text: string) => text.toLowerCase()), flags, polls: 0 })
    return { status: 202, body: { id, createdDateTime: new Date().toISOString(), status: 'NotStarted' } }
  }

  function showScan({ params }: Call): SampleReply {
    const id = params.scanId ?? ''
    const scan = scans.get(id)
    if (scan === undefined) return notFound()
    const status = scan.polls++ < scanPolls ? 'Running' : 'Succeeded'
    return { status: 200, body: { id, createdDateTime: new Date().toISOString(), status } }
  }

  function showScanResult({ params }: Call): SampleReply {
    const scan = scans.get(params.scanId ?? '')
    return scan === undefined || scan.polls <= scanPolls
      ? notFound()
      : { status: 200, body: toScanResult(tenant, scan.ids, scan.flags) }
  }

  function runQuery(dataset: BiDataset, { request, holder }: Call): SampleReply {
    const asked = readJson(request.body) as
      | { queries?: { query?: unknown }[]; serializerSettings?: { includeNulls?: unknown } }
      | undefined
    const [query, ...more] = Array.isArray(asked?.queries) ? asked.queries : []
    if (typeof query?.query !== 'string' || more.length > 0)
      return toError(400, 'BadRequest', 'Exactly one query is taken.')
    if (!queries) return toError(400, 'ExecuteQueriesDisabledByTenantAdmin')
    if (dataset.identityRequired && holder === 'application') return toError(401, 'PowerBINotAuthorizedException')
    const answer = answerQuery(dataset, query.query, asked?.serializerSettings?.includeNulls === true)
    if ('error' in answer) {
      const details = [{ code: 'AnalysisServicesErrorCode', detail: { type: 1, value: '3239575574' } }]
      return { status: 400, body: { error: { ...answer.error, 'pbi.error': { code: answer.error.code, details } } } }
    }
    // The platform starts this reply, unlike others, with a byte-order mark.
    const body = `\uFEFF${JSON.stringify({ results: [{ tables: [{ rows: answer.rows }] }] })}`
    return { status: 200, headers: { 'content-type': 'application/json; charset=utf-8' }, body }
  }

  function listRefreshes(dataset: BiDataset, { query }: Call): SampleReply {
    if (dataset.push)
      return toError(400, 'InvalidRequest', 'Invalid dataset. This API can only be called on a Model-based dataset')
    const refresh = (daysAgo: number) => ({
      refreshType: 'Scheduled',
      startTime: new Date(dataset.refreshedAt - daysAgo * 86_400_000).toISOString(),
      endTime: new Date(dataset.refreshedAt - daysAgo * 86_400_000 + 94_000).toISOString(),
      status: 'Completed',
      requestId: toGuid(`refresh ${dataset.id} ${daysAgo}`),
    })
    return list('refreshes', [0, 1, 2].map(refresh).slice(0, Number(query.get('$top') ?? 60)))
  }

  type Answer = (call: Call) => SampleReply

  /** Calls about a workspace's items; `prefix` is empty for the caller's own workspace. */
  const itemRoutes = (prefix: string): Record<string, Answer> => ({
    [`GET ${prefix}/datasets`]: inWorkspace((workspace) =>
      list(
        'datasets',
        workspace.datasets.map((dataset) => ({
          ...toDatasetWire(dataset, workspace),
          ...(listTimes ? { updatedDateTime: new Date(dataset.modifiedAt ?? dataset.createdAt).toISOString() } : {}),
        })),
      ),
    ),
    [`GET ${prefix}/datasets/{datasetId}/tables`]: withDataset(({ id, push, tables }) =>
      push
        ? list(
            'tables',
            tables.map((table) => toTableWire(table, true)),
          )
        : toError(404, 'ItemNotFound', `Dataset ${id} is not Push API dataset.`),
    ),
    [`GET ${prefix}/datasets/{datasetId}/datasources`]: withDataset((dataset) =>
      list('datasources', dataset.dataSources.map(toDataSourceWire)),
    ),
    [`GET ${prefix}/datasets/{datasetId}/refreshes`]: withDataset(listRefreshes),
    [`POST ${prefix}/datasets/{datasetId}/executeQueries`]: withDataset(runQuery),
    [`GET ${prefix}/reports`]: inWorkspace((workspace) =>
      list(
        'reports',
        workspace.reports.map((report) => ({
          ...toReportWire(report, workspace, calls),
          ...(listTimes ? { modifiedDateTime: new Date(report.modifiedAt).toISOString() } : {}),
        })),
      ),
    ),
    [`GET ${prefix}/reports/{reportId}/pages`]: inWorkspace(({ reports }, { params }) => {
      const report = reports.find(({ id }) => same(id, params.reportId))
      if (report === undefined) return notFound('PowerBIEntityNotFound')
      return report.reportType === 'PaginatedReport'
        ? toError(400, 'PowerBIUnsupportedReportType')
        : list('pages', toPageWires(report))
    }),
    [`GET ${prefix}/dashboards`]: inWorkspace((workspace) =>
      list(
        'dashboards',
        workspace.dashboards.map((dashboard) => toDashboardWire(dashboard, workspace, calls)),
      ),
    ),
    [`GET ${prefix}/dashboards/{dashboardId}/tiles`]: inWorkspace(({ dashboards }, { params }) => {
      const dashboard = dashboards.find(({ id }) => same(id, params.dashboardId))
      return dashboard === undefined
        ? notFound('PowerBIEntityNotFound')
        : list('tiles', dashboard.tiles.map(toTileWire))
    }),
  })

  const find = createRouter<Answer>({
    'GET /groups': listGroups,
    'GET /groups/{groupId}': inWorkspace((workspace) => ({ status: 200, body: toGroupWire(workspace) })),
    'GET /groups/{groupId}/users': inWorkspace((workspace, { query }) =>
      list(
        'users',
        cut(workspace.users, query).map((user) => ({ ...toUserWire(user), groupUserAccessRight: user.right })),
      ),
    ),
    'GET /groups/{groupId}/datasets/upstreamDataflows': inWorkspace((workspace) =>
      list(
        'upstreamDataflows',
        workspace.datasets.flatMap((dataset) =>
          dataset.upstreamDataflows.map(({ id, workspaceId }) => ({
            datasetObjectId: dataset.id,
            dataflowObjectId: id,
            workspaceObjectId: workspaceId,
          })),
        ),
      ),
    ),
    'GET /groups/{groupId}/datasets/{datasetId}/parameters': withDataset(({ parameters }) =>
      list('parameters', parameters),
    ),
    ...itemRoutes('/groups/{groupId}'),
    ...itemRoutes(''),
    'GET /admin/groups': listAdminGroups,
    'GET /admin/workspaces/modified': listModified,
    'POST /admin/workspaces/getInfo': startScan,
    'GET /admin/workspaces/scanStatus/{scanId}': showScan,
    'GET /admin/workspaces/scanResult/{scanId}': showScanResult,
    'GET /admin/widelySharedArtifacts/{list}': ({ params, query }) => {
      const ids = tenant.widelyShared[params.list as keyof typeof tenant.widelyShared]
      if (ids === undefined) return notFound()
      const shareType = params.list === 'publishedToWeb' ? 'PublishToWeb' : 'Link'
      const start = Number(query.get('continuationToken')?.slice(1, -1) ?? 0)
      const shown = [...ids].slice(start, start + SHARED_PER_PAGE)
      const next = start + SHARED_PER_PAGE
      // As in the vendor's examples, the path of the next page is always that of the list of links.
      const uri = `${url()}${API_PATH}/admin/widelySharedArtifacts/linksSharedToWholeOrganization?continuationToken='${next}'`
      const more = next < ids.size ? { continuationUri: uri, continuationToken: String(next) } : {}
      return {
        status: 200,
        body: { artifactAccessEntities: shown.map((id) => ({ artifactId: id, shareType })), ...more },
      }
    },
    'GET /admin/datasets': (call) => listAdminItems(call, 'datasets', ({ datasets }) => datasets, toDatasetWire),
    'GET /admin/reports': (call) =>
      listAdminItems(
        call,
        'reports',
        ({ reports }) => reports,
        (report, workspace) => toReportWire(report, workspace, calls),
      ),
    'GET /admin/dashboards': (call) =>
      listAdminItems(
        call,
        'dashboards',
        ({ dashboards }) => dashboards,
        (dashboard, workspace) => toDashboardWire(dashboard, workspace, calls),
      ),
  })

  return function answer(request: SampleRequest, path: string, holder: TokenHolder): SampleReply {
    calls++
    const match = find(request.method, path)
    if (match === undefined) return toError(400, 'BadRequest', `The contract has no ${request.method} ${path}`)
    if (path.startsWith('/admin/') && !adminApi) return toError(403, 'PowerBINotAuthorizedException')
    return match.handle({ request, params: match.params, query: request.query, holder })
  }
}

import { checkParameters, type Parameters } from '../parameters.ts'
import {
  BadRequest,
  json,
  type Reply,
  type RequestRecord,
  type RunningServer,
  type ServerOptions,
  startServer,
} from '../server.ts'
import { executeQuery } from './queries.ts'
import type { BiDataset, BiTenant, BiWorkspace } from './tenant.ts'
import { toDashboard, toDataSource, toDataset, toGroup, toPushTable, toReport, toScanned, toTile } from './wire.ts'

export interface SampleBiOptions extends ServerOptions {
  clientId: string
  clientSecret: string
  /** Lifetime of the tokens that are handed out. */
  tokenSeconds?: number
  /** The tenant lets the service principal use the admin API. */
  admin?: boolean
  /** The tenant allows queries over metadata. */
  queries?: boolean
}

export interface SampleBi extends RunningServer {
  tenant: BiTenant
  /** Makes every token handed out so far worthless. */
  expireTokens(): void
}

const API = '/v1.0/myorg'
const paging: Parameters = { $top: 'integer', $skip: 'integer' }
const none: Parameters = {}

const problem = (code: string, status: number): Reply =>
  json({ error: { code } }, status, { requestid: 'sample-request' })
const value = (items: readonly object[], context: string): Reply =>
  json({ '@odata.context': `${API}/$metadata#${context}`, value: items })

interface BiRoute {
  method: 'GET' | 'POST'
  pattern: RegExp
  parameters: Parameters
  admin?: boolean
  handler: (ids: readonly string[], request: RequestRecord) => Reply
}

/** Starts a BI tenant with its token endpoint on the same address. */
export async function startBiServer(tenant: BiTenant, options: SampleBiOptions): Promise<SampleBi> {
  const { tokenSeconds = 3599, admin = false } = options
  const tokens = new Map<string, number>()
  let issued = 0
  const routes = createRoutes(tenant, options)

  const issueToken = (request: RequestRecord, tenantId: string): Reply => {
    const form = new URLSearchParams(request.body)
    const refuse = (number: number, error: string, text: string) =>
      json(
        {
          error,
          error_description: `AADSTS${number}: ${text}`,
          error_codes: [number],
          trace_id: 'sample-trace',
          correlation_id: 'sample',
        },
        401,
      )
    if (form.get('grant_type') !== 'client_credentials') return json({ error: 'unsupported_grant_type' }, 400)
    if (tenantId !== tenant.tenantId) return refuse(90002, 'invalid_request', `Tenant '${tenantId}' not found.`)
    if (form.get('client_id') !== options.clientId)
      return refuse(700016, 'unauthorized_client', 'Application not found.')
    if (form.get('client_secret') !== options.clientSecret)
      return refuse(7000215, 'invalid_client', 'Invalid client secret provided.')
    const token = `sample-token-${++issued}-${Buffer.from(tenant.tenantId).toString('base64url')}`
    tokens.set(token, Date.now() + tokenSeconds * 1000)
    return json({ token_type: 'Bearer', expires_in: tokenSeconds, ext_expires_in: tokenSeconds, access_token: token })
  }

  const handle = (request: RequestRecord): Reply => {
    const token = /^\/([^/]+)\/oauth2\/v2\.0\/token$/.exec(request.path)
    if (token !== null && request.method === 'POST') return issueToken(request, token[1] ?? '')
    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    if (!isLive(bearer, tokens, tenant.tenantId)) {
      return tokens.has(bearer) ? problem('TokenExpired', 403) : problem('PowerBINotAuthorizedException', 401)
    }
    for (const route of routes) {
      const match = request.path.startsWith(API) ? route.pattern.exec(request.path.slice(API.length)) : null
      if (match === null || route.method !== request.method) continue
      checkParameters(request.query, route.parameters)
      if (route.admin === true && !admin) return problem('PowerBINotAuthorizedException', 403)
      return route.handler(
        match.slice(1).map((id) => decodeURIComponent(id).toLowerCase()),
        request,
      )
    }
    throw new BadRequest(`no such path: ${request.method} ${request.path}`)
  }

  const expireTokens = () => {
    for (const token of tokens.keys()) tokens.set(token, 0)
  }
  const server = await startServer(handle, options)
  return { ...server, tenant, expireTokens }
}

/** Tokens that were handed out, and delegated ones (unsigned JWTs of this tenant) until they expire. */
function isLive(bearer: string, tokens: ReadonlyMap<string, number>, tenantId: string): boolean {
  const until = tokens.get(bearer)
  if (until !== undefined) return until > Date.now()
  try {
    const claims = JSON.parse(Buffer.from(bearer.split('.')[1] ?? '', 'base64url').toString('utf8')) as {
      tid?: string
      exp?: number
    }
    return claims.tid === tenantId && (claims.exp ?? 0) * 1000 > Date.now()
  } catch {
    return false
  }
}

function createRoutes(tenant: BiTenant, { queries = true }: SampleBiOptions): BiRoute[] {
  const scans = new Map<string, string[]>()
  const find = (id: string | undefined) =>
    tenant.workspaces.find((workspace) => workspace.id === id && workspace.type === 'Workspace')
  const get = (pattern: string, parameters: Parameters, handler: BiRoute['handler'], admin = false): BiRoute => ({
    method: 'GET',
    pattern: new RegExp(`^${pattern}$`),
    parameters,
    handler,
    admin,
  })
  const inWorkspace = (
    pattern: string,
    read: (workspace: BiWorkspace, ids: readonly string[], request: RequestRecord) => Reply,
    parameters = none,
  ) =>
    get(`/groups/([^/]+)${pattern}`, parameters, ([id, ...rest], request) => {
      const workspace = find(id)
      return workspace === undefined ? problem('PowerBIEntityNotFound', 404) : read(workspace, rest, request)
    })
  const withDataset = (
    pattern: string,
    read: (dataset: BiDataset, request: RequestRecord) => Reply,
    parameters = none,
  ) =>
    inWorkspace(
      `/datasets/([^/]+)${pattern}`,
      ({ datasets }, [id], request) => {
        const dataset = datasets.find((candidate) => candidate.id === id)
        return dataset === undefined ? problem('ItemNotFound', 404) : read(dataset, request)
      },
      parameters,
    )
  const page = <T>(items: readonly T[], query: URLSearchParams): T[] => {
    const skip = Number(query.get('$skip') ?? 0)
    return items.slice(skip, skip + Number(query.get('$top') ?? items.length))
  }

  return [
    get('/groups', { ...paging, $filter: 'string' }, (_ids, { query }) => {
      const name = /^name eq '(.*)'$/.exec(query.get('$filter') ?? '')?.[1]?.replaceAll("''", "'")
      const mine = tenant.workspaces
        .filter(({ type }) => type === 'Workspace')
        .filter((workspace) => name === undefined || workspace.name === name)
      return value(page(mine, query).map(toGroup), 'groups')
    }),
    get('/groups/([^/]+)', none, ([id]) => {
      const workspace = find(id)
      return workspace === undefined ? problem('PowerBIEntityNotFound', 404) : json(toGroup(workspace))
    }),
    inWorkspace('/users', ({ users }, _ids, { query }) => value(page(users, query), 'users'), paging),
    inWorkspace('/datasets/upstreamDataflows', () => value([], 'upstreamDataflows')),
    inWorkspace('/datasets', (workspace) =>
      value(
        workspace.datasets.map((dataset) => toDataset(dataset, workspace)),
        'datasets',
      ),
    ),
    withDataset('/tables', (dataset) =>
      dataset.push === true ? value(dataset.tables.map(toPushTable), 'tables') : problem('ItemNotFound', 404),
    ),
    withDataset('/datasources', (dataset) => value(dataset.dataSources.map(toDataSource), 'datasources')),
    withDataset('/users', () => value([], 'users')),
    withDataset('/parameters', () => value([], 'parameters')),
    withDataset(
      '/refreshes',
      (dataset) =>
        dataset.push === true
          ? problem('InvalidRequest', 415)
          : value(
              [
                {
                  requestId: dataset.id,
                  refreshType: 'Scheduled',
                  startTime: dataset.createdDate,
                  endTime: dataset.createdDate,
                  status: 'Completed',
                },
              ],
              'refreshes',
            ),
      { $top: 'integer' },
    ),
    {
      method: 'POST',
      pattern: /^\/groups\/([^/]+)\/datasets\/([^/]+)\/executeQueries$/,
      parameters: none,
      handler: ([groupId, datasetId], request) => {
        const dataset = find(groupId)?.datasets.find(({ id }) => id === datasetId)
        if (dataset === undefined) return problem('PowerBIEntityNotFound', 404)
        if (!queries) return problem('ExecuteQueriesDisabledOnTenant', 400)
        if (dataset.secured === true) return problem('PowerBINotAuthorizedException', 401)
        return executeQuery(dataset, request.body)
      },
    },
    inWorkspace('/reports', (workspace) =>
      value(
        workspace.reports.map((report) => toReport(report, workspace)),
        'reports',
      ),
    ),
    inWorkspace('/reports/([^/]+)/pages', ({ reports }, [id]) => {
      const report = reports.find((candidate) => candidate.id === id)
      if (report === undefined) return problem('PowerBIEntityNotFound', 404)
      if (report.reportType === 'PaginatedReport') return problem('InvalidRequest', 400)
      return value(
        report.pages.map((displayName, order) => ({ name: `ReportSection${order}`, displayName, order })),
        'pages',
      )
    }),
    inWorkspace('/dashboards', (workspace) =>
      value(
        workspace.dashboards.map((dashboard) => toDashboard(dashboard, workspace)),
        'dashboards',
      ),
    ),
    inWorkspace('/dashboards/([^/]+)/tiles', ({ dashboards }, [id]) => {
      const dashboard = dashboards.find((candidate) => candidate.id === id)
      return dashboard === undefined
        ? problem('PowerBIEntityNotFound', 404)
        : value(dashboard.tiles.map(toTile), 'tiles')
    }),
    inWorkspace('/dataflows', () => value([], 'dataflows')),
    ...(['datasets', 'reports', 'dashboards'] as const).map((kind) => get(`/${kind}`, none, () => value([], kind))),
    get(
      '/admin/groups',
      { ...paging, $expand: 'string', $filter: 'string' },
      (_ids, { query }) =>
        value(
          page(tenant.workspaces, query).map((workspace) => ({ ...toGroup(workspace), state: 'Active' })),
          'groups',
        ),
      true,
    ),
    get(
      '/admin/workspaces/modified',
      { modifiedSince: 'string', excludePersonalWorkspaces: 'flag', excludeInActiveWorkspaces: 'flag' },
      () => json(tenant.workspaces.map(({ id }) => ({ id }))),
      true,
    ),
    {
      method: 'POST',
      pattern: /^\/admin\/workspaces\/getInfo$/,
      parameters: {
        lineage: 'flag',
        datasourceDetails: 'flag',
        datasetSchema: 'flag',
        datasetExpressions: 'flag',
        getArtifactUsers: 'flag',
      },
      admin: true,
      handler: (_ids, request) => {
        const { workspaces = [] } = JSON.parse(request.body || '{}') as { workspaces?: string[] }
        if (workspaces.length === 0 || workspaces.length > 100) throw new BadRequest('name 1 to 100 workspaces')
        const id = crypto.randomUUID()
        scans.set(id, workspaces)
        return json({ id, createdDateTime: new Date().toISOString(), status: 'NotStarted' }, 202)
      },
    },
    get(
      '/admin/workspaces/scanStatus/([^/]+)',
      none,
      ([id = '']) => (scans.has(id) ? json({ id, status: 'Succeeded' }) : problem('ItemNotFound', 404)),
      true,
    ),
    get(
      '/admin/workspaces/scanResult/([^/]+)',
      none,
      ([id = '']) => {
        const wanted = scans.get(id)
        if (wanted === undefined) return problem('ItemNotFound', 404)
        const found = tenant.workspaces.filter((workspace) => wanted.includes(workspace.id))
        const sources = found.flatMap(({ datasets }) => datasets.flatMap(({ dataSources }) => dataSources))
        return json({
          workspaces: found.map(toScanned),
          datasourceInstances: sources.map(toDataSource),
          misconfiguredDatasourceInstances: [],
        })
      },
      true,
    ),
  ]
}

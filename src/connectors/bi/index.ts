import { AppError } from '../../kernel/errors.ts'
import { withoutEmptyLists } from '../../kernel/json-object.ts'
import type { Connector, ConnectorSession, CrawlRequest, ScanWarning, SessionOptions } from '../connector.ts'
import { endsScan } from '../failure.ts'
import { createHttpClient } from '../http/transport.ts'
import { createApi } from './api.ts'
import { createAssets } from './assets.ts'
import { createAudienceReader, toAccess, type WorkspaceAccess } from './audiences.ts'
import { createChangeCheck } from './changes.ts'
import { type BiConfig, BiPayload, PublishedBiPayload, toAddresses, toIdentity } from './config.ts'
import { createContentLoader } from './content.ts'
import { createCrawler } from './crawl.ts'
import { type Discovery, discover, findExisting, findLeft, requireWorkspaces } from './discovery.ts'
import { judge } from './failure.ts'
import type { Workspace } from './model.ts'
import { orderByColumns, type SampleSelection, select } from './sampling.ts'
import { createScanner } from './scanner.ts'
import { createSchemaReader } from './schema.ts'
import { createSignIn } from './sign-in.ts'
import { runSteps } from './steps.ts'
import type { Item } from './wire.ts'

/** Application id of the API, which some tokens have as audience in place of its URL. */
const API_ID = '00000009-0000-0000-c000-000000000000'
const MAX_RETRIES = 3
const CONCURRENCY = 6
/** The platform may take up to 30 seconds for admin lists. */
const MIN_ADMIN_TIMEOUT_MS = 60_000

function openClients({ config, signal, log, now, watch }: SessionOptions<BiConfig>) {
  const addresses = toAddresses(config)
  const timeoutMs = config.optional.connection.timeout_seconds * 1000
  const shared = { maxRetries: MAX_RETRIES, minGapMs: 0, concurrency: CONCURRENCY, signal, log, now, watch }
  const authority = createHttpClient({
    ...shared,
    origin: addresses.authorityOrigin,
    basePath: addresses.authorityPath,
    authorize: async () => undefined,
    timeoutMs,
  })
  const signIn = createSignIn({ config, authority, scope: addresses.scope, now })
  const api = { ...shared, ...signIn, origin: addresses.apiOrigin, basePath: addresses.apiPath }
  const members = createHttpClient({ ...api, timeoutMs })
  const admins = createHttpClient({ ...api, timeoutMs: Math.max(timeoutMs, MIN_ADMIN_TIMEOUT_MS) })
  const queries = createHttpClient({ ...api, timeoutMs })
  return { addresses, signIn, members, admins, queries }
}

/** State available once the account has signed in and the workspaces are listed. */
interface OpenedClients {
  found: Discovery
  crawl: ReturnType<typeof createCrawler>
  selection: () => Promise<SampleSelection>
  release: (workspaceId: string) => void
  audiences: ReturnType<typeof createAudienceReader>
}

function openSession(options: SessionOptions<BiConfig>): ConnectorSession {
  const { config, sampling, log } = options
  const { addresses, signIn, ...clients } = openClients(options)
  const api = createApi(clients)
  const servicePrincipal = config.required.auth_mode === 'SERVICE_PRINCIPAL'
  const { extraction, scope } = config.optional
  let opened: Promise<OpenedClients> | undefined

  async function open(): Promise<OpenedClients> {
    const claims = await signIn.claims()
    const found = await discover({ api, scope, servicePrincipal })
    if (!addresses.cloudsMatch) {
      const message = 'api_base_url and authority_url belong to different clouds.'
      found.warnings.push({ code: 'cloud_mismatch', message })
    }
    const audience = claims.audience?.replace(/\/$/, '')
    if (
      !servicePrincipal &&
      audience !== undefined &&
      audience !== API_ID &&
      `${audience}/.default` !== addresses.scope
    ) {
      const message = 'The access token was issued for another API; get one for the BI platform.'
      found.warnings.push({ code: 'token_audience', message })
    }
    const tenantId = options.tenantId ?? claims.tenantId ?? new URL(addresses.apiOrigin).hostname
    if (options.tenantId === undefined && found.workspaces.length > 0) options.rememberTenantId(tenantId)
    const assets = createAssets({
      tenantId,
      web: addresses.web,
      workspacesAsContainers: extraction.extract_workspaces_to_containers,
      datasetsAsContainers: extraction.extract_datasets_to_containers,
      ownership: extraction.extract_ownership,
      ...(claims.objectId === undefined ? {} : { objectId: claims.objectId }),
    })
    const access = new Map<string, WorkspaceAccess>()
    const scanned = {
      client: clients.admins,
      workspaceIds: found.workspaces.filter(({ kind }) => kind !== 'me').map(({ id }) => id),
      signal: options.signal,
      log,
    }
    const withUsers = {
      users: true,
      onWorkspace: (id: string, workspace: Item) => void access.set(id, toAccess(workspace)),
    }
    const { extract_ownership: ownership, extract_dataset_schema: schema } = extraction
    const scanner = createScanner({ ...scanned, schema, ...(ownership ? withUsers : { users: false }) })
    const users = createScanner({ ...scanned, schema: false, lineage: false, ...withUsers })
    const load = createContentLoader({ api, scanner, config })
    const readSchema = createSchemaReader({ api, servicePrincipal })
    const changes = createChangeCheck({
      api,
      workspaces: found.workspaces,
      settings: [tenantId, toIdentity(config), claims.objectId, extraction],
      now: options.now,
      onUnchanged: (ids) => scanner.putOff(ids),
    })
    let selected: Promise<SampleSelection> | undefined
    return {
      found,
      crawl: createCrawler({ api, assets, config, load, readSchema, changes }),
      release: (workspaceId) => scanner.release(workspaceId),
      audiences: createAudienceReader({ api, scanner: users, known: access, log }),
      selection() {
        selected ??= select({
          sampling,
          workspaces: found.workspaces,
          load,
          skipped: (workspace, error) => {
            if (endsScan(error)) throw error
            log.warn('workspace is not sampled', { workspace: workspace.id })
          },
          async refreshes({ workspace, datasets }) {
            const times = new Map<string, number>()
            for (const { id } of datasets.filter(({ refreshable }) => refreshable && workspace.member)) {
              const [last] = await api.lastRefresh(workspace, id).catch(async (error: unknown) => {
                await judge(error, api.probe)
                return []
              })
              const at = last?.instant('endTime') ?? last?.instant('startTime')
              if (at !== undefined) times.set(id, at)
            }
            return times
          },
        })
        return selected
      },
    }
  }

  const ground = () => {
    opened ??= open().catch((error: unknown) => {
      opened = undefined
      throw error
    })
    return opened
  }

  return {
    async scopes() {
      const { found } = await ground()
      requireWorkspaces(found)
      const warnings: ScanWarning[] = [...found.warnings]
      return { scopes: found.workspaces.map(({ id, name }) => ({ key: id, name })), warnings }
    },
    async *crawl(request: CrawlRequest) {
      const { found, crawl, selection, release } = await ground()
      const workspace: Workspace | undefined = found.workspaces.find(({ id }) => id === request.scope.key)
      if (workspace === undefined) {
        const message = 'The workspace is no longer visible; check whether it still exists and who its members are.'
        throw new AppError('unavailable', message, { reason: 'gone' })
      }
      try {
        yield* crawl(workspace, await selection(), request)
      } finally {
        release(workspace.id)
      }
    },
    async findLeft(ids) {
      const { found } = await ground()
      return findLeft(api, found, ids)
    },
    findExisting: (keys) => findExisting(api, keys),
    async audiences(scope, keys) {
      const { audiences } = await ground()
      return audiences.read(scope.key, keys)
    },
    test: () => runSteps({ api, signIn, config, addresses, now: options.now }),
    close: async () => {},
  }
}

/**
 * Connector for the workspaces, datasets, reports and dashboards of a BI tenant, read through the member and admin
 * APIs.
 */
export const biConnector: Connector<BiConfig> = {
  type: 'BI_PLATFORM',
  title: 'BI platform',
  payload: BiPayload,
  publishedPayload: PublishedBiPayload,
  orderByColumns,
  defaultDetectors: ['SECRETS', 'PII', 'BROKEN_LINKS', 'PROMPT_INJECTION', 'DUPLICATE', 'CONTENT_QUALITY', 'CUSTOM'],
  leavesOut({ optional: { extraction } }) {
    const kinds = [
      ...(extraction.extract_reports ? [] : ['bi.report' as const]),
      ...(extraction.extract_dashboards ? [] : ['bi.dashboard' as const]),
      ...(extraction.extract_workspaces_to_containers ? [] : ['bi.workspace' as const]),
      ...(extraction.extract_datasets_to_containers ? [] : ['bi.table' as const]),
    ]
    // An account sees only the workspaces it belongs to.
    return { kinds, scopes: true }
  },
  scopeSettings: (config) => {
    const { scope, connection } = config.optional
    return [toIdentity(config), withoutEmptyLists(scope), connection.api_base_url]
  },
  credentialOrigins(config) {
    const { apiOrigin, authorityOrigin } = toAddresses(config)
    return config.required.auth_mode === 'ACCESS_TOKEN' ? [apiOrigin] : [authorityOrigin, apiOrigin]
  },
  tenantAddress(config) {
    const { required } = config
    const tenant = required.auth_mode === 'SERVICE_PRINCIPAL' ? required.tenant_id.toLowerCase() : ''
    return `${toAddresses(config).apiOrigin} ${tenant}`
  },
  open: openSession,
}

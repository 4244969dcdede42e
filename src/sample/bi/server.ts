import { type SampleCredentials, sampleCredentials } from '../credentials.ts'
import type { RequestRecord, SampleReply, SampleRequest } from '../exchange.ts'
import type { SampleFault } from '../fault.ts'
import { listen } from '../listener.ts'
import { API_PATH, createBiApi, toError } from './api.ts'
import { createSampleBiTenant } from './content.ts'
import type { BiTenant } from './tenant.ts'
import { createTokens, type TokenHolder } from './tokens.ts'

export interface SampleBiOptions {
  /** Absent: the built-in company's BI tenant. */
  tenant?: BiTenant
  port?: number
  authorityPort?: number
  faults?: SampleFault[]
  latencyMs?: number
  /** Whether the tenant lets callers use the administrators' calls; default false. */
  adminApi?: boolean
  /** Whether the tenant lets datasets be queried; default true. */
  queries?: boolean
  /** How long issued tokens live; default 3599. */
  tokenLifetimeSeconds?: number
  /** What `expires_in` says where it is not the truth; undefined leaves it out. */
  statedLifetime?: unknown
  /** How an expired token is refused; default 403 with `TokenExpired`, as the platform often does. */
  expiredAs?: 401 | 403
  scanPolls?: number
  /** Clock of the API. */
  now?: () => number
  /** Whether the lists of members tell when items were modified; default false, as the API describes them. */
  listTimes?: boolean
}

export interface SampleBi {
  /** Origin of the API. */
  url: string
  port: number
  /** What `api_base_url` takes. */
  apiUrl: string
  /** Origin of the identity provider. */
  authorityUrl: string
  authorityPort: number
  tenant: BiTenant
  credentials: Pick<SampleCredentials, 'tenantId' | 'clientId' | 'clientSecret'>
  requests: RequestRecord[]
  faults: SampleFault[]
  /** A token as a person or the application would have it; negative seconds: one that has expired. */
  issueToken(holder: TokenHolder, seconds?: number): string
  /** Every token given out so far is refused from now on, as expired. */
  revokeTokens(): void
  close(): Promise<void>
}

/** A BI tenant over HTTP on loopback: the API on one port, the identity provider on another. */
export async function startSampleBi(options: SampleBiOptions = {}): Promise<SampleBi> {
  const tenant = options.tenant ?? createSampleBiTenant()
  const requests: RequestRecord[] = []
  const faults = [...(options.faults ?? [])]
  const credentials = { ...sampleCredentials, tenantId: tenant.tenantId }
  const tokens = createTokens({
    credentials,
    lifetimeSeconds: options.tokenLifetimeSeconds ?? 3599,
    ...('statedLifetime' in options ? { statedLifetime: options.statedLifetime } : {}),
  })
  let apiUrl = ''
  const answerApi = createBiApi({
    tenant,
    url: () => apiUrl,
    adminApi: options.adminApi ?? false,
    queries: options.queries ?? true,
    scanPolls: options.scanPolls ?? 1,
    now: options.now ?? Date.now,
    listTimes: options.listTimes ?? false,
  })
  let revoked = false

  function handle(request: SampleRequest): SampleReply {
    const token = request.anonymous ? undefined : tokens.find(request.headers.authorization)
    const sentAny = request.headers.authorization !== undefined
    if (token === undefined && !(revoked && sentAny)) return { status: 401, body: '' }
    if (token === undefined || token.expired) {
      return toError(
        options.expiredAs ?? 403,
        'TokenExpired',
        'Access token has expired, resubmit with a new access token',
      )
    }
    if (!request.path.startsWith(`${API_PATH}/`))
      return toError(400, 'BadRequest', `The contract has no ${request.path}`)
    return answerApi(request, request.path.slice(API_PATH.length), token.holder)
  }

  const shared = { requests, faults, latencyMs: options.latencyMs }
  const api = await listen({ ...shared, server: 'api', handle, port: options.port })
  const authority = await listen({
    ...shared,
    server: 'authority',
    handle: (request) => tokens.answer(request),
    port: options.authorityPort,
  })
  apiUrl = api.url
  return {
    url: api.url,
    port: api.port,
    apiUrl: `${api.url}${API_PATH}`,
    authorityUrl: authority.url,
    authorityPort: authority.port,
    tenant,
    credentials,
    requests,
    faults,
    issueToken: (holder, seconds) => tokens.issue(holder, seconds),
    revokeTokens() {
      revoked = true
      tokens.revokeAll()
    },
    close: async () => {
      await Promise.all([api.close(), authority.close()])
    },
  }
}

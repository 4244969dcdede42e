import { type SampleCredentials, sampleCredentials } from '../credentials.ts'
import type { SampleReply, SampleRequest } from '../exchange.ts'
import { type ListenOptions, listen } from '../listener.ts'
import { API_PATH, createBiApi, toError } from './api.ts'
import { createSampleBiTenant } from './content.ts'
import type { BiTenant } from './tenant.ts'
import { createTokens, type TokenHolder } from './tokens.ts'

export interface SampleBiOptions {
  /** Default: the BI tenant of the sample company. */
  tenant?: BiTenant
  port?: number
  authorityPort?: number
  respond?: ListenOptions['respond']
  /** Whether the tenant allows the admin API; default false. */
  adminApi?: boolean
  /** Whether the tenant allows queries on datasets; default true. */
  queries?: boolean
  /** Lifetime of issued tokens; default 3599. */
  tokenLifetimeSeconds?: number
  /** Value of `expires_in` where it differs from the actual lifetime; undefined omits it. */
  statedLifetime?: unknown
  /** How an expired token is refused; default 403 with `TokenExpired`, as the platform often does. */
  expiredAs?: 401 | 403
  scanPolls?: number
  /** Clock of the API. */
  now?: () => number
  /** Whether the member lists include modification times; default false, as documented for the API. */
  listTimes?: boolean
}

export interface SampleBi {
  /** Origin of the API. */
  url: string
  port: number
  /** Value for the source option `api_base_url`. */
  apiUrl: string
  /** Origin of the identity provider. */
  authorityUrl: string
  authorityPort: number
  tenant: BiTenant
  credentials: Pick<SampleCredentials, 'tenantId' | 'clientId' | 'clientSecret'>
  /** Issues a token for a person or the application; with a negative number of seconds, it has already expired. */
  issueToken(holder: TokenHolder, seconds?: number): string
  /** Refuses all tokens issued so far as expired. */
  revokeTokens(): void
  close(): Promise<void>
}

/** A BI tenant over HTTP on loopback: the API on one port, the identity provider on another. */
export async function startSampleBi(options: SampleBiOptions = {}): Promise<SampleBi> {
  const tenant = options.tenant ?? createSampleBiTenant()
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

  const { respond } = options
  const api = await listen({ respond, server: 'api', handle, port: options.port })
  const authority = await listen({
    respond,
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

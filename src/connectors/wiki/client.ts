import { AppError } from '../../kernel/errors.ts'
import type { SessionOptions } from '../connector.ts'
import { endsScan, reasonOf } from '../failure.ts'
import type { Pace } from '../http/gate.ts'
import { createHttpClient, type HttpClient } from '../http/transport.ts'
import { findAddress, findGatewayOrigin, toBasePath } from './address.ts'
import type { WikiConfig } from './config.ts'
import { readListPage } from './listing.ts'
import { SpaceWire, UserWire } from './wire.ts'

/** A signed-in client of one tenant. */
export interface WikiClient {
  http: HttpClient
  /** Origin that was entered; not replaced by the base URL that the platform reports. */
  origin: string
  /** Origin of the site that users open. */
  site: string
  /** Prefix of every asset key: `wiki:{tenant}`. */
  prefix: string
  /** How the client reaches the tenant; for display. */
  via: 'site' | 'gateway'
  /** Display name of the account; undefined where the token does not permit reading it. */
  account: string | undefined
  /** Checks the account again: false when the token is no longer accepted. */
  isSignedIn(): Promise<boolean>
}

const CONCURRENCY = 4

interface Attempt {
  http: HttpClient
  account: string | undefined
  base: string | undefined
}

/** The options of a session, and when its next request may start. */
interface ClientOptions extends SessionOptions<WikiConfig> {
  pace: Pace
}

function toHttp(
  options: ClientOptions,
  origin: string,
  basePath: string,
  authorization: string | undefined,
): HttpClient {
  const { connection } = options.config.optional
  return createHttpClient({
    origin,
    basePath,
    authorize: async () => authorization,
    timeoutMs: connection.request_timeout_seconds * 1000,
    maxRetries: connection.max_retries,
    minGapMs: connection.rate_limit_delay_seconds * 1000,
    pace: options.pace,
    concurrency: CONCURRENCY,
    signal: options.signal,
    log: options.log,
    now: options.now,
    watch: options.watch,
  })
}

const notAccepted = (host: string) =>
  new AppError(
    'unavailable',
    `${host} does not accept the token: it responds as to an anonymous user; enter a new token.`,
    {
      reason: 'auth_failed',
    },
  )

/**
 * The signed-in account. A refused token may get a success response as an anonymous visitor, which is an error here.
 */
async function readAccount(http: HttpClient, host: string): Promise<string | undefined> {
  try {
    const reply = await http.json({ path: '/rest/api/user/current' })
    const user = UserWire.safeParse(reply.body)
    const refused = reply.headers['x-seraph-loginreason']?.includes('AUTHENTICATED_FAILED') === true
    if (refused || !user.success || user.data.type === 'anonymous') throw notAccepted(host)
    return user.data.displayName ?? user.data.accountId ?? undefined
  } catch (error) {
    if (reasonOf(error) === 'forbidden') return undefined
    throw error
  }
}

/** Signs in and lists one space, which every kind of token must permit. */
async function attempt(http: HttpClient, host: string): Promise<Attempt> {
  const account = await readAccount(http, host)
  const page = await readListPage(http, { path: '/spaces', item: SpaceWire, limit: 1 })
  return { http, account, base: page.base }
}

/** The tenant's id, which does not change when its address does; undefined where the site does not report it. */
async function findCloudId(options: ClientOptions, origin: string): Promise<string | undefined> {
  try {
    const reply = await toHttp(options, origin, '/_edge', undefined).json<{ cloudId?: unknown }>({
      path: '/tenant_info',
    })
    const cloudId = reply.body?.cloudId
    return typeof cloudId === 'string' && /^[\w-]{8,64}$/.test(cloudId) ? cloudId : undefined
  } catch (error) {
    if (['retry_later', 'aborted'].includes(reasonOf(error))) throw error
    return undefined
  }
}

function toSite(base: string | undefined, origin: string): string {
  return base !== undefined && /^https?:/.test(base) ? (URL.parse(base)?.origin ?? origin) : origin
}

/** Connects at the site or, for scoped tokens, which only the gateway accepts, at the gateway. */
export async function connect(options: ClientOptions): Promise<WikiClient> {
  const { required, masked } = options.config
  const address = findAddress(required.base_url)
  if (address === undefined) {
    throw new AppError('invalid_input', 'The address of the wiki is not valid; enter it again.', {
      reason: 'address',
    })
  }
  const { origin } = address
  const { host } = new URL(origin)
  const credential = Buffer.from(`${required.account_email}:${masked.api_token}`).toString('base64')
  const authorization = `Basic ${credential}`
  let cloudId = address.cloudId
  let via: WikiClient['via'] = cloudId === undefined ? 'site' : 'gateway'
  let signedIn: Attempt
  try {
    signedIn = await attempt(toHttp(options, origin, toBasePath(cloudId), authorization), host)
  } catch (error) {
    const gateway = findGatewayOrigin(origin)
    const mayNeedGateway = via === 'site' && ['auth_failed', 'forbidden'].includes(reasonOf(error))
    if (gateway === undefined || !mayNeedGateway) throw error
    cloudId = await findCloudId(options, origin)
    if (cloudId === undefined) throw error
    try {
      signedIn = await attempt(toHttp(options, gateway, toBasePath(cloudId), authorization), new URL(gateway).host)
      via = 'gateway'
    } catch (second) {
      throw endsScan(second) && reasonOf(second) !== 'auth_failed' ? second : error
    }
  }
  const tenant = options.tenantId ?? cloudId ?? (await findCloudId(options, origin)) ?? host
  if (options.tenantId === undefined) options.rememberTenantId(tenant)
  const site = address.cloudId === undefined ? origin : toSite(signedIn.base, origin)
  const { http, account } = signedIn
  const isSignedIn = async () => {
    try {
      return (await readAccount(http, host)) !== undefined
    } catch (error) {
      if (endsScan(error) && !reasonOf(error).startsWith('auth_')) throw error
      return false
    }
  }
  return { http, origin, site, prefix: `wiki:${tenant}`, via, account, isSignedIn }
}

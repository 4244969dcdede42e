import { toSafeTextOnce } from '../../detectors/safe-text.ts'
import { AppError } from '../../kernel/errors.ts'
import { MASK } from '../../kernel/redaction.ts'
import type { HttpClient } from '../http/transport.ts'
import type { BiConfig } from './config.ts'

/** Claims of the access token; decoded but not verified, because the API verifies them. */
interface TokenClaims {
  tenantId?: string
  objectId?: string
  name?: string
  expiresAt?: number
  audience?: string
}

export interface SignIn {
  /** Value of the Authorization header; requests a token where there is none or the current one is about to expire. */
  authorize(): Promise<string>
  /** Gets a new token after a refusal; false where a person must provide one. */
  refresh(): Promise<boolean>
  claims(): Promise<TokenClaims>
}

const DEFAULT_LIFETIME_S = 3600
const MIN_LIFETIME_MS = 60_000

const explanations: Record<string, string> = {
  AADSTS7000215: 'the client secret is wrong (its value is needed, not its id)',
  AADSTS7000222: 'the client secret has expired',
  AADSTS700016: 'the application does not exist in this tenant',
  AADSTS90002: 'the tenant does not exist',
  AADSTS500011: 'the API is not known in this tenant; check the cloud of api_base_url',
  AADSTS70011: 'the token scope is not valid in this tenant; check the cloud of api_base_url',
  AADSTS53003: 'a conditional access policy blocks the sign-in',
}

interface TokenReply {
  access_token?: unknown
  expires_in?: unknown
  error?: unknown
  error_description?: unknown
  trace_id?: unknown
}

const word = (value: unknown) => (typeof value === 'string' && /^[\w-]{1,80}$/.test(value) ? value : undefined)

function readClaims(token: string): TokenClaims {
  const [, payload = ''] = token.split('.')
  try {
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Record<string, unknown>
    const text = (key: string) => (typeof claims[key] === 'string' ? claims[key] : undefined)
    const [tenantId, objectId, audience] = [text('tid'), text('oid'), text('aud')]
    const name = text('upn') ?? text('unique_name') ?? text('app_displayname') ?? text('appid')
    return {
      ...(tenantId === undefined ? {} : { tenantId: tenantId.toLowerCase() }),
      ...(objectId === undefined ? {} : { objectId: objectId.toLowerCase() }),
      ...(name === undefined ? {} : { name }),
      ...(audience === undefined ? {} : { audience }),
      ...(typeof claims.exp === 'number' ? { expiresAt: claims.exp * 1000 } : {}),
    }
  } catch {
    return {}
  }
}

/**
 * How long a token is used, in ms: its lifetime minus 5 minutes, or half of a short lifetime, and at least
 * MIN_LIFETIME_MS.
 */
export function toUseMs(expiresIn: unknown): number {
  const seconds = Number(expiresIn)
  const lifetime = Number.isFinite(seconds) && seconds > 0 ? seconds : DEFAULT_LIFETIME_S
  const use = expiresIn === 0 || expiresIn === '0' ? 0 : lifetime - Math.min(300, lifetime / 2)
  return Math.max(MIN_LIFETIME_MS, use * 1000)
}

function refused(reply: TokenReply, secret: string, signedIn: boolean): AppError {
  const description = typeof reply.error_description === 'string' ? reply.error_description : ''
  const [firstLine = ''] = description.split(/[\r\n]/, 1)
  const code = /^AADSTS\d{4,10}/.exec(firstLine)?.[0]
  const shown = code === undefined ? '' : toSafeTextOnce(firstLine.replaceAll(secret, MASK), 'prose', 240)
  const traceId = word(reply.trace_id)
  const why = (code && explanations[code]) ?? 'the identity provider refuses the application'
  const detail = shown === '' ? (word(reply.error) ?? '') : shown
  const trace = traceId === undefined ? '' : ` (trace ${traceId})`
  const message = `Sign-in failed because ${why}; correct the source and try again. ${detail}${trace}`.trim()
  return new AppError('unavailable', message, {
    reason: signedIn ? 'auth_expired' : 'auth_failed',
    facts: { ...(code === undefined ? {} : { code }), ...(traceId === undefined ? {} : { traceId }) },
  })
}

function servicePrincipal(
  principal: { tenantId: string; clientId: string; secret: string; scope: string },
  authority: HttpClient,
  monotonicNow: () => number,
): SignIn {
  let current: { token: string; until: number } | undefined
  let asking: Promise<string> | undefined
  let signedIn = false

  async function ask(): Promise<string> {
    const reply = await authority.json<TokenReply | undefined>({
      method: 'POST',
      path: `/${principal.tenantId}/oauth2/v2.0/token`,
      form: {
        grant_type: 'client_credentials',
        client_id: principal.clientId,
        client_secret: principal.secret,
        scope: principal.scope,
      },
      accept: [400, 401, 403],
      repeatable: true,
      maxBytes: 1_000_000,
    })
    const body = reply.body ?? {}
    if (reply.status >= 400) throw refused(body, principal.secret, signedIn)
    if (typeof body.access_token !== 'string' || body.access_token === '') {
      const message = 'The identity provider returned no token; check authority_url.'
      throw new AppError('unavailable', message, { reason: 'protocol_error' })
    }
    signedIn = true
    current = { token: body.access_token, until: monotonicNow() + toUseMs(body.expires_in) }
    return current.token
  }

  const askOnce = () => {
    asking ??= ask().finally(() => {
      asking = undefined
    })
    return asking
  }
  const token = async () => (current !== undefined && monotonicNow() < current.until ? current.token : askOnce())

  return {
    authorize: async () => `Bearer ${await token()}`,
    async refresh() {
      await askOnce()
      return true
    },
    claims: async () => ({ ...readClaims(await token()), tenantId: principal.tenantId }),
  }
}

function givenToken(given: string, now: () => number): SignIn {
  const token = given.replace(/^\s*bearer\s+/i, '').replace(/\s+/g, '')
  const claims = readClaims(token)
  return {
    async authorize() {
      if (claims.expiresAt !== undefined && claims.expiresAt <= now()) {
        const message = 'The access token has expired; enter a new one and start the scan again.'
        throw new AppError('unavailable', message, { reason: 'auth_expired' })
      }
      return `Bearer ${token}`
    },
    refresh: async () => false,
    claims: async () => claims,
  }
}

export function createSignIn(options: {
  config: BiConfig
  authority: HttpClient
  scope: string
  now: () => number
  monotonicNow?: () => number
}): SignIn {
  const { required, masked } = options.config
  if (required.auth_mode === 'ACCESS_TOKEN') return givenToken(masked.access_token ?? '', options.now)
  const { tenant_id: tenantId, client_id: clientId } = required
  return servicePrincipal(
    {
      tenantId: tenantId.toLowerCase(),
      clientId: clientId.toLowerCase(),
      secret: masked.client_secret ?? '',
      scope: options.scope,
    },
    options.authority,
    options.monotonicNow ?? (() => performance.now()),
  )
}

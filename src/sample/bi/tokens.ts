import { randomBytes } from 'node:crypto'
import type { SampleCredentials } from '../credentials.ts'
import type { SampleReply, SampleRequest } from '../exchange.ts'
import { toGuid } from '../ids.ts'

export const SCOPE = 'https://analysis.windows.net/powerbi/api/.default'
const AUDIENCE = 'https://analysis.windows.net/powerbi/api'

export type TokenHolder = 'application' | 'person'

interface Token {
  holder: TokenHolder
  /** Milliseconds since the epoch. */
  expiresAt: number
}

const toSegment = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Issues tokens and identifies their holders. Tokens have the form of a JWT, but are not signed or verified. */
export function createTokens(options: {
  credentials: SampleCredentials
  lifetimeSeconds: number
  /** Value of `expires_in` where it differs from the actual lifetime. */
  statedLifetime?: unknown
}) {
  const { credentials, lifetimeSeconds } = options
  const tokens = new Map<string, Token>()

  function issue(holder: TokenHolder, seconds: number): string {
    const now = Date.now()
    const expiresAt = now + seconds * 1000
    const who =
      holder === 'application'
        ? { appid: credentials.clientId, oid: toGuid('sample-bi principal'), roles: ['Tenant.Read.All'] }
        : { upn: credentials.accountEmail, oid: toGuid('sample-bi person'), scp: 'Dataset.Read.All Report.Read.All' }
    const claims = {
      aud: AUDIENCE,
      tid: credentials.tenantId,
      iat: Math.floor(now / 1000),
      exp: Math.floor(expiresAt / 1000),
      ...who,
    }
    const token = [
      toSegment({ typ: 'JWT', alg: 'RS256' }),
      toSegment(claims),
      randomBytes(32).toString('base64url'),
    ].join('.')
    tokens.set(token, { holder, expiresAt })
    return token
  }

  const refuse = (status: number, error: string, code: number, text: string): SampleReply => ({
    status,
    body: {
      error,
      error_description: `AADSTS${code}: ${text} Trace ID: ${toGuid('trace')} Correlation ID: ${toGuid('correlation')} Timestamp: 2026-01-01 00:00:00Z`,
      error_codes: [code],
      timestamp: '2026-01-01 00:00:00Z',
      trace_id: toGuid('trace'),
      correlation_id: toGuid('correlation'),
    },
  })

  return {
    issue: (holder: TokenHolder, seconds = lifetimeSeconds) => issue(holder, seconds),
    /** Revokes all issued tokens. */
    revokeAll: () => tokens.clear(),
    /** Undefined where the token was never issued or was revoked. */
    find(authorization: string | undefined): { holder: TokenHolder; expired: boolean } | undefined {
      const token = tokens.get(/^Bearer (\S+)$/.exec(authorization ?? '')?.[1] ?? '')
      return token === undefined ? undefined : { holder: token.holder, expired: token.expiresAt <= Date.now() }
    },
    /** The token endpoint: `POST /{tenant}/oauth2/v2.0/token` with a client secret. */
    answer({ method, path, query, body }: SampleRequest): SampleReply {
      const tenant = /^\/([^/]+)\/oauth2\/v2\.0\/token$/.exec(path)?.[1]
      if (method !== 'POST' || tenant === undefined || query.size > 0) {
        return { status: 400, body: { error: 'invalid_request' } }
      }
      const form = new URLSearchParams(body)
      const known = ['grant_type', 'client_id', 'client_secret', 'scope']
      const missing = known.find((name) => !form.has(name))
      const unknown = form.keys().find((name) => !known.includes(name))
      if (missing !== undefined || unknown !== undefined) {
        return refuse(400, 'invalid_request', 900144, `The request body must contain exactly ${known.join(', ')}.`)
      }
      if (tenant !== credentials.tenantId) return refuse(400, 'invalid_request', 90002, `Tenant '${tenant}' not found.`)
      if (form.get('grant_type') !== 'client_credentials') {
        return refuse(400, 'unsupported_grant_type', 70003, 'The grant type is not supported.')
      }
      if (form.get('client_id') !== credentials.clientId) {
        return refuse(400, 'unauthorized_client', 700016, 'The application was not found in the directory.')
      }
      if (form.get('scope') !== SCOPE) return refuse(400, 'invalid_scope', 70011, 'The scope is not valid.')
      if (form.get('client_secret') !== credentials.clientSecret) {
        return refuse(401, 'invalid_client', 7000215, 'Invalid client secret provided.')
      }
      const stated = 'statedLifetime' in options ? options.statedLifetime : lifetimeSeconds
      const times = stated === undefined ? {} : { expires_in: stated, ext_expires_in: stated }
      return {
        status: 200,
        body: { token_type: 'Bearer', ...times, access_token: issue('application', lifetimeSeconds) },
      }
    },
  }
}

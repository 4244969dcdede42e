import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, type JWK, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose'
import type { Authenticator } from '../../src/access/gatekeeper.ts'
import { createHttpApp } from '../../src/http/server.ts'
import type { WriteContext } from '../../src/operation/context.ts'
import { silentLog } from '../../src/runtime/log.ts'

export interface SigningKey {
  id: string
  privateKey: KeyObject
  publicKey: KeyObject
}

export const rsaKey = (id: string, modulusLength = 2048): SigningKey => ({
  id,
  ...generateKeyPairSync('rsa', { modulusLength }),
})
export const curveKey = (id: string): SigningKey => ({ id, ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) })
export const edwardsKey = (id: string): SigningKey => ({ id, ...generateKeyPairSync('ed25519') })

export const toJwk = async ({ id, publicKey }: Pick<SigningKey, 'id' | 'publicKey'>): Promise<JWK> => ({
  ...(await exportJWK(publicKey)),
  kid: id,
})

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** An issuer that listens on loopback, as real ones do on the net. */
export interface TestIssuer {
  server: Server
  address: string
  /** What its key set holds. */
  keys: unknown[]
  /** In place of its metadata. */
  metadata?: unknown
  /** In place of its own answer to any request. */
  answer?: Answer | undefined
  /** How often its keys were asked for. */
  asked: number
  /** How many requests came, of any kind. */
  requests: number
  close(): void
}

export async function openIssuer(keys: readonly Pick<SigningKey, 'id' | 'publicKey'>[]): Promise<TestIssuer> {
  const server = createServer((request, response) => {
    issuer.requests += 1
    if (request.url === '/keys') issuer.asked += 1
    if (issuer.answer !== undefined) return issuer.answer(request, response)
    const body = toBody(request.url)
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body ?? {}))
  })
  const toBody = (path: string | undefined) => {
    if (path === '/keys') return { keys: issuer.keys }
    if (path !== '/.well-known/openid-configuration') return undefined
    return issuer.metadata ?? { issuer: issuer.address, jwks_uri: `${issuer.address}/keys` }
  }
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  const issuer: TestIssuer = { server, address: '', keys: [], asked: 0, requests: 0, close }
  issuer.keys = await Promise.all(keys.map(toJwk))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  issuer.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return issuer
}

export const audience = 'https://assay.example.com/mcp'

export const secondsFromNow = (seconds = 0) => Math.floor(Date.now() / 1000) + seconds

/** Claims that are good for the issuer, with changes; a member that is undefined is left out. */
export const claimsOf = (issuer: TestIssuer, changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  iss: issuer.address,
  aud: audience,
  sub: 'ada',
  scope: 'read triage',
  iat: secondsFromNow(),
  exp: secondsFromNow(300),
  ...changes,
})

export interface TokenChanges {
  header?: Record<string, unknown>
  claims?: Record<string, unknown>
  /** Signs in place of the first key. */
  key?: KeyObject
}

/** A token as the issuer would sign it, with changes. */
export const signToken = (
  issuer: TestIssuer,
  key: SigningKey,
  { header = {}, claims = {}, ...by }: TokenChanges = {},
) =>
  new SignJWT(claimsOf(issuer, claims) as JWTPayload)
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: key.id, ...header } as JWTHeaderParameters)
    .sign(by.key ?? key.privateKey)

/** An HTTP application whose only answer is the name of who asks. */
export const createAppOf = (keeper: Authenticator, settings: { issuer: string; publicUrl?: string }) =>
  createHttpApp({
    operations: [],
    contextFor: (asked) => asked as WriteContext,
    callerOf: ({ headers }, address) =>
      keeper.authenticate({ authorization: headers.get('authorization') ?? undefined, address }),
    mcp: async (_request, caller) => Response.json({ name: caller.name }),
    version: '1',
    hosts: [],
    log: silentLog,
    ...settings,
  })

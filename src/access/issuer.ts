import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose'
import { z } from 'zod'
import { createHttpClient } from '../connectors/transport.ts'
import { AppError } from '../kernel/errors.ts'
import type { Log } from '../kernel/log.ts'
import { type Caller, expandScopes, type Scope } from '../operation/context.ts'
import type { ForeignTokens } from './gatekeeper.ts'
import { type IssuerSettings, isSafeAddress } from './issuer-settings.ts'

export interface IssuerOptions {
  settings: IssuerSettings
  signal: AbortSignal
  log: Log
  now: () => number
  /** Monotonic milliseconds. */
  clock?: () => number
}

const CLOCK_TOLERANCE_SECONDS = 60
const KEYS_KEPT_MS = 600_000
/** So long the keys that are known count while the issuer cannot be reached: what it withdrew must end. */
const KEYS_COUNT_MS = 24 * 3_600_000
const KEYS_ASKED_AT_MOST_EVERY_MS = 30_000
/** Headers that say where a key is, or bring one along: an attacker's words. */
const keyHeaders = ['jku', 'jwk', 'x5u', 'x5c'] as const

/**
 * Judges JSON Web Tokens of one issuer: signature by the keys that its own metadata names, issuer, audience, algorithm,
 * type and times. @throws AppError `unavailable`, reason `issuer_unreachable`, where its keys cannot be had.
 */
export function createIssuer(options: IssuerOptions): ForeignTokens {
  const { settings, log, now } = options
  const types = new Set(settings.types.map(toType))
  const keys = createKeySource(options)
  return async (text) => {
    if (!isMeantForUs(text, settings.issuer, types)) return undefined
    try {
      const { payload } = await jwtVerify(text, keys, {
        issuer: settings.issuer,
        audience: settings.audience,
        algorithms: settings.algorithms,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        requiredClaims: ['exp', 'sub'],
        currentDate: new Date(now()),
      })
      return toCaller(payload, settings)
    } catch (error) {
      if (error instanceof AppError) throw error
      log.debug('a foreign token was refused', {
        reason: error instanceof errors.JOSEError ? error.code : 'unreadable',
      })
      return undefined
    }
  }
}

/** A first look, without a signature: what it costs nothing to refuse. */
function isMeantForUs(text: string, issuer: string, types: ReadonlySet<string>): boolean {
  try {
    const header = decodeProtectedHeader(text)
    return (
      decodeJwt(text).iss === issuer &&
      typeof header.typ === 'string' &&
      types.has(toType(header.typ)) &&
      keyHeaders.every((name) => header[name] === undefined)
    )
  } catch {
    return false
  }
}

const toType = (type: string) => type.toLowerCase().replace(/^application\//, '')

function toCaller(payload: Record<string, unknown>, settings: IssuerSettings): Caller {
  const claim = payload[settings.scopeClaim]
  const values = Array.isArray(claim) ? claim : typeof claim === 'string' ? claim.split(' ') : []
  const granted = values.flatMap((value): Scope[] => {
    const scope =
      typeof value === 'string' && Object.hasOwn(settings.scopes, value) ? settings.scopes[value] : undefined
    return scope === undefined ? [] : [scope]
  })
  const subject = String(payload.sub)
  const names = [payload.preferred_username, payload.email, payload.client_id, subject]
  const name = names.find((each) => typeof each === 'string' && each !== '') as string
  return {
    name: name.replace(/[\p{C}]/gu, '').slice(0, 100),
    id: `${settings.issuer}#${subject}`,
    via: 'http',
    scopes: expandScopes(granted),
    token: true,
  }
}

const Metadata = z.object({ issuer: z.string(), jwks_uri: z.url().refine(isSafeAddress) })
const KeySet = z.object({ keys: z.array(z.record(z.string(), z.unknown())).max(100) })

/** The issuer's keys, asked for again where a token names one that is not among them, and now and then. */
function createKeySource(options: IssuerOptions): JWTVerifyGetKey {
  const { settings, signal, log, now, clock = () => performance.now() } = options
  const ask = async (address: string): Promise<unknown> => {
    const { origin, pathname, search } = new URL(address)
    const authorize = async () => undefined
    const client = createHttpClient({
      origin,
      authorize,
      timeoutMs: 5000,
      maxRetries: 1,
      minGapMs: 0,
      concurrency: 1,
      signal,
      log,
      now,
    })
    return (await client.json({ path: `${pathname}${search}`, maxBytes: 1024 * 1024 })).body
  }
  const base = settings.issuer.replace(/\/$/, '')
  const read = async () => {
    const found = await ask(`${base}/.well-known/openid-configuration`).catch(() =>
      ask(`${base}/.well-known/oauth-authorization-server`),
    )
    const metadata = Metadata.parse(found)
    if (metadata.issuer !== settings.issuer) throw new Error('the metadata is of another issuer')
    const set = KeySet.parse(await ask(metadata.jwks_uri))
    return createLocalJWKSet(set as unknown as JSONWebKeySet)
  }
  let known: { keys: JWTVerifyGetKey; readAt: number } | undefined
  let askedAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined
  const renew = () => {
    askedAt = clock()
    reading ??= read()
      .then((keys) => {
        known = { keys, readAt: clock() }
      })
      .catch((error: unknown) => log.warn('the keys of the issuer cannot be had', { error }))
      .finally(() => {
        reading = undefined
      })
    return reading
  }
  const mayAsk = () => clock() - askedAt >= KEYS_ASKED_AT_MOST_EVERY_MS
  return async (header, token) => {
    if (reading !== undefined) await reading
    const old = known === undefined || clock() - known.readAt > KEYS_KEPT_MS
    if (old && mayAsk()) await renew()
    if (known !== undefined && clock() - known.readAt > KEYS_COUNT_MS) known = undefined
    if (known === undefined) {
      throw new AppError('unavailable', 'The issuer of this token cannot be asked for its keys; try again later.', {
        reason: 'issuer_unreachable',
        retryAfterSeconds: KEYS_ASKED_AT_MOST_EVERY_MS / 1000,
      })
    }
    try {
      return await known.keys(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || !mayAsk()) throw error
      await renew()
      return known.keys(header, token)
    }
  }
}

import {
  type CryptoKey,
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JWTVerifyGetKey,
  jwtVerify,
  type ProtectedHeaderParameters,
} from 'jose'
import type { Caller } from '../operation/context.ts'
import type { Log } from '../runtime/log.ts'
import { CLOCK_TOLERANCE_SECONDS, toCaller } from './claims.ts'
import type { ExternalTokenVerifier } from './gatekeeper.ts'
import { createIssuerKeys } from './issuer-keys.ts'
import type { IssuerSettings } from './issuer-settings.ts'

export interface IssuerOptions {
  settings: IssuerSettings
  signal: AbortSignal
  log: Log
  now: () => number
  /** Monotonic milliseconds. */
  clock?: () => number
}

/** Headers that contain a key or its address, which an attacker could choose. */
const keyHeaders = ['jku', 'jwk', 'x5u', 'x5c'] as const
const MAX_KEY_ID_LENGTH = 255
/** How many keys are tried when several have the same id, or the token names none. */
const MAX_CANDIDATES = 4

/**
 * Verifies JSON Web Tokens of one issuer: signature by the keys in its own metadata, issuer, audience, algorithm, type,
 * times, and the types of its claims.
 * @throws AppError `unavailable`, reason `issuer_unreachable`, when its keys cannot be read.
 */
export function createIssuer(options: IssuerOptions): ExternalTokenVerifier {
  const { settings, log, now } = options
  const types = new Set(settings.types.map(toType))
  const keys = createIssuerKeys({ ...options, issuer: settings.issuer })
  const verify = async (text: string, find: JWTVerifyGetKey): Promise<Caller | undefined> => {
    const at = now()
    const checks = {
      issuer: settings.issuer,
      audience: settings.audience,
      algorithms: settings.algorithms,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(at),
    }
    try {
      return toCaller((await jwtVerify(text, find, checks)).payload, settings, at)
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
      const candidates = await toCandidates(error)
      for (const key of candidates) {
        const verified = await jwtVerify(text, key, checks).catch(() => undefined)
        if (verified !== undefined) return toCaller(verified.payload, settings, at)
      }
      return undefined
    }
  }
  return async (text) => {
    const header = findHeader(text, settings.issuer, types)
    if (header === undefined) return undefined
    const find = await keys.find(header.kid)
    if (find === undefined) return undefined
    try {
      return await verify(text, find)
    } catch (error) {
      log.debug('a token of an identity provider was refused', {
        reason: error instanceof errors.JOSEError ? error.code : 'unreadable',
      })
      return undefined
    }
  }
}

async function toCandidates(matches: errors.JWKSMultipleMatchingKeys): Promise<CryptoKey[]> {
  const candidates: CryptoKey[] = []
  for await (const key of matches) {
    candidates.push(key)
    if (candidates.length === MAX_CANDIDATES) break
  }
  return candidates
}

/**
 * The header of a token whose signature should be verified; undefined for a token that can be refused without that
 * cost.
 */
function findHeader(text: string, issuer: string, types: ReadonlySet<string>): ProtectedHeaderParameters | undefined {
  try {
    const header = decodeProtectedHeader(text)
    const { typ, kid } = header
    const isMeantForUs =
      decodeJwt(text).iss === issuer &&
      typeof typ === 'string' &&
      types.has(toType(typ)) &&
      (kid === undefined || (typeof kid === 'string' && kid.length <= MAX_KEY_ID_LENGTH)) &&
      keyHeaders.every((name) => header[name] === undefined)
    return isMeantForUs ? header : undefined
  } catch {
    return undefined
  }
}

const toType = (type: string) => type.toLowerCase().replace(/^application\//, '')

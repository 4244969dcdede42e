import { setTimeout as sleep } from 'node:timers/promises'
import { createLocalJWKSet, type JWTVerifyGetKey } from 'jose'
import { z } from 'zod'
import { exchange } from '../connectors/http/exchange.ts'
import { AppError } from '../kernel/errors.ts'
import { LruMap } from '../kernel/recent.ts'
import type { Log } from '../runtime/log.ts'
import { isSafeAddress } from './issuer-settings.ts'
import { toVerificationKeys } from './verification-keys.ts'

export interface IssuerKeysOptions {
  issuer: string
  signal: AbortSignal
  log: Log
  /** Monotonic milliseconds. */
  clock?: () => number
}

export interface IssuerKeys {
  /**
   * The keys of the issuer, if one of them has this id or the token names none. Known keys are returned immediately;
   * for an unknown id it waits up to MAX_WAIT_MS for a lookup in the background.
   * @throws AppError `unavailable`, reason `issuer_unreachable`, when no keys are known.
   */
  find(keyId: string | undefined): Promise<JWTVerifyGetKey | undefined>
}

const REFRESH_MS = 600_000
/** How long known keys are used while the issuer cannot be reached: keys that it withdrew must stop working. */
const MAX_AGE_MS = 24 * 3_600_000
const MIN_LOOKUP_GAP_MS = 30_000
const MIN_RETRY_GAP_MS = 1000
const LOOKUP_TIMEOUT_MS = 5000
const MAX_WAIT_MS = 1000
/** At most this many tokens wait for a lookup at once, because each of them holds a connection. */
const MAX_WAITING = 32
const MAX_BODY_BYTES = 256 * 1024
const MISSING_KEPT_MS = 120_000
const MAX_MISSING = 1000

const Metadata = z.object({ issuer: z.string(), jwks_uri: z.string() })
const KeySet = z.object({ keys: z.array(z.unknown()).max(100) })

interface KnownKeys {
  ids: ReadonlySet<string>
  find: JWTVerifyGetKey
  readAt: number
}

/**
 * Refreshes the keys of an issuer in the background. Lookups run one at a time, are rate-limited and bounded in time
 * and size, and follow no redirect; a failed one leaves the known keys unchanged.
 */
export function createIssuerKeys(options: IssuerKeysOptions): IssuerKeys {
  const { issuer, signal, log, clock = () => performance.now() } = options
  const missing = new LruMap<{ until: number }>(MAX_MISSING)
  let known: KnownKeys | undefined
  let failures = 0
  let nextLookupAt = Number.NEGATIVE_INFINITY
  let lookup: Promise<void> | undefined
  let refresh: NodeJS.Timeout | undefined
  let waiting = 0

  const lookUp = () => {
    if (lookup !== undefined || clock() < nextLookupAt || signal.aborted) return
    clearTimeout(refresh)
    const begunAt = clock()
    lookup = readKeys(issuer, signal)
      .then((keys) => {
        known = { ...keys, readAt: clock() }
        failures = 0
      })
      .catch((error: unknown) => {
        failures += 1
        if (!signal.aborted) log.warn('the keys of the issuer could not be fetched', { error, failures })
      })
      .finally(() => {
        lookup = undefined
        const retryMs = Math.min(MIN_LOOKUP_GAP_MS, MIN_RETRY_GAP_MS * 2 ** Math.min(failures, 10))
        const gapMs = known === undefined ? retryMs : MIN_LOOKUP_GAP_MS
        nextLookupAt = begunAt + gapMs
        if (!signal.aborted) refresh = setTimeout(lookUp, failures === 0 ? REFRESH_MS : gapMs).unref()
      })
  }
  signal.addEventListener('abort', () => clearTimeout(refresh), { once: true })
  lookUp()

  const findKnown = (keyId: string | undefined) => {
    if (known !== undefined && clock() - known.readAt > MAX_AGE_MS) known = undefined
    return known !== undefined && (keyId === undefined || known.ids.has(keyId)) ? known.find : undefined
  }
  return {
    find: async (keyId) => {
      const found = findKnown(keyId)
      if (found !== undefined) return found
      const isMissing = keyId !== undefined && missing.use(keyId, () => ({ until: 0 })).until > clock()
      if (known !== undefined && isMissing) return undefined
      const before = known
      lookUp()
      if (lookup !== undefined && waiting < MAX_WAITING) {
        waiting += 1
        await withinWait(lookup)
        waiting -= 1
      }
      const fresh = findKnown(keyId)
      if (fresh !== undefined) return fresh
      if (known === undefined) throw unreachable()
      if (known !== before && keyId !== undefined)
        missing.use(keyId, () => ({ until: 0 })).until = clock() + MISSING_KEPT_MS
      return undefined
    },
  }
}

async function withinWait(work: Promise<void>): Promise<void> {
  const over = new AbortController()
  const late = sleep(MAX_WAIT_MS, undefined, { signal: over.signal }).catch(() => {})
  await Promise.race([work, late])
  over.abort()
}

const unreachable = () =>
  new AppError('unavailable', 'The keys of the issuer of this token could not be fetched; try again later.', {
    reason: 'issuer_unreachable',
    retryAfterSeconds: 5,
  })

async function readKeys(issuer: string, signal: AbortSignal): Promise<Omit<KnownKeys, 'readAt'>> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(LOOKUP_TIMEOUT_MS)])
  const base = issuer.replace(/\/$/, '')
  const found =
    (await readJson(`${base}/.well-known/openid-configuration`, deadline, [404])) ??
    (await readJson(`${base}/.well-known/oauth-authorization-server`, deadline))
  const metadata = Metadata.parse(found)
  if (metadata.issuer !== issuer) throw new Error('the metadata names another issuer')
  if (!isSafeAddress(metadata.jwks_uri, issuer)) throw new Error('the keys are at an address that is not safe')
  const { keys } = KeySet.parse(await readJson(metadata.jwks_uri, deadline))
  const usable = toVerificationKeys(keys)
  if (usable.length === 0) throw new Error('the issuer publishes no usable signing key')
  const ids = new Set(usable.flatMap(({ kid }) => (typeof kid === 'string' ? [kid] : [])))
  return { ids, find: createLocalJWKSet({ keys: usable }) }
}

/** Undefined for one of the `absent` statuses. A redirect fails like any other status that is not 200. */
async function readJson(address: string, signal: AbortSignal, absent: readonly number[] = []): Promise<unknown> {
  const { status, bytes } = await exchange({
    url: new URL(address),
    method: 'GET',
    headers: { accept: 'application/json' },
    totalMs: LOOKUP_TIMEOUT_MS,
    maxBytes: MAX_BODY_BYTES,
    signal,
  })
  if (absent.includes(status)) return undefined
  if (status !== 200) throw new Error(`the issuer answered ${status}`)
  return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
}

import { AppError } from '../kernel/errors.ts'
import type { Caller } from '../operation/context.ts'
import { createLimiter } from './limits.ts'
import type { TokenLookup } from './tokens.ts'

/** What a request reveals about its sender. */
export interface Credentials {
  /** The Authorization header. */
  authorization: string | undefined
  /** The network address of the sender. */
  address: string | undefined
}

export interface Refusal {
  reason: 'token_required' | 'token_invalid' | 'too_many_guesses' | 'rate_limited' | 'insufficient_scope'
  address: string | undefined
  principal?: string
}

/** Verifies tokens of another issuer; undefined for one that is not valid. */
export type ExternalTokenVerifier = (text: string) => Promise<Caller | undefined>

export interface AuthenticatorOptions {
  tokens: TokenLookup
  /** Monotonic milliseconds. */
  clock?: () => number
  /** The caller of requests without a token, as long as no token exists: the user of this machine. */
  local: Caller
  /** Require a token even when none exists, because the server is reachable from other machines. */
  always: boolean
  foreign?: ExternalTokenVerifier
  onRefusal?: (refusal: Refusal) => void
}

/** Authenticates requests. */
export interface Authenticator {
  /**
   * @throws AppError `unauthorized`, `rate_limited` with the time to wait, or `forbidden` for a token without any scope
   * of this server.
   */
  authenticate(credentials: Credentials): Promise<Caller>
}

const RATE = { perSecond: 20, burst: 60 }
const GUESSES = { perSecond: 10 / 60, burst: 10 }
const MAX_CREDENTIAL_LENGTH = 16_384

export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { tokens, local, foreign, onRefusal = () => {} } = options
  const clock = options.clock ?? (() => performance.now())
  const rate = createLimiter(RATE, clock)
  const guesses = createLimiter(GUESSES, clock)
  const isAsked = () => options.always || foreign !== undefined || tokens.isTokenRequired()

  const identify = async (text: string): Promise<Caller | undefined> => {
    if (text.length > MAX_CREDENTIAL_LENGTH) return undefined
    return (await tokens.findTokenHolder(text)) ?? (await foreign?.(text))
  }
  return {
    authenticate: async ({ authorization, address }) => {
      if (!(await isAsked())) return local
      if (authorization === undefined) {
        onRefusal({ reason: 'token_required', address })
        throw unauthorized('token_required', 'This server requires a token; send one as Authorization: Bearer.')
      }
      const caller = await identify(/^Bearer +([\w.~+/=-]+) *$/i.exec(authorization)?.[1] ?? '')
      if (caller === undefined) {
        const waitMs = guesses.take(address ?? '')
        onRefusal({ reason: waitMs > 0 ? 'too_many_guesses' : 'token_invalid', address })
        if (waitMs > 0)
          throw tooMany('Too many requests with wrong tokens came from this address; wait before trying again.', waitMs)
        throw unauthorized('token_invalid', 'The token is wrong, expired or revoked; get a new one.')
      }
      const principal = caller.id ?? caller.name
      const waitMs = rate.take(principal)
      if (waitMs > 0) {
        onRefusal({ reason: 'rate_limited', address, principal })
        throw tooMany(
          'This token exceeded its rate limit (20 requests a second, bursts of 60); wait before the next request.',
          waitMs,
        )
      }
      if (caller.scopes.size === 0) {
        onRefusal({ reason: 'insufficient_scope', address, principal })
        throw new AppError('forbidden', 'This token grants no scope on this server; get one that does.', {
          reason: 'insufficient_scope',
          facts: { scope: 'read' },
        })
      }
      return caller
    },
  }
}

const unauthorized = (reason: string, message: string) => new AppError('unauthorized', message, { reason })

const tooMany = (message: string, waitMs: number) =>
  new AppError('rate_limited', message, { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) })

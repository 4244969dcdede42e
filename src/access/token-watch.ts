import { AppError } from '../kernel/errors.ts'
import type { Caller } from '../operation/context.ts'
import type { Log } from '../runtime/log.ts'
import type { TokenLookup } from './tokens.ts'

/** Calls `end` once when the caller's token is revoked or expires; returns a function that stops watching. */
export type FollowToken = (caller: Caller, end: () => void) => () => void

export interface TokenWatch {
  follow: FollowToken
  close(): void
}

interface Options {
  tokens: Pick<TokenLookup, 'listTokenHolders'>
  now: () => number
  log: Log
}

const CHECK_INTERVAL_MS = 200

/**
 * Ends streams, sessions and uploads as soon as the token under which they began expires or is revoked, by any process.
 */
export function createTokenWatch({ tokens, now, log }: Options): TokenWatch {
  const followed = new Set<{ caller: Caller; end: () => void }>()
  let timer: NodeJS.Timeout | undefined
  const close = () => {
    clearInterval(timer)
    timer = undefined
  }
  let isReading = false
  const checkTokens = () => {
    if (followed.size === 0) return close()
    endWithout(undefined)
    if (isReading) return
    try {
      const holders = tokens.listTokenHolders()
      if (!(holders instanceof Promise)) return endWithout(holders)
      isReading = true
      void holders.then(endWithout, report).finally(() => {
        isReading = false
      })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      report(error)
    }
  }
  /** Ends what a token of the database allowed unless its holder is listed; without a list, none counts as revoked. */
  const endWithout = (holders: ReadonlySet<string> | undefined) => {
    const at = now()
    for (const each of followed) {
      const { expiresAt, id = '' } = each.caller
      const holds = expiresAt === undefined ? (holders?.has(id) ?? true) : expiresAt > at
      if (holds) continue
      followed.delete(each)
      each.end()
    }
  }
  const report = (error: unknown) => log.debug('tokens could not be read', { error })
  return {
    follow: (caller, end) => {
      if (caller.token !== true) return () => {}
      const entry = { caller, end }
      followed.add(entry)
      timer ??= setInterval(checkTokens, CHECK_INTERVAL_MS).unref()
      return () => followed.delete(entry)
    },
    close,
  }
}

import { AppError } from '../kernel/errors.ts'
import type { Caller } from '../operation/context.ts'
import type { Log } from '../runtime/log.ts'
import type { Store } from '../store/store.ts'
import { listTokenHolders } from './tokens.ts'

/** Calls `end` once when the caller's token is revoked or expires; returns a function that stops watching. */
export type FollowToken = (caller: Caller, end: () => void) => () => void

export interface TokenWatch {
  follow: FollowToken
  close(): void
}

interface Options {
  store: Store
  now: () => number
  log: Log
}

const CHECK_INTERVAL_MS = 200

/**
 * Ends streams, sessions and uploads as soon as the token under which they began expires or is revoked, by any process.
 */
export function createTokenWatch({ store, now, log }: Options): TokenWatch {
  const followed = new Set<{ caller: Caller; end: () => void }>()
  let timer: NodeJS.Timeout | undefined
  const close = () => {
    clearInterval(timer)
    timer = undefined
  }
  const checkTokens = () => {
    if (followed.size === 0) return close()
    const at = now()
    const holders = readHolders(at)
    for (const each of followed) {
      const { expiresAt, id = '' } = each.caller
      const holds = expiresAt === undefined ? (holders?.has(id) ?? true) : expiresAt > at
      if (holds) continue
      followed.delete(each)
      each.end()
    }
  }
  /** Undefined when the database cannot be read: a token does not count as revoked then. */
  const readHolders = (at: number): ReadonlySet<string> | undefined => {
    try {
      return store.read((reader) => listTokenHolders(reader, at))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      log.debug('tokens could not be read', { error })
      return undefined
    }
  }
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

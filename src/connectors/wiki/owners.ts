import type { Log } from '../../runtime/log.ts'
import { endsScan } from '../failure.ts'
import type { WikiClient } from './client.ts'
import { messageOf, settleRefusal } from './failure.ts'
import { ListWire, UserWire } from './wire.ts'

/** Limit on accounts in one request. */
const MAX_ACCOUNTS = 250

type AccountId = string | null | undefined

/** The accounts that own pages, each requested once; all unknown where the token does not permit it. */
export interface Owners {
  /** Loads these accounts. */
  learn(accountIds: Iterable<string>): Promise<void>
  nameOf(accountId: AccountId): string | undefined
  /** `gone`: the account is closed. Undefined where the platform does not report it. */
  statusOf(accountId: AccountId): 'active' | 'gone' | undefined
  /** Undefined where the platform does not report it. */
  isApp(accountId: AccountId): boolean | undefined
}

const statuses: Record<string, 'active' | 'gone'> = { active: 'active', inactive: 'gone', closed: 'gone' }

export function createOwners({ http, isSignedIn }: WikiClient, log: Log): Owners {
  const names = new Map<string, string | undefined>()
  const accountStatuses = new Map<string, 'active' | 'gone' | undefined>()
  const apps = new Map<string, boolean>()
  let refused = false

  const ask = async (accountIds: readonly string[]) => {
    const reply = await http.json({ method: 'POST', path: '/api/v2/users-bulk', body: { accountIds } })
    const list = ListWire.safeParse(reply.body)
    for (const result of list.success ? list.data.results : []) {
      const user = UserWire.safeParse(result)
      if (!user.success || typeof user.data.accountId !== 'string') continue
      names.set(user.data.accountId, user.data.displayName ?? user.data.publicName ?? undefined)
      if (typeof user.data.accountType === 'string') apps.set(user.data.accountId, user.data.accountType === 'app')
      accountStatuses.set(user.data.accountId, statuses[user.data.accountStatus ?? ''])
    }
  }

  return {
    async learn(accountIds) {
      if (refused) return
      const unknown = [...new Set(accountIds).difference(names)]
      for (const id of unknown) names.set(id, undefined)
      try {
        for (let at = 0; at < unknown.length; at += MAX_ACCOUNTS) await ask(unknown.slice(at, at + MAX_ACCOUNTS))
      } catch (failure) {
        const error = await settleRefusal(failure, isSignedIn)
        if (endsScan(error)) throw error
        refused = true
        log.info('owners of pages are not read', { why: messageOf(error) })
      }
    },
    nameOf: (accountId) => names.get(accountId ?? ''),
    statusOf: (accountId) => accountStatuses.get(accountId ?? ''),
    isApp: (accountId) => apps.get(accountId ?? ''),
  }
}

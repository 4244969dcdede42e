import { isInitializeRequest, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import type { FollowToken } from '../../access/token-watch.ts'
import { type Caller, principalOf } from '../../operation/context.ts'
import type { createServerFactory } from '../server.ts'

type HandleOptions = NonNullable<Parameters<WebStandardStreamableHTTPServerTransport['handleRequest']>[1]>

interface Session {
  owner: Caller
  usedAt: number
  handle(request: Request, options: HandleOptions): Promise<Response>
  close(): void
  /** Stops observing the owner's token. */
  unfollow(): void
}

export interface Sessions {
  /** The open session named in the request, if it belongs to this caller. */
  find(request: Request, caller: Caller): Session | undefined
  /** True when the request names a session that its client has ended. */
  wasEnded(request: Request): boolean
  /** True for an `initialize` request of a 2025 client that supports elicitation, which only works in a session. */
  isWanted(body: unknown): boolean
  /** Undefined when other callers occupy all sessions: the client then continues without one. */
  open(request: Request, caller: Caller, options: HandleOptions): Promise<Response | undefined>
  close(): Promise<void>
}

export interface HttpSessionOptions {
  createServer: ReturnType<typeof createServerFactory>
  follow?: FollowToken | undefined
  max?: number | undefined
}

const SESSION_HEADER = 'mcp-session-id'
const MAX_ENDED = 1000
const MAX_PER_CALLER = 50
const IDLE_MS = 30 * 60_000

/**
 * Keeps the few sessions that elicitation requires. A session dropped by the server (too many for one caller, idle too
 * long, its token ended, a restart) only loses elicitation: further requests are served statelessly. A session that its
 * client ended stays ended.
 */
export function createSessions({ createServer, follow = () => () => {}, max = 500 }: HttpSessionOptions): Sessions {
  /** In order of last use: the first one is dropped first. */
  const sessions = new Map<string, Session>()
  const ended = new Set<string>()
  const idOf = (request: Request) => request.headers.get(SESSION_HEADER) ?? ''
  const forget = (id: string) => {
    const session = sessions.get(id)
    sessions.delete(id)
    session?.unfollow()
    session?.close()
  }
  /** Idle sessions are dropped for any caller, others only for their own. */
  const makeRoom = (principal: string): boolean => {
    for (const [id, { usedAt }] of sessions) {
      if (Date.now() - usedAt < IDLE_MS) break
      forget(id)
    }
    const own = [...sessions].flatMap(([id, { owner }]) => (principalOf(owner) === principal ? [id] : []))
    const [oldest] = own
    if (oldest !== undefined && (own.length >= MAX_PER_CALLER || sessions.size >= max)) forget(oldest)
    return sessions.size < max
  }
  const rememberEnd = (id: string) => {
    ended.add(id)
    const [oldest] = ended
    if (ended.size > MAX_ENDED && oldest !== undefined) ended.delete(oldest)
  }
  return {
    find: (request, caller) => {
      const id = idOf(request)
      const session = sessions.get(id)
      if (session === undefined || !isSameOwner(session.owner, caller)) return undefined
      sessions.delete(id)
      session.usedAt = Date.now()
      sessions.set(id, session)
      if ((caller.expiresAt ?? 0) > (session.owner.expiresAt ?? 0)) {
        session.unfollow()
        session.owner = caller
        session.unfollow = follow(caller, () => forget(id))
      }
      return session
    },
    wasEnded: (request) => ended.has(idOf(request)),
    isWanted: (body) => {
      if (!isInitializeRequest(body)) return false
      const { capabilities } = body.params
      return capabilities.elicitation !== undefined || capabilities.sampling !== undefined
    },
    open: async (request, caller, options) => {
      if (!makeRoom(principalOf(caller))) return undefined
      const server = createServer({ era: 'legacy' })
      const id = crypto.randomUUID()
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => id,
        onsessionclosed: () => {
          rememberEnd(id)
          forget(id)
        },
      })
      sessions.set(id, {
        owner: caller,
        usedAt: Date.now(),
        handle: (next, nextOptions) => transport.handleRequest(next, nextOptions),
        close: () => void server.close().catch(() => {}),
        unfollow: follow(caller, () => forget(id)),
      })
      await server.connect(transport)
      const fresh = new Request(request.url, { method: 'POST', headers: withoutSession(request.headers) })
      const response = await transport.handleRequest(fresh, options)
      if (transport.sessionId === undefined) forget(id)
      return response
    },
    close: async () => {
      for (const id of [...sessions.keys()]) forget(id)
    },
  }
}

function isSameOwner(one: Caller, other: Caller): boolean {
  const scopesOf = ({ scopes }: Caller) => [...scopes].sort().join(' ')
  return principalOf(one) === principalOf(other) && scopesOf(one) === scopesOf(other)
}

/** A client that initializes again may still send the id of a session from before a restart. */
function withoutSession(headers: Headers): Headers {
  const copy = new Headers(headers)
  copy.delete(SESSION_HEADER)
  return copy
}

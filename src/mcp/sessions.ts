import {
  isInitializeRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { type Caller, principalOf } from '../operation/context.ts'

type HandleOptions = NonNullable<Parameters<WebStandardStreamableHTTPServerTransport['handleRequest']>[1]>

interface Session {
  owner: string
  usedAt: number
  handle(request: Request, options: HandleOptions): Promise<Response>
  close(): void
}

export interface Sessions {
  /** The session that the request names, if it is open and this caller's. */
  find(request: Request, caller: Caller): Session | undefined
  /** True when the request names a session that its client ended. */
  wasEnded(request: Request): boolean
  /** True for the greeting of a 2025 client that can be asked questions: only a session carries a question back. */
  isWanted(body: unknown): boolean
  open(request: Request, caller: Caller, options: HandleOptions): Promise<Response>
  close(): Promise<void>
}

const SESSION_HEADER = 'mcp-session-id'

/**
 * Keeps the few sessions that questions need. A session that was forgotten (too many, too long idle, a restart) costs
 * its client only the questions: its requests go on without state. One that the client ended stays ended.
 */
export function createSessions({
  createServer,
  limit = 200,
  idleMs = 30 * 60_000,
  now = () => Date.now(),
}: {
  createServer: () => Server
  limit?: number
  idleMs?: number
  now?: () => number
}): Sessions {
  const sessions = new Map<string, Session>()
  const ended = new Set<string>()
  const idOf = (request: Request) => request.headers.get(SESSION_HEADER) ?? ''
  const forget = (id: string) => {
    const session = sessions.get(id)
    sessions.delete(id)
    session?.close()
  }
  /** The map is kept in the order of last use, so what is to be forgotten stands first. */
  const makeRoom = () => {
    for (const [id, { usedAt }] of sessions) {
      if (sessions.size < limit && now() - usedAt < idleMs) break
      forget(id)
    }
  }
  const rememberEnd = (id: string) => {
    ended.add(id)
    const [oldest] = ended
    if (ended.size > 1000 && oldest !== undefined) ended.delete(oldest)
  }
  return {
    find: (request, caller) => {
      const id = idOf(request)
      const session = sessions.get(id)
      if (session === undefined || session.owner !== ownerOf(caller)) return undefined
      sessions.delete(id)
      session.usedAt = now()
      sessions.set(id, session)
      return session
    },
    wasEnded: (request) => ended.has(idOf(request)),
    isWanted: (body) => {
      if (!isInitializeRequest(body)) return false
      const { capabilities } = body.params
      return capabilities.elicitation !== undefined || capabilities.sampling !== undefined
    },
    open: async (request, caller, options) => {
      makeRoom()
      const server = createServer()
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        onsessioninitialized: (id) => {
          sessions.set(id, {
            owner: ownerOf(caller),
            usedAt: now(),
            handle: (next, nextOptions) => transport.handleRequest(next, nextOptions),
            close: () => void server.close().catch(() => {}),
          })
        },
        onsessionclosed: (id) => {
          rememberEnd(id)
          forget(id)
        },
      })
      await server.connect(transport)
      const fresh = new Request(request.url, { method: 'POST', headers: withoutSession(request.headers) })
      const response = await transport.handleRequest(fresh, options)
      if (transport.sessionId === undefined) await server.close()
      return response
    },
    close: async () => {
      for (const id of [...sessions.keys()]) forget(id)
    },
  }
}

const ownerOf = (caller: Caller) => JSON.stringify([principalOf(caller), [...caller.scopes].sort()])

/** A client that greets again may still carry the id of a session from before a restart. */
function withoutSession(headers: Headers): Headers {
  const copy = new Headers(headers)
  copy.delete(SESSION_HEADER)
  return copy
}

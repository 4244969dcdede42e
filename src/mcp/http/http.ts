import { createMcpHandler, readRequestBody, type ServerContext } from '@modelcontextprotocol/server'
import type { FollowToken } from '../../access/token-watch.ts'
import type { Caller } from '../../operation/context.ts'
import type { Log } from '../../runtime/log.ts'
import { leaveOutNullArguments, type McpSurface } from '../protocol.ts'
import { createServerFactory } from '../server.ts'
import { createSessions } from './sessions.ts'

export interface McpHttpOptions {
  surface: McpSurface
  log: Log
  /** If absent, a session outlives the token that opened it. */
  follow?: FollowToken
  /** How many sessions are open at once; absent: as many as `createSessions` allows. */
  maxSessions?: number
}

export interface McpHttpHandler {
  (request: Request, caller: Caller): Promise<Response>
  /** Closes the open streams. */
  close(): Promise<void>
}

const BODY_BYTES = 1_048_576

/**
 * Streamable HTTP for both protocol revisions, stateless where the protocol allows it: a 2026 request is
 * self-contained, and so is a 2025 one unless its client supports elicitation. The caller checks Host and Origin first.
 */
export function createMcpHttpHandler({ surface, log, follow, maxSessions }: McpHttpOptions): McpHttpHandler {
  const reportFault = (error: Error) => log.debug('mcp over http', { error })
  const createServer = createServerFactory({ surface, callerOf: callerOfContext, reportFault })
  const stateless = createMcpHandler(createServer, { onerror: reportFault, maxRequestBodySize: BODY_BYTES })
  const sessions = createSessions({ createServer, follow, max: maxSessions })
  const stop = surface.onChange((change) => {
    if (change.kind === 'updated') stateless.notify.resourceUpdated(change.uri)
    else stateless.notify.resourcesChanged()
  })

  const handle = async (request: Request, caller: Caller): Promise<Response> => {
    const authInfo = { token: '', clientId: caller.name, scopes: [...caller.scopes], extra: { caller } }
    if (request.method !== 'POST') {
      return (
        sessions.find(request, caller)?.handle(request, { authInfo }) ?? refuse(request, sessions.wasEnded(request))
      )
    }
    const body = await readBody(request)
    if (body instanceof Response) return body
    const session = sessions.find(request, caller)
    if (session !== undefined) return session.handle(request, { authInfo, parsedBody: body.parsed })
    if (sessions.wasEnded(request)) return toFault(404, -32001, 'This session has ended; initialize again.')
    const opened = sessions.isWanted(body.parsed)
      ? await sessions.open(request, caller, { authInfo, parsedBody: body.parsed })
      : undefined
    return opened ?? stateless.fetch(request, { authInfo, parsedBody: body.parsed })
  }
  const close = async () => {
    stop()
    await sessions.close()
    await stateless.close()
  }
  return Object.assign(handle, { close })
}

function callerOfContext({ http }: ServerContext): Caller {
  const caller = http?.authInfo?.extra?.caller
  if (caller === undefined) throw new Error('a request came without its caller')
  return caller as Caller
}

async function readBody(request: Request): Promise<{ parsed: unknown } | Response> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json') return toFault(415, -32000, 'Send application/json.')
  const read = await readRequestBody(request, BODY_BYTES).catch(() => undefined)
  if (read === undefined) return toFault(400, -32700, 'The body could not be read.')
  if (read.tooLarge) return toFault(413, -32000, 'The body is larger than 1 MiB.')
  try {
    const parsed: unknown = JSON.parse(read.text)
    if (Array.isArray(parsed))
      return toFault(400, -32600, 'Batches are not part of the protocol; send one message per request.')
    leaveOutNullArguments(parsed)
    return { parsed }
  } catch {
    return toFault(400, -32700, 'The body is not JSON.')
  }
}

function refuse(request: Request, ended: boolean): Response {
  if (ended) return toFault(404, -32001, 'This session has ended; initialize again.')
  const allowed = request.method === 'GET' || request.method === 'DELETE' ? 'There is no such session; ' : ''
  return toFault(405, -32000, `${allowed}POST messages to this path.`, { allow: 'POST' })
}

function toFault(status: number, code: number, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status, headers })
}

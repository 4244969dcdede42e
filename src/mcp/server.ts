import { randomBytes } from 'node:crypto'
import {
  createRequestStateCodec,
  type InputRequests,
  inputRequired,
  type jsonSchemaValidator,
  type McpRequestContext,
  ProtocolError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { isObject } from '../kernel/json-object.ts'
import type { Caller, Progress } from '../operation/context.ts'
import {
  type ClientCapability,
  type CompletionSubject,
  capabilities,
  INTERNAL_ERROR,
  INTERNAL_TEXT,
  type McpRequest,
  type McpSurface,
  ProtocolFault,
  type Question,
} from './protocol.ts'

export interface ServerSetup {
  surface: McpSurface
  /** The caller of each request. */
  callerOf(context: ServerContext): Caller
  /** Receives errors that no response can carry. */
  reportFault(error: Error): void
}

const LIST_TTL_MS = 300_000
const cacheHints = {
  'tools/list': { ttlMs: LIST_TTL_MS, cacheScope: 'private' },
  'prompts/list': { ttlMs: LIST_TTL_MS, cacheScope: 'private' },
  'resources/templates/list': { ttlMs: LIST_TTL_MS, cacheScope: 'private' },
  'server/discover': { ttlMs: LIST_TTL_MS, cacheScope: 'private' },
  'resources/list': { ttlMs: 5000, cacheScope: 'private' },
  'resources/read': { ttlMs: 5000, cacheScope: 'private' },
} as const

/** Assay builds its own answers and validates them by the operation's schema, so the SDK's validator is not needed. */
const noValidator: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
}

/** `logging` is deprecated in the 2026-07-28 revision of the protocol. */
const { logging: _, ...capabilitiesOf2026 } = capabilities

/** A factory of servers for one surface: one for each connection, or without connections, one for each request. */
export function createServerFactory({
  surface,
  callerOf,
  reportFault,
}: ServerSetup): (request: Pick<McpRequestContext, 'era'>) => Server {
  const codec = createRequestStateCodec({ key: randomBytes(32), ttlSeconds: 600 })
  const { instructions, server: about } = surface
  const toQuestion = async ({ ask, state }: Question) =>
    inputRequired({
      inputRequests: ask as unknown as InputRequests,
      ...(state === undefined ? {} : { requestState: await codec.mint(state) }),
    })
  return ({ era }) => {
    const server = new Server(
      { ...about, icons: about.icons.map((icon) => ({ ...icon })) },
      {
        capabilities: era === 'modern' ? capabilitiesOf2026 : capabilities,
        instructions,
        cacheHints,
        jsonSchemaValidator: noValidator,
        requestState: { verify: codec.verify },
      },
    )
    server.onerror = reportFault
    const exchangeOf = (context: ServerContext) => toExchange(context, server, callerOf(context))
    const guarded = <Result>(work: () => Promise<Result>) =>
      work().catch((error: unknown) => rethrow(error, reportFault))
    server.setRequestHandler('tools/list', (_request, context) => ({
      tools: surface.listTools(callerOf(context)) as never,
    }))
    server.setRequestHandler('tools/call', ({ params }, context) =>
      guarded(async () => {
        const answer = await surface.callTool(params.name, params.arguments ?? {}, exchangeOf(context))
        return 'ask' in answer ? toQuestion(answer) : (answer as never)
      }),
    )
    server.setRequestHandler('resources/list', (_request, context) =>
      guarded(async () => ({ resources: await surface.listResources(exchangeOf(context)) })),
    )
    server.setRequestHandler('resources/templates/list', () => ({
      resourceTemplates: surface.resourceTemplates.map((template) => ({ ...template })),
    }))
    server.setRequestHandler('resources/read', ({ params }, context) =>
      guarded(async () => ({ contents: await surface.readResource(params.uri, exchangeOf(context)) })),
    )
    server.setRequestHandler('prompts/list', () => ({ prompts: surface.prompts as never }))
    server.setRequestHandler('prompts/get', ({ params }, context) =>
      guarded(async () => {
        const answer = await surface.getPrompt(params.name, params.arguments ?? {}, exchangeOf(context))
        return 'ask' in answer ? toQuestion(answer) : (answer as never)
      }),
    )
    server.setRequestHandler('completion/complete', ({ params }, context) =>
      guarded(async () => {
        const { argument, ref } = params
        const subject: CompletionSubject = ref.type === 'ref/prompt' ? { prompt: ref.name } : { template: ref.uri }
        const completion = await surface.complete(subject, argument.name, argument.value, exchangeOf(context))
        return { completion: { ...completion } }
      }),
    )
    followChanges(server, surface)
    return server
  }
}

/**
 * Keeps the subscriptions of one connection: a 2025 client is notified of what it subscribed to, a 2026 client listens.
 */
function followChanges(server: Server, surface: McpSurface): void {
  const subscribed = new Set<string>()
  const stop = surface.onChange((change) => {
    const sent =
      change.kind === 'listed'
        ? server.sendResourceListChanged()
        : subscribed.has(change.uri)
          ? server.sendResourceUpdated({ uri: change.uri })
          : undefined
    sent?.catch(() => {})
  })
  server.setRequestHandler('resources/subscribe', ({ params }) => {
    if (subscribed.size < 1000) subscribed.add(params.uri)
    surface.subscribed()
    return {}
  })
  server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    subscribed.delete(params.uri)
    return {}
  })
  server.onclose = stop
}

function toExchange(context: ServerContext, server: Server, caller: Caller): McpRequest {
  const { mcpReq } = context
  const token = mcpReq._meta?.progressToken
  let last = Number.NEGATIVE_INFINITY
  const notice: McpRequest['notice'] = (level, text) => void mcpReq.log(level, text, 'assay').catch(() => {})
  const progress = ({ done, total, message }: Progress) => {
    if (token === undefined) return notice('info', message)
    if (done <= last || mcpReq.signal.aborted) return
    last = done
    const params = { progressToken: token, progress: done, message, ...(total === undefined ? {} : { total }) }
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {})
  }
  return {
    caller: { ...caller, via: 'mcp', ...clientOf(context, server) },
    signal: mcpReq.signal,
    progress,
    notice,
    clientCapabilities: toClientCapabilities(context, server),
    answers: mcpReq.inputResponses ?? {},
    state: mcpReq.requestState(),
  }
}

const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'
const clientKey = 'io.modelcontextprotocol/clientInfo'

/** A 2026 request carries its client's capabilities; a 2025 connection declared them at initialization. */
function toClientCapabilities({ mcpReq }: ServerContext, server: Server): ReadonlySet<ClientCapability> {
  const envelope = mcpReq.envelope as Record<string, unknown> | undefined
  const declared = (envelope?.[capabilitiesKey] ?? server.getClientCapabilities() ?? {}) as Record<string, unknown>
  const { elicitation } = declared
  const askables: ClientCapability[] = ['elicitation', 'sampling', 'roots']
  return new Set<ClientCapability>([
    ...askables.filter(
      (each) => declared[each] !== undefined && (each !== 'elicitation' || supportsForms(elicitation)),
    ),
    ...(isObject(elicitation) && 'url' in elicitation ? (['url'] as const) : []),
  ])
}

/** A client that declares no elicitation mode supports forms; one that declares only URLs does not. */
function supportsForms(elicitation: unknown): boolean {
  return isObject(elicitation) && ('form' in elicitation || !('url' in elicitation))
}

/** A 2026 request identifies its client; a 2025 connection did so at initialization. */
function clientOf({ mcpReq }: ServerContext, server: Server): Pick<Caller, 'client'> {
  const envelope = mcpReq.envelope as Record<string, unknown> | undefined
  const info = envelope?.[clientKey] ?? server.getClientVersion()
  if (!isObject(info) || typeof info.name !== 'string') return {}
  const version = typeof info.version === 'string' ? ` ${info.version}` : ''
  return { client: info.name + version }
}

function rethrow(error: unknown, reportFault: (error: Error) => void): never {
  if (error instanceof ProtocolFault) throw new ProtocolError(error.code, error.message, error.details)
  if (error instanceof ProtocolError) throw error
  reportFault(error instanceof Error ? error : new Error(String(error)))
  throw new ProtocolError(INTERNAL_ERROR, INTERNAL_TEXT)
}

import type { Caller, Progress } from '../operation/context.ts'
import type { JsonSchema } from './tools/json-schema.ts'

/** A protocol error, such as an unknown tool: a JSON-RPC error, not a tool result. */
export class ProtocolFault extends Error {
  readonly code: number
  readonly details: Record<string, unknown> | undefined

  constructor(code: number, message: string, details?: Record<string, unknown>) {
    super(message)
    this.name = 'ProtocolFault'
    this.code = code
    this.details = details
  }
}

export const INVALID_PARAMS = -32602
export const INTERNAL_ERROR = -32603
export const INTERNAL_TEXT = 'An internal error occurred; the log has the cause.'

/** The page that draws answers in hosts with MCP Apps. */
export const VIEW_URI = 'ui://assay/answer.html'

/** The capabilities announced to clients. */
export const capabilities = {
  tools: {},
  resources: { subscribe: true, listChanged: true },
  prompts: {},
  completions: {},
  logging: {},
  extensions: { 'io.modelcontextprotocol/ui': {} },
} as const

type NoticeLevel = 'debug' | 'info' | 'warning' | 'error'

/** The kinds of requests that a server can send to a client during a request: elicitation by a form, or by a page. */
export type ClientCapability = 'elicitation' | 'url' | 'sampling' | 'roots'

/** One client request, independent of protocol revision and transport. */
export interface McpRequest {
  caller: Caller
  signal: AbortSignal
  progress(progress: Progress): void
  notice(level: NoticeLevel, text: string): void
  /** The capabilities that this client declared. */
  clientCapabilities: ReadonlySet<ClientCapability>
  /** Answers to the questions of an earlier round of the same request, by key. */
  answers: Readonly<Record<string, unknown>>
  /** State carried over from the earlier round; rejected if the client modified it. */
  state: unknown
}

export interface Icon {
  src: string
  mimeType?: string
  sizes?: string[]
}

export interface Tool {
  name: string
  title: string
  description: string
  inputSchema: JsonSchema
  outputSchema?: JsonSchema
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint?: boolean; openWorldHint: boolean }
  icons?: readonly Icon[]
  _meta?: Readonly<Record<string, unknown>>
}

export type Content = { type: string } & Record<string, unknown>

export interface ToolAnswer {
  content: Content[]
  structuredContent?: Record<string, unknown>
  isError?: boolean
  _meta?: Record<string, unknown>
}

/** Returned instead of an answer: questions for the client, which then repeats the request with the answers. */
export interface Question {
  ask: Record<string, { method: string; params?: Record<string, unknown> }>
  state?: unknown
}

export interface Resource {
  uri: string
  name: string
  title?: string
  description?: string
  mimeType?: string
}

export interface ResourceTemplate extends Omit<Resource, 'uri'> {
  uriTemplate: string
}

export type ResourceContents = { uri: string; mimeType?: string; _meta?: Record<string, unknown> } & (
  | { text: string }
  | { blob: string }
)

export interface Prompt {
  name: string
  title: string
  description: string
  arguments: readonly { name: string; description: string; required: boolean }[]
}

export interface PromptMessages {
  description?: string
  messages: { role: 'user' | 'assistant'; content: Content }[]
}

/** The subject of a completion: an argument of a prompt, or a variable of a resource template. */
export type CompletionSubject = { prompt: string } | { template: string }

export interface Completion {
  values: string[]
  total: number
  hasMore: boolean
}

export type ResourceChange = { kind: 'updated'; uri: string } | { kind: 'listed' }

/**
 * Everything that Assay offers over MCP, as plain functions; adapters connect it to a protocol revision and a
 * transport.
 */
export interface McpSurface {
  server: { name: string; title: string; version: string; description: string; icons: readonly Icon[] }
  instructions: string
  tools: readonly Tool[]
  /** The tools that the caller's scopes allow, in the same order. */
  listTools(caller: Caller): readonly Tool[]
  callTool(name: string, input: Record<string, unknown>, exchange: McpRequest): Promise<ToolAnswer | Question>
  listResources(exchange: McpRequest): Promise<Resource[]>
  resourceTemplates: readonly ResourceTemplate[]
  readResource(uri: string, exchange: McpRequest): Promise<ResourceContents[]>
  prompts: readonly Prompt[]
  getPrompt(name: string, input: Record<string, string>, exchange: McpRequest): Promise<PromptMessages | Question>
  complete(subject: CompletionSubject, argument: string, typed: string, exchange: McpRequest): Promise<Completion>
  /** A client subscribed to a resource. */
  subscribed(): void
  /** Notifies of resources changed by a tool call, and of watches that changed in any way; returns a function that unsubscribes. */
  onChange(listener: (change: ResourceChange) => void): () => void
}

/** Removes arguments of a call that are null, which mean none. Returns whether there were any. */
export function leaveOutNullArguments(message: unknown): boolean {
  const { params } = Object(message) as { params?: { arguments?: unknown } }
  if (Object(params) !== params || params?.arguments !== null) return false
  delete params.arguments
  return true
}

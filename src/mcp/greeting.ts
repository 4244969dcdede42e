import type { Caller } from '../operation/context.ts'
import { capabilities, type McpSurface } from './protocol.ts'

type Id = string | number
type Members = Readonly<Record<string, unknown>>

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const hasOnly = (value: object, keys: ReadonlySet<string>) => Object.keys(value).every((key) => keys.has(key))
const isId = (id: unknown): id is Id => typeof id === 'string' || Number.isSafeInteger(id)

const requestKeys = new Set(['jsonrpc', 'id', 'method', 'params'])
const noticeKeys = new Set(['jsonrpc', 'method', 'params'])
const greetingKeys = new Set(['protocolVersion', 'capabilities', 'clientInfo'])
const clientKeys = new Set(['name', 'version'])
const capabilityKeys = new Set(['roots', 'sampling', 'elicitation'])
const listKeys = new Set(['listChanged'])
const revisions = new Set(['2025-03-26', '2025-06-18', '2025-11-25'])

/** A capability as nearly all clients write it. */
const isUsual = ([, value]: [string, unknown]) =>
  isMembers(value) && hasOnly(value, listKeys) && Object.values(value).every((each) => typeof each === 'boolean')

/**
 * The answer to the greeting of a 2025 client that says no more than most do, as the SDK would answer it; undefined for
 * any other message. So an assistant has its first list before the SDK is read.
 */
export function answerGreeting(message: unknown, { server, instructions }: McpSurface): object | undefined {
  if (!isMembers(message) || message.jsonrpc !== '2.0' || message.method !== 'initialize') return undefined
  const { id, params } = message
  if (!hasOnly(message, requestKeys) || !isId(id) || !isMembers(params) || !hasOnly(params, greetingKeys)) {
    return undefined
  }
  const { protocolVersion, capabilities: declared, clientInfo } = params
  if (typeof protocolVersion !== 'string' || !revisions.has(protocolVersion)) return undefined
  if (!isMembers(declared) || !hasOnly(declared, capabilityKeys) || !Object.entries(declared).every(isUsual)) {
    return undefined
  }
  if (!isMembers(clientInfo) || !hasOnly(clientInfo, clientKeys)) return undefined
  if (typeof clientInfo.name !== 'string' || typeof clientInfo.version !== 'string') return undefined
  return { result: { protocolVersion, capabilities, serverInfo: server, instructions }, jsonrpc: '2.0', id }
}

/** True for the notice that ends a greeting; nobody but the SDK needs it, whenever it is read. */
export const endsGreeting = (message: unknown): boolean => isNotice(message, 'notifications/initialized')

function isNotice(message: unknown, method: string): message is Members {
  return isMembers(message) && message.jsonrpc === '2.0' && message.method === method && hasNothingMore(message)
}

const hasNothingMore = (message: Members): boolean => {
  const { params = {} } = message
  return hasOnly(message, noticeKeys) && isMembers(params) && Object.keys(params).length === 0
}

/** The id and the answer of a request for what needs nothing but the frame: the tools, or a sign of life. */
export function answerPlainly(
  message: unknown,
  surface: McpSurface,
  caller: Caller,
): { id: Id; answer: object } | undefined {
  if (!isMembers(message) || message.jsonrpc !== '2.0' || !isId(message.id)) return undefined
  const { id, method, ...rest } = message
  if (method !== 'tools/list' && method !== 'ping') return undefined
  if (!hasNothingMore(rest)) return undefined
  const result = method === 'ping' ? {} : { tools: surface.listTools(caller) }
  return { id, answer: { result, jsonrpc: '2.0', id } }
}

import { isObject } from '../../kernel/json-object.ts'
import type { Caller } from '../../operation/context.ts'
import { capabilities, type McpSurface } from '../protocol.ts'
import { hasOnly, isRequestId, type RequestId, requestKeys } from './request.ts'

type Members = Readonly<Record<string, unknown>>

const noticeKeys = new Set(['jsonrpc', 'method', 'params'])
const initializeKeys = new Set(['protocolVersion', 'capabilities', 'clientInfo'])
const clientKeys = new Set(['name', 'version'])
const capabilityKeys = new Set(['roots', 'sampling', 'elicitation', 'extensions'])
const listKeys = new Set(['listChanged'])
const revisions = new Set(['2025-03-26', '2025-06-18', '2025-11-25'])

/** A capability in the form that nearly all clients use; extensions are objects of any members. */
const isUsual = ([name, value]: [string, unknown]) =>
  isObject(value) && (name === 'extensions' ? Object.values(value).every(isObject) : hasBooleans(value))

const hasBooleans = (value: Members) =>
  hasOnly(value, listKeys) && Object.values(value).every((each) => typeof each === 'boolean')

/**
 * The response to the `initialize` request of a 2025 client with usual members, equal to that of the SDK; undefined for
 * any other message. It lets an assistant get its first lists before the SDK is loaded.
 */
export function answerInitialize(message: unknown, { server, instructions }: McpSurface): object | undefined {
  if (!isObject(message) || message.jsonrpc !== '2.0' || message.method !== 'initialize') return undefined
  const { id, params } = message
  if (!hasOnly(message, requestKeys) || !isRequestId(id) || !isObject(params) || !hasOnly(params, initializeKeys)) {
    return undefined
  }
  const { protocolVersion, capabilities: declared, clientInfo } = params
  if (typeof protocolVersion !== 'string' || !revisions.has(protocolVersion)) return undefined
  if (!isObject(declared) || !hasOnly(declared, capabilityKeys) || !Object.entries(declared).every(isUsual)) {
    return undefined
  }
  if (!isObject(clientInfo) || !hasOnly(clientInfo, clientKeys)) return undefined
  if (typeof clientInfo.name !== 'string' || typeof clientInfo.version !== 'string') return undefined
  return { result: { protocolVersion, capabilities, serverInfo: server, instructions }, jsonrpc: '2.0', id }
}

/** The `clientInfo` of an `initialize` request. */
export function clientInfoOf(message: unknown): unknown {
  return isObject(message) && message.method === 'initialize' && isObject(message.params)
    ? message.params.clientInfo
    : undefined
}

/** True for the notification that ends initialization; only the SDK needs it, at any later time. */
export const endsInitialize = (message: unknown): boolean => isNotice(message, 'notifications/initialized')

function isNotice(message: unknown, method: string): message is Members {
  return isObject(message) && message.jsonrpc === '2.0' && message.method === method && hasNothingMore(message)
}

const hasNothingMore = (message: Members): boolean => {
  const { params = {} } = message
  return hasOnly(message, noticeKeys) && isObject(params) && Object.keys(params).length === 0
}

/** The id and response of a request that only needs the manifest: `tools/list` or `ping`. */
export function answerPlainly(
  message: unknown,
  surface: McpSurface,
  caller: Caller,
): { id: RequestId; answer: object } | undefined {
  if (!isObject(message) || message.jsonrpc !== '2.0' || !isRequestId(message.id)) return undefined
  const { id, method, ...rest } = message
  if (method !== 'tools/list' && method !== 'ping') return undefined
  if (!hasNothingMore(rest)) return undefined
  const result = method === 'ping' ? {} : { tools: surface.listTools(caller) }
  return { id, answer: { result, jsonrpc: '2.0', id } }
}

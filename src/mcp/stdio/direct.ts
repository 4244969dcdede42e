import { isObject } from '../../kernel/json-object.ts'
import type { Caller } from '../../operation/context.ts'
import {
  INTERNAL_ERROR,
  INTERNAL_TEXT,
  isQuestion,
  type McpRequest,
  type McpSurface,
  ProtocolFault,
} from '../protocol.ts'
import { hasOnly, isRequestId, type RequestId, requestKeys } from './request.ts'

/** A call that needs nothing of the protocol but its answer. */
export interface DirectCall {
  id: RequestId
  name: string
  input: Record<string, unknown>
}

const callKeys = new Set(['name', 'arguments', '_meta'])

/**
 * Finds the call in a message that the SDK would hand on unchanged and answer without a word more: a `tools/call` of
 * the 2025 revisions, of a tool that asks nobody and tells of no progress. Everything else is the SDK's.
 */
export function findDirectCall(message: unknown, surface: McpSurface): DirectCall | undefined {
  if (!isObject(message) || message.jsonrpc !== '2.0' || message.method !== 'tools/call') return undefined
  if (!hasOnly(message, requestKeys)) return undefined
  const { id, params } = message
  if (!isRequestId(id)) return undefined
  if (!isObject(params) || !hasOnly(params, callKeys)) return undefined
  const { name, arguments: input = {}, _meta: meta = {} } = params
  if (typeof name !== 'string' || !isObject(input) || !isObject(meta) || Object.keys(meta).length > 0) return undefined
  // The SDK drops a member of this name.
  if (Object.hasOwn(input, '__proto__')) return undefined
  return surface.isPlainTool(name) ? { id, name, input } : undefined
}

const askable = new Set<never>()
const nothing = () => {}

/** Answers a direct call. Gives the message to send, which may be a fault; never throws. */
export async function answerDirectly(
  { id, name, input }: DirectCall,
  surface: McpSurface,
  about: { caller: Caller; readonly signal: AbortSignal; reportFault(error: Error): void },
): Promise<object> {
  const exchange: McpRequest = {
    caller: { ...about.caller, via: 'mcp' },
    get signal() {
      return about.signal
    },
    progress: nothing,
    notice: nothing,
    askable,
    answers: {},
    state: undefined,
  }
  try {
    const result = await surface.callTool(name, input, exchange)
    if (isQuestion(result)) throw new Error(`${name} asks something, so it cannot be answered directly`)
    return { result, jsonrpc: '2.0', id }
  } catch (error) {
    const fault = error instanceof ProtocolFault ? error : new ProtocolFault(INTERNAL_ERROR, INTERNAL_TEXT)
    if (fault !== error) about.reportFault(error instanceof Error ? error : new Error(String(error)))
    const { code, message, details } = fault
    return { jsonrpc: '2.0', id, error: { code, message, ...(details === undefined ? {} : { data: details }) } }
  }
}

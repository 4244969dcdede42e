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
import { writeAnswer } from '../tools/write-answer.ts'
import { hasOnly, isRequestId, type RequestId, requestKeys } from './request.ts'

/** A tool call that can be answered without the SDK. */
export interface DirectCall {
  id: RequestId
  name: string
  input: Record<string, unknown>
}

const callKeys = new Set(['name', 'arguments', '_meta'])

/**
 * Recognizes a message that can be answered without the SDK, with the same result: a `tools/call` of the 2025
 * revisions, of a tool that neither asks the client anything nor reports progress. All others are left to the SDK.
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

/** Answers a direct call. Returns the message to send as JSON, which may be an error; never throws. */
export async function answerDirectly(
  { id, name, input }: DirectCall,
  surface: McpSurface,
  about: { caller: Caller; readonly signal: AbortSignal; reportFault(error: Error): void },
): Promise<string> {
  const exchange: McpRequest = {
    caller: { ...about.caller, via: 'mcp' },
    get signal() {
      return about.signal
    },
    progress: nothing,
    notice: nothing,
    clientCapabilities: askable,
    answers: {},
    state: undefined,
  }
  try {
    const result = await surface.callTool(name, input, exchange)
    if (isQuestion(result)) throw new Error(`${name} needs to ask the client, which only the SDK server can do`)
    return `{"result":${writeAnswer(result)},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`
  } catch (error) {
    const fault = error instanceof ProtocolFault ? error : new ProtocolFault(INTERNAL_ERROR, INTERNAL_TEXT)
    if (fault !== error) about.reportFault(error instanceof Error ? error : new Error(String(error)))
    const { code, message, details } = fault
    const data = details === undefined ? {} : { data: details }
    return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...data } })
  }
}

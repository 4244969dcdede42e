import { operations } from '../../src/catalogue.ts'
import type { McpRequest, McpSurface, ToolAnswer } from '../../src/mcp/protocol.ts'
import { createMcpSurface } from '../../src/mcp/surface.ts'
import type { WriteContext } from '../../src/operation/context.ts'
import { silentLog } from '../../src/runtime/log.ts'

/** All tools over one context. */
export const openTools = (context: WriteContext): McpSurface =>
  createMcpSurface({
    operations,
    toolsets: ['agent', 'admin'],
    contextFor: (given) => ({ ...context, ...given, progress: () => {} }),
    version: '0',
    log: silentLog,
  })

interface ReadAnswer {
  /** The text of the answer, without the marks around untrusted text. */
  lines: string[]
  /** The structured answer, or the error. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are read by member
  answer: any
  isError: boolean
}

/** Calls a tool and reads its answer. */
export async function callTool(
  tools: McpSurface,
  request: McpRequest,
  name: string,
  input: object,
): Promise<ReadAnswer> {
  const {
    content,
    structuredContent,
    isError = false,
    _meta,
  } = (await tools.callTool(name, { ...input }, request)) as ToolAnswer
  const text = String(content[0]?.text)
  const [, , inner = text] = /^[^\n]* up to \[([0-9a-f]{8})\]:\n([\s\S]*)\n\[\1\]$/.exec(text) ?? []
  return { lines: inner.split('\n'), answer: structuredContent ?? _meta?.['assay/error'], isError }
}

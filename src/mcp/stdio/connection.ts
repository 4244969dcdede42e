import { parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/server'
import { serveStdio as serveConnection } from '@modelcontextprotocol/server/stdio'
import type { Caller } from '../../operation/context.ts'
import type { McpSurface } from '../protocol.ts'
import { createServerFactory } from '../server.ts'
import type { LineTransport } from './line-transport.ts'

export interface ConnectionOptions {
  surface: McpSurface
  caller: Caller
  lines: LineTransport
  reportFault(error: Error): void
  /** Called once the SDK takes over notifications of changed resources. */
  onServer(): void
}

/** Passes to the SDK all messages that the line transport does not answer itself. */
export function openConnection({ surface, caller, lines, reportFault, onServer }: ConnectionOptions): {
  close(): Promise<void>
} {
  const createServer = createServerFactory({ surface, callerOf: () => caller, reportFault })
  const transport: Transport = {
    start: async () => lines.follow((parsed) => transport.onmessage?.(parseJSONRPCMessage(parsed))),
    send: (message) => lines.send(message),
    close: () => lines.close(),
  }
  void lines.closed.then(() => transport.onclose?.())
  const create = () => {
    onServer()
    return createServer()
  }
  return serveConnection(create, { transport, onerror: reportFault })
}

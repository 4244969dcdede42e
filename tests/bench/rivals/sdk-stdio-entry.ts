import { once } from 'node:events'
import { StdioServerTransport, serveStdio as serveConnection } from '@modelcontextprotocol/server/stdio'
import { createServerFactory } from '../../../src/mcp/server.ts'
import type { StdioOptions } from '../../../src/mcp/stdio/stdio.ts'

/** In place of the same function of the program: every message is read, answered and written by the SDK. */
export async function serveStdio({ surface, caller, stdin, stdout, log }: StdioOptions): Promise<void> {
  const reportFault = (error: Error) => log.debug('mcp over stdio', { error })
  const createServer = createServerFactory({ surface, callerOf: () => caller, reportFault })
  const ended = once(stdin, 'end')
  const connection = serveConnection(createServer, { transport: new StdioServerTransport(stdin, stdout) })
  await ended
  await connection.close()
}

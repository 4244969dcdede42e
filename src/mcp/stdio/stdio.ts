import { finished, type Readable, type Writable } from 'node:stream'
import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio as serveConnection } from '@modelcontextprotocol/server/stdio'
import type { Caller } from '../../operation/context.ts'
import type { Log } from '../../runtime/log.ts'
import type { McpSurface } from '../protocol.ts'
import { createServerFactory } from '../server.ts'
import { MessageInput } from './input.ts'

export interface StdioOptions {
  surface: McpSurface
  /** The local user. */
  caller: Caller
  stdin: Readable
  stdout: Writable
  /** Requests an orderly shutdown, like a signal to the process. */
  signal: AbortSignal
  log: Log
  /** Resolves when the modules that answer requests are loaded. */
  loaded?: () => Promise<unknown>
  /** Returns the id of the parent process; a change means that the parent has exited. */
  parentPid?: () => number
}

const PARENT_CHECK_MS = 500

/** The SDK's transport, which passes the ids of answered requests to its input. */
class AnsweringTransport extends StdioServerTransport {
  readonly #input: MessageInput
  #resolveClosed: () => void = () => {}
  readonly closed = new Promise<void>((resolve) => {
    this.#resolveClosed = resolve
  })

  constructor(input: MessageInput, stdout: Writable) {
    super(input, stdout)
    this.#input = input
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    await super.send(message)
    if (!('method' in message)) this.#input.settle(message.id)
  }

  override async close(): Promise<void> {
    await super.close()
    this.#resolveClosed()
  }
}

/**
 * Serves MCP over two streams, in both protocol revisions, until the host disconnects: it closed its end of the pipe,
 * its process exited, or the signal was aborted. Requests received by then are still answered, within 1.2 s. Resolves
 * when the connection is closed.
 */
export async function serveStdio(options: StdioOptions): Promise<void> {
  const { surface, caller, stdin, stdout, signal, log, parentPid = () => process.ppid } = options
  const reportFault = (error: Error) => log.debug('mcp over stdio', { error })
  const input: MessageInput = new MessageInput({
    refuse: (refusal) => void transport.send(refusal as never).catch(reportFault),
    loaded: options.loaded,
  })
  const transport = new AnsweringTransport(input, stdout)
  // Each message that waits for a slow reader listens for errors.
  stdout.setMaxListeners(0)
  const createServer = createServerFactory({ surface, callerOf: () => caller, reportFault })
  const connection = serveConnection(createServer, { transport, onerror: reportFault })
  const end = () => {
    stdin.unpipe(input)
    input.end()
  }
  const stopFollowing = finished(stdin, { writable: false }, end)
  signal.addEventListener('abort', end, { once: true })
  const parent = parentPid()
  const watch = setInterval(() => {
    if (parentPid() !== parent) void connection.close()
  }, PARENT_CHECK_MS).unref()
  if (signal.aborted) end()
  else stdin.pipe(input, { end: false })
  await transport.closed
  clearInterval(watch)
  signal.removeEventListener('abort', end)
  stopFollowing()
  stdin.unpipe(input)
  stdin.pause()
  await connection.close()
}

import { once } from 'node:events'
import { finished, type Readable, Transform, type TransformCallback, type Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  STDIO_DEFAULT_MAX_BUFFER_SIZE as MAX_LINE_BYTES,
  parseJSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio as serveConnection } from '@modelcontextprotocol/server/stdio'
import type { Caller } from '../../operation/context.ts'
import type { Log } from '../../runtime/log.ts'
import { leaveOutNullArguments, type McpSurface } from '../protocol.ts'
import { createServerFactory } from '../server.ts'

interface InputOptions {
  /** Receives the response to a line that is no message. */
  refuse(response: { jsonrpc: '2.0'; id: RequestId | null; error: { code: number; message: string } }): void
  /** Resolves when the modules that answer requests are loaded. */
  loaded?: (() => Promise<unknown>) | undefined
}

const DRAIN_MS = 1200

/**
 * What the SDK reads of stdin: its lines that are messages. The SDK ignores all others, so they are refused here. The
 * SDK stops answering at the end of its input, so that comes only after the answers to the requests before it, or after
 * 1.2 s.
 */
class MessageInput extends Transform {
  readonly #options: InputOptions
  readonly #unanswered = new Set<RequestId>()
  #line: Buffer[] = []
  #lineBytes = 0

  constructor(options: InputOptions) {
    super()
    this.#options = options
  }

  /** A request was answered, or needs no answer any more. */
  settle(id: RequestId | undefined): void {
    if (id !== undefined && this.#unanswered.delete(id) && this.#unanswered.size === 0) this.emit('answered')
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let rest = chunk
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      this.#hold(rest.subarray(0, end + 1))
      this.#endLine()
      rest = rest.subarray(end + 1)
    }
    this.#hold(rest)
    done()
  }

  override _flush(done: TransformCallback): void {
    void this.#waitForAnswers().then(() => done())
  }

  async #waitForAnswers(): Promise<void> {
    if (this.#unanswered.size === 0) return
    const answered = new AbortController()
    const { signal } = answered
    const late = Promise.resolve(this.#options.loaded?.())
      .then(() => pause(DRAIN_MS, undefined, { signal }))
      .catch(() => {})
    await Promise.race([once(this, 'answered'), late])
    answered.abort()
  }

  #hold(part: Buffer): void {
    this.#lineBytes += part.length
    if (this.#lineBytes > MAX_LINE_BYTES) this.#line = []
    else this.#line.push(part)
  }

  #endLine(): void {
    const line = Buffer.concat(this.#line)
    const isTooLong = this.#lineBytes > MAX_LINE_BYTES
    this.#line = []
    this.#lineBytes = 0
    const text = line.toString('utf8')
    if (isTooLong) this.#fail(null, -32600, 'This line is longer than 10 MiB.')
    else if (text.trim() !== '') this.#accept(text, line)
  }

  #accept(text: string, line: Buffer): void {
    let parsed: unknown
    try {
      parsed = JSON.parse(text)
    } catch {
      this.#fail(null, -32700, 'This line is not JSON.')
      return
    }
    try {
      this.#note(parseJSONRPCMessage(parsed))
    } catch {
      this.#fail(idOf(parsed), -32600, 'This is not one JSON-RPC 2.0 message.')
      return
    }
    this.push(leaveOutNullArguments(parsed) ? `${JSON.stringify(parsed)}\n` : line)
  }

  #note(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) this.#unanswered.add(message.id)
    else if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      this.settle(message.params?.requestId as RequestId | undefined)
    }
  }

  #fail(id: RequestId | null, code: number, message: string): void {
    this.#options.refuse({ jsonrpc: '2.0', id, error: { code, message } })
  }
}

function idOf(message: unknown): RequestId | null {
  const { id } = Object(message) as { id?: unknown }
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

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

const PARENT_CHECK_MS = 2_000

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

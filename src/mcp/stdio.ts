import type { Readable, Writable } from 'node:stream'
import { serveStdio as serveConnection } from '@modelcontextprotocol/server/stdio'
import type { Log } from '../kernel/log.ts'
import type { Caller } from '../operation/context.ts'
import { answerDirectly, findDirectCall } from './direct.ts'
import { LineTransport } from './line-transport.ts'
import type { McpSurface } from './protocol.ts'
import { createServerFactory } from './server.ts'

export interface StdioOptions {
  surface: McpSurface
  /** The person at this machine. */
  caller: Caller
  stdin: Readable
  stdout: Writable
  /** Asks for an orderly end, as a signal to the process does. */
  signal: AbortSignal
  log: Log
  /** Resolves when what answers requests is there, if that is still being read. */
  loaded?: () => Promise<unknown>
  /** Reads the process that started this one; a change means that it is gone. */
  parentPid?: () => number
}

const DRAIN_MS = 1200
const PARENT_CHECK_MS = 500

/**
 * Speaks MCP over two streams, both revisions, until the host goes away: its end of the pipe closed, its process gone, or
 * the signal given. What was received by then is answered first, for at most 1.2 s. Resolves when the connection is over.
 */
export async function serveStdio(options: StdioOptions): Promise<void> {
  const { surface, caller, stdin, stdout, log } = options
  const reportFault = (error: Error) => log.debug('mcp over stdio', { error })
  const createServer = createServerFactory({ surface, callerOf: () => caller, reportFault })
  const transport = new LineTransport(stdin, stdout, (message, signal) => {
    const direct = findDirectCall(message, surface)
    return direct && { id: direct.id, answer: answerDirectly(direct, surface, { caller, signal, reportFault }) }
  })
  const watch = watchHost(options.parentPid ?? (() => process.ppid), options)
  const connection = serveConnection(createServer, { transport, onerror: reportFault })
  const ending = await Promise.race([watch.ended, transport.closed.then((): Ending => 'broken')])
  watch.stop()
  if (ending === 'quiet') {
    const late = (options.loaded?.() ?? Promise.resolve()).then(() => after(DRAIN_MS))
    await Promise.race([transport.answered(), late])
  }
  log.debug('the mcp connection is over', { ending })
  await connection.close()
}

/** quiet: nothing more comes, but answers may still be read; broken: nobody reads them. */
type Ending = 'quiet' | 'broken'

function watchHost(
  parentPid: () => number,
  { stdin, stdout, signal }: StdioOptions,
): { ended: Promise<Ending>; stop(): void } {
  const stops: (() => void)[] = []
  const ended = new Promise<Ending>((resolve) => {
    const on = (stream: Readable | Writable, event: string, ending: Ending) => {
      const listener = () => resolve(ending)
      stream.on(event, listener)
      stops.push(() => stream.off(event, listener))
    }
    on(stdin, 'end', 'quiet')
    on(stdin, 'close', 'quiet')
    on(stdin, 'error', 'quiet')
    on(stdout, 'close', 'broken')
    stdout.on('error', () => resolve('broken'))
    if (stdin.readableEnded || stdin.destroyed) resolve('quiet')
    const onAbort = () => resolve('quiet')
    signal.addEventListener('abort', onAbort, { once: true })
    stops.push(() => signal.removeEventListener('abort', onAbort))
    if (signal.aborted) resolve('quiet')
    const parent = parentPid()
    const timer = setInterval(() => {
      if (parentPid() !== parent) resolve('broken')
    }, PARENT_CHECK_MS).unref()
    stops.push(() => clearInterval(timer))
  })
  return {
    ended,
    stop: () => {
      for (const stop of stops) stop()
    },
  }
}

const after = (delayMs: number) => new Promise<void>((resolve) => setTimeout(resolve, delayMs).unref())

import type { Readable, Writable } from 'node:stream'
import type { Caller } from '../../operation/context.ts'
import type { Log } from '../../runtime/log.ts'
import { describeClient } from '../client.ts'
import type { McpSurface } from '../protocol.ts'
import { answerDirectly, findDirectCall } from './direct.ts'
import { answerInitialize, answerPlainly, clientInfoOf, endsInitialize } from './initialize.ts'
import { LineTransport } from './line-transport.ts'

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
  /** Leaves everything but direct tool calls to the SDK; for tests. */
  toSdk?: boolean
  /** Returns the id of the parent process; a change means that the parent has exited. */
  parentPid?: () => number
}

const DRAIN_MS = 1200
const PARENT_CHECK_MS = 500

/**
 * Serves MCP over two streams, in both protocol revisions, until the host disconnects: it closed its end of the pipe,
 * its process exited, or the signal was aborted. Requests received by then are still answered, within 1.2 s. Resolves
 * when the connection is closed. The SDK is loaded with the first message that needs it: initialization, the tool list
 * and the tool calls of most clients do not.
 */
export async function serveStdio(options: StdioOptions): Promise<void> {
  const { surface, caller, stdin, stdout, log, toSdk = false } = options
  const reportFault = (error: Error) => log.debug('mcp over stdio', { error })
  let connecting: ReturnType<typeof connect> | undefined
  let isSdkNotifying = false
  /** The client that was initialized without the SDK. */
  let identified: Pick<Caller, 'client'> = {}
  const connect = async () => {
    const { openConnection } = await import('./connection.ts')
    const onServer = () => {
      isSdkNotifying = true
    }
    return openConnection({ surface, caller, lines, reportFault, onServer })
  }
  const lines = new LineTransport({
    input: stdin,
    output: stdout,
    reportFault,
    connect: () => {
      connecting = connect()
      connecting.catch((error: unknown) => {
        log.error('a module of the program could not be loaded', { error })
        void lines.close()
      })
    },
    shortcuts: {
      initialize: (message) => {
        if (toSdk) return undefined
        identified = describeClient(clientInfoOf(message))
        return answerInitialize(message, surface)
      },
      endsInitialization: endsInitialize,
      answer: (message, call) => {
        const direct = findDirectCall(message, surface)
        if (direct !== undefined) {
          const about = {
            caller: { ...caller, ...identified },
            get signal() {
              return call.signal
            },
            reportFault,
          }
          return { id: direct.id, answer: answerDirectly(direct, surface, about) }
        }
        return toSdk ? undefined : answerPlainly(message, surface, caller)
      },
    },
  })
  const stopListening = surface.onChange(({ kind }) => {
    if (kind === 'listed' && !isSdkNotifying) lines.notify('notifications/resources/list_changed')
  })
  const watch = watchHost(options.parentPid ?? (() => process.ppid), options)
  lines.open()
  const ending = await Promise.race([watch.ended, lines.closed.then((): DisconnectKind => 'broken')])
  watch.stop()
  if (ending === 'quiet') {
    const late = Promise.allSettled([options.loaded?.(), connecting]).then(() => after(DRAIN_MS))
    await Promise.race([lines.answered(), late])
  }
  log.debug('the mcp connection was closed', { ending })
  stopListening()
  const connection = await connecting?.catch(() => undefined)
  await (connection ?? lines).close()
}

/** quiet: no more input, but answers may still be read; broken: no one reads them. */
type DisconnectKind = 'quiet' | 'broken'

function watchHost(
  parentPid: () => number,
  { stdin, stdout, signal }: StdioOptions,
): { ended: Promise<DisconnectKind>; stop(): void } {
  const stops: (() => void)[] = []
  const ended = new Promise<DisconnectKind>((resolve) => {
    const on = (stream: Readable | Writable, event: string, ending: DisconnectKind) => {
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

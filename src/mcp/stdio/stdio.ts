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
  /** The person at this machine. */
  caller: Caller
  stdin: Readable
  stdout: Writable
  /** Asks for an orderly end, as a signal to the process does. */
  signal: AbortSignal
  log: Log
  /** Resolves when what answers requests is there, if that is still being read. */
  loaded?: () => Promise<unknown>
  /** Leaves all to the SDK but the calls of plain tools; for tests. */
  toSdk?: boolean
  /** Reads the process that started this one; a change means that it is gone. */
  parentPid?: () => number
}

const DRAIN_MS = 1200
const PARENT_CHECK_MS = 500

/**
 * Speaks MCP over two streams, both revisions, until the host goes away: its end of the pipe closed, its process gone,
 * or the signal given. What was received by then is answered first, for at most 1.2 s. Resolves when the connection is
 * over. The SDK is read with the first message that needs it: a greeting, the tools and calls of most of them do not.
 */
export async function serveStdio(options: StdioOptions): Promise<void> {
  const { surface, caller, stdin, stdout, log, toSdk = false } = options
  const reportFault = (error: Error) => log.debug('mcp over stdio', { error })
  let connecting: ReturnType<typeof connect> | undefined
  let isSdkTelling = false
  /** Who is greeted without the SDK. */
  let greeted: Pick<Caller, 'client'> = {}
  const connect = async () => {
    const { openConnection } = await import('./connection.ts')
    const onServer = () => {
      isSdkTelling = true
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
        log.error('a part of the program could not be read', { error })
        void lines.close()
      })
    },
    shortcuts: {
      greet: (message) => {
        if (toSdk) return undefined
        greeted = describeClient(clientInfoOf(message))
        return answerInitialize(message, surface)
      },
      endsGreeting: endsInitialize,
      answer: (message, call) => {
        const direct = findDirectCall(message, surface)
        if (direct !== undefined) {
          const about = {
            caller: { ...caller, ...greeted },
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
    if (kind === 'listed' && !isSdkTelling) lines.tell('notifications/resources/list_changed')
  })
  const watch = watchHost(options.parentPid ?? (() => process.ppid), options)
  lines.open()
  const ending = await Promise.race([watch.ended, lines.closed.then((): Ending => 'broken')])
  watch.stop()
  if (ending === 'quiet') {
    const late = Promise.allSettled([options.loaded?.(), connecting]).then(() => after(DRAIN_MS))
    await Promise.race([lines.answered(), late])
  }
  log.debug('the mcp connection is over', { ending })
  stopListening()
  const connection = await connecting?.catch(() => undefined)
  await (connection ?? lines).close()
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

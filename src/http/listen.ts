import { once } from 'node:events'
import { chmodSync, statSync, unlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type { Hono } from 'hono'
import { AppError, invalidInput } from '../kernel/errors.ts'
import type { AppEnv } from './routes.ts'
import { limitConnections } from './sockets.ts'

/** A TCP port of this machine, or a Unix socket that only its owner can open. */
export type ListenAddress = { host: string; port: number } | { socket: string }

export interface HttpServer {
  /** The actual address, such as `http://127.0.0.1:7411`, or `unix:/path`. */
  url: string
  close(): Promise<void>
}

const MAX_SOCKETS = 256
const HEADERS_TIMEOUT_MS = 10_000
/** Of the path of a socket (`sun_path`, with a final NUL). */
const MAX_SOCKET_BYTES = process.platform === 'linux' ? 107 : 103
const limits = { maxHeaderSize: 16_384, requestTimeout: 300_000 }

const NO_SOCKET = 'On Windows there are no sockets that only their owner can open; listen on a port with --port.'

/**
 * Starts listening; port 0 picks a free one.
 * @throws AppError `unavailable` when the address is taken, `invalid_input` for a socket whose path is too long
 */
export async function listen(
  app: Hono<AppEnv>,
  address: ListenAddress,
  headersTimeoutMs = HEADERS_TIMEOUT_MS,
): Promise<HttpServer> {
  if ('socket' in address) {
    if (process.platform === 'win32') throw new AppError('unavailable', NO_SOCKET, { reason: 'cannot_listen' })
    requireShortPath(address.socket)
    await removeStaleSocket(address.socket)
  }
  const server = createAdaptorServer({
    fetch: app.fetch,
    overrideGlobalObjects: false,
    createServer,
    serverOptions: {
      ...limits,
      headersTimeout: headersTimeoutMs,
      // Looking for requests that take too long wakes the process each time.
      connectionsCheckingInterval: headersTimeoutMs / 2,
    },
  }) as ReturnType<typeof createServer>
  limitConnections(server, MAX_SOCKETS, headersTimeoutMs)
  return new Promise((resolve, reject) => {
    const close = () =>
      new Promise<void>((done) => {
        server.close(() => done())
        setTimeout(() => server.closeAllConnections(), 2000).unref()
      })
    server.once('error', (error: NodeJS.ErrnoException) => reject(toListenError(error, address)))
    if ('socket' in address) {
      const before = process.umask(0o177)
      server.listen(address.socket, () => {
        chmodSync(address.socket, 0o600)
        resolve({ url: `unix:${address.socket}`, close })
      })
      process.umask(before)
      return
    }
    server.listen(address.port, address.host, () => {
      const bound = server.address()
      if (bound === null || typeof bound === 'string') return reject(new Error('the server has no address'))
      const host = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address
      resolve({ url: `http://${host}:${bound.port}`, close })
    })
  })
}

/** @throws AppError `unavailable` where the address cannot be listened on now */
export async function requireFreePort({ host, port }: { host: string; port: number }): Promise<void> {
  const probe = createServer()
  try {
    await once(probe.listen(port, host), 'listening')
  } catch (error) {
    throw toListenError(error as NodeJS.ErrnoException, { host, port })
  }
  probe.close()
}

function toListenError(error: NodeJS.ErrnoException, address: ListenAddress): AppError {
  const taken = error.code === 'EADDRINUSE'
  const code = error.code ?? 'unknown error'
  const message =
    'socket' in address
      ? `Cannot listen on this socket (${code}); choose another path with --socket.`
      : taken
        ? `Port ${address.port} on ${address.host} is already in use; choose another with --port, or --port 0 for any free one.`
        : `Cannot listen on ${address.host}:${address.port} (${code}); choose another --host or --port.`
  return new AppError('unavailable', message, { reason: taken ? 'port_taken' : 'cannot_listen', cause: error })
}

function requireShortPath(path: string): void {
  const bytes = Buffer.byteLength(path)
  if (process.platform === 'win32' || bytes <= MAX_SOCKET_BYTES) return
  throw invalidInput(
    `The path of the socket has ${bytes} bytes, and this system allows at most ${MAX_SOCKET_BYTES}; choose a shorter one with --socket.`,
  )
}

/** A socket that no process answers on was left behind by a killed process and is removed; any other file is kept. */
async function removeStaleSocket(path: string): Promise<void> {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined || !found.isSocket()) return
  const answered = await new Promise<boolean>((resolve) => {
    const probe = connect(path, () => {
      probe.destroy()
      resolve(true)
    })
    probe.once('error', () => resolve(false))
  })
  if (!answered) unlinkSync(path)
}

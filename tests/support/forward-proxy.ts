import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { createSecureContext, TLSSocket } from 'node:tls'
import type { Certificate } from './certificates.ts'

export interface ForwardProxy {
  /** Without credentials. */
  address: string
  /** Host and port. */
  place: string
  /** What clients asked of it: `CONNECT host:443` or `GET http://host/path`. */
  asked: string[]
  /** The requests that it passed on, with those in tunnels: `GET https://host/path`. */
  passed: string[]
  close(): Promise<void>
}

/**
 * A forward proxy on loopback, which alone knows where names lead. It opens TLS with a certificate of its own, and
 * writes these names for the ports of the servers in their replies.
 */
export async function startForwardProxy(options: {
  /** Ports on loopback. */
  hosts?: Readonly<Record<string, number>>
  certificate?: Certificate
  /** With which it is spoken to by https. */
  own?: Certificate
  /** `user:password`, which is required then. */
  credentials?: string
  /** In place of its answer to CONNECT. */
  connect?: (socket: Duplex) => void
  /** In place of its answer to other requests. */
  answer?: (response: ServerResponse) => void
}): Promise<ForwardProxy> {
  const { hosts = {}, credentials, certificate } = options
  const context = certificate === undefined ? undefined : createSecureContext(certificate)
  const asked: string[] = []
  const passed: string[] = []
  const sockets = new Set<Duplex>()
  const isAllowed = ({ headers }: IncomingMessage) =>
    credentials === undefined ||
    headers['proxy-authorization'] === `Basic ${Buffer.from(credentials).toString('base64')}`
  const withNames = (text: string) =>
    Object.entries(hosts).reduce(
      (named, [host, port]) => named.replaceAll(`http://127.0.0.1:${port}`, `https://${host}`),
      text,
    )

  function passOn(incoming: IncomingMessage, response: ServerResponse, url: URL): void {
    passed.push(`${incoming.method} ${url.href}`)
    const port = hosts[url.hostname]
    if (port === undefined) {
      response.writeHead(502).end()
      return
    }
    const { 'proxy-authorization': _, 'accept-encoding': __, ...headers } = incoming.headers
    const path = `${url.pathname}${url.search}`
    const outgoing = request({ host: '127.0.0.1', port, path, method: incoming.method, headers }, async (reply) => {
      const chunks: Buffer[] = []
      for await (const chunk of reply as AsyncIterable<Buffer>) chunks.push(chunk)
      const body = Buffer.concat(chunks)
      const isText = /json|text/.test(reply.headers['content-type'] ?? '')
      const { 'content-length': ___, 'transfer-encoding': ____, location, ...kept } = reply.headers
      response.writeHead(reply.statusCode ?? 502, {
        ...kept,
        ...(location === undefined ? {} : { location: withNames(location) }),
      })
      response.end(isText ? withNames(body.toString('utf8')) : body)
    })
    outgoing.on('error', () => response.destroy())
    incoming.pipe(outgoing)
  }

  const inside = createServer((incoming, response) => {
    passOn(incoming, response, new URL(incoming.url ?? '/', `https://${incoming.headers.host}`))
  })
  const answer = (incoming: IncomingMessage, response: ServerResponse) => {
    asked.push(`${incoming.method} ${incoming.url}`)
    if (options.answer !== undefined) options.answer(response)
    else if (isAllowed(incoming)) passOn(incoming, response, new URL(incoming.url ?? ''))
    else response.writeHead(407, { 'proxy-authenticate': 'Basic' }).end()
  }
  const server = options.own === undefined ? createServer(answer) : createTlsServer(options.own, answer)
  server.on('connect', (incoming: IncomingMessage, socket: Duplex) => {
    asked.push(`CONNECT ${incoming.url}`)
    sockets.add(socket.on('error', () => {}))
    if (options.connect !== undefined) return options.connect(socket)
    const [host = ''] = (incoming.url ?? '').split(':')
    const status = !isAllowed(incoming) ? 407 : hosts[host] === undefined ? 502 : 200
    socket.write(`HTTP/1.1 ${status} as asked\r\n\r\n`)
    if (status !== 200 || context === undefined) return socket.end()
    const opened = new TLSSocket(socket as never, { isServer: true, secureContext: context })
    inside.emit(
      'connection',
      opened.on('error', () => socket.destroy()),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    address: `${options.own === undefined ? 'http' : 'https'}://${place}`,
    ...{ place, asked, passed },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

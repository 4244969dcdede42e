import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'

/** The certificate of the receiver, which signs itself; made for tests, valid for 127.0.0.1 and localhost. */
export const certificateFile = fileURLToPath(new URL('receiver-cert.pem', import.meta.url))
const key = readFileSync(new URL('receiver-key.pem', import.meta.url))

export interface Received {
  path: string
  body: string
  headers: Record<string, string | string[] | undefined>
}

/** What to answer: a status with headers, or `hang` for never. */
export type Reply = { status: number; headers?: Record<string, string> } | 'hang'

export interface TestReceiver {
  url: string
  port: number
  /** Messages that were answered with 2xx, in order. */
  accepted: Received[]
  /** All messages. */
  seen: Received[]
  close(): Promise<void>
}

/** An HTTPS server on this machine that answers as `reply` says. */
export async function openReceiver(reply: (received: Received) => Reply | Promise<Reply>): Promise<TestReceiver> {
  const accepted: Received[] = []
  const seen: Received[] = []
  const server = createServer({ key, cert: readFileSync(certificateFile) }, async (request, response) => {
    const chunks: Buffer[] = []
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer)
    } catch {
      return
    }
    const received = { path: request.url ?? '', body: Buffer.concat(chunks).toString('utf8'), headers: request.headers }
    seen.push(received)
    const answer = await reply(received)
    if (answer === 'hang') return
    if (answer.status < 300) accepted.push(received)
    response.writeHead(answer.status, answer.headers).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { url: `https://127.0.0.1:${port}/hook`, port, accepted, seen, close }
}

import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** What is done to a connection when a COMMIT is sent on it. */
export type CommitFault = 'lost' | 'unanswered' | undefined

export interface CuttingProxy {
  /** The address of the server with the port of the proxy. */
  url: string
  cuts(): number
  /** Cuts the connection at a part (0 to 1) of the list of open ones. */
  cut(part: number): void
  /** Passes nothing on for some time. */
  stall(ms: number): void
  close(): void
}

interface Link {
  inner: Socket
  outer: Socket
  /** Whether nothing of the server is passed on any more. */
  isMuted: boolean
}

const COMMIT = Buffer.from('COMMIT\0')

/**
 * Passes connections on to the server of an address, and cuts some.
 * @param onCommit asked for each COMMIT: one that is lost never reaches the server, an unanswered one does, but the
 * connection is cut before its reply is passed on
 */
export async function startCuttingProxy(
  address: string,
  onCommit: () => CommitFault = () => undefined,
): Promise<CuttingProxy> {
  const target = new URL(address)
  const links = new Set<Link>()
  let cuts = 0
  let stalledUntil = 0
  const end = (link: Link) => {
    links.delete(link)
    for (const socket of [link.inner, link.outer]) socket.destroy()
  }
  const cut = (link: Link) => {
    if (!links.delete(link)) return
    cuts++
    for (const socket of [link.inner, link.outer]) socket.resetAndDestroy()
  }
  const server = createServer((inner) => {
    const link: Link = { inner, outer: connect(Number(target.port), target.hostname), isMuted: false }
    const { outer } = link
    links.add(link)
    for (const socket of [inner, outer]) {
      socket.setNoDelay(true)
      socket.on('error', () => end(link)).on('close', () => end(link))
    }
    /** Chunks are passed on in order, after a stall. */
    const passOn = (from: Socket, pass: (chunk: Buffer) => void) => {
      from.on('data', (chunk: Buffer) => {
        const waitMs = stalledUntil - performance.now()
        if (waitMs <= 0) return pass(chunk)
        from.pause()
        setTimeout(() => {
          pass(chunk)
          from.resume()
        }, waitMs)
      })
    }
    passOn(inner, (chunk) => {
      const fault = chunk.includes(COMMIT) ? onCommit() : undefined
      if (fault === 'lost') return cut(link)
      if (fault === 'unanswered') link.isMuted = true
      outer.write(chunk)
    })
    passOn(outer, (chunk) => {
      if (link.isMuted) cut(link)
      else inner.write(chunk)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const bound = server.address()
  const url = new URL(address)
  url.port = String(typeof bound === 'object' ? bound?.port : 0)
  return {
    url: url.href,
    cuts: () => cuts,
    cut(part) {
      const [link] = [...links].slice(Math.floor(part * links.size))
      if (link !== undefined) cut(link)
    },
    stall(ms) {
      stalledUntil = performance.now() + ms
    },
    close() {
      for (const link of links) end(link)
      server.close()
    },
  }
}

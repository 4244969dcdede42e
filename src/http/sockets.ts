import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Limits the number of connections without letting slow ones lock others out: above the limit, the oldest one that has
 * sent no request is closed, else the oldest one idle between requests, else the new one. A connection that sends no
 * byte within `silentMs` is closed; Node's own timeout starts with the first byte.
 */
export function limitConnections(server: Pick<Server, 'on'>, most: number, silentMs: number): void {
  const open = new Set<Socket>()
  const silent = new Set<Socket>()
  const resting = new Set<Socket>()
  const forget = (socket: Socket) => {
    for (const set of [open, silent, resting]) set.delete(socket)
  }
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    silent.add(socket)
    const cut = setTimeout(() => {
      if (socket.bytesRead === 0) socket.destroy()
    }, silentMs).unref()
    socket.once('close', () => {
      clearTimeout(cut)
      forget(socket)
    })
    if (open.size <= most) return
    const [oldest] = silent.size > 1 ? silent : resting
    const victim = oldest ?? socket
    forget(victim)
    victim.destroy()
  })
  server.on('request', ({ socket }, response) => {
    silent.delete(socket)
    resting.delete(socket)
    response.once('close', () => {
      if (open.has(socket)) resting.add(socket)
    })
  })
}

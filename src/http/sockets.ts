import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Keeps the number of connections bounded without letting slow ones shut others out: where there are too many, the
 * oldest that has not asked anything gives way, then the oldest that rests between two requests, and last the newcomer.
 * One that sends no byte for `silentMs` is cut; Node's own time limit begins with the first byte.
 */
export function boundSockets(server: Pick<Server, 'on'>, most: number, silentMs: number): void {
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

import type { ServerResponse } from 'node:http'

/**
 * Limits the open streams of each caller, so that one cannot use up all connections: above the limit, the oldest of the
 * caller's own streams is closed.
 */
export function limitStreams(max: number): (principal: string, stream: ServerResponse) => void {
  const open = new Map<string, Set<ServerResponse>>()
  return (principal, stream) => {
    if (stream.destroyed) return
    const own = open.get(principal) ?? new Set()
    open.set(principal, own.add(stream))
    stream.once('close', () => {
      own.delete(stream)
      if (own.size === 0) open.delete(principal)
    })
    const [oldest] = own
    if (own.size > max) oldest?.destroy()
  }
}

import type { ServerResponse } from 'node:http'

/**
 * Keeps the open streams of each caller bounded, so that one alone cannot take every connection: where a caller has
 * too many, the oldest of its own ends.
 */
export function boundStreams(max: number): (principal: string, stream: ServerResponse) => void {
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

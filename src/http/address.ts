import type { IncomingMessage, ServerResponse } from 'node:http'
import ipaddr from 'ipaddr.js'

export type Network = ReturnType<typeof ipaddr.parseCIDR>

/**
 * Parses a network such as `10.0.0.0/8`; a single address is a network of its own.
 * @throws Error when the text is neither
 */
export function toNetwork(text: string): Network {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128] as Network
}

const parse = (text: string) => (ipaddr.isValid(text) ? ipaddr.process(text) : undefined)

function isWithin(text: string, networks: readonly Network[]): boolean {
  const address = parse(text)
  if (address === undefined) return false
  return networks.some((network) => network[0].kind() === address.kind() && address.match(network as never))
}

const forwarding = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via']

/** Whether the request comes from this machine directly, not through a proxy on it. */
export function isFromHere(peer: string | undefined, headers: Headers): boolean {
  return peer !== undefined && parse(peer)?.range() === 'loopback' && forwarding.every((name) => !headers.has(name))
}

/** The connection of a request; empty for an in-process call. */
export const nodeOf = (env: unknown) => (env ?? {}) as { incoming?: IncomingMessage; outgoing?: ServerResponse }

export const peerOf = (env: unknown): string | undefined => nodeOf(env).incoming?.socket?.remoteAddress

/**
 * The client address of a request. `X-Forwarded-For` counts only as far as proxies are trusted: the result is its last
 * address that is not a trusted proxy's.
 */
export function clientAddress(
  peer: string | undefined,
  forwardedFor: string | null,
  trusted: readonly Network[],
): string | undefined {
  if (peer === undefined || forwardedFor === null || !isWithin(peer, trusted)) return peer
  const hops = forwardedFor.split(',').map((hop) => hop.trim())
  const client = hops.findLast((hop) => !isWithin(hop, trusted))
  return client !== undefined && parse(client) !== undefined ? client : peer
}

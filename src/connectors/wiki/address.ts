import { isLoopbackHost } from '../http/loopback.ts'

const GATEWAY = 'https://api.atlassian.com'
const gatewayPath = /^\/ex\/confluence\/([\w-]{8,64})(?:\/wiki)?\/?$/

export interface WikiBaseAddress {
  /** Origin that requests are sent to. */
  origin: string
  /** Set where the address is the gateway's: id of the tenant behind it. */
  cloudId?: string
}

/** Parses the accepted forms: a site, with or without `/wiki`, or the gateway with a tenant id. */
export function findAddress(text: string): WikiBaseAddress | undefined {
  const url = URL.parse(text)
  if (url === null) return undefined
  const safe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname))
  if (!safe || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return undefined
  const cloudId = gatewayPath.exec(url.pathname)?.[1]
  if (cloudId !== undefined) return { origin: url.origin, cloudId }
  return url.origin !== GATEWAY && /^\/(?:wiki\/?)?$/.test(url.pathname) ? { origin: url.origin } : undefined
}

const isLoopback = (origin: string) => isLoopbackHost(new URL(origin).hostname)

/**
 * Origin that accepts scoped tokens for a site of the platform; a site on this computer is its own gateway. Any other
 * site has none: what it answers must not send a token to the platform that was entered for the site.
 */
export function findGatewayOrigin(origin: string): string | undefined {
  if (isLoopback(origin)) return origin
  return origin === GATEWAY || /^https:\/\/[a-z0-9-]+\.atlassian\.net$/.test(origin) ? GATEWAY : undefined
}

/**
 * Whether an attachment may be downloaded from this URL: the vendor's hosts, and for a site on this computer any of its
 * ports.
 */
export function isMediaAddress(origin: string, target: URL): boolean {
  if (isLoopback(origin) && isLoopbackHost(target.hostname)) return true
  return target.protocol === 'https:' && /(?:^|\.)atlassian\.(?:com|net)$/.test(target.hostname)
}

export function toBasePath(cloudId: string | undefined): string {
  return cloudId === undefined ? '/wiki' : `/ex/confluence/${cloudId}/wiki`
}

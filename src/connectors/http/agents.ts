import { AsyncLocalStorage } from 'node:async_hooks'
import { existsSync } from 'node:fs'
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Duplex } from 'node:stream'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { ForwardProxy } from './proxy.ts'

export interface Agents {
  http: HttpAgent
  https: HttpsAgent
}

/** Agents for direct requests; the global ones of Node may have proxies of their own. */
export const direct: Agents = {
  http: new HttpAgent({ keepAlive: true, timeout: 5_000 }),
  https: new HttpsAgent({ keepAlive: true, timeout: 5_000 }),
}

/** The connection to a proxy that one request opens. */
export interface Tunnel {
  /** Present until TLS with the host behind the proxy is established. */
  pending?: Duplex | undefined
  /** Whether the proxy is known to have opened the tunnel. */
  hasOpened: boolean
}

export const tunnels = new AsyncLocalStorage<Tunnel>()

/** Node neither ends a pending tunnel with its request, nor limits the time of TLS inside it. */
class TunnelAgent extends HttpsAgent {
  override createConnection(...[options, callback]: Parameters<HttpsAgent['createConnection']>) {
    const tunnel = tunnels.getStore()
    const socket = super.createConnection({ ...options, timeout: undefined }, (error, opened) => {
      if (tunnel !== undefined) Object.assign(tunnel, { pending: undefined, hasOpened: opened !== socket })
      callback?.(error, opened)
    })
    if (tunnel !== undefined) tunnel.pending = socket ?? undefined
    return socket
  }
}

const byAddress = new Map<string, Agents>()

/** How long a connection is kept for another request. */
const IDLE_MS = 30_000

/** Agents that send everything through a proxy. They look up its name only. */
export function toAgents({ address }: ForwardProxy): Agents {
  const known = byAddress.get(address)
  if (known !== undefined) return known
  const options = { keepAlive: true, timeout: IDLE_MS, proxyEnv: { http_proxy: address, https_proxy: address } }
  const agents = { http: new HttpAgent(options), https: new TunnelAgent(options) }
  byAddress.set(address, agents)
  return agents
}

/** Node would complain on stderr about a folder of certificates that does not exist, as in slim containers. */
function readSystemCertificates(): string[] {
  const { SSL_CERT_FILE, SSL_CERT_DIR } = process.env
  const isThere = process.platform !== 'linux' || SSL_CERT_FILE || existsSync(SSL_CERT_DIR || '/etc/ssl/certs')
  return isThere ? getCACertificates('system') : []
}

let isTrusted = false

/**
 * Lets all TLS connections of this thread accept what the certificates of the system vouch for, beside those of Node
 * and of `NODE_EXTRA_CA_CERTS`. Reading them takes about 0.1 seconds.
 */
export function trustSystem(): void {
  if (isTrusted) return
  isTrusted = true
  setDefaultCACertificates([...new Set([...getCACertificates('default'), ...readSystemCertificates()])])
}

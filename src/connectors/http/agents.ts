import { existsSync } from 'node:fs'
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { ForwardProxy } from './proxy.ts'

export interface Agents {
  http: HttpAgent
  https: HttpsAgent
}

const byAddress = new Map<string, Agents>()

/** How long a proxy may take to open a connection, and how long one is kept for another request. */
const IDLE_MS = 30_000

/** Agents that send everything through a proxy. They look up its name only. */
export function toAgents({ address }: ForwardProxy): Agents {
  const known = byAddress.get(address)
  if (known !== undefined) return known
  const options = { keepAlive: true, timeout: IDLE_MS, proxyEnv: { http_proxy: address, https_proxy: address } }
  const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) }
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

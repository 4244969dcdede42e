import { lookup } from 'node:dns/promises'
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { LookupFunction, Socket } from 'node:net'
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent'
import { ExchangeError, type ExchangeReply, type ExchangeRequest, exchange } from '../http/exchange.ts'
import {
  hasPlaceholder,
  isListedHost,
  isLiteral,
  isPlaceholder,
  isPrivateName,
  isPublicAddress,
  isPublicLiteral,
  neverPublic,
} from './address.ts'

export type Resolve = (hostname: string) => Promise<readonly { address: string; family: number }[]>

export type Admission =
  /** `listed`: the operator allows this host regardless of its address. */
  | { admitted: true; url: URL; listed: boolean }
  | { admitted: false; reason: 'unparsable' | 'scheme' | 'relative' | 'private_address' | 'port' | 'placeholder' }

/** All requests to URLs found in content go through this guard (SSRF protection). */
export interface Guard {
  /** Checks a URL before anything is sent; `from` is the page or redirect that contains it. */
  admit(written: string, from?: { url: URL; listed: boolean }): Admission
  /**
   * Sends one admitted request without credentials, and connects only to addresses that were checked, or to the proxy.
   */
  send(
    admission: Extract<Admission, { admitted: true }>,
    request: Pick<ExchangeRequest, 'method' | 'headers' | 'body' | 'totalMs' | 'maxBytes' | 'signal' | 'wantsBody'>,
  ): Promise<ExchangeReply>
}

/** Error code of `send` where a name resolves to an address that is not public. */
export const NOT_PUBLIC = 'ENOTPUBLIC'

const PUBLIC_PORTS = ['', '80', '443', '8080', '8443']
const MAX_URL_LENGTH = 8192

function notPublic(): NodeJS.ErrnoException {
  return Object.assign(new Error('address is not public'), { code: NOT_PUBLIC })
}

/** Names under `localhost` are always this computer (RFC 6761), regardless of the resolver. */
const systemResolve: Resolve = async (hostname) =>
  hostname.endsWith('.localhost')
    ? [
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ]
    : lookup(hostname, { all: true })

/** Returns the addresses of a name only if all of them pass. */
function toLookup(resolve: Resolve, passes: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (found) => {
        const [first] = found
        if (first === undefined) {
          return callback(Object.assign(new Error('no address found'), { code: 'ENOTFOUND' }), '', 0)
        }
        if (!found.every(({ address }) => passes(address))) return callback(notPublic(), '', 0)
        return options.all === true ? callback(null, [...found]) : callback(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    )
  }
}

/** Destroys a connection to an address that is not public before any byte of the request is sent. */
function watch(socket: unknown): void {
  const connection = socket as Socket
  connection.once('connect', () => {
    if (!isPublicAddress(connection.remoteAddress ?? '')) connection.destroy(notPublic())
  })
}

class PublicHttpAgent extends RequestFilteringHttpAgent {
  override createConnection(...args: Parameters<RequestFilteringHttpAgent['createConnection']>) {
    const socket = super.createConnection(...args)
    watch(socket)
    return socket
  }
}

class PublicHttpsAgent extends RequestFilteringHttpsAgent {
  override createConnection(...args: Parameters<RequestFilteringHttpsAgent['createConnection']>) {
    const socket = super.createConnection(...args)
    watch(socket)
    return socket
  }
}

export function createGuard(options: {
  allowHosts: readonly string[]
  resolve?: Resolve
  /** Called for each URL that was not requested for security reasons. */
  onBlocked?: ((reason: 'private_address' | 'port') => void) | undefined
}): Guard {
  const resolve = options.resolve ?? systemResolve
  const block = (reason: 'private_address' | 'port') => {
    options.onBlocked?.(reason)
    return { admitted: false, reason } as const
  }
  const shared = { keepAlive: false, denyIPAddressList: [...neverPublic] }
  const checked = { ...shared, lookup: toLookup(resolve, isPublicAddress) }
  const publicAgents = { http: new PublicHttpAgent(checked), https: new PublicHttpsAgent(checked) }
  const listed = { keepAlive: false, lookup: toLookup(resolve, () => true) }
  const listedAgents = { http: new HttpAgent(listed), https: new HttpsAgent(listed) }

  return {
    admit(written, from) {
      const text = written.trim()
      if (from === undefined && !/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(text))
        return { admitted: false, reason: 'relative' }
      if (from === undefined && /^[a-z][a-z0-9+.-]*:/i.test(text) && !/^https?:/i.test(text)) {
        return { admitted: false, reason: 'scheme' }
      }
      if (from === undefined && hasPlaceholder(text)) return { admitted: false, reason: 'placeholder' }
      const base = from?.url.href ?? 'https://relative.invalid'
      const url = text.length > MAX_URL_LENGTH ? null : URL.parse(text, base)
      if (url === null) return { admitted: false, reason: 'unparsable' }
      url.username = ''
      url.password = ''
      if (url.protocol !== 'http:' && url.protocol !== 'https:') return { admitted: false, reason: 'scheme' }
      const absolute = /^[a-z][a-z0-9+.-]*:/i.test(text) ? text : `${url.protocol}${text}`
      const sameHost = from?.listed === true && from.url.hostname === url.hostname
      if (sameHost || isListedHost(absolute, url, options.allowHosts)) return { admitted: true, url, listed: true }
      if (from === undefined && isPlaceholder(url)) return { admitted: false, reason: 'placeholder' }
      const literal = isLiteral(url.hostname)
      if (literal ? !isPublicLiteral(url.hostname) : isPrivateName(url.hostname)) {
        return block('private_address')
      }
      if (!PUBLIC_PORTS.includes(url.port)) return block('port')
      return { admitted: true, url, listed: false }
    },
    async send(admission, request) {
      const directAgents = admission.listed ? listedAgents : publicAgents
      try {
        return await exchange({ ...request, url: admission.url, directAgents, keepPartial: 'any' })
      } catch (error) {
        if (error instanceof ExchangeError && error.code === NOT_PUBLIC) options.onBlocked?.('private_address')
        throw error
      }
    },
  }
}

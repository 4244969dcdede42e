import { ExchangeError } from './http/exchange.ts'
import { isListedHost, isLiteral, isPrivateName, isPublicLiteral } from './links/address.ts'
import { createGuard, NOT_PUBLIC, type Resolve } from './links/guard.ts'

const TIMEOUT_MS = 10_000
const MAX_REPLY_BYTES = 4096

/** Sends messages to addresses that an operator entered. */
export interface WebhookSender {
  /** What is wrong with an address, as the end of a sentence about it; undefined for one that may be used. */
  findProblem(address: string): string | undefined
  /** Why a message was not accepted; undefined if it was. Redirects are not followed. */
  post(message: WebhookMessage, signal: AbortSignal): Promise<string | undefined>
}

export interface WebhookMessage {
  address: string
  body: string
  headers: Record<string, string>
}

/** @param options.hosts private or unlisted hosts that the operator allows, as in `webhookHosts` of the settings */
export function createWebhookSender(options: {
  hosts: readonly string[]
  resolve?: Resolve
  timeoutMs?: number
}): WebhookSender {
  const { timeoutMs: totalMs = TIMEOUT_MS } = options
  const guard = createGuard({
    allowHosts: options.hosts,
    ...(options.resolve === undefined ? {} : { resolve: options.resolve }),
  })
  const findProblem = (address: string) => {
    const problem = examine(address, options.hosts)
    return typeof problem === 'string' ? problem : undefined
  }
  return {
    findProblem,
    post: async ({ address, body, headers }, signal) => {
      const admitted = examine(address, options.hosts)
      if (typeof admitted === 'string') return admitted
      const request = { method: 'POST', headers, body, totalMs, maxBytes: MAX_REPLY_BYTES, signal } as const
      try {
        const { status } = await guard.send({ admitted: true, ...admitted }, request)
        if (status >= 200 && status <= 299) return undefined
        return status >= 300 && status <= 399
          ? `answered ${status}, a redirect, which is not followed`
          : `answered ${status}`
      } catch (error) {
        if (!(error instanceof ExchangeError)) throw error
        if (error.code === NOT_PUBLIC) return PRIVATE
        if (error.kind === 'proxy') return `could not be reached: ${error.message}`
        return error.kind === 'timeout' ? 'did not answer in time' : `could not be reached (${error.code})`
      }
    },
  }
}

const PRIVATE = 'is private; name its host in webhookHosts of config.json to allow it.'

function examine(address: string, hosts: readonly string[]): { url: URL; listed: boolean } | string {
  const url = URL.parse(address)
  if (url === null) return 'is not a URL; write one such as https://hooks.example.com/assay.'
  const isPrivate = isLiteral(url.hostname) ? !isPublicLiteral(url.hostname) : isPrivateName(url.hostname)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isPrivate)) return 'must begin with https://.'
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password.'
  const listed = isListedHost(address, url, hosts)
  return isPrivate && !listed ? PRIVATE : { url, listed }
}

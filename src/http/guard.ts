import type { MiddlewareHandler } from 'hono'
import { AppError } from '../kernel/errors.ts'
import { isConsolePage } from './console.ts'

const loopbackNames = ['localhost', '127.0.0.1', '[::1]']

export interface GuardOptions {
  /** Host names accepted besides loopback, with any port. */
  hosts: readonly string[]
  /** The URL by which clients reach this server through a proxy. */
  publicUrl?: string | undefined
}

/** Security headers of every response: no caching, no framing, no MIME sniffing, no cross-origin reads. */
const safety: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
}

export function addSafety(response: Response): Response {
  const isImmutable = response.headers.get('cache-control')?.includes('immutable') === true
  for (const [name, value] of Object.entries(safety)) {
    if (name !== 'cache-control' || !isImmutable) response.headers.set(name, value)
  }
  return response
}

/**
 * Rejects requests not meant for this server: a foreign `Host` (DNS rebinding), a foreign `Origin`, or a cross-site
 * request according to the browser, except a link followed to the console.
 */
export function guard({ hosts, publicUrl }: GuardOptions): MiddlewareHandler {
  const open = publicUrl === undefined ? undefined : new URL(publicUrl)
  const names = new Set([...loopbackNames, ...hosts, ...(open === undefined ? [] : [open.hostname])].map(toLower))
  const parse = (address: string): URL | undefined => {
    const url = URL.parse(address)
    return url?.username === '' && url.password === '' && names.has(toLower(url.hostname)) ? url : undefined
  }
  /** Origins on this machine or the public URL; a page on another port is rejected by its Sec-Fetch-Site header. */
  const isOwn = (origin: string) => {
    const url = parse(origin)
    return url !== undefined && (url.origin === open?.origin || url.protocol === 'http:')
  }
  return async (c, next) => {
    const written = c.req.header('host') ?? ''
    const host = /^[^\s/@\\?#,]+$/.test(written) ? parse(`http://${written}`) : undefined
    if (host === undefined || parse(c.req.url) === undefined) {
      throw refuse(
        'host_not_allowed',
        'The Host header does not name this server; use the address that it printed when it started.',
      )
    }
    const origin = c.req.header('origin')
    if (origin !== undefined && !isOwn(origin)) {
      throw refuse('origin_not_allowed', 'Requests from pages of other sites are refused.')
    }
    const site = c.req.header('sec-fetch-site') ?? 'none'
    const isLink =
      c.req.method === 'GET' &&
      c.req.header('sec-fetch-mode') === 'navigate' &&
      c.req.header('sec-fetch-dest') === 'document' &&
      isConsolePage(c.req.path)
    if (site !== 'none' && site !== 'same-origin' && !isLink) {
      throw refuse('cross_site', 'Requests from pages of other sites are refused.')
    }
    await next()
    addSafety(c.res)
  }
}

const toLower = (text: string) => text.toLowerCase()
const refuse = (reason: string, message: string) => new AppError('forbidden', message, { reason })

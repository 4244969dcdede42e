import type { MiddlewareHandler } from 'hono'
import { AppError } from '../kernel/errors.ts'

const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]'])

/** The host names that requests may carry, whatever the port. */
export interface GuardOptions {
  hosts: readonly string[]
}

/**
 * Refuses requests that were not meant for this server: a foreign `Host` (a name that was re-pointed at loopback) or a
 * foreign `Origin` (a page of another site in the person's browser).
 */
export function guard({ hosts }: GuardOptions): MiddlewareHandler {
  const allowed = new Set([...loopbackNames, ...hosts.map((host) => host.toLowerCase())])
  const isAllowed = (address: string) => {
    try {
      const { hostname, username, password } = new URL(address)
      return username === '' && password === '' && allowed.has(hostname.toLowerCase())
    } catch {
      return false
    }
  }
  return async (c, next) => {
    const host = c.req.header('host')
    if (host === undefined || !/^[^\s/@\\]+$/.test(host) || !isAllowed(`http://${host}`)) {
      throw new AppError(
        'forbidden',
        'The Host header does not name this server; use the address that it printed at start.',
        {
          reason: 'host_not_allowed',
        },
      )
    }
    const origin = c.req.header('origin')
    if (origin !== undefined && !isAllowed(origin)) {
      throw new AppError('forbidden', 'Requests from pages of other sites are refused.', {
        reason: 'origin_not_allowed',
      })
    }
    await next()
    c.res.headers.set('x-content-type-options', 'nosniff')
    c.res.headers.set('cache-control', 'no-store')
  }
}

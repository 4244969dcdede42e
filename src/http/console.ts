import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { Hono } from 'hono'
import { AppError } from '../kernel/errors.ts'
import { inventHistory } from '../sample/history.ts'
import type { AppEnv } from './routes.ts'

/** Where the console lives; unknown paths below show its page, whose script reads the rest of the address. */
export const CONSOLE_PATH = '/console/'

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/** Headers of every page: scripts, styles and requests come from and go to this server only. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
}

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
}

export const typeOf = (name: string): string => types[name.slice(name.lastIndexOf('.') + 1)] ?? 'text/plain'

/** True for what a link on any site may open: the page of the console holds no data, and opening it changes nothing. */
export const isConsolePage = (path: string): boolean =>
  path === '/' || path === CONSOLE_PATH.slice(0, -1) || path.startsWith(CONSOLE_PATH)

/** Serves the built console of `folder`, whose files are read when they are asked for, and invented findings to try it with. */
export function addConsole(app: Hono<AppEnv>, folder: URL): void {
  const files = new Set(existsSync(folder) ? readdirSync(folder) : [])
  if (!files.has('index.html')) return
  const read = (name: string) => new Uint8Array(readFileSync(new URL(name, folder)))
  app.get(`${CONSOLE_PATH}demo.ndjson`, (c) => {
    const lines = Array.from(inventHistory(Date.now()), (finding) => `${JSON.stringify(finding)}\n`)
    return c.body(lines.join(''), 200, { 'content-type': 'application/x-ndjson' })
  })
  app.get(`${CONSOLE_PATH}*`, (c) => {
    const name = c.req.path.slice(CONSOLE_PATH.length)
    const type = types[name.slice(name.lastIndexOf('.') + 1)]
    if (!name.includes('/') && type !== undefined) {
      if (!files.has(name)) throw new AppError('not_found', 'This file does not exist; reload the console.')
      const zipped = files.has(`${name}.gz`) && /\bgzip\b/.test(c.req.header('accept-encoding') ?? '')
      return c.body(read(zipped ? `${name}.gz` : name), 200, {
        'content-type': type,
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'accept-encoding',
        ...(zipped ? { 'content-encoding': 'gzip' } : {}),
      })
    }
    return c.body(read('index.html'), 200, pageHeaders)
  })
}

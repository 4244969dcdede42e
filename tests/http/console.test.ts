import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addConsole } from '../../src/http/console.ts'
import { guard } from '../../src/http/guard.ts'
import type { AppEnv } from '../../src/http/routes.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-console-'))
const app = new Hono<AppEnv>({ strict: false })
app.use('*', guard({ hosts: [] }))
app.onError((error, c) => c.text(error.message, 403))
const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  app.request(`http://127.0.0.1:7411${path}`, { method, headers: { host: '127.0.0.1:7411', ...headers } })

beforeAll(() => {
  writeFileSync(join(folder, 'index.html'), '<!doctype html><p>shell')
  writeFileSync(join(folder, 'console-ABC.js'), 'run()')
  writeFileSync(join(folder, 'console-ABC.js.gz'), gzipSync('run()'))
  // Files are listed once, so the console is added after they exist.
  addConsole(app, pathToFileURL(`${folder}/`))
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('the console', () => {
  test.each(['/console', '/console/', '/console/findings', '/console/metrics/open-findings'])(
    'is served at %s',
    async (path) => {
      const response = await ask(path)
      expect(response.status).toBe(200)
      expect(await response.text()).toContain('shell')
      expect(response.headers.get('content-security-policy')).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
      )
      expect(response.headers.get('cross-origin-opener-policy')).toBe('same-origin')
      expect(response.headers.get('cache-control')).toBe('no-store')
    },
  )

  test('has immutable files, which are compressed for clients that accept it', async () => {
    const plain = await ask('/console/console-ABC.js')
    expect(await plain.text()).toBe('run()')
    expect(plain.headers.get('cache-control')).toContain('immutable')
    expect(plain.headers.get('x-content-type-options')).toBe('nosniff')
    const zipped = await ask('/console/console-ABC.js', { 'accept-encoding': 'gzip, br' })
    expect(zipped.headers.get('content-encoding')).toBe('gzip')
  })

  test.each(['/console/other.js', '/console/..%2fpackage.json.js'])('does not serve %s as a file', async (path) => {
    expect((await ask(path)).status).not.toBe(200)
  })
})

const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }

describe('a link on another site', () => {
  test('opens the page of the console', async () => {
    expect((await ask('/console/explore?severity=HIGH', link)).status).toBe(200)
  })

  test.each([
    ['a fetch', { ...link, 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }],
    ['a frame', { ...link, 'sec-fetch-dest': 'iframe' }],
    ['another host', { ...link, host: 'evil.example' }],
  ])('does not open it for %s', async (_, headers) => {
    expect((await ask('/console/', headers)).status).not.toBe(200)
  })

  test('opens nothing else and sends no data', async () => {
    expect((await ask('/findings', link)).status).not.toBe(404)
    expect((await ask('/findings', link)).status).not.toBe(200)
    expect((await ask('/console/', link, 'POST')).status).not.toBe(200)
  })
})

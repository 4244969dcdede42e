import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createHttpClient } from '../../src/connectors/http/transport.ts'
import { createLinkChecker } from '../../src/connectors/links/checker.ts'
import { silentLog } from '../../src/runtime/log.ts'

/**
 * A certificate for loopback that nobody vouches for, and the key to it; good until 2126, for nothing but this test.
 */
const certificate = [
  'MIIBnDCCAUGgAwIBAgIUZRR62B3hEUj/zdwHmpKP5MXBoBAwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2',
  'MTEyMTE4Mzk0M1oYDzIxMjYxMDI4MTgzOTQzWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC',
  'AARYU1U1rg6Rhdel88vbTnW+JU+ma9r2WYxu5XUCxJxi2XPEdMBmeTweg+4kKAMm7ui8zaw0zx+bSk81/e4MX1GQo28wbTAdBgNV',
  'HQ4EFgQUXhAdZA1gej3k5XcmYR6Q+ohx3s8wHwYDVR0jBBgwFoAUXhAdZA1gej3k5XcmYR6Q+ohx3s8wDwYDVR0TAQH/BAUwAwEB',
  '/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZIzj0EAwIDSQAwRgIhAPkGo9ih+LHzOrBX1JJByg6wIF7RNsK4VvYT',
  'TGe1aumMAiEA3J0IlroqM6eRBD8wd3dAwPFqUKn8C2U9pYTvwAtHP0k=',
].join('')
const key = [
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgDR5PLpLdF/wct8njaVr4NVjA3MrhZfxmYn/tZ7rLKMWhRANCAARY',
  'U1U1rg6Rhdel88vbTnW+JU+ma9r2WYxu5XUCxJxi2XPEdMBmeTweg+4kKAMm7ui8zaw0zx+bSk81/e4MX1GQ',
].join('')
const pem = (kind: string, body: string) => `-----BEGIN ${kind}-----\n${body}\n-----END ${kind}-----\n`

let asked = 0
const server = createServer(
  { cert: pem('CERTIFICATE', certificate), key: pem('PRIVATE KEY', key) },
  (_request, response) => {
    asked += 1
    response.end('{}')
  },
)
let port: number
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  port = (server.address() as AddressInfo).port
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
const { signal } = new AbortController()

it('a tenant without a valid certificate is sent no request and no credential', async () => {
  const client = createHttpClient({
    ...{ origin: `https://127.0.0.1:${port}`, authorize: async () => 'Bearer top-secret', timeoutMs: 10_000 },
    ...{ maxRetries: 0, minGapMs: 0, concurrency: 1, signal, log: silentLog, now: Date.now },
  })
  await expect(client.json({ path: '/x' })).rejects.toMatchObject({ facts: { reason: 'network' } })
  expect(asked).toBe(0)
})

it('a link to a host without a valid certificate is reported', async () => {
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
  const cache = { find: () => undefined, save: () => {} }
  const checker = createLinkChecker({ allowHosts: ['shop.lan'], resolve, cache, signal, log: silentLog, now: Date.now })
  expect(await checker.check(`https://shop.lan:${port}/`)).toMatchObject({ state: 'broken', findingType: 'TLS_ERROR' })
  expect(asked).toBe(0)
})

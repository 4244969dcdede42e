import dns from 'node:dns'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { direct } from '../../../src/connectors/http/agents.ts'
import { wikiConnector } from '../../../src/connectors/wiki/index.ts'
import { certificateFile } from '../../watches/receiver.ts'
import { accountEmail, apiToken, cloudId, openWiki } from './support.ts'

const gateway = 'https://api.atlassian.com'
const key = readFileSync(new URL('../../watches/receiver-key.pem', import.meta.url))

afterEach(() => {
  vi.restoreAllMocks()
  direct.https.options.rejectUnauthorized = true
})

/** A site on another host, which refuses tokens and has the tenant id of a site of the platform. */
async function startSite(location?: string) {
  const authorized: string[] = []
  const server = createServer({ key, cert: readFileSync(certificateFile) }, (request, response) => {
    if (request.headers.authorization !== undefined) authorized.push(request.headers.host ?? '')
    const isTenant = request.url === '/_edge/tenant_info'
    const moved = location !== undefined && !isTenant
    response.writeHead(isTenant ? 200 : moved ? 302 : 401, {
      'content-type': 'application/json',
      ...(moved ? { location } : {}),
    })
    response.end(isTenant ? JSON.stringify({ cloudId }) : '{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { port, authorized, close: () => server.close() }
}

test.each<[string, string | undefined]>([
  ['refuses it', undefined],
  ['redirects to the gateway', `${gateway}/ex/confluence/${cloudId}/wiki`],
])('the token for a site elsewhere is sent to no other host where that %s', async (_name, location) => {
  const site = await startSite(location)
  const asked = new Set<string>()
  direct.https.options.rejectUnauthorized = false
  vi.spyOn(dns, 'lookup').mockImplementation(((
    host: string,
    _options: unknown,
    done: (error: null, found: { address: string; family: number }[]) => void,
  ) => {
    asked.add(host)
    done(null, [{ address: '127.0.0.1', family: 4 }])
  }) as unknown as typeof dns.lookup)
  const address = `https://wiki.acme.example:${site.port}`
  await expect(openWiki(address).scopes()).rejects.toThrow()
  site.close()
  expect([...asked]).toEqual(['wiki.acme.example'])
  expect(new Set(site.authorized)).toEqual(new Set([`wiki.acme.example:${site.port}`]))
})

test.each([
  ['https://acme.atlassian.net', true],
  ['https://ACME.atlassian.net/wiki', true],
  ['https://%61cme.atlassian.net', true],
  ['https://acme.atlassian.net.', false],
  ['https://acme.atlassian.net:8443', false],
  ['https://acme.atlassian.net.evil.example', false],
  ['https://evilatlassian.net', false],
  ['https://atlassian.net', false],
  ['https://wiki.acme.example', false],
  ['https://[2001:db8::1]', false],
])('the token for %s may be sent to the gateway: %s', (base_url, expected) => {
  const config = wikiConnector.payload.parse({
    type: 'WIKI',
    required: { base_url, account_email: accountEmail },
    masked: { api_token: apiToken },
  })
  expect(wikiConnector.credentialOrigins(config).includes(gateway)).toBe(expected)
})

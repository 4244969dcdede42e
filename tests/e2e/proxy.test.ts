import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { sampleSourceConfigs } from '../../src/sample/tenants.ts'
import { startLoopback } from '../connectors/loopback.ts'
import { editPage } from '../sample/edits.ts'
import { type SampleTenants, startSampleTenants } from '../sample/servers.ts'
import { createSource, makeHome, runAssay, serveAssay } from '../support/assay.ts'
import { type Certificate, hasOpenssl, makeCertificate } from '../support/certificates.ts'
import { type ForwardProxy, startForwardProxy } from '../support/forward-proxy.ts'

const names = {
  site: 'assay-test.atlassian.net',
  media: 'media.assay-test.atlassian.com',
  api: 'api.assay-test-bi.com',
  authority: 'login.assay-test-bi.com',
  links: 'links.assay-test-pages.com',
  hooks: 'hooks.assay-test-alerts.com',
  issuer: 'issuer.assay-test-people.com',
}

/** Only the proxy knows where these names lead, and only these tests know the authority of its certificate. */
describe.skipIf(!hasOpenssl)('behind a forward proxy that opens TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-proxy-'))
  const lookups = join(folder, 'lookups')
  const { home, remove } = makeHome()
  const hosts: Record<string, number> = {}
  let tenants: SampleTenants
  let proxy: ForwardProxy
  let authority: Certificate
  let env: NodeJS.ProcessEnv
  const shown: string[] = []
  const run = async (args: string[], more: NodeJS.ProcessEnv = {}, stdin = '') => {
    const ran = await runAssay(args, { home, env: { ...env, ...more }, stdin })
    shown.push(ran.stdout, ran.stderr)
    return ran
  }
  const nodeProxies = () => ({ NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy.address })
  const passedTo = (host: string) => proxy.passed.filter((each) => each.includes(` https://${host}/`))

  beforeAll(async () => {
    authority = makeCertificate(join(folder, 'authority'), ['DNS:authority'])
    const certified = Object.values(names).map((name) => `DNS:${name}`)
    const certificate = makeCertificate(join(folder, 'proxy'), certified, authority)
    tenants = await startSampleTenants()
    const { wiki, bi } = tenants
    const portOf = (url: string) => Number(new URL(url).port)
    Object.assign(hosts, {
      ...{ [names.site]: wiki.port, [names.media]: portOf(wiki.mediaUrl) },
      ...{ [names.api]: bi.port, [names.authority]: bi.authorityPort },
    })
    proxy = await startForwardProxy({ hosts, certificate, credentials: 'ana:top@secret' })
    env = {
      ...{ HTTPS_PROXY: proxy.address.replace('//', '//ana:top%40secret@'), HTTP_PROXY: proxy.place },
      ...{ https_proxy: '', http_proxy: '', NO_PROXY: '', no_proxy: '', ALL_PROXY: '', all_proxy: '' },
      ...{ NODE_EXTRA_CA_CERTS: authority.certificateFile, SSL_CERT_FILE: '', SSL_CERT_DIR: '' },
      LOOKUPS_FILE: lookups,
      NODE_OPTIONS: `--import=${new URL('../support/no-lookups.mjs', import.meta.url).href}`,
    }
    const [page = ''] = wiki.tenant.pages.keys()
    const toLink = (path: string) => `<p><a href="https://${names.links}${path}">link</a></p>`
    editPage(wiki.tenant, page, { body: ['/fine', '/gone', '/moved'].map(toLink).join('') })
    const [wikiUrl, biUrl, authorityUrl] = [names.site, names.api, names.authority].map((name) => `https://${name}`)
    const sources = sampleSourceConfigs({
      wikiUrl: wikiUrl ?? '',
      biUrl: biUrl ?? '',
      authorityUrl: authorityUrl ?? '',
    })
    for (const source of Object.values(sources)) await createSource(home, source)
  }, 60_000)
  afterAll(async () => {
    await Promise.all([proxy.close(), tenants.close()])
    remove()
    rmSync(folder, { recursive: true })
  })

  it('scans both tenants and checks links', async () => {
    const pages = await startLoopback(({ url }, response) => {
      if (url === '/moved') response.writeHead(302, { location: `https://${names.links}/fine` })
      else response.writeHead(url === '/fine' ? 200 : 404)
      response.end()
    })
    hosts[names.links] = pages.port
    for (const source of ['sample-wiki', 'sample-bi']) expect((await run(['scan', source])).code).toBe(0)
    const { stdout } = await run(['call', 'search_findings', '{"detectorTypes":["BROKEN_LINKS"],"limit":100}'])
    expect(stdout).toContain(`${names.links}/gone`)
    expect(stdout).not.toMatch(/\/fine|\/moved/)
    for (const host of [names.site, names.media, names.api, names.authority, names.links]) {
      expect([host, passedTo(host).length > 0]).toEqual([host, true])
    }
    expect(tenants.wiki.requests.length + tenants.bi.requests.length + pages.seen.length).toBe(proxy.passed.length)
    // Tunnels are used again.
    expect(proxy.asked.length).toBeLessThan(proxy.passed.length / 3)
  }, 120_000)

  it('sends webhooks, and fetches the keys of the identity provider', async () => {
    const hooks = await startLoopback((_request, response) => response.end())
    const people = await startLoopback((_request, response) => response.writeHead(404).end())
    Object.assign(hosts, { [names.hooks]: hooks.port, [names.issuer]: people.port })
    const deliver = [{ type: 'webhook', url: `https://${names.hooks}/assay`, format: 'json', secret: 'key' }]
    const watch = { slug: 'w', displayName: 'W', metricSlug: 'total-findings', condition: { kind: 'above', value: 0 } }
    expect((await run(['call', 'create_watch', '-'], {}, JSON.stringify({ ...watch, deliver }))).code).toBe(0)
    const issuer = { ASSAY_OIDC_ISSUER: `https://${names.issuer}`, ASSAY_OIDC_AUDIENCE: 'assay' }
    const serving = await serveAssay(home, ['--log-level', 'debug'], { ...env, ...issuer })
    serving.child.stderr?.on('data', (text: string) => shown.push(text))
    try {
      await vi.waitFor(() => expect(hooks.seen).toHaveLength(1), { timeout: 30_000, interval: 50 })
      expect(passedTo(names.hooks)).toEqual([`POST https://${names.hooks}/assay`])
      expect(passedTo(names.issuer)).toContain(`GET https://${names.issuer}/.well-known/openid-configuration`)
      const { length } = proxy.asked
      const own = { ...nodeProxies(), ASSAY_PORT: new URL(serving.url).port }
      const console = await run(['console', '--print'], own)
      expect([console.code, proxy.asked.slice(length)]).toEqual([0, []])
    } finally {
      await serving.stop()
    }
  }, 60_000)

  it('says through which proxy a host is reached, and reaches loopback without one', async () => {
    const tested = await run(['sources', 'test', 'sample-wiki'])
    expect(tested).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`${names.site} is reached through ${proxy.place}`),
    })
    await createSource(home, { config: {}, ...tenants.sources[0], name: 'own' })
    const before = proxy.asked.length
    const own = await run(['sources', 'test', 'own'], nodeProxies())
    expect([own.code, own.stdout.includes('through'), proxy.asked.length]).toEqual([0, false, before])
    const { stdout } = await run(['doctor'])
    expect(stdout).toContain(`https addresses are requested through ${proxy.place}`)
    expect(stdout).toContain(`${names.authority} is reached through ${proxy.place}`)
  }, 60_000)

  it('trusts the certificates of the system, and none of another authority', async () => {
    const own = { NODE_EXTRA_CA_CERTS: '', SSL_CERT_FILE: authority.certificateFile }
    expect((await run(['sources', 'test', 'sample-wiki'], own)).code).toBe(process.platform === 'linux' ? 0 : 1)
    const { code, stdout } = await run(['sources', 'test', 'sample-bi'], { NODE_EXTRA_CA_CERTS: '' })
    expect(code).toBe(1)
    expect(stdout).toMatch(/is not trusted \(\w+\); if a proxy opens TLS, add .* NODE_EXTRA_CA_CERTS\./)
  }, 60_000)

  it('reads config.json where the environment has no proxy, and tells faults of the proxy from those of a tenant', async () => {
    const config = join(home, 'config.json')
    writeFileSync(config, JSON.stringify({ proxy: { https: env.HTTPS_PROXY } }))
    const none = { HTTPS_PROXY: '', HTTP_PROXY: '' }
    expect((await run(['sources', 'test', 'sample-wiki'], none)).code).toBe(0)
    const refused = await run(['sources', 'test', 'sample-wiki'], { HTTPS_PROXY: `http://ana:wrong@${proxy.place}` })
    expect(refused.stdout).toMatch(
      /does not accept the user name and password in its address \(407\).*\n +→ See HTTPS_PROXY/,
    )
    const { [names.site]: port } = hosts
    delete hosts[names.site]
    const gone = await run(['sources', 'test', 'sample-wiki'], none)
    expect(gone.stdout).toMatch(/could not connect to this host \(502\)/)
    hosts[names.site] = port ?? 0
    writeFileSync(config, '{ "proxy": { "https": "socks5://ana:top@secret@a:1" } }')
    const wrong = await run(['sources', 'test', 'sample-wiki'])
    expect(wrong).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/proxy\.https in config\.json in the data folder must begin/),
    })
    rmSync(config)
  }, 90_000)

  it('looks no name up, and keeps and shows no password', () => {
    // The doctor looks this one up itself.
    expect(new Set(readFileSync(lookups, 'utf8').trim().split('\n'))).toEqual(new Set(['localhost']))
    const logs = join(home, 'logs')
    const written = readdirSync(logs).map((name) => readFileSync(join(logs, name), 'utf8'))
    expect(written.join('').length).toBeGreaterThan(0)
    const password = /top(?:@|%40)secret|ana:|YW5hOn/
    expect([...shown, ...written].filter((text) => password.test(text))).toEqual([])
  })
})

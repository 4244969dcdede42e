import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sampleCredentials } from '../../src/sample/credentials.ts'
import type { Source } from '../../src/sources/model.ts'
import { findSourceById } from '../../src/sources/sources.store.ts'
import { guid, payloadFor, refuse, startFakeBi, TENANT } from '../connectors/bi/fake.ts'
import { type Loopback, startLoopback } from '../connectors/loopback.ts'
import { cloudId, pageOf, startWiki, stopWikis } from '../connectors/wiki/support.ts'
import type { SampleWiki } from '../sample/servers.ts'
import { createWikiSource, openPlatformBench } from '../scans/platform.ts'
import type { Workbench } from '../scans/workbench.ts'

let bench: Workbench
let wiki: SampleWiki
let canary: Loopback

beforeEach(async () => {
  bench = openPlatformBench()
  wiki = await startWiki({ pages: [pageOf('10')] })
  canary = await startLoopback((_request, response) => response.end('{}'))
  await createWikiSource(bench, wiki.url)
})
afterEach(async () => {
  await bench.close()
  await stopWikis()
})

const update = (config: Record<string, unknown>) => bench.run<Source>('update_source', { id: 'fake', config })
const outcomeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'taken',
    (error: { code?: string; facts?: { reason?: string } }) => error.facts?.reason ?? error.code ?? 'unknown',
  )

/** Ways to write an address: OWN and OTHER stand for the ports of the tenant and of the canary. */
const elsewhere = [
  'http://127.0.0.1:OTHER',
  'http://127.0.0.1:OTHER/',
  'http://127.0.0.1:OTHER/wiki',
  'http://127.0.0.1:OTHER/wiki/',
  'HTTP://127.0.0.1:OTHER',
  'http://127.0.0.1:0OTHER',
  'http://localhost:OTHER',
  'http://LOCALHOST:OTHER',
  'http://localhost.:OTHER',
  'http://x.localhost:OTHER',
  'http://127.1:OTHER',
  'http://127.0.1:OTHER',
  'http://2130706433:OTHER',
  'http://0x7f000001:OTHER',
  'http://0x7f.1:OTHER',
  'http://0177.0.0.1:OTHER',
  'http://127.0.0.1.:OTHER',
  'http://127.0.0.2:OTHER',
  'http://[::1]:OTHER',
  'http://[::ffff:127.0.0.1]:OTHER',
  'http://①②⑦.0.0.1:OTHER',
  'http://127。0。0。1:OTHER',
  'http://%31%32%37.0.0.1:OTHER',
  'http:\\\\127.0.0.1:OTHER\\',
  'http:/127.0.0.1:OTHER',
  'http:127.0.0.1:OTHER',
  ' http://127.0.0.1:OTHER ',
  'http://127.0.0.1:OWN@127.0.0.1:OTHER',
  'http://user:pw@127.0.0.1:OTHER',
  'http://@127.0.0.1:OTHER',
  'http://127.0.0.1:OTHER#@127.0.0.1:OWN',
  'http://127.0.0.1:OTHER?@127.0.0.1:OWN',
  'http://127.0.0.1:OTHER/@127.0.0.1:OWN',
  'http://127.0.0.1:OTHER/ex/confluence/CLOUD/wiki',
  'https://127.0.0.1:OTHER',
  'https://127.0.0.1:OWN',
  'http://127.0.0.1',
  'https://wiki.example.com',
  'https://wıki.example.com',
  'https://xn--wki-nza.example.com',
  'http://localhost:OWN',
  'http://127.0.0.2:OWN',
  '//127.0.0.1:OTHER',
  'http://127.0.0.1:OWN/../../127.0.0.1:OTHER',
  'http://127.0.0.1:OWN\\@127.0.0.1:OTHER',
]

/** The same origin, whatever the spelling: nothing has to be entered again, and nothing goes elsewhere. */
const same = [
  'http://127.0.0.1:OWN/',
  'http://127.0.0.1:OWN/wiki',
  'HTTP://127.0.0.1:OWN',
  'http://127.0.0.1:0OWN',
  'http://127.1:OWN',
  'http://2130706433:OWN',
  'http://127.0.0.1:OWN/x/..',
  'http://127.0.0.1:OWN/ex/confluence/CLOUD/wiki',
]

const toAddress = (written: string) =>
  written.replaceAll('OWN', String(wiki.port)).replaceAll('OTHER', String(canary.port)).replaceAll('CLOUD', cloudId)

describe('an address that is changed without its credential', () => {
  it('is tested with at least forty addresses', () => expect(elsewhere.length + same.length).toBeGreaterThanOrEqual(40))

  it('is refused in any spelling, and nothing is sent', async () => {
    const taken: string[] = []
    for (const written of elsewhere) {
      const required = { account_email: sampleCredentials.accountEmail, base_url: toAddress(written) }
      const outcome = await outcomeOf(update({ required }))
      if (!['secret_required', 'invalid_input'].includes(outcome)) taken.push(`${written}: ${outcome}`)
      await bench.run('test_source', { id: 'fake' })
    }
    expect(taken).toEqual([])
    expect(canary.seen).toEqual([])
    expect(await bench.scan()).toMatchObject({ status: 'COMPLETED' })
  }, 180_000)

  it('keeps the secret if only its spelling changes', async () => {
    for (const written of same) {
      expect([written, await outcomeOf(update({ required: { base_url: toAddress(written) } }))]).toEqual([
        written,
        'taken',
      ])
      const { steps } = await bench.run<{ steps: { status: string }[] }>('test_source', { id: 'fake' })
      expect(steps.filter(({ status }) => status === 'failed' || status === 'denied')).toEqual([])
    }
    expect(canary.seen).toEqual([])
  })

  it('is accepted with its credential', async () => {
    const required = { base_url: toAddress('http://127.0.0.1:OTHER') }
    expect(await outcomeOf(update({ required, masked: { api_token: 'another' } }))).toBe('taken')
    await bench.run('test_source', { id: 'fake' })
    const sent = canary.seen.flatMap(({ headers }) => headers.authorization ?? [])
    expect(sent.length).toBeGreaterThan(0)
    for (const header of sent) {
      expect(Buffer.from(header.replace('Basic ', ''), 'base64').toString()).not.toContain(sampleCredentials.apiToken)
    }
  })

  it.each(['GET /groups', 'POST token'])('is not followed where %s of a BI platform redirects to it', async (route) => {
    const location = `${canary.origin}/v1.0/myorg/groups`
    const fake = await startFakeBi({ 'GET /groups': [], [route]: refuse(307, {}, { location }) })
    await bench.run('create_source', { name: 'bi', config: { ...payloadFor(fake), detectors: [] } })
    await bench.run('test_source', { id: 'bi' })
    expect(fake.seen.length).toBeGreaterThan(0)
    expect(canary.seen).toEqual([])
  })

  it.each(['api_base_url', 'authority_url'])('is refused for %s of a BI platform', async (member) => {
    const fake = await startFakeBi({ 'GET /groups': [{ id: guid('a', 1), name: 'Finance' }] })
    await bench.run('create_source', { name: 'bi', config: { ...payloadFor(fake), detectors: [] } })
    const connection = { [member]: canary.origin }
    const change = bench.run('update_source', { id: 'bi', config: { optional: { connection } } })
    expect(await outcomeOf(change)).toBe('secret_required')
    await bench.run('test_source', { id: 'bi' })
    expect(canary.seen).toEqual([])
  })
})

describe('the stored id of a tenant', () => {
  const tenantOf = (name: string) =>
    bench.store.read((reader) => {
      const row = reader.prepare('SELECT id FROM source WHERE name = ?').get(name) as { id: number }
      return findSourceById(reader, row.id)?.tenantId
    })

  it('is deleted when the address changes, and kept otherwise', async () => {
    await bench.scan()
    expect(tenantOf('fake')).toBe(cloudId)
    await update({ optional: { content: { include_attachments: false } } })
    await update({ masked: { api_token: sampleCredentials.apiToken } })
    expect(tenantOf('fake')).toBe(cloudId)
    await update({ required: { base_url: canary.origin }, masked: { api_token: 'another' } })
    expect(tenantOf('fake')).toBeNull()
  })

  it('is deleted when the id of the directory changes', async () => {
    const fake = await startFakeBi({
      'GET /groups': [{ id: guid('a', 1), name: 'Finance' }],
      'GET /groups/*/datasets': [],
      'GET /groups/*/reports': [],
      'GET /groups/*/dashboards': [],
      'POST /admin/workspaces/getInfo': refuse(403),
    })
    const payload = payloadFor(fake)
    await bench.run('create_source', { name: 'bi', config: { ...payload, detectors: [] } })
    await bench.scan('bi')
    expect(tenantOf('bi')).toBe(TENANT)
    const required = { ...(payload.required as object), tenant_id: guid('9', 9) }
    await bench.run('update_source', { id: 'bi', config: { required } })
    expect(tenantOf('bi')).toBeNull()
    await bench.scan('bi')
    expect(tenantOf('bi')).toBe(guid('9', 9))
  })
})

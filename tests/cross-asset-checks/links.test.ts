import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LinkDraft } from '../../src/connectors/connector.ts'
import type { Finding } from '../../src/findings/model.ts'
import { findingOperations } from '../../src/findings/operations.ts'
import type { Scan } from '../../src/scans/model.ts'
import { createTenant, type FakePage, type FakeTenant, refuse } from '../scans/fake-tenant.ts'
import { createFake, openWorkbench, type Workbench } from '../scans/workbench.ts'

let tenant: FakeTenant
let bench: Workbench
let server: Server
let asked: string[]
let answers: Record<string, number>

beforeEach(async () => {
  asked = []
  answers = {}
  server = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.statusCode = answers[request.url ?? ''] ?? 200
    response.end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  tenant = createTenant({ ENG: 0, OPS: 0 })
  bench = openWorkbench(tenant, { extra: findingOperations })
})
afterEach(async () => {
  await bench.close()
  await new Promise((resolve) => server.close(resolve))
})

const web = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`
const add = (space: string, page: FakePage) => {
  tenant.spaces.find(({ key }) => key === space)?.pages.push(page)
  return page
}
const page = (id: string, links: LinkDraft[], more: Partial<FakePage> = {}): FakePage => ({
  id,
  body: 'text',
  links,
  ...more,
})
const toTitle = (title: string, space: string, anchor?: string): LinkDraft => ({
  type: 'references',
  url: `${space}:${title}`,
  path: 'body',
  line: 4,
  column: 2,
  reference: { title, space, ...(anchor === undefined ? {} : { anchor }) },
})
const toId = (id: string, space?: string): LinkDraft => ({
  type: 'references',
  url: `/pages/${id}`,
  targetKey: `fake:page:${id}`,
  reference: { id, ...(space === undefined ? {} : { space }) },
})
const outward = (url: string): LinkDraft => ({ type: 'links_to', url, path: 'body' })
const space = (id: string) => page(id, [], { kind: 'wiki.space' })
const broken = async (statuses = ['OPEN']) =>
  (await bench.run<{ items: Finding[] }>('search_findings', { detectorTypes: ['BROKEN_LINKS'], statuses })).items.map(
    ({ findingType, excerpt, asset }) => `${asset.key.slice(10)} ${findingType} ${excerpt}`,
  )
const withLinks = (more: Record<string, unknown> = {}) =>
  createFake(bench, { detectors: [{ type: 'BROKEN_LINKS', config: { allowHosts: ['127.0.0.1'], ...more } }] })

describe('links inside the platform', () => {
  beforeEach(async () => {
    add('ENG', space('space-eng'))
    add('OPS', space('space-ops'))
    await withLinks()
  })

  it('are resolved by title, id and anchor', async () => {
    add('ENG', page('1', [], { title: 'Start Here', facts: { anchors: ['Setup'] } }))
    add(
      'OPS',
      page('2', [
        toTitle('Start here', 'ENG'),
        toTitle('Start Here', 'OPS'),
        toTitle('Start Here', 'ENG', 'Setup'),
        { ...toTitle('Start Here', 'ENG', 'Gone'), url: 'ENG:Start Here#Gone' },
        toId('1', 'ENG'),
        toId('77', 'ENG'),
      ]),
    )
    await bench.scan()
    expect((await broken()).sort()).toEqual([
      '2 ANCHOR_MISSING ENG:Start Here#Gone',
      '2 PAGE_MISSING /pages/77',
      '2 PAGE_MISSING OPS:Start Here',
    ])
  })

  it('are reported at their location, once for each address and page', async () => {
    add('ENG', page('1', [toTitle('Gone', 'ENG'), { ...toTitle('Gone', 'ENG'), line: 9 }]))
    await bench.scan()
    const { items } = await bench.run<{ items: Finding[] }>('search_findings')
    expect(items).toMatchObject([
      { category: 'LINK', severity: 'MEDIUM', confidence: 0.98, location: { path: 'body', line: 4, column: 2 } },
    ])
    expect(items).toHaveLength(1)
  })

  it('are resolved or re-opened when their target appears or disappears, although the page is unchanged', async () => {
    add('ENG', page('1', [toTitle('Later', 'ENG')]))
    await bench.scan()
    expect(await broken()).toHaveLength(1)
    const target = add('ENG', page('2', [], { title: 'Later' }))
    const scan = await bench.scan()
    expect(scan.progress.findings.resolved).toBe(1)
    expect(await broken()).toEqual([])
    const pages = tenant.spaces[0]?.pages ?? []
    pages.splice(pages.indexOf(target), 1)
    await bench.scan()
    await bench.scan()
    expect(await broken()).toHaveLength(1)
  })

  it('are not judged where the space could not be listed, is out of scope or is sampled', async () => {
    add('OPS', page('1', [toTitle('Gone', 'ENG'), toId('77', 'ENG'), toId('78'), toTitle('Gone', 'HR')]))
    tenant.onPage = (key) => {
      if (key === 'ENG') throw refuse('forbidden')
    }
    await bench.scan()
    expect(await broken()).toEqual([])
    delete tenant.onPage
    await bench.run('update_source', { id: 'fake', config: { optional: { spaces: ['OPS'] } } })
    await bench.scan()
    expect(await broken()).toEqual([])
    await bench.run('update_source', {
      id: 'fake',
      config: { optional: null, sampling: { strategy: 'LATEST', limit: 9 } },
    })
    await bench.scan()
    expect(await broken()).toEqual([])
  })

  it('keep their finding while the target is unknown', async () => {
    add('OPS', page('1', [toTitle('Gone', 'ENG')]))
    await bench.scan()
    tenant.onPage = (key) => {
      if (key === 'ENG') throw refuse('forbidden')
    }
    await bench.scan()
    expect(await broken()).toHaveLength(1)
  })

  it('are resolved when the link is removed', async () => {
    const source = add('ENG', page('1', [toTitle('Gone', 'ENG')]))
    await bench.scan()
    source.links = []
    await bench.scan()
    expect(await broken(['RESOLVED'])).toHaveLength(1)
  })

  it('to attachments are resolved on the page of the attachment', async () => {
    const attached = (id: string, to: string, filename: string): FakePage =>
      page(id, [{ type: 'attached_to', targetKey: `fake:page:${to}` }], {
        kind: 'wiki.attachment',
        facts: { filename },
      })
    const toFile = (filename: string, id: string): LinkDraft => ({
      type: 'references',
      url: filename,
      reference: { filename, id },
    })
    add('ENG', page('1', [toFile('plan.pdf', '1'), toFile('gone.pdf', '1'), toFile('other.pdf', '2')]))
    add('ENG', page('2', []))
    add('ENG', attached('a1', '1', 'plan.pdf'))
    add('ENG', attached('a2', '2', 'other.pdf'))
    await bench.scan()
    expect(await broken()).toEqual(['1 ATTACHMENT_MISSING gone.pdf'])
  })
})

describe('links to the web', () => {
  it('are requested once for all pages, and not again while the cached verdict is valid', async () => {
    answers['/gone'] = 404
    add('ENG', page('1', [outward(web('/gone')), outward(web('/fine'))]))
    add('OPS', page('2', [outward(web('/gone'))]))
    await withLinks()
    await bench.scan()
    expect((await broken()).sort()).toEqual([`1 HTTP_404 ${web('/gone')}`, `2 HTTP_404 ${web('/gone')}`])
    const before = asked.length
    await bench.scan()
    expect(asked).toHaveLength(before)
    expect(await broken()).toHaveLength(2)
    bench.clock.now += 8 * 86_400_000
    answers['/gone'] = 200
    await bench.scan()
    expect(asked.length).toBeGreaterThan(before)
    expect(await broken()).toEqual([])
  })

  it('keep their finding when the host blocks automated requests', async () => {
    answers['/x'] = 410
    add('ENG', page('1', [outward(web('/x'))]))
    await withLinks()
    await bench.scan()
    bench.clock.now += 8 * 86_400_000
    answers['/x'] = 403
    await bench.scan()
    expect(await broken()).toEqual([`1 HTTP_410 ${web('/x')}`])
  })

  it('are not requested if they contained a masked credential', async () => {
    add('ENG', page('1', [outward(web('/a?token=abcdef0123456789'))]))
    await withLinks()
    await bench.scan()
    expect(asked).toEqual([])
    expect(await broken()).toEqual([])
  })

  it('to private addresses are never requested unless configured', async () => {
    add('ENG', page('1', [outward(web('/private')), outward('http://169.254.169.254/latest')]))
    await withLinks({ allowHosts: [] })
    await bench.scan()
    expect(asked).toEqual([])
    expect(await broken()).toEqual([])
  })

  it('stop at once when the scan is cancelled', async () => {
    server.removeAllListeners('request')
    add('ENG', page('1', [outward(web('/hang'))]))
    await withLinks()
    const { id } = await bench.run<Scan>('start_scan', { id: 'fake' })
    await expect.poll(async () => (await bench.run<Scan>('get_scan', { id })).progress.scanned).toBe(1)
    const started = performance.now()
    await bench.run('cancel_scan', { id })
    await bench.queue.settled(id)
    expect(performance.now() - started).toBeLessThan(5000)
    expect(await bench.run('get_scan', { id })).toMatchObject({ status: 'CANCELLED' })
  })
})

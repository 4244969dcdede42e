import { afterEach, beforeEach, expect, it } from 'vitest'
import { brokenLinksCheck } from '../../src/cross-asset-checks/links.ts'
import { detectorDescriptions } from '../../src/detectors/descriptions.ts'
import { createFingerprinter } from '../../src/detectors/fingerprint.ts'
import { runRequest } from '../../src/detectors/request.ts'
import type { Finding } from '../../src/findings/model.ts'
import { findingOperations } from '../../src/findings/operations.ts'
import { MASK } from '../../src/kernel/redaction.ts'
import type { Detect } from '../../src/scans/cross-asset-check.ts'
import { contentOf } from '../support/new-store.ts'
import { createTenant, type FakePage, type FakeTenant, pluginsFor } from './fake-tenant.ts'
import { createFake, openWorkbench, type Workbench } from './workbench.ts'

const secret = 'tR7kQm2ZpW9xLb4'
const reporting = `The password: ${secret}`

let tenant: FakeTenant
let bench: Workbench
const fingerprint = createFingerprinter(new Uint8Array(32))
const detect: Detect = async (document, request) => runRequest(document, request, { fingerprint })

beforeEach(async () => {
  tenant = createTenant({ ENG: 0 })
  const plugins = { ...pluginsFor(tenant), detectors: detectorDescriptions }
  bench = openWorkbench(tenant, { extra: findingOperations, detect, plugins, estate: [brokenLinksCheck] })
  const detectors = [{ type: 'SECRETS' }, { type: 'PII' }, { type: 'BROKEN_LINKS' }]
  await createFake(bench, { detectors })
})
afterEach(() => bench.close())

const add = (page: FakePage) => {
  tenant.spaces[0]?.pages.push(page)
  return page
}
const listAssets = async () =>
  (await bench.run<{ items: { key: string; name: string; url: string; container: string }[] }>('list_assets')).items
const listTypes = async () =>
  (await bench.run<{ items: Finding[] }>('search_findings')).items.map(({ findingType }) => findingType)

it('what a page reports is masked in all its texts and in those of its parts, also while it is unchanged', async () => {
  add({ id: 'space', kind: 'wiki.space', title: 'Space ENG', body: 'About it' })
  add({
    id: '1',
    title: `Notes ${secret}`,
    url: `https://fake.example/1/Notes+${encodeURIComponent(secret)}`,
    body: reporting,
    facts: { title: `Notes ${secret}`, anchors: [`Notes-${secret}`] },
    links: [{ type: 'links_to', url: `https://x.example/${secret.toLowerCase()}`, label: secret, path: 'body' }],
  })
  const comment = add({
    id: '2',
    kind: 'wiki.comments',
    title: `Notes ${secret}`,
    body: 'A comment',
    links: [{ type: 'comments_on', targetKey: 'fake:page:1' }],
  })
  for (const body of ['A comment', 'Another comment', 'Another comment']) {
    comment.body = body
    await bench.scan()
    expect(contentOf(bench.store)).not.toMatch(/tR7kQ/i)
    const assets = await listAssets()
    expect(assets.map(({ name }) => name).sort()).toEqual([`Notes ${MASK}`, `Notes ${MASK}`, 'Space ENG'])
    expect(assets.find(({ key }) => key === 'fake:page:1')?.url).toBe('https://fake.example/1')
  }
})

it('a name is shown again once the page reports nothing, and masked once it does', async () => {
  const page = add({ id: '1', title: `Notes ${secret}`, body: 'nothing' })
  for (const [body, name] of [
    ['nothing', `Notes ${secret}`],
    [reporting, `Notes ${MASK}`],
    ['something else', `Notes ${secret}`],
  ] as const) {
    page.body = body
    await bench.scan()
    expect((await listAssets())[0]?.name).toBe(name)
  }
})

it('a name in a key that looks like a token is masked there, also before anything reports it', async () => {
  const page = add({ id: `d1:table:${secret}`, kind: 'wiki.page', title: `Table ${secret}`, body: 'About it' })
  await bench.scan()
  const [{ key } = { key: '' }] = await listAssets()
  expect(key).toMatch(/^fake:page:d1:table:\*+#/)
  page.body = reporting
  await bench.scan()
  expect(await listAssets()).toMatchObject([{ key, name: `Table ${MASK}` }])
})

it('a name that contains personal data is masked as a container, too', async () => {
  tenant.spaces[0]?.pages.splice(0)
  const name = 'Hotline +49 170 1234567'
  tenant.spaces[0] = { key: name, pages: [] }
  add({ id: '1', body: 'A page' })
  const scan = await bench.scan()
  const [asset] = await listAssets()
  expect(asset?.container).toBe(`Space Hotline +${MASK}`)
  expect(JSON.stringify(scan)).not.toMatch(/"name":"[^"]*1234567/)
})

it('the ids of an address stay, even if a value equals one', async () => {
  add({ id: '491701234567', url: 'https://fake.example/ENG/491701234567/x', body: 'Call +49 170 1234567' })
  await bench.scan()
  expect((await listAssets())[0]?.url).toBe('https://fake.example/ENG/491701234567/x')
})

it('a link is not reported as broken because its target is masked', async () => {
  add({
    id: '1',
    title: `Notes ${secret}`,
    body: reporting,
    facts: { anchors: [`Token-${secret}`] },
  })
  const reference = { title: `Notes ${secret}`, space: 'ENG' }
  const toFile = { filename: `${secret}.txt`, id: '1' }
  add({
    id: '3',
    kind: 'wiki.attachment',
    title: `${secret}.txt`,
    body: reporting,
    facts: { filename: `${secret}.txt` },
    links: [{ type: 'attached_to', targetKey: 'fake:page:1' }],
  })
  add({
    id: '2',
    body: 'A page',
    links: [
      { type: 'references', url: 'a', reference },
      { type: 'references', url: 'b', reference: { ...reference, anchor: `Token-${secret}` } },
      { type: 'references', url: 'c', targetKey: 'fake:page:1', reference: { id: '1', anchor: `Token-${secret}` } },
      { type: 'references', url: 'd', targetKey: 'fake:page:1', reference: toFile },
      { type: 'references', url: 'e', reference: { title: 'Gone', space: 'ENG' } },
    ],
  })
  add({ id: 'space', kind: 'wiki.space', body: 'About it' })
  await bench.scan()
  expect((await listTypes()).filter((type) => /MISSING/.test(type))).toEqual(['PAGE_MISSING'])
})

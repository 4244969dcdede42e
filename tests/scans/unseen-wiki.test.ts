import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type WikiPage, WikiTenant } from '../../src/sample/wiki/tenant.ts'
import type { Scan } from '../../src/scans/model.ts'
import { zipOf } from '../documents/files.ts'
import { archivePage, deletePage, editPage, movePage, purgePage, replaceAttachment } from '../sample/edits.ts'
import { onPath, type SampleFault } from '../sample/fault.ts'
import { type SampleWiki, startSampleWiki } from '../sample/servers.ts'
import { isLong } from '../support/long.ts'
import { createWikiSource } from './platform.ts'
import { listKept, openSectionedBench } from './sectioned.ts'
import type { Workbench } from './workbench.ts'

/** What was not seen is deleted by the second scan. */
const SCANS_IN_A_ROW = isLong ? 3 : 2

let bench: Workbench
let wiki: SampleWiki
let tenant: WikiTenant
beforeEach(() => {
  bench = openSectionedBench()
  let at = Date.UTC(2026, 0, 1)
  tenant = new WikiTenant({ now: () => ++at })
  tenant.addUser({ accountId: 'account-1', displayName: 'Ana', email: '' })
})
afterEach(async () => {
  await bench.close()
  await wiki.close()
})

const textOf = (word: string) => `<p>text word:${word}</p>`
const fileOf = (text: string, title = 'notes.txt') => ({ title, mediaType: 'text/plain', bytes: Buffer.from(text) })

/** A page or blog post with a comment and a file, each with a word, in the first of two spaces. */
async function scanned(
  optional: object = {},
  kind: WikiPage['kind'] = 'page',
): Promise<{ page: WikiPage; fileId: string; commentId: string }> {
  const space = tenant.addSpace({ key: 'ONE', name: 'One' })
  tenant.addSpace({ key: 'TWO', name: 'Two' })
  const page = tenant.addPage({ kind, spaceId: space.id, title: 'Page', body: textOf('body') })
  tenant.addPage({ spaceId: space.id, title: 'Other', body: '<p>text</p>' })
  const commentId = tenant.addComment(page.id, { body: textOf('comment') }).id
  const fileId = tenant.addAttachment(page.id, fileOf('word:file')).id
  wiki = await startSampleWiki({ tenant })
  await createWikiSource(bench, wiki.url, optional)
  expect(await bench.scan()).toMatchObject({ status: 'COMPLETED', warnings: [] })
  expect(states()).toEqual(['attachment OPEN', 'comments OPEN', 'page OPEN'])
  return { page, fileId, commentId }
}

const states = () => listKept(bench).map(({ asset, status }) => `${asset.split(':')[2]} ${status}`)
const allOpen = ['attachment OPEN', 'comments OPEN', 'page OPEN']
const codes = (scan: Scan) => scan.warnings.map(({ code }) => code)
const fail = (...faults: SampleFault[]) => wiki.faults.splice(0, wiki.faults.length, ...faults)

/** Scans several times in a row: nothing changes, and each scan says so. */
async function expectKept(code: string | undefined, status?: string): Promise<void> {
  for (let times = 0; times < SCANS_IN_A_ROW; times++) {
    const scan = await bench.scan()
    expect(states()).toEqual(allOpen)
    if (code !== undefined) expect(codes(scan)).toContain(code)
    if (status !== undefined) expect(scan.status).toBe(status)
    expect(scan.status !== 'COMPLETED' || scan.warnings.length > 0).toBe(true)
  }
}

describe('a page', () => {
  it('that is listed but not found by its id does not count as deleted', async () => {
    const { page } = await scanned()
    editPage(tenant, page.id, { body: '<p>text</p>' })
    fail({ match: onPath(new RegExp(`/pages(?:/${page.id})?$`)), respond: { status: 404, body: {} } })
    wiki.faults.unshift({ match: onPath(/\/spaces\/\d+\/pages$/), respond: { delayMs: 0 } })
    await expectKept('not_read', 'PARTIAL')
    fail()
    await bench.scan()
    expect(states()).toEqual(['attachment OPEN', 'comments OPEN', 'page RESOLVED'])
  })

  it('that can be read only in view format keeps findings in its storage format until that can be read again', async () => {
    const { page } = await scanned()
    editPage(tenant, page.id, { body: '<p>text</p>' })
    const isStorage: SampleFault['match'] = ({ query }) => query.get('body-format') === 'storage'
    fail({ match: (request) => isStorage(request) && /\/pages/.test(request.path), respond: { status: 400, body: {} } })
    await expectKept('not_read')
    fail()
    await bench.scan()
    expect(states()).toEqual(['attachment OPEN', 'comments OPEN', 'page RESOLVED'])
  })

  it('that was always read in view format has findings resolved that an edit removes from the view', async () => {
    await scanned()
    const page = tenant.addPage({ spaceId: tenant.getSpace('TWO').id, title: 'View', body: textOf('view') })
    const isStorage: SampleFault['match'] = ({ query }) => query.get('body-format') === 'storage'
    fail({ match: (request) => isStorage(request) && /\/pages/.test(request.path), respond: { status: 400, body: {} } })
    await bench.scan()
    expect(states().sort()).toEqual([...allOpen, 'page OPEN'])
    editPage(tenant, page.id, { body: '<p>text</p>' })
    await bench.scan()
    expect(states().sort()).toEqual([...allOpen, 'page RESOLVED'])
  })

  it('that is archived is read there, and one in the trash is deleted by the second scan', async () => {
    const { page } = await scanned()
    archivePage(tenant, page.id)
    expect(await bench.scan()).toMatchObject({ status: 'COMPLETED', warnings: [] })
    expect(states()).toEqual(allOpen)
    deletePage(tenant, page.id)
    await bench.scan()
    expect(states()).toEqual(allOpen)
    await bench.scan()
    expect(states()).toEqual(allOpen.map((state) => state.replace('OPEN', 'RESOLVED')))
  })

  it('that moves to a space that is not scanned is kept, with its comments and files', async () => {
    const { page } = await scanned({ scope: { spaces: { keys: ['ONE'] } } })
    movePage(tenant, page.id, { spaceId: tenant.getSpace('TWO').id })
    await expectKept('outside_scope')
  })

  it('that is missing while the platform refuses to look it up is kept, as the trash may have it', async () => {
    const { page } = await scanned()
    purgePage(tenant, page.id)
    fail({ match: onPath(/\/v2\/pages$/), respond: { status: 400, body: {} } })
    for (let scans = 0; scans < 3; scans++) {
      expect((await bench.scan()).warnings.map(({ code }) => code)).toContain('not_read')
    }
    expect(states()).toEqual(allOpen)
  })

  it('that is missing while the page lookup fails is kept', async () => {
    const { page } = await scanned({ scope: { spaces: { keys: ['ONE'] } } })
    movePage(tenant, page.id, { spaceId: tenant.getSpace('TWO').id })
    fail({ match: onPath(/\/v2\/pages$/), respond: { status: 501, body: {} } })
    await expectKept(undefined, 'PARTIAL')
  })
})

describe('a blog post', () => {
  it.each([403, 404, 501])('that cannot be listed (%i) is kept, with its comments and files', async (status) => {
    await scanned(undefined, 'blogpost')
    fail({ match: onPath(/\/v2\/blogposts$/), respond: { status, body: {} } })
    await expectKept(status === 501 ? 'blogposts_unavailable' : 'blogposts_denied', 'PARTIAL')
    fail()
    expect(await bench.scan()).toMatchObject({ status: 'COMPLETED', warnings: [] })
    expect(states()).toEqual(allOpen)
  })

  it('that is in the trash is deleted by the second scan', async () => {
    const { page } = await scanned(undefined, 'blogpost')
    deletePage(tenant, page.id)
    await bench.scan()
    await bench.scan()
    expect(states()).toEqual(allOpen.map((state) => state.replace('OPEN', 'RESOLVED')))
  })
})

describe('an attachment', () => {
  it('that is renamed to a picture keeps the findings in its text', async () => {
    const { fileId } = await scanned()
    tenant.getAttachment(fileId).title = 'notes.png'
    await expectKept('not_read')
  })

  it.each([
    ['an archive', zipOf({ 'a.txt': 'text' })],
    ['a file of an unknown format', Buffer.from([0, 1, 2, 3, 0, 255, 254, 0, 7])],
  ])('that becomes %s keeps the findings in its text', async (_name, bytes) => {
    const { fileId } = await scanned()
    replaceAttachment(tenant, fileId, bytes)
    await expectKept('not_read')
  })

  it('that becomes a picture by its bytes has no text any more', async () => {
    const { fileId } = await scanned()
    replaceAttachment(tenant, fileId, Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'))
    await bench.scan()
    expect(states()).toEqual(['attachment RESOLVED', 'comments OPEN', 'page OPEN'])
  })

  it('whose download is shorter than its listed size keeps its findings', async () => {
    const { fileId } = await scanned()
    replaceAttachment(tenant, fileId, Buffer.from('text text'))
    tenant.getAttachment(fileId).fileSize = 20
    await expectKept('not_read')
    replaceAttachment(tenant, fileId, Buffer.from('text text'))
    await bench.scan()
    expect(states()).toEqual(['attachment RESOLVED', 'comments OPEN', 'page OPEN'])
  })

  it('that is replaced by a sign-in page keeps its findings, although the list gives no size', async () => {
    const { fileId } = await scanned()
    replaceAttachment(tenant, fileId, Buffer.from('text'))
    fail(
      { match: (request) => request.server === 'media', respond: 'html' },
      {
        match: onPath(/\/attachments$/),
        respond: {
          rewrite: (reply) => {
            for (const file of (reply.body as { results: { fileSize?: number }[] }).results) delete file.fileSize
            return reply
          },
        },
      },
    )
    await expectKept('not_read')
  })
})

it('a space whose id is larger than 2^53 is kept when another filter excludes it', async () => {
  const id = '90071992547409931'
  const space = tenant.addSpace({ id, key: 'BIG', name: 'Big', labels: ['scan'] })
  const other = tenant.addSpace({ key: 'TWO', name: 'Two', labels: ['scan'] })
  tenant.addSpace({ key: 'THREE', name: 'Three', labels: ['scan'] })
  tenant.addPage({ spaceId: space.id, title: 'Page', body: textOf('body') })
  tenant.addPage({ spaceId: other.id, title: 'Page', body: '<p>text</p>' })
  wiki = await startSampleWiki({ tenant })
  await createWikiSource(bench, wiki.url, { scope: { spaces: { labels: ['scan'] } } })
  await bench.scan()
  for (const left of [space, other]) Object.assign(left, { labels: [] })
  tenant.revision++
  for (let times = 0; times < SCANS_IN_A_ROW; times++) {
    expect(codes(await bench.scan())).toContain('scope_left_out')
    expect(states()).toEqual(['page OPEN'])
  }
})

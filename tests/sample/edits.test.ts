import { describe, expect, test } from 'vitest'
import { toFileId, toPageId } from '../../src/sample/company/page.ts'
import { toSpaceId } from '../../src/sample/wiki/content.ts'
import { type OpenWiki, openWiki } from './support.ts'

const page = toPageId('eng-logging')
const show = async (wiki: OpenWiki, id = page) => (await wiki.get(`/pages/${id}?body-format=storage`)).body

describe('an edit of a page', () => {
  test.each([
    ['text', (wiki: OpenWiki) => wiki.tenant.editPage(page, { body: '<p>new</p>' }), 1],
    ['title', (wiki: OpenWiki) => wiki.tenant.editPage(page, { title: 'New title' }), 1],
    ['owner', (wiki: OpenWiki) => wiki.tenant.changeOwner(page, 'somebody'), 0],
    ['place', (wiki: OpenWiki) => wiki.tenant.movePage(page, { spaceId: toSpaceId('OPS'), parentId: null }), 0],
    ['comments', (wiki: OpenWiki) => wiki.tenant.addComment(page, { body: '<p>hello</p>' }), 0],
  ])('of %s is visible and raises the version as the platform does', async (_, edit, raised) => {
    const wiki = await openWiki()
    const before = await show(wiki)
    edit(wiki)
    const after = await show(wiki)
    expect(after.version.number - before.version.number).toBe(raised)
    expect(after.version.createdAt > before.version.createdAt).toBe(raised === 1)
  })

  test('makes it the newest', async () => {
    const wiki = await openWiki()
    wiki.tenant.editPage(page, { body: '<p>new</p>' })
    const { body } = await wiki.get('/pages?sort=-modified-date&limit=1&body-format=storage')
    expect(body.results).toMatchObject([{ id: page, body: { storage: { value: '<p>new</p>' } } }])
  })
})

describe('pages', () => {
  test('that were added are listed, with their space', async () => {
    const wiki = await openWiki()
    const space = wiki.tenant.addSpace({ key: 'NEW', name: 'New' })
    const added = wiki.tenant.addPage({ spaceId: space.id, title: 'First', body: '<p>one</p>' })
    const { body } = await wiki.get(`/spaces/${space.id}/pages`)
    expect(body.results).toMatchObject([{ id: added.id, title: 'First', version: { number: 1 } }])
  })

  test('in the trash are hidden with their comments and files until they are restored', async () => {
    const wiki = await openWiki()
    const id = toPageId('ops-carrier-sandbox')
    const countOf = async (path: string) =>
      (await wiki.get(path)).body.results.filter(({ pageId }: { pageId: string }) => pageId === id).length
    const counts = async () => [await countOf('/footer-comments?limit=250'), await countOf('/attachments?limit=250')]
    expect(await counts()).toEqual([1, 1])
    wiki.tenant.deletePage(id)
    expect(await counts()).toEqual([0, 0])
    wiki.tenant.restorePage(id)
    expect(await counts()).toEqual([1, 1])
  })

  test('that are purged are not found', async () => {
    const wiki = await openWiki()
    wiki.tenant.purgePage(page)
    expect((await wiki.get(`/pages/${page}`)).status).toBe(404)
    expect((await wiki.get(`/pages/${page}/attachments`)).status).toBe(404)
  })
})

describe('comments', () => {
  test('are edited, and deleted with their replies', async () => {
    const wiki = await openWiki()
    const root = wiki.tenant.addComment(page, { body: '<p>a</p>', kind: 'inline', selection: 'log line' })
    const reply = wiki.tenant.addComment(page, { body: '<p>b</p>', parentId: root.id })
    expect(reply.kind).toBe('inline')
    wiki.tenant.editComment(root.id, '<p>c</p>')
    const { body } = await wiki.get(`/pages/${page}/inline-comments?body-format=storage`)
    expect(body.results).toMatchObject([{ version: { number: 2 }, body: { storage: { value: '<p>c</p>' } } }])
    wiki.tenant.deleteComment(root.id)
    expect((await wiki.get(`/inline-comments/${reply.id}/children`)).status).toBe(404)
  })
})

describe('attachments', () => {
  test('keep their id across versions, with new content', async () => {
    const wiki = await openWiki()
    const id = toFileId('eng-log-volume', 'log-volume.csv')
    const show = async () => (await wiki.get(`/pages/${toPageId('eng-log-volume')}/attachments`)).body.results[0]
    const before = await show()
    wiki.tenant.replaceAttachment(id, Buffer.from('service,before\r\n'))
    const after = await show()
    expect([after.version.number, after.fileSize]).toEqual([before.version.number + 1, 16])
    expect(after.fileId).not.toBe(before.fileId)
    wiki.tenant.deleteAttachment(id)
    expect((await wiki.get(`/pages/${toPageId('eng-log-volume')}/attachments?status=current`)).body.results).toEqual([])
  })

  test('may report a false size', async () => {
    const wiki = await openWiki()
    const bytes = Buffer.alloc(2_000)
    wiki.tenant.addAttachment(page, { title: 'x.bin', mediaType: 'application/pdf', bytes, fileSize: 10 })
    expect((await wiki.get(`/pages/${page}/attachments`)).body.results).toMatchObject([{ fileSize: 10 }])
  })
})

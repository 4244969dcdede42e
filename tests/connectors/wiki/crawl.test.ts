import { afterEach, describe, expect, test } from 'vitest'
import { zipOf } from '../../documents/files.ts'
import { changeOwner, deleteComment, editComment, editPage, movePage, replaceAttachment } from '../../sample/edits.ts'
import { isLong } from '../../support/long.ts'
import {
  attachmentOf,
  checksumsOf,
  commentOf,
  crawlAll,
  mediaRequests,
  openWiki,
  pageOf,
  pathsOf,
  prefix,
  siteRequests,
  small,
  spaceOf,
  startWiki,
  stopWikis,
} from './support.ts'

afterEach(stopWikis)

describe('a scan of a whole site', () => {
  test('finds spaces, pages, comments, attachments and linked files, with keys made of ids only', async () => {
    const wiki = await startWiki(small())
    const { assets, error } = await crawlAll(openWiki(wiki.url))
    expect(error).toBeUndefined()
    const found = [...assets.values()].map(({ key, kind, name, container }) => [
      key.slice(prefix.length),
      kind,
      name,
      container,
    ])
    expect(found.sort()).toEqual([
      [':attachment:att5', 'wiki.attachment', 'a.txt', 'Documents'],
      [':comments:10', 'wiki.comments', 'Home', 'Documents'],
      [expect.stringMatching(/^:link:[0-9a-f]{64}$/), 'wiki.linked_file', 'plan.pdf', 'Documents'],
      [':page:10', 'wiki.page', 'Home', 'Documents'],
      [':page:11', 'wiki.page', 'Setup', 'Documents'],
      [':page:12', 'wiki.page', 'Page 12', 'Space 2'],
      [':page:13', 'wiki.page', 'Page 13', 'Documents'],
      [':space:1', 'wiki.space', 'Documents', 'Documents'],
      [':space:2', 'wiki.space', 'Space 2', 'Space 2'],
    ])
  })

  test('reads titles, texts, dates, comments with replies by their lines, and attachments', async () => {
    const wiki = await startWiki(small())
    const { assets, texts } = await crawlAll(openWiki(`${wiki.url}/wiki/`))
    expect(texts.get(`${prefix}:page:11`)).toBe('Setup|text of 11')
    expect(texts.get(`${prefix}:comments:10`)).toBe('comment 70|reply|reply to the reply|inline key')
    expect(texts.get(`${prefix}:attachment:att5`)).toBe('a.txt|bytes of att5')
    expect(texts.get(`${prefix}:space:1`)).toBe('Documents|All about it')
    const document = await assets.get(`${prefix}:comments:10`)?.document?.()
    expect(document?.parts.map(({ path, lineStarts }) => [path, lineStarts])).toEqual(
      ['70', '71', '72', '73'].map((id) => [`comment ${id}`, [0]]),
    )
    expect(assets.get(`${prefix}:page:11`)).toMatchObject({
      url: `${wiki.url}/wiki/spaces/DOCS/pages/11`,
      contentCreatedAt: Date.UTC(2026, 0, 5, 8, 11),
      contentUpdatedAt: Date.UTC(2026, 0, 5, 8, 11),
    })
    expect(assets.get(`${prefix}:attachment:att5`)?.url).toContain(`${wiki.url}/wiki/pages/viewpageattachments.action?`)
  })

  test('returns links with the data for resolving them', async () => {
    const wiki = await startWiki(small())
    const { assets } = await crawlAll(openWiki(wiki.url))
    const home = assets.get(`${prefix}:page:10`)
    const file = assets.keys().find((key) => key.includes(':link:'))
    expect(home?.links).toMatchObject([
      { type: 'child_of', targetKey: `${prefix}:space:1` },
      {
        type: 'links_to',
        url: 'https://x.io/files/plan.pdf?token=abcdefgh1#p',
        targetKey: file,
        label: 'plan',
        line: 1,
      },
      { type: 'links_to', url: 'https://x.io/' },
      { type: 'references', reference: { space: 'DOCS', title: 'Setup' } },
      { type: 'references', targetKey: `${prefix}:page:11`, reference: { id: '11', anchor: 'a' } },
      { type: 'references', reference: { id: '10', filename: 'a.txt' } },
      { type: 'references', targetKey: `${prefix}:page:10`, reference: { id: '10', anchor: 'Access' } },
    ])
    expect(home?.facts).toMatchObject({
      spaceKey: 'DOCS',
      title: 'Home',
      version: 1,
      anchors: ['Access'],
      contentStatus: 'read',
    })
    expect(assets.get(`${prefix}:page:11`)?.links[0]).toEqual({ type: 'child_of', targetKey: `${prefix}:page:10` })
    expect(assets.get(`${prefix}:attachment:att5`)?.links).toEqual([
      { type: 'attached_to', targetKey: `${prefix}:page:10` },
    ])
    expect(assets.get(`${prefix}:comments:10`)?.links).toEqual([
      { type: 'comments_on', targetKey: `${prefix}:page:10` },
    ])
  })

  test('names the owners, requesting each account once', async () => {
    const wiki = await startWiki({
      pages: ['10', '11', '12'].map((id) => pageOf(id, { ownerId: id === '12' ? 'gone' : 'u7' })),
    })
    wiki.tenant.addUser({ accountId: 'u7', displayName: 'Ann Example', email: 'ann@example.com' })
    const { assets } = await crawlAll(openWiki(wiki.url))
    expect(['10', '11', '12'].map((id) => assets.get(`${prefix}:page:${id}`)?.owner)).toEqual([
      'Ann Example',
      'Ann Example',
      undefined,
    ])
    expect(pathsOf(wiki).filter((path) => path.endsWith('/users-bulk'))).toHaveLength(1)
  })

  test('requests bodies with the listing, not page by page', async () => {
    const pages = Array.from({ length: 120 }, (_, index) => pageOf(String(1000 + index)))
    const wiki = await startWiki({ pages })
    const { assets } = await crawlAll(openWiki(wiki.url))
    expect([...assets.keys()].filter((key) => key.includes(':page:'))).toHaveLength(120)
    expect(pathsOf(wiki).filter((path) => path === '/api/v2/spaces/1/pages')).toHaveLength(3)
    expect(pathsOf(wiki).filter((path) => /\/pages\/\d+/.test(path))).toEqual([])
  })
})

describe('content that is left out', () => {
  test.each<[string, object, string[]]>([
    ['comments below pages', { include_footer_comments: false }, ['inline key']],
    ['comments inside pages', { include_inline_comments: false }, ['comment 70|reply|reply to the reply']],
    ['all comments', { include_inline_comments: false, include_footer_comments: false }, []],
  ])('%s', async (_name, content, expected) => {
    const wiki = await startWiki(small())
    const { texts } = await crawlAll(openWiki(wiki.url, { optional: { content } }))
    expect([...texts].filter(([key]) => key.includes(':comments:')).map(([, text]) => text)).toEqual(expected)
  })

  test('attachments and linked files are left out when both are turned off', async () => {
    const wiki = await startWiki(small())
    const content = { include_attachments: false, include_linked_file_assets: false }
    const { assets } = await crawlAll(openWiki(wiki.url, { optional: { content } }))
    expect([...assets.keys()].filter((key) => /attachment|:link:/.test(key))).toEqual([])
    expect(pathsOf(wiki).some((path) => path.includes('attachment'))).toBe(false)
  })
})

describe('attachments', () => {
  const withAttachment = async (over: Parameters<typeof attachmentOf>[2], optional: object = {}) => {
    const wiki = await startWiki({ pages: [pageOf('10')], attachments: [attachmentOf('att5', '10', over)] })
    const crawled = await crawlAll(openWiki(wiki.url, { optional }))
    const key = `${prefix}:attachment:att5`
    return { wiki, text: crawled.texts.get(key), failure: crawled.failures.get(key), asset: crawled.assets.get(key) }
  }
  const downloads = ({ requests }: { requests: { path: string }[] }) =>
    requests.filter(({ path }) => path.endsWith('/download')).length

  test('an office file is recognized by its bytes', async () => {
    const bytes = () =>
      zipOf({ 'word/document.xml': '<w:document><w:p><w:r><w:t>inside</w:t></w:r></w:p></w:document>' })
    const { text, asset } = await withAttachment({ title: 'a.docx', mediaType: 'application/octet-stream', bytes })
    expect(text).toBe('a.docx|inside')
    expect(asset?.facts?.contentStatus).toBe('read')
  })

  test('an image is not downloaded', async () => {
    const { wiki, text, asset } = await withAttachment({ title: 'a.png', mediaType: 'image/png' })
    expect(downloads(wiki)).toBe(0)
    expect(asset?.facts?.contentStatus).toBe('unsupported')
    expect(text).toBe('a.png')
  })

  test('a file name is never used as a path', async () => {
    const { wiki, text } = await withAttachment({ title: '../../etc/pass "wd"/😀.txt' })
    expect(text).toContain('bytes of att5')
    expect(wiki.requests.map(({ path }) => path)).toContain('/wiki/rest/api/content/10/child/attachment/att5/download')
  })

  test('the media host never sees the credential', async () => {
    const { wiki } = await withAttachment({})
    expect(mediaRequests(wiki).map(({ headers, status }) => [headers.authorization, status])).toEqual([
      [undefined, 200],
    ])
  })
})

describe('a second scan', () => {
  const [PAGES, COMMENTS, ATTACHMENTS] = isLong ? [2_000, 300, 600] : [400, 24, 36]
  const large = () => {
    const spaces = ['1', '2', '3', '4'].map((id) => spaceOf(id))
    const pages = Array.from({ length: PAGES }, (_, index) =>
      pageOf(String(100_000 + index), { spaceId: String((index % 4) + 1) }),
    )
    const comments = Array.from({ length: COMMENTS }, (_, index) =>
      commentOf(String(500_000 + index), String(100_000 + index)),
    )
    const attachments = Array.from({ length: ATTACHMENTS }, (_, index) =>
      attachmentOf(`att${index}`, String(100_000 + index)),
    )
    return { spaces, pages, comments, attachments }
  }

  test('of an unchanged site fetches no body and no attachment, in at most 40 requests beside replies', async () => {
    const wiki = await startWiki(large())
    const first = await crawlAll(openWiki(wiki.url))
    expect(first.assets.size).toBe(4 + PAGES + COMMENTS + ATTACHMENTS)
    wiki.requests.splice(0)
    const second = await crawlAll(openWiki(wiki.url), checksumsOf(first))
    expect(checksumsOf(second)).toEqual(checksumsOf(first))
    expect(second.texts.size).toBe(0)
    expect(wiki.requests.filter(({ query }) => query.has('body-format'))).toEqual([])
    expect(mediaRequests(wiki)).toEqual([])
    const others = siteRequests(wiki).filter(({ path }) => !path.endsWith('/children'))
    expect(others.length).toBeLessThanOrEqual(isLong ? 40 : 20)
  }, 180_000)

  const edits: [string, (wiki: Awaited<ReturnType<typeof startWiki>>['tenant']) => void, string[]][] = [
    ['a body', (tenant) => void editPage(tenant, '11', { body: '<p>new</p>' }), [':page:11']],
    ['a title', (tenant) => void editPage(tenant, '11', { title: 'New' }), [':page:11']],
    ['a move', (tenant) => movePage(tenant, '11', { parentId: null }), [':page:11']],
    ['a new owner', (tenant) => changeOwner(tenant, '11', 'someone'), [':page:11']],
    ['a comment', (tenant) => editComment(tenant, '70', '<p>new</p>'), [':comments:10']],
    ['a reply', (tenant) => editComment(tenant, '72', '<p>new</p>'), [':comments:10']],
    ['a new reply', (tenant) => void tenant.addComment('10', { parentId: '72', body: '<p>n</p>' }), [':comments:10']],
    ['a deleted comment', (tenant) => deleteComment(tenant, '72'), [':comments:10']],
    [
      'an attachment',
      (tenant) => replaceAttachment(tenant, 'att5', new TextEncoder().encode('new')),
      [':attachment:att5'],
    ],
  ]
  test.each(edits)('reads exactly %s', async (_name, edit, expected) => {
    const wiki = await startWiki(small())
    const first = await crawlAll(openWiki(wiki.url))
    edit(wiki.tenant)
    const known = checksumsOf(first)
    const second = await crawlAll(openWiki(wiki.url), known)
    const changed = [...second.assets.values()].filter(({ key, checksum }) => known.get(key) !== checksum)
    expect(changed.map(({ key }) => key.slice(prefix.length))).toEqual(expected)
    expect([...second.texts.keys()].map((key) => key.slice(prefix.length))).toEqual(expected)
  })

  test('an unchanged page keeps the linked files that its text names', async () => {
    const wiki = await startWiki(small())
    const first = await crawlAll(openWiki(wiki.url))
    const second = await crawlAll(openWiki(wiki.url), checksumsOf(first))
    expect(second.assets.get(`${prefix}:page:10`)?.unlisted).toEqual([
      { kinds: ['wiki.linked_file'], reason: 'unchanged' },
    ])
    expect(second.assets.keys().some((key) => key.includes(':link:'))).toBe(false)
  })
})

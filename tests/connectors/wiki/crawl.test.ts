import { afterEach, describe, expect, test } from 'vitest'
import { type Fault, onPath } from '../../../src/sample/fault.ts'
import { zipOf } from '../../documents/files.ts'
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
  spaceOf,
  startWiki,
  stopWikis,
} from './support.ts'

afterEach(stopWikis)

const small = () => ({
  spaces: [spaceOf('1', { key: 'DOCS', name: 'Documents', description: 'All about it' }), spaceOf('2')],
  pages: [
    pageOf('10', {
      title: 'Home',
      body: '<h1>Access</h1><p>see <a href="https://x.io/files/plan.pdf?token=abcdefgh1#p">plan</a>, <a href="https://x.io/">x</a>, <ac:link><ri:page ri:content-title="Setup"/></ac:link>, <a href="/wiki/spaces/DOCS/pages/11#a">it</a>, <ac:link><ri:attachment ri:filename="a.txt"/></ac:link> and <ac:link ac:anchor="Access"/></p>',
    }),
    pageOf('11', { title: 'Setup', parentId: '10' }),
    pageOf('12', { spaceId: '2' }),
    pageOf('13', { status: 'archived' }),
  ],
  comments: [
    commentOf('70', '10'),
    commentOf('71', '10', { parentId: '70', body: '<p>reply</p>' }),
    commentOf('72', '10', { parentId: '71', body: '<p>reply to the reply</p>' }),
    commentOf('73', '10', { kind: 'inline', selection: 'see', body: '<p>inline <code>key</code></p>' }),
  ],
  attachments: [attachmentOf('att5', '10', { title: 'a.txt' })],
})

describe('a scan of a whole site', () => {
  test('finds spaces, pages, comments, attachments and linked files, with keys of ids alone', async () => {
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
      [':space:1', 'wiki.space', 'Documents', 'Documents'],
      [':space:2', 'wiki.space', 'Space 2', 'Space 2'],
    ])
  })

  test('reads titles, texts, comments with replies, and attachments', async () => {
    const wiki = await startWiki(small())
    const { texts } = await crawlAll(openWiki(wiki.url))
    expect(texts.get(`${prefix}:page:11`)).toBe('Setup|text of 11')
    expect(texts.get(`${prefix}:comments:10`)).toBe('comment 70|reply|reply to the reply|inline key')
    expect(texts.get(`${prefix}:attachment:att5`)).toBe('a.txt|bytes of att5')
    expect(texts.get(`${prefix}:space:1`)).toBe('Documents|All about it')
  })

  test('says where comments stand, in lines of their own', async () => {
    const wiki = await startWiki(small())
    const { assets } = await crawlAll(openWiki(wiki.url))
    const document = await assets.get(`${prefix}:comments:10`)?.document?.()
    expect(document?.parts.map(({ path, lineStarts }) => [path, lineStarts])).toEqual(
      ['70', '71', '72', '73'].map((id) => [`comment ${id}`, [0]]),
    )
  })

  test('carries links with what their resolution needs, and without credentials', async () => {
    const wiki = await startWiki(small())
    const { assets } = await crawlAll(openWiki(wiki.url))
    const home = assets.get(`${prefix}:page:10`)
    const file = [...assets.keys()].find((key) => key.includes(':link:'))
    expect(home?.links).toMatchObject([
      { type: 'child_of', targetKey: `${prefix}:space:1` },
      {
        type: 'links_to',
        url: 'https://x.io/files/plan.pdf?token=********#p',
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

  test('gives addresses that people can open', async () => {
    const wiki = await startWiki(small())
    const { assets } = await crawlAll(openWiki(`${wiki.url}/wiki/`))
    expect(assets.get(`${prefix}:page:11`)?.url).toBe(`${wiki.url}/wiki/spaces/DOCS/pages/11/Setup`)
    expect(assets.get(`${prefix}:attachment:att5`)?.url).toContain(`${wiki.url}/wiki/pages/viewpageattachments.action?`)
  })

  test('takes the dates of the platform', async () => {
    const wiki = await startWiki(small())
    const { assets } = await crawlAll(openWiki(wiki.url))
    expect(assets.get(`${prefix}:page:11`)).toMatchObject({
      contentCreatedAt: Date.UTC(2026, 0, 5, 8, 11),
      contentUpdatedAt: Date.UTC(2026, 0, 5, 8, 11),
    })
  })

  test('names the owners, asking for each account once', async () => {
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

  test('asks for bodies in the listing, not page by page', async () => {
    const pages = Array.from({ length: 120 }, (_, index) => pageOf(String(1000 + index)))
    const wiki = await startWiki({ pages })
    const { assets } = await crawlAll(openWiki(wiki.url))
    expect([...assets.keys()].filter((key) => key.includes(':page:'))).toHaveLength(120)
    expect(pathsOf(wiki).filter((path) => path === '/api/v2/spaces/1/pages')).toHaveLength(3)
    expect(pathsOf(wiki).filter((path) => /\/pages\/\d+/.test(path))).toEqual([])
  })
})

describe('what is left out', () => {
  test.each<[string, object, string[]]>([
    ['comments below pages', { include_footer_comments: false }, ['inline key']],
    ['comments inside pages', { include_inline_comments: false }, ['comment 70|reply|reply to the reply']],
    ['all comments', { include_inline_comments: false, include_footer_comments: false }, []],
  ])('%s', async (_name, content, expected) => {
    const wiki = await startWiki(small())
    const { texts } = await crawlAll(openWiki(wiki.url, { optional: { content } }))
    expect([...texts].filter(([key]) => key.includes(':comments:')).map(([, text]) => text)).toEqual(expected)
  })

  test('attachments and linked files', async () => {
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

  test('an office file is read by its bytes', async () => {
    const bytes = () =>
      zipOf({ 'word/document.xml': '<w:document><w:p><w:r><w:t>inside</w:t></w:r></w:p></w:document>' })
    const { text, asset } = await withAttachment({ title: 'a.docx', mediaType: 'application/octet-stream', bytes })
    expect(text).toBe('a.docx|inside')
    expect(asset?.facts?.contentStatus).toBe('read')
  })

  test.each<[string, Parameters<typeof attachmentOf>[2], string]>([
    ['too large by what is said', { fileSize: 99_999_999 }, 'skipped_too_large'],
    ['an image', { title: 'a.png', mediaType: 'image/png' }, 'unsupported'],
  ])('%s is not downloaded', async (_name, over, status) => {
    const { wiki, text, asset } = await withAttachment(over)
    expect(downloads(wiki)).toBe(0)
    expect(asset?.facts?.contentStatus).toBe(status)
    expect(text).toBe(over?.title ?? 'att5.txt')
  })

  test('one that lies about its size is cut off while it comes', async () => {
    const bytes = new Uint8Array(200_000).fill(65)
    const { asset, text } = await withAttachment(
      { fileSize: 10, bytes },
      { content: { attachment_max_bytes: 100_000 } },
    )
    expect(asset?.facts?.contentStatus).toBe('skipped_too_large')
    expect(text).toBe('att5.txt')
  })

  test('a name is never a path', async () => {
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
  const large = () => {
    const spaces = ['1', '2', '3', '4'].map((id) => spaceOf(id))
    const pages = Array.from({ length: 2_000 }, (_, index) =>
      pageOf(String(100_000 + index), { spaceId: String((index % 4) + 1) }),
    )
    const comments = Array.from({ length: 300 }, (_, index) =>
      commentOf(String(500_000 + index), String(100_000 + index)),
    )
    const attachments = Array.from({ length: 600 }, (_, index) => attachmentOf(`att${index}`, String(100_000 + index)))
    return { spaces, pages, comments, attachments }
  }

  test('of an unchanged site fetches no body and no attachment, in at most 40 requests beside replies', async () => {
    const wiki = await startWiki(large())
    const first = await crawlAll(openWiki(wiki.url))
    expect(first.assets.size).toBe(4 + 2_000 + 300 + 600)
    wiki.requests.splice(0)
    const second = await crawlAll(openWiki(wiki.url), checksumsOf(first))
    expect(checksumsOf(second)).toEqual(checksumsOf(first))
    expect(second.texts.size).toBe(0)
    expect(wiki.requests.filter(({ query }) => query.has('body-format'))).toEqual([])
    expect(mediaRequests(wiki)).toEqual([])
    const others = siteRequests(wiki).filter(({ path }) => !path.endsWith('/children'))
    expect(others.length).toBeLessThanOrEqual(40)
  }, 180_000)

  const edits: [string, (wiki: Awaited<ReturnType<typeof startWiki>>['tenant']) => void, string[]][] = [
    ['a body', (tenant) => void tenant.editPage('11', { body: '<p>new</p>' }), [':page:11']],
    ['a title', (tenant) => void tenant.editPage('11', { title: 'New' }), [':page:11']],
    ['a move', (tenant) => tenant.movePage('11', { parentId: null }), [':page:11']],
    ['a new owner', (tenant) => tenant.changeOwner('11', 'someone'), [':page:11']],
    ['a comment', (tenant) => tenant.editComment('70', '<p>new</p>'), [':comments:10']],
    ['a reply', (tenant) => tenant.editComment('72', '<p>new</p>'), [':comments:10']],
    ['a new reply', (tenant) => void tenant.addComment('10', { parentId: '72', body: '<p>n</p>' }), [':comments:10']],
    ['a comment that is taken back', (tenant) => tenant.deleteComment('72'), [':comments:10']],
    [
      'an attachment',
      (tenant) => tenant.replaceAttachment('att5', new TextEncoder().encode('new')),
      [':attachment:att5'],
    ],
  ]
  test.each(edits)('sees exactly %s', async (_name, edit, expected) => {
    const wiki = await startWiki(small())
    const first = await crawlAll(openWiki(wiki.url))
    edit(wiki.tenant)
    const known = checksumsOf(first)
    const second = await crawlAll(openWiki(wiki.url), known)
    const changed = [...second.assets.values()].filter(({ key, checksum }) => known.get(key) !== checksum)
    expect(changed.map(({ key }) => key.slice(prefix.length))).toEqual(expected)
    expect([...second.texts.keys()].map((key) => key.slice(prefix.length))).toEqual(expected)
  })

  test('an unchanged page keeps what only its text names', async () => {
    const wiki = await startWiki(small())
    const first = await crawlAll(openWiki(wiki.url))
    const second = await crawlAll(openWiki(wiki.url), checksumsOf(first))
    expect(second.assets.get(`${prefix}:page:10`)?.keepsLinked).toBe(true)
    expect([...second.assets.keys()].some((key) => key.includes(':link:'))).toBe(false)
  })
})

describe('a scan of one space of many', () => {
  const spaces = ['1', '2', '3', '4'].map((id) => spaceOf(id))
  const optional = { scope: { spaces: { keys: ['S1'] } } }
  const crawlOne = async (pages: number, comments: number) => {
    const wiki = await startWiki({
      spaces,
      pages: Array.from({ length: 400 }, (_, index) =>
        pageOf(String(1000 + index), { spaceId: index < pages ? '1' : '2' }),
      ),
      comments: Array.from({ length: comments }, (_, index) =>
        commentOf(String(50_000 + index), String(1000 + (index % 400))),
      ),
    })
    const content = { include_attachments: false, include_inline_comments: false }
    const { assets, error } = await crawlAll(openWiki(wiki.url, { optional: { ...optional, content } }))
    expect(error).toBeUndefined()
    const perPage = pathsOf(wiki).filter((path) => /\/pages\/\d+\/footer-comments$/.test(path)).length
    const siteWide = pathsOf(wiki).filter((path) => /\/v2\/footer-comments$/.test(path)).length
    return { perPage, siteWide, commented: [...assets.keys()].filter((key) => key.includes(':comments:')).length }
  }

  test.each([
    ['asks the few pages of a small space', 10, 100, { perPage: 10, siteWide: 0, commented: 10 }],
    ['lists the site where that is cheaper', 200, 100, { perPage: 100, siteWide: 1, commented: 100 }],
  ])('%s', async (_name, pages, comments, expected) => {
    expect(await crawlOne(pages, comments)).toEqual(expected)
  })

  test('gives up a list that costs more than asking', async () => {
    const { perPage, siteWide, commented } = await crawlOne(45, 12_000)
    expect(siteWide).toBeLessThanOrEqual(45)
    expect([perPage, commented]).toEqual([45, 45])
  }, 60_000)
})

function whenStored(stored: ReadonlyMap<string, string>, key: string): [string, string][] {
  const checksum = stored.get(key)
  return checksum === undefined ? [] : [[key, checksum]]
}

test('a crawl goes on from the place of any batch, without losing or doubling a page', async () => {
  const pages = Array.from({ length: 160 }, (_, index) => pageOf(String(1000 + index)))
  const wiki = await startWiki({ pages })
  const scope = { key: '1', name: 'Space 1' }
  const whole = await crawlAll(openWiki(wiki.url))
  for (const [index, { cursor }] of whole.batches.entries()) {
    if (cursor === null) continue
    const stored = new Map(
      whole.batches.slice(0, index + 1).flatMap(({ assets }) => assets.map(({ key, checksum }) => [key, checksum])),
    )
    const known = (asked: readonly string[]) => new Map(asked.flatMap((key) => whenStored(stored, key)))
    const keys = new Set(stored.keys())
    for await (const batch of openWiki(wiki.url).crawl({ scope, cursor, known })) {
      for (const { key, document } of batch.assets) {
        // The pages of a listing page that is gone on with are listed again, and not read again.
        if (stored.has(key) && !key.includes(':space:')) expect(document).toBeUndefined()
        keys.add(key)
      }
    }
    expect(keys.size).toBe(161)
  }
})

describe('labels', () => {
  const labels = { status: 200, body: { results: [{ id: '7', name: 'template', prefix: 'global' }] } }
  const labelled = (ids: string[]): Fault[] => [
    { match: onPath(/\/v2\/labels$/), respond: labels },
    { match: onPath(/\/labels\/7\/pages$/), respond: { status: 200, body: { results: ids.map((id) => ({ id })) } } },
  ]

  test('stand in the facts of pages and over their texts', async () => {
    const wiki = await startWiki(small(), { faults: labelled(['11']) })
    const { assets } = await crawlAll(openWiki(wiki.url))
    const page = assets.get(`${prefix}:page:11`)
    expect(page?.facts?.labels).toEqual(['template'])
    expect((await page?.document?.())?.parts.at(-1)?.headings).toEqual(['template'])
    expect(assets.get(`${prefix}:page:12`)?.facts?.labels).toEqual([])
  })

  test('that change make exactly their page another one', async () => {
    const wiki = await startWiki(small(), { faults: labelled(['11']) })
    const known = checksumsOf(await crawlAll(openWiki(wiki.url)))
    wiki.faults.splice(0, 2, ...labelled(['12']))
    const second = await crawlAll(openWiki(wiki.url), known)
    const changed = [...second.assets.values()].filter(({ key, checksum }) => known.get(key) !== checksum)
    expect(changed.map(({ key }) => key.slice(prefix.length)).sort()).toEqual([':page:11', ':page:12'])
  })
})

describe('labels that cannot be had', () => {
  test('this time make no page another one', async () => {
    const labels = { status: 200, body: { results: [] } }
    const wiki = await startWiki(small(), { faults: [{ match: onPath(/\/v2\/labels$/), respond: labels }] })
    const known = checksumsOf(await crawlAll(openWiki(wiki.url)))
    wiki.faults.splice(0, 1, { match: onPath(/\/v2\/labels$/), respond: { status: 500 } })
    const second = await crawlAll(openWiki(wiki.url), known)
    expect(second.texts.size).toBe(0)
  })
})

describe('samples', () => {
  const pages = Array.from({ length: 30 }, (_, index) =>
    pageOf(String(100 + index), { spaceId: String((index % 3) + 1), title: `T${String(99 - index)}` }),
  )
  const content = { spaces: ['1', '2', '3'].map((id) => spaceOf(id)), pages }
  const pagesOf = (keys: Iterable<string>) =>
    [...keys]
      .filter((key) => key.includes(':page:'))
      .map((key) => key.slice(-3))
      .sort()

  test.each<[string | undefined, string[]]>([
    [undefined, ['127', '128', '129']],
    ['modifiedDate', ['127', '128', '129']],
    ['createdAt', ['127', '128', '129']],
    ['title', ['001', '128', '129']],
    ['id', ['127', '128', '129']],
  ])('the latest by %s, without a crawl', async (orderBy, expected) => {
    const wiki = await startWiki(content)
    wiki.tenant.addPage(pageOf('001', { spaceId: '3' }))
    const sampling = { strategy: 'LATEST' as const, limit: 3, ...(orderBy === undefined ? {} : { orderBy }) }
    const { assets } = await crawlAll(openWiki(wiki.url, { sampling }))
    expect(pagesOf(assets.keys())).toEqual(expected)
    expect(pathsOf(wiki).filter((path) => /spaces\/\d+\/pages/.test(path))).toEqual([])
    expect(wiki.requests.filter(({ path, query }) => path.endsWith('/pages') && query.has('space-id'))).toHaveLength(1)
  })

  test('by chance: as many as asked for, the same for the same seed, others for another', async () => {
    const wiki = await startWiki(content)
    const draw = async (seed: number) => {
      const { assets } = await crawlAll(openWiki(wiki.url, { sampling: { strategy: 'RANDOM', limit: 8, seed } }))
      return pagesOf(assets.keys())
    }
    const [first, again, other] = [await draw(7), await draw(7), await draw(8)]
    expect(first).toHaveLength(8)
    expect(again).toEqual(first)
    expect(other).not.toEqual(first)
  })
})

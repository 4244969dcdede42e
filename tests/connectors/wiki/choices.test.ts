import { afterEach, describe, expect, test } from 'vitest'
import { deleteComment } from '../../sample/edits.ts'
import { onPath, type SampleFault } from '../../sample/fault.ts'
import {
  attachmentOf,
  checksumsOf,
  commentOf,
  crawlAll,
  openWiki,
  pageOf,
  pathsOf,
  prefix,
  reasonOf,
  small,
  spaceOf,
  startWiki,
  stopWikis,
} from './support.ts'

afterEach(stopWikis)

describe('a scan of one space in a large site', () => {
  const spaces = ['1', '2', '3', '4'].map((id) => spaceOf(id))
  const optional = { scope: { spaces: { keys: ['S1'] } } }
  const crawlOne = async (pages: number, comments: number, options: { maxListed?: number } = {}) => {
    const content = {
      spaces,
      pages: Array.from({ length: 400 }, (_, index) =>
        pageOf(String(1000 + index), { spaceId: index < pages ? '1' : '2' }),
      ),
      comments: Array.from({ length: comments }, (_, index) =>
        commentOf(String(50_000 + index), String(1000 + (index % 400))),
      ),
    }
    const wiki = await startWiki(content, options)
    const given = { ...optional, content: { include_attachments: false, include_inline_comments: false } }
    const { assets, error } = await crawlAll(openWiki(wiki.url, { optional: given }))
    expect(error).toBeUndefined()
    const perPage = pathsOf(wiki).filter((path) => /\/pages\/\d+\/footer-comments$/.test(path)).length
    const siteWide = pathsOf(wiki).filter((path) => /\/v2\/footer-comments$/.test(path)).length
    return { perPage, siteWide, commented: [...assets.keys()].filter((key) => key.includes(':comments:')).length }
  }

  test.each([
    ['requests the comments of the page in a space of one page', 1, 100, { perPage: 1, siteWide: 0, commented: 1 }],
    ['uses a site-wide list where that takes fewer requests', 10, 4, { perPage: 4, siteWide: 1, commented: 4 }],
    ['uses it in a large space, too', 200, 100, { perPage: 100, siteWide: 1, commented: 100 }],
  ])('%s', async (_name, pages, comments, expected) => {
    expect(await crawlOne(pages, comments)).toEqual(expected)
  })

  test('abandons a site-wide list that takes more requests than one list per page', async () => {
    const { perPage, siteWide, commented } = await crawlOne(45, 1_000, { maxListed: 20 })
    expect(siteWide).toBeLessThanOrEqual(45)
    expect([perPage, commented]).toEqual([45, 45])
  })
})

test('a list of the whole site that was too long is not begun by the next scans, for 30 days', async () => {
  const wiki = await startWiki(
    {
      spaces: [spaceOf('1'), spaceOf('2')],
      pages: Array.from({ length: 40 }, (_, index) => pageOf(String(1000 + index), { spaceId: index < 5 ? '1' : '2' })),
      attachments: Array.from({ length: 40 }, (_, index) => attachmentOf(`att${index}`, String(1000 + index))),
    },
    { maxListed: 5 },
  )
  const stored = new Map<string, { mark: string; readAt: number; checkedAt: number; isWhole: boolean }>()
  const scan = async (at: number) => {
    wiki.requests.splice(0)
    const session = openWiki(wiki.url, { optional: { scope: { spaces: { keys: ['S1'] } } }, now: at })
    const readings = (keys: readonly string[]) => new Map([...stored].filter(([key]) => keys.includes(key)))
    const scope = { key: '1', name: 'Space 1' }
    let files = 0
    for await (const batch of session.crawl({ scope, known: () => new Map(), readings })) {
      files += batch.assets.filter(({ kind }) => kind === 'wiki.attachment').length
      for (const { key, mark } of batch.readings ?? []) {
        stored.set(key, { mark, readAt: at, checkedAt: at, isWhole: true })
      }
    }
    expect(files).toBe(5)
    return pathsOf(wiki).filter((path) => path === '/api/v2/attachments').length
  }
  const day = 86_400_000
  expect([await scan(0), await scan(1), await scan(29 * day), await scan(31 * day)]).toEqual([4, 0, 0, 4])
})

function whenStored(stored: ReadonlyMap<string, string>, key: string): [string, string][] {
  const checksum = stored.get(key)
  return checksum === undefined ? [] : [[key, checksum]]
}

test('a crawl resumes from the cursor of any batch, without losing or repeating a page', async () => {
  const pages = Array.from({ length: 60 }, (_, index) => pageOf(String(1000 + index)))
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
    expect(keys.size).toBe(61)
  }
})

describe('labels', () => {
  const labels = { status: 200, body: { results: [{ id: '7', name: 'template', prefix: 'global' }] } }
  const labelled = (ids: string[]): SampleFault[] => [
    { match: onPath(/\/v2\/labels$/), respond: labels },
    { match: onPath(/\/labels\/7\/pages$/), respond: { status: 200, body: { results: ids.map((id) => ({ id })) } } },
  ]

  test('are stored as metadata and above the text of pages', async () => {
    const wiki = await startWiki(small(), { faults: labelled(['11']) })
    const { assets } = await crawlAll(openWiki(wiki.url))
    const page = assets.get(`${prefix}:page:11`)
    expect(page?.facts?.labels).toEqual(['template'])
    expect((await page?.document?.())?.parts.at(-1)?.headings).toEqual(['template'])
    expect(assets.get(`${prefix}:page:12`)?.facts?.labels).toEqual([])
  })

  test('change only the checksum of their own page', async () => {
    const wiki = await startWiki(small(), { faults: labelled(['11']) })
    const known = checksumsOf(await crawlAll(openWiki(wiki.url)))
    wiki.faults.splice(0, 2, ...labelled(['12']))
    const second = await crawlAll(openWiki(wiki.url), known)
    const changed = [...second.assets.values()].filter(({ key, checksum }) => known.get(key) !== checksum)
    expect(changed.map(({ key }) => key.slice(prefix.length)).sort()).toEqual([':page:11', ':page:12'])
  })
})

describe('labels that cannot be read', () => {
  test('do not make pages count as changed', async () => {
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
  ])('LATEST by %s selects the latest pages without a crawl', async (orderBy, expected) => {
    const wiki = await startWiki(content)
    wiki.tenant.addPage(pageOf('001', { spaceId: '3' }))
    const sampling = { strategy: 'LATEST' as const, limit: 3, ...(orderBy === undefined ? {} : { orderBy }) }
    const { assets } = await crawlAll(openWiki(wiki.url, { sampling }))
    expect(pagesOf(assets.keys())).toEqual(expected)
    expect(pathsOf(wiki).filter((path) => /spaces\/\d+\/pages/.test(path))).toEqual([])
    expect(wiki.requests.filter(({ path, query }) => path.endsWith('/pages') && query.has('space-id'))).toHaveLength(1)
  })

  test('RANDOM selects the requested number of pages: the same for the same seed, others for another', async () => {
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

const spaces = ['1', '2', '3'].map((id) => spaceOf(id))
const oneOfMany = { optional: { scope: { spaces: { keys: ['S1'] } } } }
const key = `${prefix}:comments:1001`

describe('page bodies', () => {
  test('of ten megabytes, with deep macros, split CDATA and broken markup, keep their text', async () => {
    const deep = 200
    const macros = `${'<ac:structured-macro ac:name="panel"><ac:rich-text-body>'.repeat(deep)}deepest word${'</ac:rich-text-body></ac:structured-macro>'.repeat(deep)}`
    const code =
      '<ac:structured-macro ac:name="code"><ac:plain-text-body><![CDATA[key = "a]]]]><![CDATA[>b"]]></ac:plain-text-body></ac:structured-macro>'
    const body = `${macros}${code}<p>ghp_<em>ab</em>cd</p><p>broken <b><i>nested</b></i> &nbsp; & <unknown:tag>kept${'<p>filler text</p>'.repeat(600_000)}<p>last word`
    expect(body.length).toBeGreaterThan(10_000_000)
    const wiki = await startWiki({ pages: [pageOf('10', { body })] })
    const { texts, error } = await crawlAll(openWiki(wiki.url))
    expect(error).toBeUndefined()
    const text = texts.get(`${prefix}:page:10`) ?? ''
    for (const word of ['deepest word', 'key = "a]]>b"', 'ghp_abcd', 'kept', 'last word']) expect(text).toContain(word)
  }, 180_000)
})

describe('comments', () => {
  const content = () => ({
    spaces,
    pages: [pageOf('1001'), pageOf('1002')],
    comments: [
      commentOf('70', '1001'),
      commentOf('71', '1001', { parentId: '70' }),
      commentOf('72', '1001', { kind: 'inline', resolution: 'dangling' }),
      commentOf('73', '1001', { kind: 'inline', resolution: 'resolved' }),
      commentOf('74', '1001'),
    ],
  })
  const broken: SampleFault = { match: onPath(/\/70\/children$/), respond: { status: 500 } }

  test('are included when they are resolved or their text is gone, and omitted when they are deleted', async () => {
    const wiki = await startWiki(content())
    deleteComment(wiki.tenant, '74')
    const { texts } = await crawlAll(openWiki(wiki.url, oneOfMany))
    expect(texts.get(key)).toBe('comment 70|comment 71|comment 72|comment 73')
  })

  test('without their replies are a partially read asset, which the next scan completes', async () => {
    const wiki = await startWiki(content(), { faults: [broken] })
    const first = await crawlAll(openWiki(wiki.url, oneOfMany))
    expect(first.texts.get(key)).toBe('comment 70|comment 72|comment 73|comment 74')
    expect(first.assets.get(key)?.unread).toEqual([
      { section: 'footer/70/replies', reason: 'failed', detail: 'server_error' },
    ])
    expect(first.warnings).toEqual(['comments_unavailable'])
    wiki.faults.splice(0)
    const second = await crawlAll(openWiki(wiki.url, oneOfMany), checksumsOf(first))
    expect(second.texts.get(key)).toContain('comment 71')
    expect(second.assets.get(key)?.unread).toEqual([])
  })

  test('are read as far as possible while replies cannot be read, even if they were complete before', async () => {
    const wiki = await startWiki(content())
    const first = await crawlAll(openWiki(wiki.url, oneOfMany))
    wiki.faults.push(broken)
    const second = await crawlAll(openWiki(wiki.url, oneOfMany), checksumsOf(first))
    expect(second.texts.get(key)).toBe('comment 70|comment 72|comment 73|comment 74')
    expect(second.assets.get(key)?.unread).toMatchObject([{ section: 'footer/70/replies' }])
    expect(second.warnings).toEqual(['comments_unavailable'])
  })
})

describe('attachments', () => {
  test.each<[string, SampleFault['respond'], string]>([
    ['refused by the media host', { status: 403 }, 'forbidden'],
    ['replaced by a sign-in page', 'html', 'download_failed'],
    ['broken off', 'truncate', 'network'],
    ['dropped', 'reset', 'network'],
  ])('that are %s are reported as failed and read by the next scan', async (_name, respond, reason) => {
    const attachment = attachmentOf('att5', '1001', { title: 'a.pdf', mediaType: 'application/pdf' })
    const wiki = await startWiki(
      { pages: [pageOf('1001')], attachments: [attachment] },
      { faults: [{ match: onPath(/\/binary$/), respond }] },
    )
    const { assets, failures, error } = await crawlAll(openWiki(wiki.url))
    expect(error).toBeUndefined()
    expect(reasonOf(failures.get(`${prefix}:attachment:att5`))).toBe(reason)
    expect(assets.get(`${prefix}:attachment:att5`)?.facts?.contentStatus).toBe('download_failed')
  })

  test('with the same title are distinguished by their ids', async () => {
    const attachments = ['att5', 'att6'].map((id) => attachmentOf(id, '1001', { title: 'same.txt' }))
    const wiki = await startWiki({ pages: [pageOf('1001')], attachments })
    const { texts } = await crawlAll(openWiki(wiki.url))
    expect(['att5', 'att6'].map((id) => texts.get(`${prefix}:attachment:${id}`))).toEqual([
      'same.txt|bytes of att5',
      'same.txt|bytes of att6',
    ])
  })
})

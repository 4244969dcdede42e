import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { toCursor } from '../../../src/sample/wiki/listing.ts'
import { onPath, type SampleFault } from '../../sample/fault.ts'
import { listing, manyPages, pageKeys, rewrite } from './lists.ts'
import {
  attachmentOf,
  checksumsOf,
  commentOf,
  crawlAll,
  openWiki,
  pageOf,
  prefix,
  reasonOf,
  spaceOf,
  startWiki,
  stopWikis,
} from './support.ts'

afterEach(stopWikis)

describe('paging', () => {
  test.each<[string, (next: string, host: string) => string]>([
    [
      'not last',
      (next) =>
        next.replace(
          /\?(.*)$/,
          (_all, query) =>
            `?${[...new URLSearchParams(query)]
              .reverse()
              .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
              .join('&')}`,
        ),
    ],
    ['of another host', (next) => `https://evil.example${next}`],
    ['with a credential', (next) => `http://user:pw@evil.example${next}`],
    ['of a host without a scheme', (next) => `//evil.example${next}`],
    ['of another path', (next) => next.replace(/^[^?]*/, '/elsewhere')],
  ])('only the cursor of an address %s is used', async (_name, change) => {
    const fault = rewrite(listing, (body) => {
      if (body._links.next !== undefined) body._links.next = change(body._links.next, '')
    })
    const wiki = await startWiki({ pages: manyPages(60) }, { faults: [fault] })
    const { assets, error } = await crawlAll(openWiki(wiki.url))
    expect(error).toBeUndefined()
    expect(pageKeys(assets.keys())).toHaveLength(60)
    expect(wiki.requests.filter(listing).map(({ status }) => status)).toEqual([200, 200])
  })

  test('a Link header is followed like a link in the body', async () => {
    const fault: SampleFault = {
      match: listing,
      respond: { rewrite: (reply) => ({ ...reply, body: { ...(reply.body as object), _links: {} } }) },
    }
    const wiki = await startWiki({ pages: manyPages(60) }, { faults: [fault] })
    expect(pageKeys((await crawlAll(openWiki(wiki.url))).assets.keys())).toHaveLength(60)
  })

  test('through the gateway, next links are requested below its prefix', async () => {
    const wiki = await startWiki({ pages: manyPages(60) }, { tokenKind: 'scoped' })
    const { assets, error } = await crawlAll(openWiki(wiki.url))
    expect(error).toBeUndefined()
    expect(pageKeys(assets.keys())).toHaveLength(60)
    const lists = wiki.requests.filter(listing)
    expect(lists.map(({ path }) => path.startsWith('/ex/confluence/'))).toEqual([true, true])
    expect(assets.get(`${prefix}:page:1000`)?.url).toContain(`${wiki.url}/wiki/spaces/`)
  })

  test('a repeated cursor ends the scope as incomplete', async () => {
    const fault = rewrite(listing, (body) => {
      body._links.next = '/wiki/api/v2/x?cursor=bG9vcA'
    })
    const first: SampleFault = {
      match: (request) => listing(request) && request.query.get('cursor') === 'bG9vcA',
      respond: {
        rewrite: () => ({
          status: 200,
          body: { results: [{ id: '1', title: 'x' }], _links: { next: '/wiki/x?cursor=bG9vcA' } },
        }),
      },
    }
    const wiki = await startWiki({ pages: manyPages(10) }, { faults: [first, fault] })
    expect(reasonOf((await crawlAll(openWiki(wiki.url))).error)).toBe('cursor_loop')
    expect(wiki.requests.filter(listing)).toHaveLength(2)
  })

  test('an empty page with a next cursor is followed', async () => {
    const fault = rewrite(
      listing,
      (body) => {
        body.results = []
      },
      1,
    )
    const wiki = await startWiki({ pages: manyPages(60) }, { faults: [fault] })
    const { assets, error } = await crawlAll(openWiki(wiki.url))
    expect(error).toBeUndefined()
    expect(pageKeys(assets.keys())).toHaveLength(10)
  })

  test('a page that is listed twice is one asset, with its highest version', async () => {
    const again = {
      id: '1000',
      title: 'Moved',
      spaceId: '1',
      version: { number: 9 },
      body: { storage: { value: '<p>new</p>' } },
    }
    const older = { ...again, id: '1001', version: { number: 0 } }
    const fault = rewrite(listing, (body) => void body.results.push(again, older), 1, 1)
    const wiki = await startWiki({ pages: manyPages(60) }, { faults: [fault] })
    const { assets, texts, batches } = await crawlAll(openWiki(wiki.url))
    expect(pageKeys(assets.keys())).toHaveLength(60)
    expect(texts.get(`${prefix}:page:1000`)).toBe('Moved|new')
    expect(
      batches.flatMap((batch) => pageKeys(batch.assets.map(({ key }) => key))).filter((id) => id === '1001'),
    ).toHaveLength(1)
  })

  test('a stored cursor that is refused restarts the crawl of the space', async () => {
    const wiki = await startWiki({ pages: manyPages(60) })
    const keys: string[] = []
    const cursor = JSON.stringify({ cursor: 'bm90aGluZw==' })
    for await (const { assets } of openWiki(wiki.url).crawl({
      scope: { key: '1', name: '' },
      cursor,
      known: () => new Map(),
    })) {
      keys.push(...assets.map(({ key }) => key))
    }
    expect(pageKeys(keys)).toHaveLength(60)
  })
})

describe('failures', () => {
  // Retries wait a random time, here none.
  beforeEach(() => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
  })
  afterEach(() => vi.restoreAllMocks())
  const retrying = { optional: { connection: { max_retries: 1 } } }

  const broken: SampleFault['match'] = ({ path, query }) => {
    if (query.get('body-format') !== 'storage') return false
    return (
      path.endsWith('/spaces/1/pages') ||
      path.endsWith('/pages/1003') ||
      query.get('id')?.split(',').includes('1003') === true
    )
  }

  test('a body whose storage format cannot be read is read in view format, without affecting the others', async () => {
    const wiki = await startWiki({ pages: manyPages(8) }, { faults: [{ match: broken, respond: { status: 500 } }] })
    const { texts, error, warnings } = await crawlAll(openWiki(wiki.url, retrying))
    expect(error).toBeUndefined()
    expect(warnings).toEqual([])
    expect(texts.get(`${prefix}:page:1003`)).toBe('Page 1003|text of 1003')
    expect(pageKeys(texts.keys())).toHaveLength(8)
  })

  test('a body that cannot be read in any format is reported, and requested again by the next scan', async () => {
    const faults: SampleFault[] = [
      { match: broken, respond: { status: 500 } },
      { match: onPath(/\/pages\/1003$/), respond: { status: 500 } },
    ]
    const wiki = await startWiki({ pages: manyPages(8) }, { faults })
    const first = await crawlAll(openWiki(wiki.url, retrying))
    expect(first.warnings).toEqual(['body_unavailable'])
    expect(first.assets.get(`${prefix}:page:1003`)?.facts?.contentStatus).toBe('body_unavailable')
    wiki.faults.splice(0)
    const second = await crawlAll(openWiki(wiki.url), checksumsOf(first))
    expect([...second.texts.keys()]).toEqual([`${prefix}:page:1003`])
  })

  test.each<[string, SampleFault['respond'], string]>([
    ['a sign-in page', 'html', 'protocol_error'],
    ['half a reply', 'cut', 'protocol_error'],
    ['a dropped connection', 'truncate', 'network'],
  ])('%s in place of pages fails the scope and is not read as an empty one', async (_name, respond, reason) => {
    const wiki = await startWiki({ pages: manyPages(3) }, { faults: [{ match: listing, respond }] })
    const { error, batches } = await crawlAll(openWiki(wiki.url))
    expect(reasonOf(error)).toBe(reason)
    expect(batches).toEqual([])
  })

  test('a site-wide list that fails is not used', async () => {
    const faults: SampleFault[] = [
      { match: onPath(/\/v2\/(?:attachments|footer-comments)$/), respond: { status: 403 } },
    ]
    const wiki = await startWiki(
      { pages: manyPages(3), comments: [commentOf('70', '1001')], attachments: [attachmentOf('att5', '1001')] },
      { faults },
    )
    const { assets, error, warnings } = await crawlAll(openWiki(wiki.url))
    expect([error, warnings]).toEqual([undefined, []])
    expect(assets.has(`${prefix}:comments:1001`)).toBe(true)
    expect(assets.has(`${prefix}:attachment:att5`)).toBe(true)
  })
})

describe('a cursor', () => {
  test.each([
    ['encoded', 'a+b/c==', 'a%2Bb%2Fc%3D%3D'],
    ['as it is', 'a+b/c==', 'a+b/c=='],
    ['with an escape of its own', 'a%3D+c', 'a%253D%2Bc'],
  ])('is decoded and encoded once: %s', async (_name, cursor, written) => {
    const isSecond = (request: { query: URLSearchParams }) => request.query.has('cursor')
    const first = rewrite(
      (request) => listing(request) && !isSecond(request),
      (body) => {
        body._links.next = `/wiki/api/v2/spaces/1/pages?cursor=${written}&limit=50`
      },
    )
    const rest: SampleFault = {
      match: (request) => listing(request) && isSecond(request),
      respond: { status: 200, body: { results: [], _links: {} } },
    }
    const wiki = await startWiki({ pages: manyPages(3) }, { faults: [rest, first] })
    const { error } = await crawlAll(openWiki(wiki.url))
    expect(error).toBeUndefined()
    expect(wiki.requests.filter(listing).map(({ query }) => query.get('cursor'))).toEqual([null, cursor])
  })
})

describe('the end of a listing', () => {
  test('is not assumed after a short page', async () => {
    const short = rewrite(listing, (body) => {
      const kept = body.results.splice(0)
      body.results.push(...kept.slice(0, 7))
      if (kept.length > 7) body._links.next = `/wiki/x?cursor=${toCursor({ value: 0, id: String(kept[6]?.id) })}`
    })
    const wiki = await startWiki({ pages: manyPages(60) }, { faults: [short] })
    const { assets, error } = await crawlAll(openWiki(wiki.url))
    expect(error).toBeUndefined()
    expect(pageKeys(assets.keys())).toHaveLength(60)
    expect(wiki.requests.filter(listing)).toHaveLength(9)
  })

  test('is not assumed where new cursors return the same pages', async () => {
    let count = 0
    const same = rewrite(listing, (body) => {
      body.results = [{ id: '1000', title: 'Again', spaceId: '1', body: { storage: { value: '<p>x</p>' } } }]
      body._links.next = `/wiki/x?cursor=${toCursor({ value: 0, id: String(1000 + count++) })}`
    })
    const wiki = await startWiki({ pages: manyPages(60) }, { faults: [same] })
    const { assets, error, batches } = await crawlAll(openWiki(wiki.url))
    expect(reasonOf(error)).toBe('cursor_loop')
    expect(pageKeys(assets.keys())).toEqual(['1000'])
    expect(batches.every(({ cursor }) => cursor !== null)).toBe(true)
    expect(wiki.requests.filter(listing).length).toBeLessThan(8)
  })
})

describe('an entry that cannot be read', () => {
  test('in a list of pages leaves a gap, which is reported', async () => {
    const nameless = rewrite(listing, (body) => {
      delete body.results[1]?.id
    })
    const wiki = await startWiki({ pages: manyPages(3) }, { faults: [nameless] })
    const { assets, batches, error } = await crawlAll(openWiki(wiki.url))
    expect(error).toBeUndefined()
    expect(pageKeys(assets.keys())).toEqual(['1000', '1002'])
    expect(batches.flatMap(({ warnings }) => warnings)).toMatchObject([
      { code: 'entries_unreadable', incomplete: true, scope: '1' },
    ])
  })

  test('in the list of spaces leaves a gap, which is reported', async () => {
    const nameless = rewrite(onPath(/\/spaces$/), (body) => {
      if (body.results.length > 1) delete body.results[1]?.id
    })
    const wiki = await startWiki({ spaces: ['1', '2', '3'].map((id) => spaceOf(id)) }, { faults: [nameless] })
    const { scopes, warnings } = await openWiki(wiki.url).scopes()
    expect(scopes.map(({ key }) => key)).toEqual(['1', '3'])
    expect(warnings).toMatchObject([{ code: 'entries_unreadable', incomplete: true }])
  })

  test.each(['attachments', 'footer-comments'])('in the %s of a page is reported for that page', async (list) => {
    const nameless = rewrite(onPath(new RegExp(`/pages/1000/${list}$`)), (body) => {
      delete body.results[0]?.id
    })
    const wiki = await startWiki(
      {
        spaces: ['1', '2', '3'].map((id) => spaceOf(id)),
        pages: manyPages(1),
        comments: [commentOf('70', '1000'), commentOf('71', '1000')],
        attachments: [attachmentOf('att5', '1000'), attachmentOf('att6', '1000')],
      },
      { faults: [nameless] },
    )
    const oneOfMany = { optional: { scope: { spaces: { keys: ['S1'] } } } }
    const { batches, error } = await crawlAll(openWiki(wiki.url, oneOfMany))
    expect(error).toBeUndefined()
    const code = list === 'attachments' ? 'attachments_unavailable' : 'comments_unavailable'
    expect(batches.flatMap(({ warnings }) => warnings)).toMatchObject([{ code, assetKey: `${prefix}:page:1000` }])
  })

  test('in a site-wide list causes the lists of the pages to be requested', async () => {
    const nameless = rewrite(onPath(/\/v2\/attachments$/), (body) => {
      delete body.results[0]?.id
    })
    const attachments = [attachmentOf('att5', '1000'), attachmentOf('att6', '1000')]
    const wiki = await startWiki({ pages: manyPages(2), attachments }, { faults: [nameless] })
    const { assets, warnings } = await crawlAll(openWiki(wiki.url))
    expect([...assets.keys()].filter((key) => key.includes(':attachment:'))).toHaveLength(2)
    expect(warnings).toEqual([])
  })
})

describe('the pages of a space', () => {
  test('are listed for closed, archived and personal spaces separately', async () => {
    const spaces = [
      spaceOf('1'),
      spaceOf('2', { status: 'archived' }),
      spaceOf('3', { key: '~ann', type: 'personal' as const }),
    ]
    const pages = ['1', '2', '3'].map((spaceId) => pageOf(`${spaceId}0`, { spaceId }))
    const closed: SampleFault = { match: onPath(/\/spaces\/1\/pages$/), respond: { status: 403, body: {} } }
    const wiki = await startWiki({ spaces, pages }, { faults: [closed] })
    const { assets, error } = await crawlAll(openWiki(wiki.url))
    expect(reasonOf(error)).toBe('forbidden')
    expect(pageKeys(assets.keys())).toEqual(['20', '30'])
  })

  test('include archived pages, marked as such, and no trashed ones', async () => {
    const pages = (['current', 'archived', 'trashed', 'deleted'] as const).map((status, index) =>
      pageOf(String(10 + index), { status }),
    )
    const wiki = await startWiki({ pages })
    const { assets } = await crawlAll(openWiki(wiki.url))
    expect(pageKeys(assets.keys())).toEqual(['10', '11'])
    expect([...assets.values()].flatMap(({ kind, presence }) => (kind === 'wiki.page' ? [presence] : []))).toEqual([
      undefined,
      'archived',
    ])
    expect(wiki.requests.filter(listing).map(({ query }) => query.get('status'))).toEqual(['current,archived'])
  })

  test('include a page once, although addresses name it in many ways', async () => {
    const hrefs = [
      '/wiki/x/AYCV',
      '/wiki/pages/viewpage.action?pageId=9797633',
      '/wiki/spaces/S1/pages/9797633/Target',
      'SITE/wiki/spaces/S1/pages/9797633',
    ]
    const links = hrefs.map((href) => `<a href="${href}">x</a>`).join('')
    const byTitle = '<ac:link><ri:page ri:content-title="Target" ri:space-key="S1"/></ac:link>'
    const wiki = await startWiki({})
    wiki.tenant.addPage(pageOf('9797633', { title: 'Target' }))
    wiki.tenant.addPage(pageOf('10', { body: links.replace('SITE', wiki.url) + byTitle }))
    const { assets } = await crawlAll(openWiki(wiki.url))
    const found = assets.get(`${prefix}:page:10`)?.links.filter(({ type }) => type === 'references') ?? []
    expect(found.map(({ targetKey }) => targetKey)).toEqual([...hrefs.map(() => `${prefix}:page:9797633`), undefined])
    expect(found.at(-1)?.reference).toMatchObject({ space: 'S1', title: 'Target' })
  })
})

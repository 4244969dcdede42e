import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { onPath, type SampleFault } from '../../sample/fault.ts'
import { listing, manyPages, pageKeys, rewrite } from './lists.ts'
import {
  attachmentOf,
  checksumsOf,
  commentOf,
  crawlAll,
  openWiki,
  prefix,
  reasonOf,
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

  test('endless new cursors without new items end the scope as incomplete', async () => {
    const endless: SampleFault = {
      match: (request) => listing(request) && request.query.has('cursor'),
      respond: {
        rewrite: () => ({
          status: 200,
          body: { results: [], _links: { next: `/wiki/api/v2/x?cursor=${Math.random()}` } },
        }),
      },
    }
    const wiki = await startWiki({ pages: manyPages(60) }, { faults: [endless] })
    const { assets, error, batches } = await crawlAll(openWiki(wiki.url))
    expect(reasonOf(error)).toBe('cursor_loop')
    expect(pageKeys(assets.keys())).toHaveLength(50)
    expect(batches.every(({ cursor }) => cursor !== null)).toBe(true)
    expect(wiki.requests.filter(listing).length).toBeLessThan(8)
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

import { afterEach, describe, expect, test } from 'vitest'
import { toCursor } from '../../../src/sample/wiki/listing.ts'
import { onPath, type SampleFault } from '../../sample/fault.ts'
import { listing, manyPages, pageKeys, rewrite } from './lists.ts'
import {
  attachmentOf,
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
        pages: manyPages(2),
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

  test('do not include archived and trashed pages', async () => {
    const pages = (['current', 'archived', 'trashed', 'deleted'] as const).map((status, index) =>
      pageOf(String(10 + index), { status }),
    )
    const wiki = await startWiki({ pages })
    const { assets } = await crawlAll(openWiki(wiki.url))
    expect(pageKeys(assets.keys())).toEqual(['10'])
    expect(wiki.requests.filter(listing).map(({ query }) => query.get('status'))).toEqual(['current'])
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

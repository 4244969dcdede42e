import { afterEach, describe, expect, test } from 'vitest'
import type { EarlierVersion } from '../../../src/connectors/connector.ts'
import {
  archivePage,
  deleteAttachment,
  deletePage,
  deleteVersions,
  editComment,
  editPage,
  movePage,
  purgeAttachment,
  purgePage,
  replaceAttachment,
  restorePage,
} from '../../sample/edits.ts'
import { onPath, type SampleFault } from '../../sample/fault.ts'
import { rewrite } from './lists.ts'
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
  siteRequests,
  spaceOf,
  startWiki,
  stopWikis,
} from './support.ts'

afterEach(stopWikis)

const keyOf = (end: string) => `${prefix}:${end}`

const blog = () => ({
  spaces: [spaceOf('1'), spaceOf('2')],
  pages: [
    pageOf('10'),
    pageOf('20', { kind: 'blogpost', title: 'News', body: '<p>posted</p>' }),
    pageOf('21', {
      kind: 'blogpost',
      spaceId: '2',
      body: '<p><a href="/wiki/spaces/S1/blog/2026/01/05/20/News">news</a></p>',
    }),
    pageOf('30', { status: 'archived' }),
  ],
  comments: [commentOf('70', '20'), commentOf('71', '20', { parentId: '70' }), commentOf('72', '30')],
  attachments: [attachmentOf('att5', '20'), attachmentOf('att6', '30')],
})

describe('blog posts', () => {
  test('are read as pages are, with comments, attachments and links', async () => {
    const wiki = await startWiki(blog())
    const { assets, texts, error, warnings } = await crawlAll(openWiki(wiki.url))
    expect([error, warnings]).toEqual([undefined, []])
    expect(assets.get(keyOf('page:20'))).toMatchObject({
      kind: 'wiki.blogpost',
      name: 'News',
      container: 'Space 1',
      url: `${wiki.url}/wiki/spaces/S1/blog/2026/01/05/20`,
      links: [{ type: 'child_of', targetKey: keyOf('space:1') }],
    })
    expect(texts.get(keyOf('page:20'))).toBe('News|posted')
    expect(texts.get(keyOf('comments:20'))).toBe('comment 70|comment 71')
    expect(texts.get(keyOf('attachment:att5'))).toBe('att5.txt|bytes of att5')
    expect(assets.get(keyOf('page:21'))?.links).toContainEqual(
      expect.objectContaining({ type: 'references', targetKey: keyOf('page:20') }),
    )
  })

  test.each([{}, { scope: { spaces: { keys: ['S1'] } } }])(
    'are not read again where nothing changed: %o',
    async (scope) => {
      const wiki = await startWiki(blog())
      const given = { optional: scope }
      const known = checksumsOf(await crawlAll(openWiki(wiki.url, given)))
      wiki.requests.splice(0)
      const second = await crawlAll(openWiki(wiki.url, given), known)
      expect(second.texts.size).toBe(0)
      expect(checksumsOf(second)).toEqual(known)
      expect(wiki.requests.some(({ query }) => query.has('body-format'))).toBe(false)
      editPage(wiki.tenant, '20', { body: '<p>new</p>' })
      const third = await crawlAll(openWiki(wiki.url, given), known)
      expect([...third.texts.keys()]).toEqual([keyOf('page:20')])
    },
  )

  test.each(['LATEST', 'RANDOM'] as const)('are part of a sample: %s', async (strategy) => {
    const wiki = await startWiki({ ...blog(), spaces: [spaceOf('1')] })
    for (const orderBy of ['title', 'modifiedDate']) {
      const sampling = { strategy, limit: 2, orderBy, seed: 3 }
      const { assets } = await crawlAll(openWiki(wiki.url, { sampling }))
      const kinds = [...assets.values()].map(({ kind }) => kind)
      expect(kinds.filter((kind) => kind === 'wiki.page' || kind === 'wiki.blogpost')).toHaveLength(2)
      if (strategy === 'LATEST' && orderBy === 'title') expect(kinds).toContain('wiki.blogpost')
    }
  })

  test.each<[number, string]>([
    [403, 'refused'],
    [404, 'refused'],
    [501, 'failed'],
  ])('that the platform answers with %i are reported as unlisted, and pages are read', async (status, reason) => {
    const wiki = await startWiki(blog(), {
      faults: [{ match: onPath(/\/v2\/blogposts$/), respond: { status, body: {} } }],
    })
    const session = openWiki(wiki.url)
    const { assets, batches, error } = await crawlAll(session)
    expect(error).toBeUndefined()
    expect(assets.has(keyOf('page:10'))).toBe(true)
    expect(batches.flatMap(({ unlisted }) => unlisted ?? [])).toContainEqual(
      expect.objectContaining({ kinds: ['wiki.blogpost'], reason }),
    )
    expect(session.coverage?.().refused).toEqual([{ what: 'wiki.blogpost', reason }])
  })

  test('are resumed after the last one stored', async () => {
    const posts = Array.from({ length: 120 }, (_, index) => pageOf(String(2000 + index), { kind: 'blogpost' }))
    const wiki = await startWiki({ pages: posts })
    const { batches } = await crawlAll(openWiki(wiki.url))
    const scope = { key: '1', name: 'Space 1' }
    for (const [index, { cursor }] of batches.entries()) {
      if (cursor === null) continue
      const stored = new Set(batches.slice(0, index + 1).flatMap(({ assets }) => assets.map(({ key }) => key)))
      const count = stored.size
      for await (const batch of openWiki(wiki.url).crawl({ scope, cursor, known: () => new Map() })) {
        for (const { key } of batch.assets) {
          expect(stored.has(key)).toBe(false)
          stored.add(key)
        }
      }
      expect([count < 121, stored.size]).toEqual([true, 121])
    }
  })
})

test('archived pages are marked as archived, with their comments and attachments', async () => {
  const wiki = await startWiki(blog())
  const { assets, texts } = await crawlAll(openWiki(wiki.url))
  const archived = [...assets.values()].filter(({ presence }) => presence === 'archived').map(({ key }) => key)
  expect(archived.sort()).toEqual(['attachment:att6', 'comments:30', 'page:30'].map(keyOf))
  expect(texts.get(keyOf('attachment:att6'))).toBe('att6.txt|bytes of att6')
  const known = checksumsOf({ assets } as Awaited<ReturnType<typeof crawlAll>>)
  restorePage(wiki.tenant, '30')
  archivePage(wiki.tenant, '10')
  const second = await crawlAll(openWiki(wiki.url), known)
  const presences = ['page:10', 'page:30', 'comments:30'].map((key) => second.assets.get(keyOf(key))?.presence)
  expect(presences).toEqual(['archived', undefined, undefined])
})

describe('earlier versions', () => {
  const history = async (faults: SampleFault[] = []) => {
    const wiki = await startWiki(blog(), { faults })
    for (const text of ['two', 'three']) {
      editPage(wiki.tenant, '10', { body: `<p>${text}</p>`, title: `Page ${text}` })
      editPage(wiki.tenant, '20', { body: `<p>${text}</p>` })
      editComment(wiki.tenant, '71', `<p>${text}</p>`)
      editComment(wiki.tenant, '70', `<p>${text} root</p>`)
      replaceAttachment(wiki.tenant, 'att5', new TextEncoder().encode(text))
    }
    return wiki
  }
  const read = async (wiki: { url: string }, key: string, known = 0, limit = 9) => {
    const versions: EarlierVersion[] = []
    for await (const version of openWiki(wiki.url).earlierVersions?.(keyOf(key), { known, limit }) ?? []) {
      versions.push(version)
    }
    return versions.map(({ version, document, unread }) => [
      version,
      unread ?? document?.parts.map(({ text }) => text.trim()).join('|'),
    ])
  }

  test.each<[string, [number, string][]]>([
    [
      'page:20',
      [
        [2, 'News|two'],
        [1, 'News|posted'],
      ],
    ],
    [
      'page:10',
      [
        [2, 'Page two|two'],
        [1, 'Page 10|text of 10'],
      ],
    ],
    [
      'attachment:att5',
      [
        [2, 'att5.txt|two'],
        [1, 'att5.txt|bytes of att5'],
      ],
    ],
    [
      'comments:20',
      [
        [2, 'two root'],
        [2, 'two'],
        [1, 'comment 71'],
        [1, 'comment 70'],
      ],
    ],
    ['page:30', []],
  ])('of %s are read newest first', async (key, expected) => {
    expect(await read(await history(), key)).toEqual(expected)
  })

  test('are in the same parts and sections as the present version', async () => {
    const wiki = await history()
    const { assets } = await crawlAll(openWiki(wiki.url))
    for (const key of ['page:20', 'attachment:att5', 'comments:20'].map(keyOf)) {
      const present = (await assets.get(key)?.document?.())?.parts ?? []
      const places = new Set(present.map(({ path, section }) => `${path} ${section}`))
      for await (const { document } of openWiki(wiki.url).earlierVersions?.(key, { limit: 9 }) ?? []) {
        expect(document?.parts.length).toBeGreaterThan(0)
        for (const { path, section } of document?.parts ?? []) expect(places).toContain(`${path} ${section}`)
      }
    }
  })

  test('that were read before, or are beyond the limit, are not read', async () => {
    const wiki = await history()
    expect(await read(wiki, 'page:10', 1)).toEqual([[2, 'Page two|two']])
    expect(await read(wiki, 'page:10', 2)).toEqual([])
    expect(await read(wiki, 'page:10', 0, 1)).toEqual([[2, 'Page two|two']])
  })

  test('cost one request for 50 versions', async () => {
    const wiki = await startWiki({ pages: [pageOf('10')] })
    for (let version = 2; version <= 121; version++) editPage(wiki.tenant, '10', { body: `<p>${version}</p>` })
    const versions = await read(wiki, 'page:10', 0, 1_000)
    expect(versions.map(([number]) => number)).toEqual(Array.from({ length: 120 }, (_, index) => 120 - index))
    expect(pathsOf(wiki).filter((path) => path.endsWith('/versions'))).toHaveLength(3)
    expect(pathsOf(wiki).some((path) => path === '/api/v2/pages/10')).toBe(false)
  })

  test('that were deleted are left out, and those of a page that moved are found', async () => {
    const wiki = await history()
    deleteVersions(wiki.tenant, '10', [1])
    movePage(wiki.tenant, '10', { spaceId: '2' })
    expect(await read(wiki, 'page:10')).toEqual([[2, 'Page two|two']])
  })

  const bodiless = rewrite(onPath(/\/pages\/10\/versions$/), (body) => {
    for (const version of body.results) delete (version.page as { body?: unknown }).body
  })
  test.each<[string, SampleFault[], unknown]>([
    [
      'is asked for by itself',
      [],
      [
        [2, 'Page two|two'],
        [1, 'Page 10|text of 10'],
      ],
    ],
    [
      'and cannot be read is reported',
      [{ match: onPath(/\/pages\/10$/), respond: { status: 501 }, times: 1 }],
      [
        [2, 'failed'],
        [1, 'Page 10|text of 10'],
      ],
    ],
    [
      'and is refused is reported',
      [{ match: onPath(/\/pages\/10$/), respond: { status: 403, body: {} }, times: 1 }],
      [
        [2, 'refused'],
        [1, 'Page 10|text of 10'],
      ],
    ],
    [
      'and was deleted meanwhile is left out',
      [{ match: onPath(/\/pages\/10$/), respond: { status: 404, body: {} }, times: 1 }],
      [[1, 'Page 10|text of 10']],
    ],
  ])('without a body in the list %s', async (_name, faults, expected) => {
    expect(await read(await history([bodiless, ...faults]), 'page:10')).toEqual(expected)
  })

  test.each(['page:10', 'page:20', 'attachment:att5', 'comments:20'])(
    'of %s that the account may not read are told from those of an item that is gone',
    async (key) => {
      for (const status of [403, 404]) {
        const wiki = await history([{ match: onPath(/\/versions$/), respond: { status, body: {} } }])
        await expect(read(wiki, key)).rejects.toSatisfy((error) => reasonOf(error) === 'forbidden')
      }
      const wiki = await history()
      for (const id of ['10', '20']) purgePage(wiki.tenant, id)
      if (!key.startsWith('comments'))
        await expect(read(wiki, key)).rejects.toSatisfy((error) => reasonOf(error) === 'gone')
    },
  )

  test('are continued after the pause that the platform asks for', async () => {
    const wiki = await history([
      { match: onPath(/\/versions$/), respond: { status: 429, headers: { 'retry-after': '1' } }, times: 1 },
    ])
    const session = openWiki(wiki.url, { optional: { connection: { max_retries: 2 } } })
    const versions: number[] = []
    for await (const { version } of session.earlierVersions?.(keyOf('page:10'), { limit: 9 }) ?? [])
      versions.push(version)
    expect(versions).toEqual([2, 1])
  })
})

describe('items that are no longer listed', () => {
  const keys = [
    'page:10',
    'page:20',
    'page:30',
    'page:99',
    'comments:20',
    'comments:10',
    'attachment:att5',
    'attachment:att6',
  ]
  const locate = async (wiki: { url: string }) => {
    const found = await openWiki(wiki.url).locate?.(keys.map(keyOf))
    return Object.fromEntries(keys.flatMap((key) => (found?.has(keyOf(key)) ? [[key, found.get(keyOf(key))]] : [])))
  }

  test('are found where they are: current, archived, in the trash, or nowhere', async () => {
    const wiki = await startWiki(blog())
    expect(await locate(wiki)).toEqual({
      'page:10': 'current',
      'page:20': 'current',
      'page:30': 'archived',
      'attachment:att5': 'current',
      'attachment:att6': 'current',
    })
    deletePage(wiki.tenant, '20')
    deletePage(wiki.tenant, '10')
    deleteAttachment(wiki.tenant, 'att6')
    // What belongs to an item in the trash cannot be found by itself.
    expect(await locate(wiki)).toEqual({
      'page:10': 'trash',
      'page:20': 'trash',
      'page:30': 'archived',
      'attachment:att6': 'trash',
    })
    restorePage(wiki.tenant, '20')
    purgePage(wiki.tenant, '10')
    purgeAttachment(wiki.tenant, 'att6')
    expect(await locate(wiki)).toEqual({ 'page:20': 'current', 'page:30': 'archived', 'attachment:att5': 'current' })
  })

  test('are looked up with one request for 250 pages', async () => {
    const wiki = await startWiki({ pages: Array.from({ length: 260 }, (_, index) => pageOf(String(1000 + index))) })
    const session = openWiki(wiki.url)
    await session.scopes()
    wiki.requests.splice(0)
    const found = await session.locate?.(Array.from({ length: 260 }, (_, index) => keyOf(`page:${1000 + index}`)))
    expect([found?.size, siteRequests(wiki).length]).toEqual([260, 2])
  })

  test.each([403, 404])('are unknown where the trash is refused with %i, unless they are listed', async (status) => {
    const trash = (request: { query: URLSearchParams }) => request.query.get('status')?.includes('trashed') === true
    const wiki = await startWiki(blog(), { faults: [{ match: trash, respond: { status, body: {} } }] })
    deletePage(wiki.tenant, '10')
    expect(await locate(wiki)).toMatchObject({
      'page:10': 'unknown',
      'page:20': 'current',
      'page:30': 'archived',
      'page:99': 'unknown',
    })
    const session = openWiki(wiki.url)
    await session.locate?.([keyOf('page:10')])
    expect(session.coverage?.().refused).toEqual([{ what: 'trash', reason: 'refused' }])
  })
})

test('the coverage names what is read, what is left out, and what cannot be read', async () => {
  const wiki = await startWiki(blog())
  const session = openWiki(wiki.url, { optional: { content: { include_attachments: false } } })
  await crawlAll(session)
  const { kinds, refused } = session.coverage?.() ?? { kinds: [] }
  expect(refused).toEqual([])
  expect(kinds.filter(({ read }) => read).map(({ kind }) => kind)).toEqual(
    ['space', 'page', 'blogpost', 'comments', 'linked_file'].map((kind) => `wiki.${kind}`),
  )
  expect(kinds.filter(({ read }) => !read)).toEqual([
    { kind: 'wiki.attachment', read: false, reason: 'switched_off' },
    { kind: 'whiteboard', read: false, reason: 'not_available' },
    { kind: 'database', read: false, reason: 'not_available' },
    { kind: 'embed', read: false, reason: 'not_available' },
    { kind: 'draft', read: false, reason: 'not_available' },
  ])
})

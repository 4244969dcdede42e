import { afterEach, describe, expect, test } from 'vitest'
import { listen } from '../../../src/sample/listener.ts'
import { pdfOf, zipOf } from '../../documents/files.ts'
import { onPath, type SampleFault } from '../../sample/fault.ts'
import { disturb } from '../../sample/servers.ts'
import { listing, manyPages, pageKeys, rewrite } from './lists.ts'
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
  reasonOf,
  spaceOf,
  startWiki,
  stopWikis,
} from './support.ts'

afterEach(stopWikis)

describe('missing permissions', () => {
  const scopeMissing = { status: 401, body: { code: 401, message: 'Unauthorized; scope does not match' } }
  // Where the account is still signed in, any 401 for one kind of call means a missing scope.
  test.each<[RegExp, SampleFault['respond'], string]>([
    [/comments/, scopeMissing, 'comments_denied'],
    [/comments/, { status: 401, body: {} }, 'comments_denied'],
    [/attachments$/, scopeMissing, 'attachments_denied'],
  ])('a token without the scope for %s still reads pages, and one warning reports it', async (path, respond, code) => {
    const content = {
      pages: manyPages(60),
      comments: [commentOf('70', '1001')],
      attachments: [attachmentOf('att5', '1001')],
    }
    const wiki = await startWiki(content, { faults: [{ match: onPath(path), respond }] })
    const { error, assets, batches } = await crawlAll(openWiki(wiki.url))
    expect(error).toBeUndefined()
    expect(pageKeys(assets.keys())).toHaveLength(60)
    const warnings = batches.flatMap((batch) => batch.warnings)
    expect(warnings).toMatchObject([{ code, scope: '1' }])
    expect(batches.flatMap(({ unlisted }) => unlisted)).toMatchObject([{ reason: 'refused', detail: code }])
  })

  test('a token without permission for account names reads pages without them', async () => {
    const faults: SampleFault[] = [{ match: onPath(/users-bulk$/), respond: { status: 403, body: {} } }]
    const wiki = await startWiki({ pages: manyPages(60) }, { faults })
    const { error, warnings, assets } = await crawlAll(openWiki(wiki.url))
    expect([error, warnings]).toEqual([undefined, []])
    expect(pageKeys(assets.keys())).toHaveLength(60)
  })
})

describe('lists of comments and attachments', () => {
  const one = { optional: { scope: { spaces: { keys: ['S1'] } } } }
  const spaces = ['1', '2', '3'].map((id) => spaceOf(id))

  test('of a page that is deleted during the crawl are reported as missing, and the page is kept', async () => {
    const faults: SampleFault[] = [
      { match: onPath(/\/pages\/1001\/(?:attachments|footer-comments|inline-comments)$/), respond: { status: 404 } },
      { match: onPath(/\/v2\/(?:attachments|footer-comments|inline-comments)$/), respond: { status: 501 } },
    ]
    const wiki = await startWiki({ spaces, pages: manyPages(3), comments: [commentOf('70', '1001')] }, { faults })
    const { assets, error, batches } = await crawlAll(openWiki(wiki.url, one))
    expect(error).toBeUndefined()
    expect(pageKeys(assets.keys())).toHaveLength(3)
    expect(batches.flatMap(({ warnings }) => warnings)).toMatchObject([
      { code: 'comments_unavailable', assetKey: `${prefix}:page:1001` },
      { code: 'attachments_unavailable', assetKey: `${prefix}:page:1001` },
    ])
  })

  // More than one page of the list.
  test.each<[boolean, number, number]>([
    [true, 253, 250],
    [false, 13, 10],
  ])(
    'with many comments and deep replies give the same asset in every scan (site lists include replies: %s)',
    async (siteListsHoldReplies, count, maxListed) => {
      const roots = Array.from({ length: count }, (_, index) => commentOf(String(2000 + index), '1000'))
      const replies = ['2000', '5001', '5002', '5003'].map((parentId, index) =>
        commentOf(String(5001 + index), '1000', { parentId }),
      )
      const wiki = await startWiki(
        { pages: [pageOf('1000')], comments: [...roots, ...replies] },
        { siteListsHoldReplies, maxListed },
      )
      const first = await crawlAll(openWiki(wiki.url))
      const key = `${prefix}:comments:1000`
      expect(first.texts.get(key)?.split('|')).toHaveLength(count + 4)
      const known = await crawlAll(openWiki(wiki.url), checksumsOf(first))
      expect(known.assets.get(key)?.checksum).toBe(first.assets.get(key)?.checksum)
      expect(known.texts.size).toBe(0)
      const narrow = await crawlAll(openWiki(wiki.url, one), checksumsOf(first))
      expect(narrow.assets.get(key)?.checksum).toBe(first.assets.get(key)?.checksum)
    },
  )
})

describe('downloads', () => {
  const read = async (over: Parameters<typeof attachmentOf>[2], faults: SampleFault[] = []) => {
    const wiki = await startWiki({ pages: [pageOf('10')], attachments: [attachmentOf('att5', '10', over)] }, { faults })
    const crawled = await crawlAll(openWiki(wiki.url))
    const key = `${prefix}:attachment:att5`
    return {
      wiki,
      text: crawled.texts.get(key),
      failure: reasonOf(crawled.failures.get(key)),
      status: crawled.assets.get(key)?.facts?.contentStatus,
      crawled,
    }
  }
  const download = onPath(/\/download$/)

  test.each([
    'https://evil.example/x',
    'http://169.254.169.254/latest',
    'file:///etc/passwd',
    'https://atlassian.com.evil.example/x',
  ])('a redirect to %s is not followed', async (location) => {
    const { failure, wiki } = await read({}, [{ match: download, respond: { status: 302, headers: { location } } }])
    expect(failure).toBe('protocol_error')
    expect(mediaRequests(wiki)).toEqual([])
  })

  test('a redirect to the site itself is followed without the credential', async () => {
    const location = '/wiki/rest/api/user/current'
    const { failure, wiki } = await read({}, [{ match: download, respond: { status: 302, headers: { location } } }])
    expect(failure).toBeDefined()
    const followed = wiki.requests.filter(({ path }) => path === location).at(-1)
    expect(followed?.headers.authorization).toBeUndefined()
  })

  const hex = '41'.repeat(32)
  const locked = `/ID [<${hex}> <${hex}>] /Encrypt << /Filter /Standard /V 1 /R 2 /Length 40 /P -4 /O <${hex}> /U <${hex}> >>`
  test.each<[string, Parameters<typeof attachmentOf>[2], string]>([
    ['an encrypted PDF', { title: 'a.pdf', bytes: pdfOf(['x'], { trailer: locked }) }, 'encrypted'],
    [
      'a bomb',
      { title: 'a.docx', bytes: zipOf({ 'word/document.xml': ' '.repeat(4 * 1024 * 1024) }) },
      'skipped_too_large',
    ],
    ['an archive', { title: 'a.zip', bytes: zipOf({ 'a.txt': 'x' }) }, 'unsupported'],
    ['no size', { fileSize: undefined as never }, 'read'],
  ])('%s is reported with its actual reason', async (_name, over, expected) => {
    expect((await read(over)).status).toBe(expected)
  })
})

test('no address in a page is ever requested', async () => {
  const { requests, respond } = disturb({})
  const canary = await listen({ server: 'canary', handle: () => ({ status: 200 }), respond })
  const addresses = [`${canary.url}/a.pdf`, 'http://169.254.169.254/a.zip', 'http://user:pass@localhost/a.csv']
  const body = addresses.map((address) => `<a href="${address}">x</a>`).join('')
  const wiki = await startWiki({ pages: [pageOf('10', { body })] })
  const { assets } = await crawlAll(openWiki(wiki.url))
  await canary.close()
  expect(requests).toEqual([])
  const files = [...assets.values()].filter(({ kind }) => kind === 'wiki.linked_file')
  expect(files.map(({ url }) => url)).toEqual(addresses)
})

test('members that are missing, null or unknown are tolerated', async () => {
  const fault = rewrite(listing, (body) => {
    body.results = body.results.map(({ id, title, spaceId }, index) =>
      index === 0
        ? {
            id,
            title,
            spaceId,
            body: { storage: { value: '<p>a</p>' } },
            version: { number: 1, message: null },
            parentType: 'whiteboard',
            parentId: '5',
            status: 'novel',
            extra: { deep: [] },
          }
        : { id, title: null, parentId: null, version: null, body: { storage: null }, _links: null },
    )
    body.results.push({ title: 'no id' }, null as never)
  })
  const wiki = await startWiki({ pages: [pageOf('10'), pageOf('11')] }, { faults: [fault] })
  const { assets, texts, error } = await crawlAll(openWiki(wiki.url))
  expect(error).toBeUndefined()
  expect(assets.get(`${prefix}:page:10`)).toMatchObject({
    url: `${wiki.url}/wiki/spaces/S1/pages/10`,
    links: [{ type: 'child_of', targetKey: `${prefix}:space:1` }],
  })
  expect(texts.get(`${prefix}:page:11`)).toBe('text of 11')
})

test('listings use only parameters of the contract', async () => {
  const wiki = await startWiki({ pages: manyPages(3), comments: [commentOf('70', '1001')] })
  await crawlAll(openWiki(wiki.url))
  await openWiki(wiki.url).test()
  expect(pathsOf(wiki).length).toBeGreaterThan(8)
  expect(wiki.requests.filter(({ status }) => status === 400)).toEqual([])
})

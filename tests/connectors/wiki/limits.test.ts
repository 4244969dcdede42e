import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { editPage } from '../../sample/edits.ts'
import { onPath, type SampleFault } from '../../sample/fault.ts'
import { listing, manyPages, pageKeys } from './lists.ts'
import {
  attachmentOf,
  checksumsOf,
  crawlAll,
  openWiki,
  pageOf,
  prefix,
  reasonOf,
  small,
  spaceOf,
  startWiki,
  stopWikis,
} from './support.ts'

afterEach(stopWikis)

const key = `${prefix}:attachment:att5`
const encode = (text: string) => new TextEncoder().encode(text)

async function read(over: Parameters<typeof attachmentOf>[2], maxBytes: number) {
  const wiki = await startWiki({ pages: [pageOf('10')], attachments: [attachmentOf('att5', '10', over)] })
  const content = { attachment_max_bytes: maxBytes }
  const crawled = await crawlAll(openWiki(wiki.url, { optional: { content } }))
  const warnings = crawled.batches.flatMap((batch) => batch.warnings)
  return { wiki, crawled, asset: crawled.assets.get(key), text: crawled.texts.get(key), warnings }
}

describe('attachment_max_bytes: how many bytes of an attachment are downloaded', () => {
  const lines = Array.from({ length: 400 }, (_, index) => `line ${index}`).join('\n')

  test('a larger text is read up to the limit, and the scan warns', async () => {
    const { asset, text, warnings } = await read({ bytes: encode(lines), title: 'long.txt' }, 2048)
    const [name, content = ''] = text?.split('|') ?? []
    expect(name).toBe('long.txt')
    expect(content.length).toBeGreaterThan(2_030)
    expect(content.length).toBeLessThanOrEqual(2_048)
    expect(lines.startsWith(content)).toBe(true)
    expect(asset?.facts).toMatchObject({ contentStatus: 'cut', inferredType: 'text/plain' })
    expect(warnings).toMatchObject([{ code: 'attachment_too_large', assetKey: key }])
    expect(warnings[0]?.message).toContain('2048')
    for (const read of [asset, await asset?.document?.()])
      expect(read?.unread).toEqual([{ section: 'content', reason: 'limit' }])
  })

  test.each([
    ['no character', 'ä'.repeat(600), 'ä'],
    ['no address', `${'x '.repeat(500)}https://host.example/a/long/path/that/is/cut`, 'https'],
  ])('a larger %s is read in part', async (_name, written, part) => {
    const { text = '' } = await read({ bytes: encode(written), title: 'long.txt' }, 1_025)
    expect(text).not.toContain('\uFFFD')
    expect(text).not.toContain('Ã')
    if (part === 'https') expect(text).not.toContain(part)
    else expect(text).toContain(part)
  })

  test.each([
    ['a PDF file', '%PDF-1.7\n', 'application/pdf'],
    ['an Office file', 'PK\u0003\u0004', 'application/zip'],
  ])('only the type of a larger %s is read, which cannot be read in part', async (_name, start, type) => {
    const bytes = new Uint8Array(5_000)
    bytes.set(encode(start))
    const { asset, text, warnings } = await read({ bytes, title: 'long.bin' }, 2_048)
    expect(text).toBe('long.bin')
    expect(asset?.facts).toMatchObject({ contentStatus: 'skipped_too_large', inferredType: type })
    expect(warnings.map(({ code }) => code)).toEqual(['attachment_too_large'])
  })

  test('a file that is larger than the wiki reports is cut, too, and its document is marked as truncated', async () => {
    const { asset, text, warnings } = await read({ bytes: encode(lines), fileSize: 10 }, 2_048)
    expect(asset?.facts?.contentStatus).toBe('cut')
    expect(text?.length).toBeLessThanOrEqual(2_048 + 'att5.txt|'.length)
    expect(warnings).toEqual([])
    expect(await asset?.document?.()).toMatchObject({ truncated: true, unread: [{ section: 'content' }] })
  })

  test('a file of exactly that size is read whole', async () => {
    const { asset, text, warnings } = await read({ bytes: encode('x'.repeat(2_048)) }, 2_048)
    expect([asset?.facts?.contentStatus, text?.length, warnings]).toEqual(['read', 2_048 + 'att5.txt|'.length, []])
    expect(asset?.unread).toEqual([])
  })

  test('an unchanged larger file causes a warning in every scan, and is read again when the limit changes', async () => {
    const { wiki, crawled } = await read({ bytes: encode(lines) }, 2_048)
    const again = (maxBytes: number) =>
      crawlAll(openWiki(wiki.url, { optional: { content: { attachment_max_bytes: maxBytes } } }), checksumsOf(crawled))
    const second = await again(2_048)
    expect([second.texts.has(key), second.warnings]).toEqual([false, ['attachment_too_large']])
    expect((await again(3_000)).texts.get(key)?.length).toBeGreaterThan(2_900)
    const whole = await again(5_242_880)
    expect([whole.texts.get(key)?.length, whole.warnings]).toEqual([lines.length + 'att5.txt|'.length, []])
  })
})

describe('max_retries: retries for transient failures and rate limits', () => {
  const down: SampleFault = { match: listing, respond: { status: 503 } }
  // Retries wait a random time, here none.
  beforeEach(() => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
  })
  afterEach(() => vi.restoreAllMocks())

  test.each([0, 1, 3])(
    'at %i, a failing listing is retried that number of times, smaller pages included',
    async (max_retries) => {
      const wiki = await startWiki({ pages: manyPages(60) }, { faults: [down] })
      const { error } = await crawlAll(openWiki(wiki.url, { optional: { connection: { max_retries } } }))
      expect(reasonOf(error)).toBe('server_error')
      expect(wiki.requests.filter(listing)).toHaveLength(max_retries + 1)
    },
    30_000,
  )

  test('at 0, nothing is retried, neither without bodies nor for a page whose text is missing', async () => {
    const wiki = await startWiki({ pages: manyPages(3) })
    const first = await crawlAll(openWiki(wiki.url))
    wiki.requests.splice(0)
    wiki.faults.push(down)
    await crawlAll(openWiki(wiki.url), checksumsOf(first))
    expect(wiki.requests.filter(listing)).toHaveLength(1)
    wiki.faults.splice(0)
    for (const id of ['1000', '1001', '1002']) editPage(wiki.tenant, id, { body: '<p>new</p>' })
    const bodies = onPath(/\/v2\/pages(?:\/\d+)?$/)
    wiki.faults.push({ match: bodies, respond: { status: 503 } })
    wiki.requests.splice(0)
    const { warnings } = await crawlAll(openWiki(wiki.url), checksumsOf(first))
    expect(warnings).toEqual(['body_unavailable', 'body_unavailable', 'body_unavailable'])
    expect(wiki.requests.filter(bodies)).toHaveLength(1)
  })

  test('after a failure on a large page, smaller pages are requested, which grow again', async () => {
    const large: SampleFault = {
      match: (request) => listing(request) && Number(request.query.get('limit')) > 20,
      respond: { status: 500 },
    }
    const wiki = await startWiki({ pages: manyPages(120) }, { faults: [large] })
    const { assets, error } = await crawlAll(openWiki(wiki.url, { optional: { connection: { max_retries: 3 } } }))
    expect(error).toBeUndefined()
    expect(pageKeys(assets.keys())).toHaveLength(120)
    const limits = wiki.requests.filter(listing).map(({ query, status }) => `${query.get('limit')} ${status}`)
    expect(limits.slice(0, 4)).toEqual(['50 500', '16 200', '25 500', '11 200'])
    expect(new Set(limits.slice(4))).toEqual(new Set(['12 200']))
  }, 30_000)
})

describe('request_timeout_seconds: the time limit of an HTTP request', () => {
  test.each(['hang', 'stall', 'slow'] as const)('ends a download (%s)', async (respond) => {
    const wiki = await startWiki(
      { pages: [pageOf('10')], attachments: [attachmentOf('att5', '10', { bytes: new Uint8Array(20_000).fill(65) })] },
      { faults: [{ match: onPath(/\/binary$/), respond }] },
    )
    const connection = { max_retries: 0, request_timeout_seconds: 1 }
    const before = performance.now()
    const { failures } = await crawlAll(openWiki(wiki.url, { optional: { connection } }))
    expect(reasonOf(failures.get(key))).toBe('network')
    expect(performance.now() - before).toBeLessThan(5_000)
  })
})

describe('rate_limit_delay_seconds: an extra delay between requests', () => {
  test.each<['scoped' | 'classic', string]>([
    ['classic', 'the question for the tenant id included'],
    ['scoped', 'those that find the gateway included'],
  ])('separates all requests of a tenant with a %s token, %s', async (tokenKind) => {
    const starts: number[] = []
    const clock: SampleFault = {
      match: () => {
        starts.push(performance.now())
        return false
      },
      respond: 'html',
    }
    const wiki = await startWiki({ ...small(), spaces: [spaceOf('1'), spaceOf('2')] }, { tokenKind, faults: [clock] })
    const before = performance.now()
    await crawlAll(openWiki(wiki.url, { optional: { connection: { rate_limit_delay_seconds: 0.1 } } }))
    expect(wiki.requests.some(({ path }) => path.includes('tenant_info'))).toBe(true)
    expect(wiki.requests.some(({ server }) => server === 'media')).toBe(true)
    expect(starts.length).toBe(wiki.requests.length)
    // A request may arrive late, but never before those that precede it have had their delays.
    for (const [number, at] of starts.entries()) expect(at - before).toBeGreaterThanOrEqual(number * 90)
    expect((starts.at(-1) ?? 0) - (starts[0] ?? 0)).toBeGreaterThanOrEqual((starts.length - 1) * 90)
  })
})

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { ExchangeRequest } from '../../../src/connectors/http/exchange.ts'
import { onPath, type SampleFault } from '../../../src/sample/fault.ts'
import {
  accountEmail,
  apiToken,
  crawlAll,
  openWiki,
  pageOf,
  reasonOf,
  spaceOf,
  startWiki,
  stopWikis,
} from './support.ts'

const limits: number[] = []
vi.mock('../../../src/connectors/http/exchange.ts', async (original) => {
  const real = await original<typeof import('../../../src/connectors/http/exchange.ts')>()
  return {
    ...real,
    exchange: (request: ExchangeRequest) => {
      limits.push(request.totalMs)
      return real.exchange(request)
    },
  }
})

beforeEach(() => {
  limits.length = 0
})
afterEach(stopWikis)

const spaces = ['1', '2'].map((id) => spaceOf(id))
const pages = [pageOf('10'), pageOf('20', { spaceId: '2' })]

describe('connection settings', () => {
  test.each([0, 1, 2])('max_retries %i allows that many attempts after the first', async (max_retries) => {
    const down: SampleFault = { match: onPath(/\/user\/current$/), respond: { status: 503 } }
    const wiki = await startWiki({ spaces, pages }, { faults: [down] })
    const session = openWiki(wiki.url, { optional: { connection: { max_retries } } })
    await expect(session.scopes()).rejects.toSatisfy((error) => reasonOf(error) === 'server_error')
    expect(wiki.requests.filter(down.match)).toHaveLength(max_retries + 1)
  })

  test('request_timeout_seconds applies to every call, and ends a call that hangs', async () => {
    const wiki = await startWiki({ spaces, pages })
    await crawlAll(openWiki(wiki.url, { optional: { connection: { request_timeout_seconds: 7 } } }))
    expect(new Set(limits)).toEqual(new Set([7_000]))
    const silent: SampleFault = { match: onPath(/\/spaces$/), respond: 'hang' }
    wiki.faults.push(silent)
    const connection = { max_retries: 0, request_timeout_seconds: 1 }
    await expect(openWiki(wiki.url, { optional: { connection } }).scopes()).rejects.toSatisfy(
      (error) => reasonOf(error) === 'network',
    )
  })

  test('rate_limit_delay_seconds separates the starts of all requests', async () => {
    const starts: number[] = []
    const clock: SampleFault = {
      match: (request) => {
        if (!request.path.includes('tenant_info')) starts.push(performance.now())
        return false
      },
      respond: 'html',
    }
    const wiki = await startWiki({ spaces, pages }, { faults: [clock] })
    await crawlAll(openWiki(wiki.url, { optional: { connection: { rate_limit_delay_seconds: 0.08 } } }))
    const gaps = starts.slice(1).map((at, index) => at - (starts[index] ?? 0))
    expect(gaps.length).toBeGreaterThan(8)
    // Starts are spaced where they leave; a busy machine may see them arrive a little closer.
    expect((starts.at(-1) ?? 0) - (starts[0] ?? 0)).toBeGreaterThanOrEqual(gaps.length * 70)
  })
})

test('account_email and api_token are used to sign in at base_url, and sent nowhere else', async () => {
  const wiki = await startWiki({ spaces, pages })
  await crawlAll(openWiki(`${wiki.url}/wiki/`))
  const sent = wiki.requests.flatMap(({ headers }) => headers.authorization ?? [])
  expect(sent.length).toBeGreaterThan(5)
  const pair = Buffer.from(`${accountEmail}:${apiToken}`).toString('base64')
  expect(new Set(sent)).toEqual(new Set([`Basic ${pair}`]))
})

describe('space filters', () => {
  test('every filter is sent to the list of spaces', async () => {
    const labels = ['a', 'b']
    const space = spaceOf('1', { key: 'DOCS', type: 'knowledge_base', labels })
    const wiki = await startWiki({ spaces: [space] })
    const filter = { ids: [1], keys: ['DOCS'], labels, type: 'knowledge_base', status: 'current' }
    await openWiki(wiki.url, { optional: { scope: { spaces: filter } } }).scopes()
    const sent = wiki.requests.findLast(({ path, query }) => path.endsWith('/spaces') && query.has('ids'))
    expect(Object.fromEntries(sent?.query ?? [])).toMatchObject({
      ids: '1',
      keys: 'DOCS',
      labels: 'a,b',
      type: 'knowledge_base',
      status: 'current',
    })
  })
})

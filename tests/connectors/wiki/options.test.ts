import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { ExchangeRequest } from '../../../src/connectors/http/exchange.ts'
import { onPath, type SampleFault } from '../../sample/fault.ts'
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

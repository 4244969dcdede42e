import { beforeEach, expect, it, vi } from 'vitest'
import type { ExchangeRequest } from '../../../src/connectors/http/exchange.ts'
import { crawlAll, guid, payloadFor, refuse, startFakeBi } from './fake.ts'

const limits = new Map<string, number>()
vi.mock('../../../src/connectors/http/exchange.ts', async (original) => {
  const real = await original<typeof import('../../../src/connectors/http/exchange.ts')>()
  return {
    ...real,
    exchange: (request: ExchangeRequest) => {
      limits.set(request.url.pathname, request.totalMs)
      return real.exchange(request)
    },
  }
})
beforeEach(() => limits.clear())

const routes = {
  'GET /groups': [{ id: guid('a', 1), name: 'Finance' }],
  'GET /groups/*/datasets': [],
  'GET /groups/*/reports': [],
  'GET /groups/*/dashboards': [],
  'POST /admin/workspaces/getInfo': refuse(403),
}

it.each([
  [5, 60_000],
  [45, 60_000],
  [300, 300_000],
])('timeout_seconds %i applies to every call; administrator lists get at least a minute', async (seconds, adminMs) => {
  const fake = await startFakeBi(routes)
  const payload = payloadFor(fake)
  const connection = { ...(payload.optional as { connection: object }).connection, timeout_seconds: seconds }
  await crawlAll({ ...payload, optional: { connection } })
  const admin = [...limits].filter(([path]) => path.includes('/admin/'))
  const others = [...limits].filter(([path]) => !path.includes('/admin/'))
  expect(new Set(admin.map(([, ms]) => ms))).toEqual(new Set([adminMs]))
  expect(new Set(others.map(([, ms]) => ms))).toEqual(new Set([seconds * 1000]))
  expect(others.some(([path]) => path.endsWith('/token'))).toBe(true)
})

it('calls go to api_base_url and sign-in to authority_url, below the paths of both', async () => {
  const [api, authority] = [await startFakeBi(routes), await startFakeBi({})]
  const connection = { api_base_url: `${api.origin}/v1.0/myorg/`, authority_url: `${authority.origin}/idp` }
  await crawlAll({ ...payloadFor(api), optional: { connection } })
  expect(authority.seen.map(({ url }) => url.split('/').slice(0, 2).join('/'))).toEqual(['/idp'])
  expect(api.seen.length).toBeGreaterThan(3)
  expect(api.seen.every(({ url }) => url.startsWith('/v1.0/myorg/'))).toBe(true)
})

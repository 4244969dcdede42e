import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { ExchangeError, type ExchangeReply, type ExchangeRequest } from '../../src/connectors/http/exchange.ts'
import { createHttpClient, type HttpClientOptions } from '../../src/connectors/http/transport.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { runVirtually, virtualNow } from './virtual-clock.ts'

vi.mock('node:timers/promises', async (original) => ({
  ...(await original<object>()),
  setTimeout: (await import('./virtual-clock.ts')).virtualSleep,
}))

const upstream = vi.hoisted(() => ({
  answer: (_request: ExchangeRequest): ExchangeReply | Promise<ExchangeReply> => {
    throw new Error('no answer is set')
  },
}))
vi.mock('../../src/connectors/http/exchange.ts', async (original) => ({
  ...(await original<object>()),
  exchange: async (request: ExchangeRequest) => upstream.answer(request),
}))

const START = Date.UTC(2026, 0, 5)
const reply = (status: number, headers: Record<string, string> = {}, text = '{}'): ExchangeReply => ({
  status,
  headers,
  bytes: new TextEncoder().encode(text),
  cut: false,
})

interface Sent {
  path: string
  at: number
  totalMs: number
}

/** Runs calls against scripted answers in virtual time; returns what was sent when. */
async function play(
  script: (count: number, request: ExchangeRequest) => ExchangeReply | Promise<ExchangeReply>,
  work: (client: ReturnType<typeof createHttpClient>) => Promise<unknown>,
  options: Partial<HttpClientOptions> = {},
): Promise<{ sent: Sent[]; error: unknown; tookMs: number }> {
  const sent: Sent[] = []
  upstream.answer = (request) => {
    sent.push({ path: request.url.pathname, at: virtualNow(), totalMs: request.totalMs })
    return script(sent.length, request)
  }
  const error = await runVirtually(async () => {
    const client = createHttpClient({
      origin: 'https://platform.test',
      authorize: async () => 'Basic x',
      timeoutMs: 30_000,
      maxRetries: 3,
      minGapMs: 0,
      concurrency: 4,
      signal: new AbortController().signal,
      log: silentLog,
      now: () => START,
      ...options,
    })
    return work(client).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
  })
  return { sent, error, tookMs: virtualNow() - 1_000_000 }
}

const gaps = (sent: readonly Sent[]) => sent.slice(1).map(({ at }, index) => at - (sent[index]?.at ?? 0))
const one = (client: ReturnType<typeof createHttpClient>) => client.json({ path: '/x' })
const reasonOf = (error: unknown) => (error as { facts?: { reason?: string } } | undefined)?.facts?.reason

describe('a requested wait', () => {
  const inSeconds = (seconds: number) => new Date(START + seconds * 1000)
  it.each<[string, Record<string, string>, number]>([
    ['2 seconds', { 'retry-after': '2' }, 2_000],
    ['60 seconds', { 'retry-after': '60' }, 60_000],
    ['300 seconds', { 'retry-after': '300' }, 300_000],
    ['an HTTP date', { 'retry-after': inSeconds(90).toUTCString() }, 90_000],
    ['an ISO instant', { 'retry-after': inSeconds(45).toISOString() }, 45_000],
    [
      'a date by the clock of the platform',
      { 'retry-after': inSeconds(1000).toUTCString(), date: inSeconds(980).toUTCString() },
      20_000,
    ],
    ['the reset of the limit', { 'x-ratelimit-reset': inSeconds(30).toISOString() }, 30_000],
  ])('is observed to within 5 %%: %s', async (_name, headers, expectedMs) => {
    for (let trial = 0; trial < 20; trial++) {
      const { sent, error } = await play((count) => (count === 1 ? reply(429, headers) : reply(200)), one)
      expect(error).toBeUndefined()
      expect(gaps(sent)).toHaveLength(1)
      expect(gaps(sent)[0]).toBeGreaterThanOrEqual(expectedMs)
      expect(gaps(sent)[0]).toBeLessThanOrEqual(expectedMs * 1.05 + 1)
    }
  })

  it.each<[string, Record<string, string>]>([
    ['nothing', {}],
    ['0', { 'retry-after': '0' }],
    ['garbage', { 'retry-after': 'abc' }],
    ['a negative number', { 'retry-after': '-1' }],
    ['a past date', { 'retry-after': inSeconds(-60).toUTCString() }],
  ])('is replaced by our own back-off if it is %s', async (_name, headers) => {
    const { sent, error } = await play(() => reply(429, headers), one)
    expect(reasonOf(error)).toBe('retry_later')
    expect(sent).toHaveLength(4)
    for (const [index, gap] of gaps(sent).entries()) {
      expect(gap).toBeGreaterThanOrEqual(2_000 * 2 ** index)
      expect(gap).toBeLessThanOrEqual(2_000 * 2 ** index * 1.2 + 1)
    }
  })

  it.each(['301', '3392', '86400'])('of %s seconds ends the scan after one request', async (seconds) => {
    const { sent, error, tookMs } = await play(() => reply(429, { 'retry-after': seconds }), one)
    expect(error).toMatchObject({ facts: { reason: 'retry_later', retryAfterSeconds: Number(seconds) } })
    expect([sent.length, tookMs]).toEqual([1, 0])
  })
})

it('ten calls after one 429 never start within 50 ms of each other', async () => {
  let good = 0
  const trials = 50
  for (let trial = 0; trial < trials; trial++) {
    const { sent, error } = await play(
      (count) => (count === 1 ? reply(429, { 'retry-after': '1' }) : reply(200)),
      (client) => Promise.all(Array.from({ length: 10 }, (_, index) => client.json({ path: `/${index}` }))),
      { concurrency: 1 + (trial % 10) },
    )
    expect(error).toBeUndefined()
    const after = sent.filter(({ at }) => at >= 1_001_000)
    expect(after.length).toBeGreaterThanOrEqual(10 - (trial % 10))
    if (Math.min(...gaps(after)) >= 50) good++
  }
  expect(good).toBeGreaterThanOrEqual(trials * 0.9)
})

describe('an origin that keeps failing', () => {
  const paths = (client: ReturnType<typeof createHttpClient>, count: number) =>
    Promise.allSettled(Array.from({ length: count }, (_, index) => client.json({ path: `/${index}` })))
  const failures: [string, () => ExchangeReply][] = [
    ['by errors', () => reply(500)],
    [
      'by resets',
      () => {
        throw new ExchangeError('network', 'ECONNRESET')
      },
    ],
    [
      'by silence',
      () => {
        throw new ExchangeError('timeout', 'ETIMEDOUT')
      },
    ],
  ]

  it.each(failures)('(%s) gets no requests after five failures until one probe succeeds', async (_name, failing) => {
    const { sent } = await play(
      (count) => (count <= 5 ? failing() : reply(200)),
      async (client) => {
        for (const result of await paths(client, 12)) expect(result.status).toBe('fulfilled')
      },
      { random: () => 0, concurrency: 1 },
    )
    const quiet = gaps(sent).findIndex((gap) => gap >= 5_000)
    expect(quiet).toBe(4)
    expect(sent).toHaveLength(12 + 5)
  })

  it('is probed by single requests at growing intervals, and finally given up', async () => {
    const running = { now: 0, most: 0 }
    const { sent, tookMs } = await play(
      async (count) => {
        running.most = Math.max(running.most, count > 8 ? ++running.now : 0)
        await nextTurn()
        if (count > 8) running.now--
        return reply(500)
      },
      async (client) => {
        for (const result of await paths(client, 40)) expect(result.status).toBe('rejected')
      },
      { random: () => 0 },
    )
    expect(running.most).toBe(1)
    const waits = gaps(sent).filter((gap) => gap >= 1_000)
    expect(waits).toEqual([5_000, 10_000, 20_000])
    expect(sent.length).toBeLessThanOrEqual(8 + 3)
    expect(tookMs).toBeLessThan(60_000)
  })

  it('is probed again later and used again when it has recovered', async () => {
    let healthy = false
    const { error } = await play(
      () => reply(healthy ? 200 : 500),
      async (client) => {
        await paths(client, 40)
        await expect(client.json({ path: '/early' })).rejects.toMatchObject({ facts: { reason: 'server_error' } })
        healthy = true
        await (await import('node:timers/promises')).setTimeout(60_000)
        await Promise.all(['/a', '/b', '/c'].map((path) => client.json({ path })))
      },
      { random: () => 0 },
    )
    expect(error).toBeUndefined()
  })

  it('is not one where a single address fails or requests are refused', async () => {
    const { sent, tookMs } = await play(
      (_count, { url }) => (url.pathname === '/bad' ? reply(500) : reply(403)),
      async (client) => {
        for (let turn = 0; turn < 3; turn++) await client.json({ path: '/bad' }).catch(() => {})
        await paths(client, 8)
      },
      { random: () => 0 },
    )
    expect(sent).toHaveLength(3 * 4 + 8)
    expect(tookMs).toBe(0)
  })

  it('does not include the platform when only its media host fails', async () => {
    const { sent, tookMs } = await play(
      (_count, { url }) =>
        url.host === 'media.test' ? reply(500) : reply(302, { location: `https://media.test${url.pathname}` }),
      async (client) => {
        for (let index = 0; index < 6; index++) {
          const request = { path: `/${index}`, maxBytes: 1000, allowRedirect: () => true }
          await client.download(request).catch(() => {})
        }
      },
      { random: () => 0, maxRetries: 1 },
    )
    expect(sent).toHaveLength(6 * 2 * 2)
    expect(tookMs).toBe(0)
  })

  it('releases waiting requests at once when the work is aborted', async () => {
    const controller = new AbortController()
    const { tookMs } = await play(
      () => reply(500),
      async (client) => {
        const work = paths(client, 12)
        await (await import('node:timers/promises')).setTimeout(1_000)
        controller.abort()
        for (const result of await work) expect(result.status).toBe('rejected')
      },
      { random: () => 0, signal: controller.signal },
    )
    expect(tookMs).toBeLessThanOrEqual(1_000)
  })
})

describe('the settings of a connection', () => {
  it.each([0.5, 1, 2.5])('a minimum gap of %d seconds separates the starts of requests', async (seconds) => {
    const { sent } = await play(
      () => reply(200),
      (client) => Promise.all(Array.from({ length: 8 }, (_, index) => client.json({ path: `/${index}` }))),
      { minGapMs: seconds * 1000 },
    )
    for (const gap of gaps(sent)) {
      expect(gap).toBeGreaterThanOrEqual(seconds * 1000)
      expect(gap).toBeLessThanOrEqual(seconds * 1050)
    }
  })

  it.each([0, 1, 3, 10])('max_retries %i allows that many attempts after the first', async (maxRetries) => {
    for (const failing of [() => reply(500), () => reply(429, { 'retry-after': '1' })]) {
      const { sent, error } = await play(failing, one, { maxRetries })
      expect(error).toBeDefined()
      expect(sent).toHaveLength(maxRetries + 1)
    }
  })

  it('the default back-off doubles with full jitter, up to a minute', async () => {
    const { sent } = await play(() => reply(500), one, { maxRetries: 10, random: () => 1 })
    expect(gaps(sent)).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60, 60].map((seconds) => seconds * 1000))
    const { sent: least } = await play(() => reply(500), one, { maxRetries: 10, random: () => 0 })
    expect(gaps(least)).toEqual(Array(10).fill(0))
  })

  it.each([1_000, 30_000, 300_000])('a time limit of %i ms applies to each attempt', async (timeoutMs) => {
    const { sent } = await play(() => reply(503), one, { timeoutMs, maxRetries: 2 })
    expect(sent.map(({ totalMs }) => totalMs)).toEqual([timeoutMs, timeoutMs, timeoutMs])
  })
})

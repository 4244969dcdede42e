import { describe, expect, it } from 'vitest'
import { type BreakerState, createUpstreamTally, toOutcome } from '../../src/connectors/http/upstream.ts'
import { createLinkChecker } from '../../src/connectors/links/checker.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { clientFor } from './http-client.ts'
import { sendJson, startLoopback } from './loopback.ts'

const ask = (client: ReturnType<typeof clientFor>, path: string) => client.json({ path }).catch(() => {})

describe('the tally of requests to a platform', () => {
  it('counts each reply and fault once, and each wait that the platform requested', async () => {
    const answers = [503, 429, 200, 404, 0, 200]
    const server = await startLoopback((_request, response, count) => {
      const status = answers[count - 1] ?? 200
      if (status === 0) return response.destroy()
      return sendJson(response, {}, status, status === 429 ? { 'retry-after': '1' } : {})
    })
    const tally = createUpstreamTally()
    const client = clientFor(server, { watch: tally.of('wiki') })
    await ask(client, '/a')
    await ask(client, '/b')
    await ask(client, '/c')
    expect(server.seen).toHaveLength(answers.length)
    const { replies, waits } = tally.take() ?? {}
    const wanted = { '5xx': 1, '429': 1, '2xx': 2, '404': 1, network: 1 }
    expect(Object.fromEntries(replies?.get('wiki') ?? [])).toEqual(wanted)
    expect([...(waits ?? [])]).toEqual([[1, 1]])
    expect(tally.pauseOf('wiki')).toEqual({ until: expect.any(Number), status: 429 })
    expect(tally.take()).toBeUndefined()
  })

  it.each([
    [200, '2xx'],
    [302, '3xx'],
    [401, '401'],
    [418, '4xx'],
    [599, '5xx'],
    [999, 'other'],
    ['timeout', 'timeout'],
  ])('maps %s to a name of a closed list', (outcome, name) => expect(toOutcome(outcome)).toBe(name))

  it('reports the worst breaker state of a source, and none after the session', async () => {
    const server = await startLoopback((_request, response) => sendJson(response, {}, 503))
    const tally = createUpstreamTally()
    const seen: (BreakerState | undefined)[] = []
    const look = () => seen.push(tally.take()?.breakers.get('bi'))
    const watch = tally.of('bi')
    const client = clientFor(server, { watch, maxRetries: 0, concurrency: 1 })
    for (let n = 0; n < 5; n++) await ask(client, `/${n}`)
    look()
    const other = watch.watchBreaker()
    other('half_open')
    look()
    tally.ended('bi')
    look()
    expect(seen).toEqual(['open', 'open', 'closed'])
  })

  it('adds the reports of several threads', () => {
    const [main, thread] = [createUpstreamTally(), createUpstreamTally()]
    for (let n = 0; n < 3; n++) {
      thread.of('a').answered(200)
      thread.of('a').askedToWait(9_999)
      thread.blocked('port')
      const told = thread.take()
      if (told !== undefined) main.add(structuredClone(told))
    }
    const { replies, waits, blocked } = main.take() ?? {}
    expect(main.pauseOf('a')?.until).toBeGreaterThan(Date.now() + 9_000_000)
    expect([replies?.get('a')?.get('2xx'), waits?.get(3600), blocked?.get('port')]).toEqual([3, 3, 3])
  })

  it('counts every link that the guard refused, for its literal address or for the address that its name resolves to', async () => {
    const tally = createUpstreamTally()
    const checker = createLinkChecker({
      allowHosts: [],
      signal: new AbortController().signal,
      now: Date.now,
      log: silentLog,
      cache: { find: () => undefined, save: () => {} },
      resolve: async () => [{ address: '10.0.0.1', family: 4 }],
      onBlocked: tally.blocked,
    })
    for (const url of [
      'http://127.0.0.1/',
      'http://[::1]/',
      'https://open.assay-test.net:22/',
      'http://inside.assay-test.net/',
    ]) {
      await checker.check(url)
    }
    expect(Object.fromEntries(tally.take()?.blocked ?? [])).toMatchObject({ private_address: 3, port: 1 })
  })
})

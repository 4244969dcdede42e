import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createWebhookSender, type WebhookMessage } from '../../src/connectors/webhooks.ts'
import { errorOf, NOON } from '../support/context.ts'
import { cases, maxMs } from '../support/long.ts'
import { killDeliverers, TIMEOUT_MS } from './killed-delivery.ts'
import { openReceiver, type Reply } from './receiver.ts'
import { DAY, openWatching, type Watching } from './watching.ts'

const webhook = (url: string, more: object = {}) => ({ type: 'webhook', url, format: 'json', ...more })
const watch = {
  slug: 'open',
  displayName: 'Open <findings>',
  metricSlug: 'open-findings',
  condition: { kind: 'above', value: 0 },
}
const open = { id: 1, severity: 'HIGH', first: NOON - DAY }
const bodies = (messages: readonly WebhookMessage[]) => messages.map(({ body }) => JSON.parse(body))

/** Makes the watch fire and be OK in turn. */
async function toggle(watching: Watching, times: number): Promise<void> {
  const { clock } = watching.context
  for (let count = 0; count < times; count++) {
    clock.now += 60_000
    const isOpen = count % 2 === 0
    await watching.bring([
      { ...open, id: 1000 + Math.floor(count / 2), ...(isOpen ? {} : { resolved: clock.now - 1 }) },
    ])
    await watching.tick()
  }
}

describe('a message', () => {
  it('contains the change, signed with the secret', async () => {
    const watching = openWatching()
    await watching.ask('create_watch', {
      ...watch,
      deliver: [webhook('https://hooks.acme.com/a', { secret: 'k1-of-acme' })],
    })
    await watching.bring([open])
    await watching.tick()
    const { history } = await watching.ask('get_watch', { slug: 'open' })
    expect(bodies(watching.sent)).toEqual([
      {
        id: history[0].id,
        watch: 'open',
        displayName: 'Open <findings>',
        state: 'FIRING',
        previousState: 'UNKNOWN',
        value: 1,
        condition: { kind: 'above', value: 0, for: 1 },
        at: new Date(NOON).toISOString(),
      },
    ])
    const [message] = watching.sent
    const signature = createHmac('sha256', 'k1-of-acme')
      .update(message?.body ?? '')
      .digest('hex')
    expect(message?.headers['x-assay-signature']).toBe(`sha256=${signature}`)
  })

  it('for Slack is plain text without markup from tenants', async () => {
    const watching = openWatching()
    const url = 'https://hooks.slack.com/services/T024BE7LH/B024BE7LH/aBcDeFgHiJkLmNoPqRsTuVwX'
    const { deliver } = await watching.ask('create_watch', { ...watch, deliver: [webhook(url, { format: 'slack' })] })
    expect(deliver[0].url).toBe('https://hooks.slack.com/********')
    await watching.bring([open])
    await watching.tick()
    expect(watching.sent).toMatchObject([{ address: url }])
    expect(bodies(watching.sent)).toEqual([{ text: 'FIRING: Open &lt;findings&gt; is 1 (above 0)' }])
  })

  it('contains no text from tenants in lockdown', async () => {
    const watching = openWatching({ lockdown: true })
    const deliver = [webhook('https://hooks.acme.com/a')]
    await watching.ask('create_watch', { ...watch, dimensions: ['container', 'severity'], deliver })
    await watching.bring([{ ...open, container: 'Project Quillfeather' }])
    await watching.tick()
    expect(bodies(watching.sent)).toMatchObject([{ group: { container: '(withheld)', severity: 'HIGH' } }])
  })
})

describe('a secret', () => {
  const given = { ...watch, deliver: [webhook('https://hooks.acme.com/a', { secret: 'a-long-signing-key' })] }

  it('is shown masked, kept where it is omitted or sent masked, and required for another address', async () => {
    const watching = openWatching()
    const { ask } = watching
    const created = await ask('create_watch', given)
    expect(created.deliver).toMatchObject([{ url: 'https://hooks.acme.com/********', secret: '********' }])
    await ask('update_watch', { slug: 'open', deliver: [webhook('https://hooks.acme.com/a', { secret: '********' })] })
    await ask('update_watch', { slug: 'open', deliver: [webhook('https://hooks.acme.com/a')] })
    const moved = [webhook('https://hooks.acme.com/b', { secret: '********' })]
    expect((await errorOf(ask('update_watch', { slug: 'open', deliver: moved }))).facts.reason).toBe('secret_required')
    await watching.bring([open])
    await watching.tick()
    expect(watching.sent[0]?.headers).toHaveProperty('x-assay-signature')
    const stored = JSON.stringify(watching.context.read((reader) => reader.prepare('SELECT * FROM audit').all()))
    expect(stored).not.toContain('a-long-signing-key')
  })

  it('can be set only with the scope admin; other members can be changed without it', async () => {
    const { ask, context } = openWatching()
    context.caller = { ...context.caller, scopes: new Set(['read', 'author']) }
    expect((await errorOf(ask('create_watch', given))).facts).toMatchObject({ reason: 'insufficient_scope' })
    await ask('create_watch', watch)
    const set = { slug: 'open', deliver: given.deliver }
    expect((await errorOf(ask('update_watch', set))).facts).toMatchObject({ reason: 'insufficient_scope' })
    await ask('update_watch', { slug: 'open', displayName: 'Other', deliver: [] })
  })
})

describe('an address', () => {
  const addresses = [
    'https://mattermost.acme.com/hooks/9hj3k1mzq7f8ub4wnxr5ot6yde',
    'https://chat.acme.com:8443/hooks/64f1c0aa9d/Kq3vXw9LrT2n',
    'https://maker.ifttt.com/trigger/assay/with/key/bW9yZS1zZWNyZXQ',
    'https://events.pagerduty.com/integration/0123456789abcdef0123456789abcdef/enqueue',
    'https://splunk.acme.com/services/collector/raw?channel=7d2b',
    'https://[2606:4700::1111]/plainword',
  ]

  it('is shown as scheme and host only, stored sealed, and kept where it is sent as it is shown', async () => {
    const watching = openWatching()
    const { ask, context } = watching
    await ask('create_watch', { ...watch, deliver: addresses.map((url) => webhook(url)) })
    const { deliver } = await ask('get_watch', { slug: 'open' })
    expect(deliver.map(({ url }: { url: string }) => url)).toEqual([
      'https://mattermost.acme.com/********',
      'https://chat.acme.com:8443/********',
      'https://maker.ifttt.com/********',
      'https://events.pagerduty.com/********',
      'https://splunk.acme.com/********',
      'https://[2606:4700::1111]/********',
    ])
    const again = deliver.map(({ url, format }: { url: string; format: string }) => webhook(url, { format }))
    const admin = context.caller
    context.caller = { ...admin, scopes: new Set(['read', 'author']) }
    await ask('update_watch', { slug: 'open', displayName: 'Other', deliver: again })
    context.caller = admin
    await ask('update_watch', {
      slug: 'open',
      deliver: again.slice(1).map((each: object) => ({ ...each, secret: 'k1' })),
    })
    const shown = JSON.stringify([await ask('list_watches', {}), await ask('list_audit', { kind: 'watch' })])
    const stored = context.read((reader) =>
      JSON.stringify([
        reader.prepare('SELECT address, last_failure FROM watch_receiver').all(),
        reader.prepare('SELECT * FROM audit').all(),
      ]),
    )
    for (const url of addresses) {
      const { pathname } = new URL(url)
      expect([shown.includes(pathname), stored.includes(pathname), stored.includes('channel=7d2b')]).not.toContain(true)
    }
    await watching.bring([open])
    await watching.tick()
    await watching.tick()
    expect(watching.sent.map(({ address }) => address)).toEqual(addresses.slice(1))
  })

  it.each([
    ['another host', [webhook('https://mattermost.acme.com.evil.com/********')]],
    ['the host with a trailing dot', [webhook('https://mattermost.acme.com./********')]],
    ['another port', [webhook('https://mattermost.acme.com:8443/********')]],
    ['a masked host', [webhook('https://********/')]],
  ])('of %s has to be entered as a whole', async (_name, deliver) => {
    const { ask } = openWatching()
    await ask('create_watch', { ...watch, deliver: [webhook(addresses[0] ?? '')] })
    const refused = await errorOf(ask('update_watch', { slug: 'open', deliver }))
    expect(refused.facts).toMatchObject({ reason: 'secret_required', issues: [{ path: 'deliver[0].url' }] })
  })

  it('of which the shown form stands for several has to be entered as a whole, unless all stay', async () => {
    const watching = openWatching()
    const [one, two] = ['https://hooks.acme.com/one', 'https://hooks.acme.com/two']
    const shown = 'https://HOOKS.acme.com:443/********'
    await watching.ask('create_watch', { ...watch, deliver: [webhook(one), webhook(two, { format: 'slack' })] })
    const change = (deliver: object[]) => watching.ask('update_watch', { slug: 'open', deliver })
    expect((await errorOf(change([webhook(shown)]))).facts.reason).toBe('secret_required')
    await change([webhook(shown, { format: 'slack' }), webhook(shown)])
    await change([webhook(shown, { format: 'slack' }), webhook(one), webhook('https://hooks.acme.com/three')])
    await change([webhook('https://hooks.acme.com/three'), webhook(two)])
    const twice = await errorOf(change([webhook(two), webhook('https://HOOKS.acme.com:443/two')]))
    expect(twice.facts.reason).toBe('invalid_receiver')
    await watching.bring([open])
    await watching.tick()
    expect(watching.sent.map(({ address }) => address)).toEqual([two, 'https://hooks.acme.com/three'])
  })
})

describe('a receiver', () => {
  it('that fails in several ways gets each change again until it accepts it, in order, with one id', async () => {
    const late = async (): Promise<Reply> => {
      await sleep(TIMEOUT_MS + 200)
      return { status: 200 }
    }
    const failing: ((() => Promise<Reply>) | Reply)[] = [
      ...[late, { status: 200 }],
      ...[{ status: 500 }, { status: 410 }, { status: 200 }],
      ...[{ status: 307, headers: { location: '/elsewhere' } }, 'hang' as const, { status: 200 }],
    ]
    const seen: { path: string; body: string }[] = []
    const { changes, doubles, outOfOrder, missing } = await killDeliverers(0, 1, (received) => {
      seen.push(received)
      const reply = failing.shift() ?? { status: 200 }
      return typeof reply === 'function' ? reply() : reply
    })
    // The receiver accepted the first change when it was too late, so it got it again.
    expect({ changes, doubles, outOfOrder, missing }).toEqual({ changes: 3, doubles: 1, outOfOrder: [], missing: [] })
    expect(new Set(seen.map(({ path }) => path))).toEqual(new Set(['/hook']))
    const sent = seen.map(({ body }) => body)
    const tries = [...new Set(sent)].map((body) => sent.filter((other) => other === body).length)
    expect(tries).toEqual([2, 3, 3])
  }, 60_000)

  it('that is down gets attempts for a day; then the change is dropped and the next one sent', async () => {
    const watching = openWatching()
    watching.answer.now = async () => 'could not be reached (ECONNREFUSED)'
    await watching.ask('create_watch', { ...watch, deliver: [webhook('https://hooks.acme.com/a')] })
    await watching.bring([open])
    await watching.tick()
    const waits: number[] = []
    let tries = 1
    const started = watching.context.clock.now
    const { post } = { post: watching.answer.now }
    watching.answer.now = async (message, signal) => {
      tries += 1
      waits.push(watching.context.clock.now - started)
      return post(message, signal)
    }
    for (let second = 0; second < 26 * 60; second++) {
      watching.context.clock.now += 60_000
      await watching.tick()
    }
    expect(tries).toBeGreaterThan(25)
    expect(tries).toBeLessThan(45)
    expect(waits.at(-1)).toBeGreaterThanOrEqual(DAY)
    expect(await watching.ask('get_watch', { slug: 'open' })).toMatchObject({
      deliver: [{ pending: 0, dropped: 1, lastFailure: 'could not be reached (ECONNREFUSED)' }],
    })
    watching.answer.now = async () => undefined
    await watching.bring([{ ...open, resolved: watching.context.clock.now - 1 }])
    await watching.tick()
    expect(bodies(watching.sent)).toMatchObject([{ state: 'OK', previousState: 'FIRING' }])
  })

  it('that fails delays neither the others nor the evaluations', async () => {
    const watching = openWatching()
    watching.answer.now = async ({ address }) => (address.endsWith('/down') ? 'answered 500' : undefined)
    const deliver = [webhook('https://hooks.acme.com/down'), webhook('https://hooks.acme.com/up')]
    await watching.ask('create_watch', { ...watch, deliver })
    await toggle(watching, 3)
    expect(watching.sent.map(({ address }) => address)).toEqual(Array(3).fill('https://hooks.acme.com/up'))
  })

  it('that hangs delays neither the others nor the evaluations', async () => {
    const watching = openWatching()
    const { context, keeper, sent, answer } = watching
    const { promise: released, resolve } = Promise.withResolvers<string>()
    const release = () => resolve('did not answer in time')
    answer.now = async ({ address }) => (address.endsWith('/hangs') ? released : undefined)
    const deliver = [webhook('https://hooks.acme.com/hangs'), webhook('https://hooks.acme.com/up')]
    await watching.ask('create_watch', { ...watch, deliver })
    for (const [index, state] of ['FIRING', 'OK', 'FIRING'].entries()) {
      context.clock.now += 60_000
      const resolved = state === 'OK' ? { resolved: context.clock.now - 1 } : {}
      await watching.bring([{ ...open, id: 1000 + Math.floor(index / 2), ...resolved }])
      await vi.waitFor(() => {
        keeper.tick(() => true)
        expect(sent).toHaveLength(index + 1)
      })
      expect(bodies(sent).at(-1)).toMatchObject({ state })
    }
    expect(new Set(sent.map(({ address }) => address))).toEqual(new Set(['https://hooks.acme.com/up']))
    release()
    await keeper.settled()
  })

  it('gets no request if its name resolves to a private address', async () => {
    const receiver = await openReceiver(() => ({ status: 200 }))
    onTestFinished(() => receiver.close())
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
    const sender = createWebhookSender({ hosts: [], resolve })
    const message = { address: `https://hooks.acme.com:${receiver.port}/`, body: '{}', headers: {} }
    expect(await sender.post(message, new AbortController().signal)).toContain('private')
    expect(receiver.seen).toEqual([])
  })

  it.each([
    ['http://127.0.0.1:9000/a', undefined],
    ['http://[::1]/a', undefined],
    ['http://10.1.2.3/a', undefined],
    ['http://alerts.corp.internal/a', undefined],
    ['http://alerts/a', undefined],
    ['http://127.0.0.2/a', 'is private'],
    ['http://localhost/a', 'is private'],
    ['http://10.1.2.4/a', 'is private'],
    ['http://hooks.acme.com/a', 'must begin with https'],
    ['http://8.8.8.8/a', 'must begin with https'],
    ['http://hooks.example.org/a', 'must begin with https'],
    ['ftp://127.0.0.1/a', 'must begin with https'],
    ['http://ada:secret@127.0.0.1/a', 'user name or password'],
  ])('at %s is accepted, or is told %s', (address, problem) => {
    const hosts = ['127.0.0.1', '::1', '10.1.2.3', 'alerts.corp.internal', 'alerts', 'hooks.acme.com', '8.8.8.8']
    const said = createWebhookSender({ hosts }).findProblem(address)
    expect(problem === undefined ? said : said?.includes(problem)).toBe(problem === undefined ? undefined : true)
  })

  it('gets messages by http on this machine if its host is listed', async () => {
    const bodies: string[] = []
    const server = createServer(async (request, response) => {
      bodies.push(String(await text(request)))
      response.writeHead(204).end()
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void server.close())
    const sender = createWebhookSender({ hosts: ['127.0.0.1'] })
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a`
    expect(await sender.post({ address, body: '{"a":1}', headers: {} }, new AbortController().signal)).toBeUndefined()
    expect(bodies).toEqual(['{"a":1}'])
  })

  it('keeps its stored address when it is sent back masked', async () => {
    const watching = openWatching()
    const url = 'https://hooks.slack.com/services/T024BE7LH/B024BE7LH/aBcDeFgHiJkLmNoPqRsTuVwX'
    const { deliver } = await watching.ask('create_watch', { ...watch, deliver: [webhook(url, { format: 'slack' })] })
    const shown = { type: 'webhook', url: deliver[0].url, format: 'slack' }
    await watching.ask('update_watch', { slug: 'open', deliver: [shown], displayName: 'Other' })
    await watching.bring([open])
    await watching.tick()
    expect(watching.sent).toMatchObject([{ address: url }])
    const elsewhere = { ...watch, slug: 'other', deliver: [shown] }
    expect((await errorOf(watching.ask('create_watch', elsewhere))).facts.reason).toBe('secret_required')
  })
})

it('every change arrives in order when the sending process is killed', { timeout: maxMs(60_000) }, async () => {
  const { changes, outOfOrder, missing } = await killDeliverers(cases(1, 50), 1)
  expect(changes).toBe(20 * cases(1, 50) + 3)
  expect({ outOfOrder, missing }).toEqual({ outOfOrder: [], missing: [] })
})

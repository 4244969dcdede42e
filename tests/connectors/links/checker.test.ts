import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import {
  createLinkChecker,
  type LinkCache,
  type LinkCheckerOptions,
  type LinkVerdict,
} from '../../../src/connectors/links/checker.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { type Handler, type Seen, startLoopback } from '../loopback.ts'

const timing = { headMs: 250, getMs: 400, urlMs: 1500, retryDelaysMs: [20, 40] }
const noCache: LinkCache = { find: () => undefined, save: () => {} }

const checkerFor = (allowHosts: string[], options: Partial<LinkCheckerOptions> = {}) =>
  createLinkChecker({
    allowHosts,
    signal: new AbortController().signal,
    now: Date.now,
    log: silentLog,
    cache: noCache,
    timing,
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    ...options,
  })

type Case = [name: string, handler: Handler, expected: string, path?: string]

const status =
  (code: number, headers: Record<string, string | string[]> = {}, body = ''): Handler =>
  (_request, response) => {
    response.writeHead(code, headers)
    response.end(body)
  }
const html = (body: string) => status(200, { 'content-type': 'text/html; charset=utf-8' }, body)
const byMethod =
  (head: Handler, get: Handler): Handler =>
  (request, response, count) =>
    (request.method === 'HEAD' ? head : get)(request, response, count)
const hang: Handler = () => {}
const reset: Handler = (_request, response) => response.destroy()
const inTurn =
  (...handlers: Handler[]): Handler =>
  (request, response, count) =>
    (handlers[Math.min(count, handlers.length) - 1] ?? reset)(request, response, count)
const redirect = (location: string, code = 302) => status(code, { location })
const hops =
  (length: number): Handler =>
  (request, response, count) => {
    const at = Number(/hop(\d+)/.exec(request.url)?.[1] ?? '0')
    return (at >= length ? status(200) : redirect(`/hop${at + 1}`))(request, response, count)
  }
/** A page that redirects visitors without the cookie `agreed` to another one, which sets it and redirects back. */
const consent =
  (...cookies: string[]): Handler =>
  (request, response, count) => {
    const isBack = request.headers.cookie === 'first=1; agreed=yes'
    const reply =
      request.url === '/consent'
        ? status(302, { location: '/', ...(cookies.length > 0 ? { 'set-cookie': ['first=1', ...cookies] } : {}) })
        : isBack
          ? status(200)
          : redirect('/consent')
    return reply(request, response, count)
  }
const countingVisits: Handler = (request, response, count) => {
  const visits = Number(/visits=(\d+)/.exec(request.headers.cookie ?? '')?.[1] ?? '0')
  return status(302, { location: '/', 'set-cookie': `visits=${visits + 1}` })(request, response, count)
}
const drip: Handler = (_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html' })
  response.write('<html>')
}
const page = html('<h1 id="Setup">Setup</h1><a name="old"></a><p id="user-content-readme">x</p><b id="äpfel mus">y</b>')

const behaviours: Case[] = [
  ['200', status(200), 'ok'],
  ['204', status(204), 'ok'],
  ['200 with an empty page', html(''), 'ok'],
  ['HEAD 404, GET 200', byMethod(status(404), status(200)), 'ok'],
  ['HEAD 405, GET 200', byMethod(status(405), status(200)), 'ok'],
  ['HEAD 500, GET 200', byMethod(status(500), status(200)), 'ok'],
  ['HEAD reset, GET 200', byMethod(reset, status(200)), 'ok'],
  ['HEAD hangs, GET 200', byMethod(hang, status(200)), 'ok'],
  ['HEAD redirects in a loop, GET 200', byMethod(redirect('/'), status(200)), 'ok'],
  ['GET sends its body very slowly', byMethod(status(404), drip), 'ok'],
  [
    'range refused, whole page available',
    byMethod(status(404), (request, response, count) =>
      (request.headers.range === undefined ? status(200) : status(416))(request, response, count),
    ),
    'ok',
  ],
  ['404', status(404), 'HTTP_404 MEDIUM 0.95'],
  ['404 on GET alone', byMethod(status(200), status(404)), 'ok'],
  ['410', status(410), 'HTTP_410 MEDIUM 0.98'],
  ['400', status(400), 'HTTP_4XX LOW 0.7'],
  ['422', status(422), 'HTTP_4XX LOW 0.7'],
  ['401', status(401), 'blocked turned_away'],
  ['403', status(403), 'blocked turned_away'],
  ['405 for every method', status(405), 'blocked turned_away'],
  ['451', status(451), 'blocked turned_away'],
  ['999', status(999), 'blocked turned_away'],
  ['403 with a mitigation header', status(403, { 'cf-mitigated': 'challenge' }), 'blocked challenge'],
  ['503 with a mitigation header', status(503, { 'cf-mitigated': 'challenge' }), 'blocked challenge'],
  [
    '503 with a challenge page',
    status(503, { 'content-type': 'text/html' }, '<title>Just a moment...</title>'),
    'blocked challenge',
  ],
  ['403 with a captcha', status(403, {}, '<div class="g-recaptcha">'), 'blocked challenge'],
  ['500', status(500), 'HTTP_5XX LOW 0.6'],
  ['503 that ends', inTurn(status(503), status(503), status(200)), 'ok'],
  ['503 for good', status(503), 'HTTP_5XX LOW 0.6'],
  ['504', status(504), 'HTTP_5XX LOW 0.6'],
  ['429 and then 200', inTurn(status(429, { 'retry-after': '1' }), status(200)), 'ok'],
  ['429 for good', status(429), 'blocked turned_away'],
  ['429 until tomorrow', status(429, { 'retry-after': '86400' }), 'blocked turned_away'],
  ['a hang', hang, 'TIMEOUT LOW 0.6'],
  ['a reset', reset, 'CONNECTION_FAILED LOW 0.7'],
  ['a reset and then 200', inTurn(reset, reset, status(200)), 'ok'],
  ['no HTTP at all', (_request, response) => void response.socket?.end('hello\r\n\r\n'), 'BAD_REPLY LOW 0.6'],
  [
    '301 to the same host',
    (request, response, count) =>
      (request.url === '/new' ? status(200) : redirect('/new', 301))(request, response, count),
    'ok',
  ],
  [
    '302, 303, 307, 308 in a row',
    (request, response, count) => {
      const next: Record<string, Handler> = {
        '/': redirect('/b', 302),
        '/b': redirect('/c', 303),
        '/c': redirect('/d', 307),
        '/d': redirect('/e', 308),
      }
      return (next[request.url] ?? status(200))(request, response, count)
    },
    'ok',
  ],
  ['20 hops', hops(20), 'ok'],
  ['21 hops', hops(21), 'REDIRECT_BROKEN MEDIUM 0.8'],
  ['a page that asks for consent, sets a cookie and returns', consent('agreed=yes; Path=/; Secure'), 'ok'],
  ['a consent page with a date in its cookie', consent('agreed=yes; Expires=Wed, 01 Jan 2070 00:00:00 GMT'), 'ok'],
  ['a consent page whose cookie has expired', consent('agreed=yes; Max-Age=0'), 'REDIRECT_BROKEN MEDIUM 0.8'],
  ['a consent page without a cookie', consent(), 'REDIRECT_BROKEN MEDIUM 0.8'],
  ['a counter of visits without an end', countingVisits, 'REDIRECT_BROKEN MEDIUM 0.8'],
  ['a loop', redirect('/'), 'REDIRECT_BROKEN MEDIUM 0.8'],
  ['a redirect without Location', status(302), 'REDIRECT_BROKEN MEDIUM 0.8'],
  ['a redirect to an invalid address', redirect('http://['), 'REDIRECT_BROKEN MEDIUM 0.8'],
  [
    'a redirect to a missing page',
    (request, response, count) => (request.url === '/gone' ? status(404) : redirect('/gone'))(request, response, count),
    'HTTP_404 MEDIUM 0.95',
  ],
  ['a redirect to a file', redirect('file:///etc/passwd'), 'blocked redirect_scheme'],
  ['a redirect to a private address', redirect('http://10.0.0.1/'), 'blocked redirect_private_address'],
  ['a redirect to a metadata service', redirect('http://169.254.169.254/latest/'), 'blocked redirect_private_address'],
  ['a redirect to this computer', redirect('http://localhost:1/'), 'blocked redirect_private_address'],
  ['an existing anchor', page, 'ok', '/#Setup'],
  ['an anchor by name', page, 'ok', '/#old'],
  ['an anchor with a site prefix', page, 'ok', '/#readme'],
  ['an encoded anchor', page, 'ok', '/#%C3%A4pfel%20mus'],
  ['a missing anchor', page, 'ANCHOR_MISSING LOW 0.7', '/#Gone'],
  ['an anchor in other letter case', page, 'ANCHOR_MISSING LOW 0.7', '/#setup'],
  ['#', page, 'ok', '/#'],
  ['#top', page, 'ok', '/#top'],
  ['a text fragment', page, 'ok', '/#:~:text=Set%20up'],
  ['a line', page, 'ok', '/#L10-L20'],
  ['a route of an application', page, 'ok', '/#!/settings'],
  ['another route', page, 'ok', '/#/settings/x'],
  [
    'a fragment of a file that is not a page',
    status(200, { 'content-type': 'application/pdf' }, '%PDF'),
    'ok',
    '/a.pdf#page=3',
  ],
  ['an anchor of a missing page', status(404, { 'content-type': 'text/html' }), 'HTTP_404 MEDIUM 0.95', '/#Setup'],
  ['an anchor of a page too long to read', html(`${'x'.repeat(1_100_000)}<i id="late">`), 'ok', '/#late'],
]

const show = ({ state, reason, findingType, severity, confidence }: LinkVerdict) =>
  state === 'broken' ? `${findingType} ${severity} ${confidence}` : state === 'ok' ? 'ok' : `${state} ${reason}`

describe('behaviours of hosts', () => {
  it.each(behaviours)('%s', async (_name, handler, expected, path = '/') => {
    const server = await startLoopback(handler)
    const verdict = await checkerFor(['shop.lan']).check(`http://shop.lan:${server.port}${path}`)
    expect(show(verdict)).toBe(expected)
  })

  it('a closed port', async () => {
    expect(show(await checkerFor(['shop.lan']).check('http://shop.lan:9/'))).toBe('CONNECTION_REFUSED MEDIUM 0.8')
  })

  it.each([
    ['ENOTFOUND', 'HOST_NOT_FOUND MEDIUM 0.9'],
    ['EAI_AGAIN', 'unsure network'],
  ])('a name that ends in %s', async (code, expected) => {
    const resolve = async () => Promise.reject(Object.assign(new Error(code), { code }))
    expect(show(await checkerFor([], { resolve }).check('https://shop.sample-shop.com/'))).toBe(expected)
  })

  it('a port that does not speak TLS', async () => {
    const server = await startLoopback(status(200))
    expect(show(await checkerFor(['shop.lan']).check(`https://shop.lan:${server.port}/`))).toBe('TLS_ERROR LOW 0.7')
  })
})

describe('addresses that are never requested', () => {
  it.each([
    ['mailto:ana@shop.com', 'skipped scheme'],
    ['mailto:?to=ana@shop.com', 'skipped scheme'],
    ['mailto:', 'INVALID_URL LOW 0.9'],
    ['tel:+4912345', 'skipped scheme'],
    ['javascript:void(0)', 'skipped scheme'],
    ['data:text/plain,x', 'skipped scheme'],
    ['ftp://shop.com/x', 'skipped scheme'],
    ['slack://open', 'skipped scheme'],
    ['file:///etc/passwd', 'skipped scheme'],
    ['/relative', 'skipped relative'],
    ['http://', 'INVALID_URL LOW 0.9'],
    ['http://[', 'INVALID_URL LOW 0.9'],
    ['https://a b.com/', 'INVALID_URL LOW 0.9'],
    ['https://www.example.com/x', 'skipped placeholder'],
    ['https://docs.example.org/x', 'skipped placeholder'],
    ['https://shop.test/', 'skipped placeholder'],
    ['https://{host}/x', 'skipped placeholder'],
    ['https://shop.com/{id}', 'skipped placeholder'],
    ['https://<your-site>.com/', 'skipped placeholder'],
    ['https://your-domain.com/', 'skipped placeholder'],
    ['http://www.w3.org/2001/XMLSchema', 'skipped placeholder'],
    ['http://schemas.openxmlformats.org/drawingml/2006/main', 'skipped placeholder'],
    ['https://shop.com:22/', 'skipped port'],
    ['http://intranet/', 'skipped private_address'],
  ])('%s', async (url, expected) => {
    const resolve = async () => Promise.reject(new Error('a name was looked up'))
    expect(show(await checkerFor([], { resolve }).check(url))).toBe(expected)
  })

  it('without external checks only listed hosts are requested', async () => {
    const server = await startLoopback(status(200))
    const checker = checkerFor(['shop.lan'], { checkExternal: false })
    expect(show(await checker.check('https://shop.com/'))).toBe('skipped external')
    expect(show(await checker.check(`http://shop.lan:${server.port}/`))).toBe('ok')
  })
})

describe('requests of the link checker', () => {
  it('carry no credentials, cookies or referrer, and a user agent that robot filters do not block', async () => {
    const server = await startLoopback(status(200))
    await checkerFor(['shop.lan']).check(`http://ana:secret@shop.lan:${server.port}/`)
    const [{ headers } = {} as { headers: IncomingHttpHeaders }] = server.seen
    expect([headers.authorization, headers.cookie, headers.referer]).toEqual([undefined, undefined, undefined])
    expect(headers['user-agent']).not.toMatch(/link/i)
    expect(headers['accept-language']).toBeDefined()
  })

  it('are sent once per scan for each address, in any spelling', async () => {
    const server = await startLoopback(status(200))
    const checker = checkerFor(['shop.lan', 'SHOP.lan'])
    const base = `shop.lan:${server.port}`
    await Promise.all(
      [`http://${base}/a`, `HTTP://SHOP.lan:${server.port}/a#top`, `http://${base}/./a`, `http://u:p@${base}/a`].map(
        (url) => checker.check(url),
      ),
    )
    expect(server.seen).toHaveLength(1)
  })

  it('read a page once for all its anchors', async () => {
    const server = await startLoopback(page)
    const checker = checkerFor(['shop.lan'])
    const base = `http://shop.lan:${server.port}/`
    const verdicts = await Promise.all(['#Setup', '#old', '#none'].map((anchor) => checker.check(base + anchor)))
    expect(verdicts.map(show)).toEqual(['ok', 'ok', 'ANCHOR_MISSING LOW 0.7'])
    expect(server.seen).toHaveLength(1)
  })

  it('no longer use HEAD for a host that rejects it', async () => {
    const server = await startLoopback(byMethod(status(404), status(200)))
    const checker = checkerFor(['shop.lan'])
    for (const path of ['a', 'b', 'c']) await checker.check(`http://shop.lan:${server.port}/${path}`)
    expect(server.seen.map(({ method }) => method)).toEqual(['HEAD', 'GET', 'GET', 'GET'])
  })

  it('continue to a listed host when one of its addresses requests a wait of hours', async () => {
    const server = await startLoopback((request, response, count) =>
      (request.url === '/a' ? status(429, { 'retry-after': '86400' }) : status(200))(request, response, count),
    )
    const checker = checkerFor(['shop.lan'])
    const base = `http://shop.lan:${server.port}`
    const start = performance.now()
    expect(show(await checker.check(`${base}/a`))).toBe('blocked turned_away')
    expect(show(await checker.check(`${base}/b`))).toBe('ok')
    expect(performance.now() - start).toBeLessThan(10_000)
  })

  it('go to a listed host at most four at a time', async () => {
    let running = 0
    let most = 0
    const slow = (_request: Seen, response: ServerResponse) => {
      most = Math.max(most, ++running)
      setTimeout(() => {
        running--
        response.end()
      }, 30)
    }
    const server = await startLoopback(slow)
    const checker = checkerFor(['shop.lan'])
    await Promise.all(
      Array.from({ length: 12 }, (_, index) => checker.check(`http://shop.lan:${server.port}/${index}`)),
    )
    expect(most).toBe(4)
  })

  it('are not repeated while the cached verdict is valid', async () => {
    const saved: [string, string, number][] = []
    const stored = new Map<string, LinkVerdict>()
    const cache: LinkCache = {
      find: (url) => stored.get(url),
      save(url, verdict, expiresAt) {
        saved.push([url.replace(/:\d+/, ''), verdict.state, expiresAt / 86_400_000])
        stored.set(url, verdict)
      },
    }
    const server = await startLoopback((request, response, count) =>
      status(Number(request.url.slice(1)))(request, response, count),
    )
    const check = (path: string) =>
      checkerFor(['shop.lan'], { cache, now: () => 0 }).check(`http://shop.lan:${server.port}/${path}`)
    for (const path of ['200', '404', '403', '200#top']) await check(path)
    expect(saved).toEqual([
      ['http://shop.lan/200', 'ok', 7],
      ['http://shop.lan/404', 'broken', 1],
      ['http://shop.lan/403', 'blocked', 3],
    ])
    const before = server.seen.length
    expect(show(await check('404'))).toBe('HTTP_404 MEDIUM 0.95')
    expect(server.seen).toHaveLength(before)
  })

  it('end at once when the scan is stopped', async () => {
    const server = await startLoopback(hang)
    const controller = new AbortController()
    const checker = checkerFor(['shop.lan'], { signal: controller.signal, timing: { ...timing, headMs: 30_000 } })
    setTimeout(() => controller.abort(), 100)
    const start = performance.now()
    await expect(checker.check(`http://shop.lan:${server.port}/`)).rejects.toThrow()
    expect(performance.now() - start).toBeLessThan(10_000)
  })
})

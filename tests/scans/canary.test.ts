import { afterEach, beforeEach, expect, it } from 'vitest'
import { sampleCredentials } from '../../src/sample/credentials.ts'
import { type Loopback, startLoopback } from '../connectors/loopback.ts'
import { attachmentOf, cloudId, pageOf, startWiki, stopWikis } from '../connectors/wiki/support.ts'
import { onPath, type SampleFault } from '../sample/fault.ts'
import { openPlatformBench, wikiConfig } from './platform.ts'
import type { Workbench } from './workbench.ts'

let bench: Workbench
beforeEach(() => {
  bench = openPlatformBench()
})
afterEach(async () => {
  await bench.close()
  await stopWikis()
})

const { accountEmail, apiToken } = sampleCredentials
const secrets = [apiToken, Buffer.from(`${accountEmail}:${apiToken}`).toString('base64'), encodeURIComponent(apiToken)]

/** Everything that a canary was told, as one text. */
const heard = ({ seen }: Loopback) => JSON.stringify(seen)

async function startTrap() {
  const canary = await startLoopback((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' })
    response.end('canary bytes')
  })
  const to = (path: string) => `${canary.origin}${path}`
  const addresses = [to('/a.pdf'), to('/b'), to('/c.zip?x=1'), `http://user:pw@127.0.0.1:${canary.port}/d.csv`]
  const body = [
    ...addresses.map((address) => `<a href="${address}">x</a>`),
    `<ac:image><ri:url ri:value="${to('/e.png')}"/></ac:image>`,
    `<ac:structured-macro ac:name="iframe"><ac:parameter ac:name="src">${to('/f.html')}</ac:parameter></ac:structured-macro>`,
    `<p>${to('/g.txt')}</p>`,
  ].join('')
  const attachments = [attachmentOf('att5', '1000'), attachmentOf('att6', '1000', { title: 'z.pdf' })]
  const pages = Array.from({ length: 52 }, (_, index) => pageOf(String(1000 + index), index === 0 ? { body } : {}))
  const faults: SampleFault[] = [
    { match: onPath(/\/download$/), respond: { status: 302, headers: { location: to('/media/att') } } },
    {
      match: (request) => request.method === 'GET' && /\/api\/v2\//.test(request.path),
      respond: {
        rewrite: (reply) => {
          const { link: _, ...headers } = reply.headers ?? {}
          const list = reply.body as { _links?: { next?: string; base?: string } } | undefined
          if (list?._links !== undefined) {
            const { next } = list._links
            list._links = { base: to('/wiki'), ...(next === undefined ? {} : { next: to(next) }) }
          }
          return { ...reply, headers }
        },
      },
    },
  ]
  return { canary, wiki: await startWiki({ pages, attachments }, { faults }) }
}

it.each(['', `/ex/confluence/${cloudId}`])(
  'no address outside the tenant is ever sent a credential (address%s)',
  async (path) => {
    const { canary, wiki } = await startTrap()
    const detectors = [{ type: 'WORDS' }, { type: 'BROKEN_LINKS', config: { allowHosts: ['127.0.0.1'] } }]
    const config = { ...wikiConfig(`${wiki.url}${path}`), detectors }
    await bench.run('create_source', { name: 'fake', config })
    await bench.run('test_source', { id: 'fake' })
    const scan = await bench.scan()
    expect(scan).toMatchObject({ status: 'COMPLETED' })
    expect(scan.progress.discovered).toBeGreaterThanOrEqual(55)
    const asked = canary.seen.map(({ url }) => url)
    expect(asked).toContain('/media/att')
    expect(asked).toContain('/a.pdf')
    expect(asked.some((url) => url.includes('cursor='))).toBe(false)
    for (const { headers } of canary.seen) {
      expect([headers.authorization, headers.cookie, headers['proxy-authorization']]).toEqual([
        undefined,
        undefined,
        undefined,
      ])
    }
    for (const secret of secrets) expect(heard(canary)).not.toContain(secret)
    const sentElsewhere = wiki.requests.filter(({ server, headers }) => server !== 'site' && headers.authorization)
    expect(sentElsewhere).toEqual([])
  },
)

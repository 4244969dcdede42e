import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type SampleWiki, startSampleWiki } from '../../src/sample/wiki/server.ts'

let wiki: SampleWiki
beforeAll(async () => {
  wiki = await startSampleWiki()
})
afterAll(() => wiki.close())

/** Follows a link as a browser does; the headers of `fetch` are its own. */
async function open(path: string): Promise<[status: number | undefined, body: string]> {
  const request = get(`${wiki.url}${path}`, { headers: { 'sec-fetch-mode': 'navigate' } })
  const [reply] = (await once(request, 'response')) as [IncomingMessage]
  return [reply.statusCode, await text(reply)]
}

it('shows its pages and spaces to a person who follows a link, and no page in the trash', async () => {
  const [page] = wiki.tenant.pages.values()
  if (page === undefined) throw new Error('the sample wiki has no pages')
  const titled = [200, expect.stringContaining('<h1>')]
  expect(await open(`/wiki/spaces/ENG/pages/${page.id}/Some+title`)).toEqual(titled)
  expect(await open(`/wiki/pages/viewpageattachments.action?pageId=${page.id}`)).toEqual(titled)
  expect(await open('/wiki/spaces/ENG')).toEqual(titled)
  expect((await open('/wiki/spaces/NONE'))[0]).toBe(404)
  page.status = 'trashed'
  expect((await open(`/wiki/spaces/ENG/pages/${page.id}`))[0]).toBe(404)
  expect((await fetch(`${wiki.url}/wiki/spaces/ENG/pages/${page.id}`)).status).toBe(401)
})

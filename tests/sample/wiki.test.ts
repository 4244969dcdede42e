import { describe, expect, test } from 'vitest'
import { companyPages, toPageId } from '../../src/sample/company/page.ts'
import { toSpaceId } from '../../src/sample/wiki/content.ts'
import { ask, basic, openWiki, walk } from './support.ts'

const hotfix = toPageId('ops-hotfix')

describe('lists', () => {
  test.each([7, 25, 250])('return every page once, %i at a time', async (limit) => {
    const wiki = await openWiki()
    const { items, pages } = await walk(wiki, `/pages?limit=${limit}`)
    expect(new Set(items.map(({ id }) => id)).size).toBe(companyPages.length)
    expect(items).toHaveLength(companyPages.length)
    expect(pages).toBe(Math.ceil(companyPages.length / limit))
  })

  test.each([
    ['/spaces', 25],
    ['/pages', 25],
    ['/attachments', 50],
    ['/footer-comments', 25],
  ])('%s return at most %i items without a limit', async (path, limit) => {
    const wiki = await openWiki()
    expect((await wiki.get(path)).body.results.length).toBeLessThanOrEqual(limit)
    const { next } = (await wiki.get(`${path}?limit=1`)).body._links
    expect(next).toMatch(/^\/wiki\/api\/v2\/.*limit=1&cursor=/)
  })

  test('have next links relative to the host, and a base that includes /wiki', async () => {
    const wiki = await openWiki()
    const { body, headers } = await wiki.get(`/spaces/${toSpaceId('ENG')}/pages?limit=5&sort=id`)
    expect(body._links.base).toBe(`${wiki.url}/wiki`)
    expect(body._links.next).toMatch(/^\/wiki\/api\/v2\/spaces\/\d+\/pages\?/)
    expect(headers.get('link')).toBe(`<${body._links.next}>; rel="next", <${wiki.url}/wiki>; rel="base"`)
    const { body: last } = await wiki.get('/spaces?limit=250')
    expect(last._links.next).toBeUndefined()
  })

  test('continue after a cursor although an earlier item was deleted', async () => {
    const wiki = await openWiki()
    const { body } = await wiki.get('/pages?limit=10')
    wiki.tenant.purgePage(body.results[0].id)
    const { body: rest } = await wiki.get(body._links.next)
    const { items } = await walk(wiki, '/pages?limit=250')
    expect(rest.results[0].id).toBe(items[9]?.id)
  })

  test.each([
    ['id', (item: { id: string }) => item.id],
    ['title', (item: { id: string; title?: string }) => item.title ?? ''],
  ])('are ordered by %s, and in reverse order with a dash', async (sort, readValue) => {
    const wiki = await openWiki()
    const forwards = (await walk(wiki, `/pages?limit=100&sort=${sort}`)).items.map(readValue)
    const backwards = (await walk(wiki, `/pages?limit=100&sort=-${sort}`)).items.map(readValue)
    expect(forwards).toEqual(forwards.toSorted((a, b) => (a < b ? -1 : 1)))
    expect(backwards).toEqual([...forwards].reverse())
  })

  test('include bodies only on request', async () => {
    const wiki = await openWiki()
    const { body: bare } = await wiki.get(`/pages?id=${hotfix}`)
    const { body: full } = await wiki.get(`/pages?id=${hotfix}&body-format=storage`)
    expect(bare.results[0].body).toEqual({})
    expect(full.results[0].body.storage.value).toContain('<ac:structured-macro ac:name="code"')
  })

  test('filter spaces by key, id, type, status and label together', async () => {
    const wiki = await openWiki()
    const keysOf = async (query: string) =>
      (await wiki.get(`/spaces?${query}`)).body.results.map(({ key }: { key: string }) => key).sort()
    expect(await keysOf('keys=ENG,OPS,NONE')).toEqual(['ENG', 'OPS'])
    expect(await keysOf(`keys=ENG,OPS&ids=${toSpaceId('OPS')}`)).toEqual(['OPS'])
    expect(await keysOf('type=personal')).toEqual(['~ebrightwell'])
    expect(await keysOf('status=archived')).toEqual(['OLD'])
    expect(await keysOf('labels=on-call')).toEqual(['OPS'])
  })

  test('hide trashed pages unless their status is named', async () => {
    const wiki = await openWiki()
    wiki.tenant.deletePage(hotfix)
    const count = async (query: string) => (await wiki.get(`/pages?id=${hotfix}${query}`)).body.results.length
    expect(await count('')).toBe(0)
    expect(await count('&status=current,trashed')).toBe(1)
  })
})

describe('comments', () => {
  const slug = toPageId('ops-carrier-sandbox')

  test('of a page are roots, and replies are their children, level by level', async () => {
    const wiki = await openWiki()
    const { body: roots } = await wiki.get(`/pages/${slug}/footer-comments?body-format=storage`)
    expect(roots.results).toHaveLength(1)
    const { body: replies } = await wiki.get(`/footer-comments/${roots.results[0].id}/children`)
    expect(replies.results).toHaveLength(1)
    expect(replies.results[0].parentCommentId).toBe(roots.results[0].id)
    const { body: deep } = await wiki.get(`/footer-comments/${replies.results[0].id}/children?body-format=storage`)
    expect(deep.results[0].body.storage.value).toContain('password:')
  })

  test.each([
    [false, 0],
    [true, 1],
  ])('of the whole site include replies: %s', async (siteListsHoldReplies, least) => {
    const wiki = await openWiki({ siteListsHoldReplies })
    const { items } = await walk(wiki, '/footer-comments?limit=100')
    const replies = items.filter((item) => 'parentCommentId' in item)
    expect(Math.min(1, replies.length)).toBe(least)
  })

  test('that are inline have their selected text and resolution', async () => {
    const wiki = await openWiki()
    const { body } = await wiki.get(`/pages/${toPageId('ops-runbook-cairn')}/inline-comments`)
    expect(body.results[0].resolutionStatus).toBe('resolved')
    expect(body.results[0].properties.inlineOriginalSelection).toContain('Look at the provider board')
  })
})

describe('attachments', () => {
  const page = toPageId('eng-recovery-plan')

  test('are downloaded by a redirect to another origin, which accepts no credentials', async () => {
    const wiki = await openWiki()
    const [file] = (await wiki.get(`/pages/${page}/attachments`)).body.results
    const { status, headers } = await wiki.get(`/wiki/rest/api/content/${page}/child/attachment/${file.id}/download`)
    expect(status).toBe(302)
    const location = headers.get('location') ?? ''
    expect(new URL(location).origin).toBe(wiki.mediaUrl)
    expect(wiki.mediaUrl).not.toBe(wiki.url)
    const bytes = new Uint8Array(await (await fetch(location)).arrayBuffer())
    expect(bytes).toHaveLength(file.fileSize)
    expect(Buffer.from(bytes.subarray(0, 5)).toString()).toBe('%PDF-')
    expect((await ask(location, { headers: { authorization: wiki.authorization } })).status).toBe(400)
    expect((await ask(location.replace(/token=\w+/, 'token=other'))).status).toBe(403)
  })

  test('cannot be downloaded at their old address', async () => {
    const wiki = await openWiki()
    const [file] = (await wiki.get(`/pages/${page}/attachments`)).body.results
    const { status, headers } = await wiki.get(`/wiki${file.downloadLink}`)
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).toMatch(/^OAuth/)
  })
})

describe('sign-in', () => {
  test.each([
    ['none', undefined],
    ['a wrong token', basic('assay-scanner@larkmoor-outfitters.com', 'wrong')],
    ['a bearer token', 'Bearer sample-wiki-api-token'],
  ])('with %s is refused', async (_, authorization) => {
    const wiki = await openWiki()
    const headers = authorization === undefined ? {} : { authorization }
    const { status, body } = await ask(`${wiki.url}/wiki/api/v2/spaces`, { headers })
    expect(status).toBe(401)
    expect(body.message).toBe('Unauthorized')
  })

  test('is not needed for the id of the tenant', async () => {
    const wiki = await openWiki()
    expect((await ask(`${wiki.url}/_edge/tenant_info`)).body).toEqual({ cloudId: wiki.tenant.cloudId })
  })

  test('returns the current user', async () => {
    const wiki = await openWiki()
    expect((await wiki.get('/wiki/rest/api/user/current')).body).toMatchObject({
      type: 'known',
      displayName: 'Scanner',
    })
  })

  test('with a scoped token works at the gateway only, whose next links omit its prefix', async () => {
    const wiki = await openWiki({ tokenKind: 'scoped' })
    expect((await wiki.get('/spaces')).status).toBe(401)
    const { status, body } = await wiki.get(`/ex/confluence/${wiki.tenant.cloudId}/wiki/api/v2/pages?limit=3`)
    expect(status).toBe(200)
    expect(body._links.next).toMatch(/^\/wiki\/api\/v2\/pages\?/)
    expect(body._links.base).toBe(`${wiki.url}/wiki`)
  })
})

test('users are returned in bulk', async () => {
  const wiki = await openWiki()
  const [accountId] = wiki.tenant.users.keys()
  const body = JSON.stringify({ accountIds: [accountId, 'nobody'] })
  const { body: found } = await wiki.get('/users-bulk', { method: 'POST', body })
  expect(found.results).toMatchObject([{ accountId, displayName: 'Edith Brightwell' }])
})

test('labels list their pages', async () => {
  const wiki = await openWiki()
  const { items } = await walk(wiki, '/labels?limit=10')
  const runbook = items.find((item) => (item as { name?: string }).name === 'runbook')
  const { items: pages } = await walk(wiki, `/labels/${runbook?.id}/pages?limit=5`)
  expect(pages.map(({ id }) => id).sort()).toEqual(
    companyPages
      .filter(({ labels }) => labels?.includes('runbook'))
      .map(({ slug }) => toPageId(slug))
      .sort(),
  )
})

test('every request is recorded with its reply', async () => {
  const wiki = await openWiki()
  await wiki.get('/spaces?limit=1')
  await ask(`${wiki.url}/elsewhere`)
  expect(wiki.requests.map(({ server, path, status }) => [server, path, status])).toEqual([
    ['site', '/wiki/api/v2/spaces', 200],
    ['site', '/elsewhere', 401],
  ])
  expect(wiki.requests[0]?.headers.authorization).toBe(wiki.authorization)
})

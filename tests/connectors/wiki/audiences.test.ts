import { afterEach, describe, expect, it } from 'vitest'
import type { Audience } from '../../../src/connectors/audience.ts'
import type { ConnectorSession } from '../../../src/connectors/connector.ts'
import { WikiTenant } from '../../../src/sample/wiki/tenant.ts'
import { SeededRandom } from '../../properties/query-data.ts'
import { cases } from '../../support/long.ts'
import { isForPeopleOnly, licensedOf, mayRead, restrict } from './access.ts'
import { cloudId, openWiki, pageOf, prefix, spaceOf, startSample, startWiki, stopWikis } from './support.ts'

afterEach(stopWikis)

/** The audiences of the pages with some ids, by id, and of their space by `space`. */
async function ask(session: ConnectorSession, ids: readonly string[], spaceId = '1') {
  const keys = [`${prefix}:space:${spaceId}`, ...ids.map((id) => `${prefix}:page:${id}`)]
  const found = await session.audiences?.({ key: spaceId, name: '' }, keys)
  return new Map([...(found ?? [])].map(([key, audience]) => [key.split(':').slice(-2).join(' '), audience] as const))
}
const nameOf = (found: Map<string, Audience>, id: string) => found.get(`page ${id}`)?.name

const staff = (tenant: WikiTenant, count = 6) => {
  for (let index = 0; index < count; index++) {
    const accountId = `p${index}`
    tenant.addUser({ accountId, displayName: accountId, email: `${accountId}@example.com` })
  }
}
const chain = [pageOf('10'), pageOf('11', { parentId: '10' }), pageOf('12', { parentId: '11' })]

describe('the audience of a page', () => {
  it('is the narrowest of its space, its ancestors and its own restriction', async () => {
    const wiki = await startWiki({ pages: chain })
    staff(wiki.tenant)
    wiki.tenant.groups.set('g', { id: 'g', name: 'all-staff', members: ['p0', 'p1', 'p2'] })
    const session = openWiki(wiki.url)
    expect([...(await ask(session, ['10', '11', '12'])).values()].map(({ name, size }) => [name, size])).toEqual(
      Array(4).fill(['everyone', 6]),
    )
    wiki.tenant.restrictions.set('10', { users: [], groups: ['g'] })
    wiki.tenant.restrictions.set('12', { users: ['p1', 'p5'], groups: [] })
    const restricted = await ask(openWiki(wiki.url), ['10', '11', '12'])
    expect(restricted).toMatchObject(
      new Map([
        ['space 1', { name: 'everyone', size: 6 }],
        ['page 10', { name: 'group', size: 3 }],
        ['page 11', { name: 'group', size: 3 }],
        ['page 12', { name: 'people', size: 1 }],
      ]),
    )
  })

  it('is open to visitors where the space is and nothing is restricted', async () => {
    const wiki = await startWiki({ pages: chain })
    staff(wiki.tenant)
    wiki.tenant.access.set('1', { users: [], groups: ['sample-all-users'], anonymous: true, unlicensed: false })
    wiki.tenant.restrictions.set('10', { users: [], groups: [] })
    wiki.tenant.restrictions.set('12', { users: [], groups: ['sample-all-users'] })
    const found = await ask(openWiki(wiki.url), ['10', '11', '12'])
    expect(['10', '11', '12'].map((id) => nameOf(found, id))).toEqual(['anonymous', 'anonymous', 'everyone'])
  })

  it('is everyone where people without a licence may read the space', async () => {
    const wiki = await startWiki({ pages: chain })
    staff(wiki.tenant)
    wiki.tenant.access.set('1', { users: ['p1'], groups: [], anonymous: false, unlicensed: true })
    expect((await ask(openWiki(wiki.url), ['10'])).get('page 10')).toEqual({ name: 'everyone', size: null })
  })

  it('follows folders, of which the lists of pages know nothing', async () => {
    const wiki = await startWiki({ pages: [pageOf('10', { parentId: '77' })] })
    staff(wiki.tenant)
    wiki.tenant.folders.set('77', { id: '77', parentId: '78', parentType: 'folder' })
    wiki.tenant.folders.set('78', { id: '78', parentId: null })
    wiki.tenant.restrictions.set('78', { users: ['p1'], groups: [] })
    expect(nameOf(await ask(openWiki(wiki.url), ['10']), '10')).toBe('people')
  })

  it('does not count accounts that are closed or of programs', async () => {
    const wiki = await startWiki({ pages: chain })
    staff(wiki.tenant)
    wiki.tenant.addUser({ accountId: 'left', displayName: 'left', email: 'left@example.com', closed: true })
    wiki.tenant.addUser({ accountId: 'bot', displayName: 'bot', email: 'bot@example.com', app: true })
    wiki.tenant.restrictions.set('10', { users: ['p1', 'left', 'bot'], groups: [] })
    expect((await ask(openWiki(wiki.url), ['10'])).get('page 10')).toMatchObject({ name: 'people', size: 1 })
  })

  it('is read to the end of a long list of names', async () => {
    const wiki = await startWiki({ pages: chain })
    staff(wiki.tenant, 700)
    const users = Array.from({ length: 450 }, (_, index) => `p${index}`)
    wiki.tenant.restrictions.set('10', { users, groups: [] })
    expect((await ask(openWiki(wiki.url), ['10'])).get('page 10')).toMatchObject({ name: 'people', size: 450 })
  })

  it('with a group of 50,000 costs one request, and its size decides, not its name', async () => {
    const wiki = await startWiki({ pages: chain })
    staff(wiki.tenant, 60_000)
    const members = Array.from({ length: 50_000 }, (_, index) => `p${index}`)
    wiki.tenant.groups.set('large', { id: 'large', name: 'everyone', members })
    wiki.tenant.restrictions.set('10', { users: [], groups: ['large'] })
    const session = openWiki(wiki.url)
    expect((await ask(session, ['10', '11'])).get('page 11')).toMatchObject({ name: 'group', size: 50_000 })
    await ask(session, ['12'])
    expect(wiki.requests.filter(({ path }) => path.includes('/membersByGroupId')).map(({ path }) => path)).toEqual([
      '/wiki/rest/api/group/sample-all-users/membersByGroupId',
      '/wiki/rest/api/group/large/membersByGroupId',
    ])
  })
})

describe('what cannot be read is unknown', () => {
  const refuse = (part: string, status = 403) => ({
    match: ({ path }: { path: string }) => path.includes(part),
    respond: { status },
  })
  const start = async () => {
    const wiki = await startWiki({ pages: chain })
    staff(wiki.tenant)
    wiki.tenant.groups.set('g', { id: 'g', name: 'g', members: ['p0', 'p1', 'p2'] })
    wiki.tenant.access.set('1', { users: [], groups: ['g'], anonymous: false, unlicensed: false })
    wiki.tenant.restrictions.set('12', { users: ['p1'], groups: [] })
    return wiki
  }

  it.each<[string, string, number, (string | undefined)[]]>([
    ['permissions of the space', '/permissions', 404, ['unknown', 'unknown']],
    ['access of visitors', '/rest/api/space/', 403, ['unknown', 'unknown']],
    ['restrictions', '/content/search', 403, ['unknown', 'unknown']],
    ['restrictions, by a server error', '/content/search', 500, ['unknown', 'unknown']],
    ['members of the group', '/membersByGroupId', 403, ['unknown', 'unknown']],
    ['the number of users', '/search/user', 403, ['unknown', 'unknown']],
  ])('%s', async (_title, part, status, names) => {
    const wiki = await start()
    wiki.faults.push(refuse(part, status))
    const found = await ask(openWiki(wiki.url), ['10', '12'])
    expect(['10', '12'].map((id) => nameOf(found, id))).toEqual(names)
  })

  it('of an ancestor, and only for what is below it', async () => {
    const wiki = await start()
    wiki.faults.push({
      match: ({ path }) => path.endsWith('/content/search'),
      respond: {
        rewrite: (reply) => {
          const body = reply.body as { results: { id: string }[] }
          return { ...reply, body: { ...body, results: body.results.filter(({ id }) => id !== '11') } }
        },
      },
    })
    const found = await ask(openWiki(wiki.url), ['10', '11', '12'])
    expect(['10', '11', '12'].map((id) => nameOf(found, id))).toEqual(['group', 'unknown', 'unknown'])
  })

  it('a rate limit parks the scan instead', async () => {
    const wiki = await start()
    wiki.faults.push({
      match: ({ path }) => path.endsWith('/content/search'),
      respond: { status: 429, headers: { 'retry-after': '3392' } },
    })
    await expect(ask(openWiki(wiki.url), ['10'])).rejects.toMatchObject({ facts: { reason: 'retry_later' } })
  })
})

it('equals what the platform allows, for random tenants, and is never too small', async () => {
  const pairs = cases(2_000, 20_000)
  let [compared, seed] = [0, 51]
  const names = new Map<string, number>()
  while (compared < pairs) {
    const random = new SeededRandom(seed++)
    const tenant = new WikiTenant({ cloudId })
    for (let index = 1; index <= 6; index++) tenant.addSpace(spaceOf(String(index)))
    for (let index = 1; index <= 3; index++)
      tenant.folders.set(`${900 + index}`, { id: `${900 + index}`, parentId: null })
    for (let index = 0; index < 60; index++) {
      const spaceId = String(1 + (index % 6))
      const above = [...tenant.pages.values()].filter((page) => page.spaceId === spaceId).map(({ id }) => id)
      const isBelow = above.length > 0 && random.chance(0.8)
      const parentId = random.chance(0.15) ? `${901 + (index % 3)}` : isBelow ? random.pick(above) : undefined
      tenant.addPage(pageOf(String(10 + index), { spaceId, ...(parentId === undefined ? {} : { parentId }) }))
    }
    restrict(tenant, random, 4 + random.below(40))
    const wiki = await startSample(tenant)
    const session = openWiki(wiki.url)
    for (const spaceId of tenant.spaces.keys()) {
      const pages = [...tenant.pages.values()].filter((page) => page.spaceId === spaceId)
      const found = await ask(
        session,
        pages.map(({ id }) => id),
        spaceId,
      )
      for (const { id } of pages) {
        const audience = found.get(`page ${id}`)
        const licensed = licensedOf(tenant)
        const allowed = licensed.filter((person) => mayRead(tenant, id, person))
        const expected = mayRead(tenant, id, undefined)
          ? 'anonymous'
          : allowed.length === licensed.length
            ? 'everyone'
            : isForPeopleOnly(tenant, id)
              ? 'people'
              : 'group'
        expect([seed, id, audience?.name]).toEqual([seed, id, expected])
        if (audience?.name !== 'anonymous') expect([seed, id, audience?.size]).toEqual([seed, id, allowed.length])
        names.set(expected, (names.get(expected) ?? 0) + 1)
        compared += licensed.length
      }
    }
    await wiki.close()
  }
  expect([...names.keys()].sort()).toEqual(['anonymous', 'everyone', 'group', 'people'])
}, 600_000)

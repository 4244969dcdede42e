import { describe, expect, it } from 'vitest'
import { biConnector } from '../../../src/connectors/bi/index.ts'
import { guid, openBi, payloadFor, type Routes, refuse, startFakeBi, TENANT } from './fake.ts'
import { jwt } from './tokens.ts'

const workspaces = [
  { id: guid('a', 1), name: 'Finance', type: 'Workspace' },
  { id: guid('a', 2), name: 'finance', type: 'Workspace' },
  { id: guid('a', 3), name: 'People', type: 'Workspace' },
  { id: guid('a', 4), name: 'My workspace', type: 'Workspace' },
]

const routes: Routes = {
  'GET /groups': workspaces,
  ...Object.fromEntries(workspaces.map((workspace) => [`GET /groups/${workspace.id}`, workspace])),
  'GET /admin/groups': refuse(403),
}

async function scopesOf(
  scope: Record<string, unknown>,
  extra: Routes = {},
  payload?: (origin: { origin: string }) => unknown,
) {
  const fake = await startFakeBi({ ...routes, ...extra })
  const { session, remembered } = openBi(payload?.(fake) ?? payloadFor(fake, { scope }))
  const { scopes, warnings } = await session.scopes()
  return { names: scopes.map(({ name }) => name), warnings, fake, remembered, scopes }
}

describe('scopes', () => {
  it('are all visible workspaces, and the tenant id is stored', async () => {
    const { names, remembered } = await scopesOf({})
    expect(names).toEqual(['Finance', 'finance', 'People', 'My workspace'])
    expect(remembered).toEqual([TENANT])
  })

  it.each<[string, Record<string, unknown>, string[]]>([
    ['by name in any letter case', { workspace_names: ['FINANCE'] }, ['Finance', 'finance']],
    ['by id in any letter case', { workspace_ids: [guid('a', 3).toUpperCase()] }, ['People']],
    [
      'by id and name together',
      { workspace_ids: [guid('a', 3)], workspace_names: ['finance '] },
      ['Finance', 'finance', 'People'],
    ],
    [
      'all if the lists are empty',
      { workspace_ids: [], workspace_names: [] },
      ['Finance', 'finance', 'People', 'My workspace'],
    ],
    ['by name if the list of ids is empty', { workspace_ids: [], workspace_names: ['People'] }, ['People']],
    ['a shared workspace with the name of a personal one', { workspace_names: ['My workspace'] }, ['My workspace']],
  ])('%s', async (_name, scope, expected) => {
    const { names, warnings } = await scopesOf(scope)
    expect([names, warnings]).toEqual([expected, []])
  })

  it('requests only the workspaces of an id list', async () => {
    const { fake } = await scopesOf({ workspace_ids: [guid('a', 1)] })
    expect(fake.paths().slice(1)).toEqual([`GET /groups/${guid('a', 1)}`])
  })

  it.each([
    ['a name', { workspace_names: ['People', 'Peopel'] }, 'Peopel'],
    ['an id', { workspace_ids: [guid('a', 1), guid('a', 99)] }, guid('a', 99)],
  ])('reports %s that matches nothing', async (_name, scope, missing) => {
    const { names, warnings } = await scopesOf(scope)
    expect(names).toHaveLength(1)
    expect(warnings).toMatchObject([{ code: 'scope_unmatched', scope: missing }])
  })

  it.each([
    ['nothing of the scope is visible', { workspace_names: ['Nope'] }, {}, 'scope_unmatched'],
    ['the account sees no workspace', {}, { 'GET /groups': [] }, 'nothing_visible'],
    ['the list is forbidden', {}, { 'GET /groups': refuse(403) }, 'forbidden'],
    ['the credential is refused', {}, { 'GET /groups': refuse(401) }, 'auth_failed'],
  ])('fails when %s', async (_name, scope, extra, reason) => {
    await expect(scopesOf(scope, extra)).rejects.toMatchObject({ facts: { reason } })
  })

  it('a workspace without access is reported as unmatched and does not end the scan', async () => {
    const denied = refuse(401, { error: { code: 'PowerBINotAuthorizedException' } })
    const { names, warnings } = await scopesOf(
      { workspace_ids: [guid('a', 1), guid('a', 3)] },
      { [`GET /groups/${guid('a', 3)}`]: denied },
    )
    expect([names, warnings.map(({ code }) => code)]).toEqual([['Finance'], ['scope_unmatched']])
  })

  it('keeps a stored tenant id', async () => {
    const fake = await startFakeBi(routes)
    const { session, remembered } = openBi(payloadFor(fake), { tenantId: 'before' })
    await session.scopes()
    expect(remembered).toEqual([])
  })

  it('tenant_id and client_id are ignored when there is a token', async () => {
    const access_token = jwt({ aud: 'https://analysis.windows.net/powerbi/api', tid: 'T9' })
    const config = (url: { origin: string }, ids: object) => ({
      type: 'BI_PLATFORM',
      required: { auth_mode: 'ACCESS_TOKEN', ...ids },
      masked: { access_token },
      optional: { connection: { api_base_url: `${url.origin}/v1.0/myorg` } },
    })
    const ids = { tenant_id: TENANT, client_id: TENANT }
    const { names, remembered } = await scopesOf({}, {}, (url) => config(url, ids))
    expect(names.length).toBeGreaterThan(0)
    expect(remembered).toEqual(['t9'])
    const [without, other] = [{}, ids].map((more) =>
      biConnector.payload.parse(config({ origin: 'https://x.io' }, more)),
    )
    for (const of of ['scopeSettings', 'tenantAddress', 'credentialOrigins'] as const) {
      expect(biConnector[of]?.(other as never), of).toEqual(biConnector[of]?.(without as never))
    }
  })

  it('warns of a token for another API, and takes the tenant from the token', async () => {
    const access_token = jwt({ aud: 'https://graph.example', tid: 'T9' })
    const { warnings, remembered } = await scopesOf({}, {}, ({ origin }) => ({
      type: 'BI_PLATFORM',
      required: { auth_mode: 'ACCESS_TOKEN' },
      masked: { access_token },
      optional: { connection: { api_base_url: `${origin}/v1.0/myorg` } },
    }))
    expect(warnings.map(({ code }) => code)).toEqual(['token_audience'])
    expect(remembered).toEqual(['t9'])
  })
})

describe('paging', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ id: guid('a', index + 1), name: `Workspace ${index + 1}` }))
  const paged = (count: number): Routes => ({
    'GET /groups': (_request: unknown, query: URLSearchParams) => {
      const skip = Number(query.get('$skip'))
      return many(count).slice(skip, skip + Number(query.get('$top')))
    },
  })

  it.each([
    [999, 1],
    [1000, 2],
    [2500, 3],
  ])('%i workspaces take %i requests', async (count, calls) => {
    const { names, fake } = await scopesOf({}, paged(count))
    expect(names).toHaveLength(count)
    expect(fake.paths().filter((path) => path === 'GET /groups')).toHaveLength(calls)
  })

  it('reading a list that ignores the offset ends with a warning', async () => {
    const { names, warnings, fake } = await scopesOf({}, { 'GET /groups': many(1000) })
    expect([names.length, warnings.map(({ code }) => code)]).toEqual([1000, ['listing_incomplete']])
    expect(fake.paths().filter((path) => path === 'GET /groups')).toHaveLength(2)
  })

  it('only the parameters of a next link are used', async () => {
    let stranger = 0
    const other = await startFakeBi({ 'GET /groups': () => ++stranger && [] })
    const { names } = await scopesOf(
      {},
      {
        'GET /groups': (_request: unknown, query: URLSearchParams) =>
          query.has('$skiptoken')
            ? { value: [workspaces[1]] }
            : { value: [workspaces[0]], '@odata.nextLink': `${other.origin}/v1.0/myorg/groups?$skiptoken=abc` },
      },
    )
    expect([names, stranger]).toEqual([['Finance', 'finance'], 0])
  })
})

describe('personal workspaces', () => {
  const personal = [
    { id: guid('b', 1), name: 'PersonalWorkspace Ana', type: 'PersonalGroup', state: 'Active' },
    { id: guid('b', 2), name: 'PersonalWorkspace Ben', type: 'PersonalGroup', state: 'Deleted' },
  ]

  it('are unavailable to an application without admin rights, with a warning', async () => {
    const { warnings } = await scopesOf({ include_personal_workspaces: true })
    expect(warnings.map(({ code }) => code)).toEqual(['personal_workspaces_unavailable'])
  })

  it('of other people are listed for an administrator', async () => {
    const { names } = await scopesOf({ include_personal_workspaces: true }, { 'GET /admin/groups': personal })
    expect(names).toContain('PersonalWorkspace Ana')
    expect(names).not.toContain('PersonalWorkspace Ben')
  })

  it('of a person are listed for that person', async () => {
    const fake = await startFakeBi({
      ...routes,
      'GET /groups': [],
      'GET /datasets': [{ id: guid('d', 1), name: 'Mine' }],
      'GET /reports': [],
      'GET /dashboards': [{ id: guid('f', 1), displayName: 'Board' }],
      'GET /dashboards/*/tiles': [{ id: guid('c', 1), title: 'Tile', datasetId: guid('d', 1) }],
    })
    const { session } = openBi({
      type: 'BI_PLATFORM',
      required: { auth_mode: 'ACCESS_TOKEN' },
      masked: { access_token: jwt({ tid: TENANT, oid: 'O1' }) },
      optional: {
        connection: { api_base_url: `${fake.origin}/v1.0/myorg` },
        scope: { include_personal_workspaces: true },
      },
    })
    const { scopes } = await session.scopes()
    expect(scopes).toEqual([{ key: 'me', name: 'My workspace' }])
    const keys: string[] = []
    for (const scope of scopes) {
      for await (const batch of session.crawl({ scope, known: () => new Map() }))
        keys.push(...batch.assets.map(({ key }) => key))
    }
    expect(keys).toEqual([
      `bi:${TENANT}:workspace:me:o1`,
      `bi:${TENANT}:dataset:${guid('d', 1)}`,
      `bi:${TENANT}:dashboard:${guid('f', 1)}`,
    ])
  })
})

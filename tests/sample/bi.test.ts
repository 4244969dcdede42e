import { describe, expect, test } from 'vitest'
import { toDashboardId, toDatasetId, toReportId, toWorkspaceId } from '../../src/sample/bi/content.ts'
import { ask, openBi } from './support.ts'

const finance = toWorkspaceId('Finance')
const supply = toWorkspaceId('Supply Chain')
const scope = 'https://analysis.windows.net/powerbi/api/.default'

async function askToken(bi: Awaited<ReturnType<typeof openBi>>, changes: Record<string, string> = {}) {
  const { tenantId, clientId, clientSecret } = bi.credentials
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, scope, ...changes }
  return ask(`${bi.authorityUrl}/${changes.tenant ?? tenantId}/oauth2/v2.0/token`, {
    method: 'POST',
    body: new URLSearchParams(Object.entries(form).filter(([name]) => name !== 'tenant')),
  })
}

describe('the identity provider', () => {
  test('issues a token that the API accepts', async () => {
    const bi = await openBi()
    const { status, body } = await askToken(bi)
    expect(status).toBe(200)
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3599 })
    const { status: listed } = await ask(`${bi.apiUrl}/groups`, {
      headers: { authorization: `Bearer ${body.access_token}` },
    })
    expect(listed).toBe(200)
  })

  test.each([
    [{ client_secret: 'wrong' }, 401, 7000215],
    [{ client_id: '11111111-2222-4333-8444-555555555555' }, 400, 700016],
    [{ tenant: '11111111-2222-4333-8444-555555555555' }, 400, 90002],
    [{ scope: 'https://graph.microsoft.com/.default' }, 400, 70011],
    [{ grant_type: 'password' }, 400, 70003],
    [{ resource: 'x' }, 400, 900144],
  ])('refuses %j', async (changes, status, code) => {
    const answer = await askToken(await openBi(), changes as Record<string, string>)
    expect(answer.status).toBe(status)
    expect(answer.body.error_codes).toEqual([code])
    expect(answer.body.error_description).toContain(`AADSTS${code}`)
  })

  test.each([[undefined], [0], ['120']])(
    'may state a lifetime that differs from the real one: %j',
    async (statedLifetime) => {
      const { body } = await askToken(await openBi({ statedLifetime }))
      expect(body.expires_in).toBe(statedLifetime)
    },
  )

  test('puts tenant, person and expiry into the token', async () => {
    const bi = await openBi()
    const [, payload = ''] = bi.issueToken('person', 600).split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    expect(claims.tid).toBe(bi.tenant.tenantId)
    expect(claims.upn).toContain('@')
    expect(claims.exp * 1000).toBeGreaterThan(Date.now() + 500_000)
  })
})

describe('tokens', () => {
  test.each([
    [undefined, 403],
    [401 as const, 401],
  ])('that have expired are refused as %s', async (expiredAs, status) => {
    const bi = await openBi(expiredAs === undefined ? {} : { expiredAs })
    const answer = await ask(`${bi.apiUrl}/groups`, {
      headers: { authorization: `Bearer ${bi.issueToken('application', -1)}` },
    })
    expect(answer.status).toBe(status)
    expect(answer.body.error.code).toBe('TokenExpired')
  })

  test('that were revoked are refused as expired, new ones are accepted', async () => {
    const bi = await openBi()
    expect((await bi.get('/groups')).status).toBe(200)
    bi.revokeTokens()
    expect((await bi.get('/groups')).body.error.code).toBe('TokenExpired')
    const authorization = `Bearer ${bi.issueToken('application')}`
    expect((await ask(`${bi.apiUrl}/groups`, { headers: { authorization } })).status).toBe(200)
  })

  test('that were never issued are refused', async () => {
    const bi = await openBi()
    expect((await ask(`${bi.apiUrl}/groups`, { headers: { authorization: 'Bearer a.b.c' } })).status).toBe(401)
    expect((await ask(`${bi.apiUrl}/groups`)).status).toBe(401)
  })
})

describe('workspaces', () => {
  const namesOf = (body: { value: { name: string }[] }) => body.value.map(({ name }) => name).sort()

  test('are those that the application is a member of, without a next link', async () => {
    const { body } = await (await openBi()).get('/groups')
    expect(namesOf(body)).toEqual(['Customer and Marketing', 'Data Platform', 'Finance', 'Stores', 'Supply Chain'])
    expect(Object.keys(body)).toEqual(['@odata.context', 'value'])
  })

  test('are paged by $top and $skip, with no items past the end', async () => {
    const bi = await openBi()
    const seen: string[] = []
    for (const skip of [0, 2, 4, 6]) seen.push(...namesOf((await bi.get(`/groups?$top=2&$skip=${skip}`)).body))
    expect(new Set(seen).size).toBe(5)
    expect(seen).toHaveLength(5)
  })

  test('are filtered by name', async () => {
    const bi = await openBi()
    expect(namesOf((await bi.get(`/groups?$filter=${encodeURIComponent("name eq 'Finance'")}`)).body)).toEqual([
      'Finance',
    ])
    expect((await bi.get('/groups?$filter=nonsense')).status).toBe(400)
  })

  test('that are not accessible are refused, with ids in any letter case', async () => {
    const bi = await openBi()
    expect((await bi.get(`/groups/${toWorkspaceId('Board room')}`)).status).toBe(403)
    expect((await bi.get(`/groups/${finance.toUpperCase()}`)).body.name).toBe('Finance')
    expect((await bi.get('/groups/11111111-2222-4333-8444-555555555555')).status).toBe(404)
  })

  test('include "My workspace" for a person, not for an application', async () => {
    const person = await openBi({ as: 'person' })
    expect((await person.get('/reports')).body.value).toMatchObject([{ name: 'Trying things out' }])
    expect((await (await openBi()).get('/reports')).status).toBe(403)
  })
})

describe('items', () => {
  test('reports name their dataset and its workspace', async () => {
    const { body } = await (await openBi()).get(`/groups/${toWorkspaceId('Stores')}/reports`)
    const downtime = body.value.find(({ name }: { name: string }) => name === 'Till downtime')
    expect(downtime.datasetId).toBe(toDatasetId('Load monitoring'))
    expect(downtime.datasetWorkspaceId).toBe(toWorkspaceId('Data Platform'))
  })

  test('paginated reports have neither dataset nor pages', async () => {
    const bi = await openBi()
    const id = toReportId('Finance', 'Invoice register')
    const { body } = await bi.get(`/groups/${finance}/reports`)
    const report = body.value.find((each: { id: string }) => each.id === id)
    expect(report.reportType).toBe('PaginatedReport')
    expect(report.datasetId).toBeUndefined()
    expect((await bi.get(`/groups/${finance}/reports/${id}/pages`)).status).toBe(400)
  })

  test('pages are listed in their order', async () => {
    const id = toReportId('Finance', 'Monthly close')
    const { body } = await (await openBi()).get(`/groups/${finance}/reports/${id}/pages`)
    expect(body.value.map(({ displayName }: { displayName: string }) => displayName)).toEqual([
      'Overview',
      'By country',
      'Corrections',
    ])
  })

  test('tiles name their report and dataset, even if these are deleted', async () => {
    const id = toDashboardId('Finance', 'Finance at a glance')
    const { body } = await (await openBi()).get(`/groups/${finance}/dashboards/${id}/tiles`)
    expect(body.value.map((tile: object) => ['reportId' in tile, 'datasetId' in tile])).toEqual([
      [true, true],
      [true, true],
      [true, false],
      [false, false],
    ])
  })

  test('embed URLs change with every call, ids do not', async () => {
    const bi = await openBi()
    const [first, second] = [await bi.get(`/groups/${finance}/reports`), await bi.get(`/groups/${finance}/reports`)]
    expect(first.body.value[0].embedUrl).not.toBe(second.body.value[0].embedUrl)
    expect(first.body.value[0].id).toBe(second.body.value[0].id)
  })

  test('tables are listed for push datasets only', async () => {
    const bi = await openBi()
    const push = await bi.get(`/groups/${supply}/datasets/${toDatasetId('Packing line live')}/tables`)
    expect(push.body.value).toMatchObject([{ name: 'Line' }])
    const imported = await bi.get(`/groups/${supply}/datasets/${toDatasetId('Stock movements')}/tables`)
    expect([imported.status, imported.body.error.code]).toEqual([404, 'ItemNotFound'])
  })

  test('refreshes are limited by $top and do not exist for push datasets', async () => {
    const bi = await openBi()
    const of = (name: string) => `/groups/${supply}/datasets/${toDatasetId(name)}/refreshes?$top=1`
    expect((await bi.get(of('Stock movements'))).body.value).toHaveLength(1)
    expect((await bi.get(of('Packing line live'))).status).toBe(400)
  })
})

describe('queries', () => {
  const path = (name: string, workspace = supply) => `/groups/${workspace}/datasets/${toDatasetId(name)}/executeQueries`
  const columns = 'EVALUATE SELECTCOLUMNS(INFO.VIEW.COLUMNS(),"t",[Table],"c",[Name],"d",[DataType],"x",[Description])'
  const dax = (query: string, includeNulls?: boolean) => ({
    queries: [{ query }],
    ...(includeNulls === undefined ? {} : { serializerSettings: { includeNulls } }),
  })

  test('answer a projection of the metadata views, behind a byte-order mark', async () => {
    const bi = await openBi()
    const reply = await fetch(`${bi.apiUrl}${path('Stock movements')}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bi.issueToken('application')}` },
      body: JSON.stringify(dax(columns, true)),
    })
    const bytes = new Uint8Array(await reply.arrayBuffer())
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
    const { results } = JSON.parse(Buffer.from(bytes.subarray(3)).toString())
    expect(results[0].tables[0].rows[0]).toEqual({ '[t]': 'Movement', '[c]': 'Bay', '[d]': 'String', '[x]': null })
  })

  test('omit nulls unless they are requested', async () => {
    const bi = await openBi()
    const { body } = await bi.post(path('Stock movements'), dax(columns))
    expect(Object.keys(body.results[0].tables[0].rows[0])).toEqual(['[t]', '[c]', '[d]'])
  })

  test.each([
    ['a bare metadata function', 'EVALUATE INFO.TABLES()'],
    ['a column that is not there', 'EVALUATE SELECTCOLUMNS(INFO.VIEW.TABLES(),"x",[Nothing])'],
    ['rows of a table', 'EVALUATE Movement'],
  ])('refuse %s', async (_, query) => {
    const { status, body } = await (await openBi()).post(path('Stock movements'), dax(query))
    expect(status).toBe(400)
    expect(body.error['pbi.error'].details[0].detail.value).toBe('3239575574')
  })

  test('are refused for datasets with row-level security and where the tenant disables them', async () => {
    const bi = await openBi()
    expect((await bi.post(path('Staff rota', toWorkspaceId('Stores')), dax(columns))).status).toBe(401)
    const strict = await openBi({ queries: false })
    expect((await strict.post(path('Stock movements'), dax(columns))).body.error.code).toContain('Disabled')
  })
})

describe("administrators' calls", () => {
  const flags = 'lineage=true&datasourceDetails=true&datasetSchema=true&datasetExpressions=true&getArtifactUsers=true'

  test('are refused unless the tenant allows them', async () => {
    const bi = await openBi()
    expect((await bi.get('/admin/groups?$top=10')).status).toBe(403)
    expect((await bi.post(`/admin/workspaces/getInfo?${flags}`, { workspaces: [finance] })).status).toBe(403)
  })

  test('scan workspaces in three steps', async () => {
    const bi = await openBi({ adminApi: true, scanPolls: 2 })
    const started = await bi.post(`/admin/workspaces/getInfo?${flags}`, { workspaces: [finance, supply] })
    expect(started.status).toBe(202)
    const { id } = started.body
    expect((await bi.get(`/admin/workspaces/scanResult/${id}`)).status).toBe(404)
    const states: string[] = []
    for (let poll = 0; poll < 3; poll++) states.push((await bi.get(`/admin/workspaces/scanStatus/${id}`)).body.status)
    expect(states).toEqual(['Running', 'Running', 'Succeeded'])
    const { body } = await bi.get(`/admin/workspaces/scanResult/${id}`)
    expect(body.workspaces.map(({ name }: { name: string }) => name)).toEqual(['Finance', 'Supply Chain'])
    const [{ datasets }] = body.workspaces
    const payments = datasets.find(({ name }: { name: string }) => name === 'Supplier payments')
    expect(payments.tables[1].source[0].expression).toContain('Sql.Database')
    const [{ datasourceInstanceId }] = payments.datasourceUsages
    expect(body.datasourceInstances.map(({ datasourceId }: { datasourceId: string }) => datasourceId)).toContain(
      datasourceInstanceId,
    )
  })

  test('return schemas, sources and users only on request', async () => {
    const bi = await openBi({ adminApi: true, scanPolls: 0 })
    const { body: started } = await bi.post('/admin/workspaces/getInfo', { workspaces: [finance] })
    await bi.get(`/admin/workspaces/scanStatus/${started.id}`)
    const { body } = await bi.get(`/admin/workspaces/scanResult/${started.id}`)
    const [dataset] = body.workspaces[0].datasets
    expect(['tables', 'expressions', 'datasourceUsages', 'users'].filter((name) => name in dataset)).toEqual([])
  })

  test('state why a schema cannot be returned', async () => {
    const bi = await openBi({ adminApi: true, scanPolls: 0 })
    const { body: started } = await bi.post(`/admin/workspaces/getInfo?${flags}`, {
      workspaces: [toWorkspaceId('Stores')],
    })
    await bi.get(`/admin/workspaces/scanStatus/${started.id}`)
    const { body } = await bi.get(`/admin/workspaces/scanResult/${started.id}`)
    const rota = body.workspaces[0].datasets.find(({ name }: { name: string }) => name === 'Staff rota')
    expect(rota.schemaRetrievalError).toContain('object level security')
    expect(rota.tables).toBeUndefined()
  })

  test.each([0, 101])('scan 1 to 100 workspaces, not %i', async (count) => {
    const bi = await openBi({ adminApi: true })
    const { status } = await bi.post('/admin/workspaces/getInfo', { workspaces: Array(count).fill(finance) })
    expect(status).toBe(400)
  })

  test('list all workspaces, with a filter', async () => {
    const bi = await openBi({ adminApi: true })
    const filter = encodeURIComponent("type eq 'PersonalGroup' or type eq 'Workspace'")
    expect((await bi.get(`/admin/groups?$top=100&$filter=${filter}`)).body.value).toHaveLength(6)
  })

  test('list the workspaces that have changed since a time', async () => {
    const bi = await openBi({ adminApi: true })
    bi.tenant.editReport(toReportId('Finance', 'Monthly close'), { description: 'Changed.' })
    const since = new Date(Date.now() - 3_600_000).toISOString()
    expect((await bi.get(`/admin/workspaces/modified?modifiedSince=${since}`)).body).toEqual([{ id: finance }])
    const old = new Date(Date.now() - 40 * 86_400_000).toISOString()
    expect((await bi.get(`/admin/workspaces/modified?modifiedSince=${old}`)).status).toBe(400)
  })
})

import { describe, expect, it } from 'vitest'
import type { AssetDraft } from '../../../src/connectors/connector.ts'
import { crawlAll, guid, payloadFor, type Routes, refuse, startFakeBi } from './fake.ts'

const ws = guid('a', 1)
const datasetId = (index: number) => guid('d', index)

function tenant(datasets: Record<string, unknown>[], extra: Routes = {}): Routes {
  return {
    'GET /groups': [{ id: ws, name: 'Finance' }],
    [`GET /groups/${ws}/datasets`]: datasets,
    [`GET /groups/${ws}/reports`]: [],
    [`GET /groups/${ws}/dashboards`]: [],
    'POST /admin/workspaces/getInfo': refuse(403),
    ...extra,
  }
}

const rows = (...items: Record<string, unknown>[]) => ({ results: [{ tables: [{ rows: items }] }] })
const queryOf = (body: string) => (JSON.parse(body) as { queries: { query: string }[] }).queries[0]?.query ?? ''
const answering =
  (answers: Record<string, unknown>, otherwise: unknown = refuse(400)) =>
  ({ body }: { body: string }) =>
    Object.entries(answers).find(([part]) => queryOf(body).includes(part))?.[1] ?? otherwise

async function factsOf(routes: Routes, optional: Record<string, unknown> = {}) {
  const fake = await startFakeBi(routes)
  const { assets, failed } = await crawlAll(payloadFor(fake, optional))
  expect(failed).toEqual({})
  const datasets = assets.filter(({ kind }) => kind === 'bi.dataset')
  const parts = async (asset: AssetDraft | undefined) =>
    (await asset?.document?.())?.parts.map(({ kind, path, text }) => `${kind} ${path}: ${text}`) ?? []
  return { facts: datasets.map(({ facts }) => facts ?? {}), parts: await parts(datasets[0]), fake, assets }
}

const plain = [{ id: datasetId(1), name: 'Sales' }]
const query = `POST /groups/${ws}/datasets/*/executeQueries`

describe('reading a schema', () => {
  it('uses queries: columns, measures and table facts, without generated columns', async () => {
    const answers = {
      'INFO.VIEW.COLUMNS': rows(
        { '[t]': 'Sales', '[c]': 'Amount', '[d]': 'Int64', '[h]': false, '[x]': 'Net of tax', '[e]': '[Gross] * 0.8' },
        { '[t]': 'Sales', '[c]': 'RowNumber-2662979B-1795-4F74-8F37-6A1BA8059B61', '[d]': 'Int64', '[h]': true },
        { '[t]': 'LocalDateTable_1', '[c]': 'Date', '[d]': 'DateTime', '[h]': true },
      ),
      'INFO.VIEW.MEASURES': rows({ '[t]': 'Sales', '[m]': 'Total', '[e]': 'SUM(Sales[Amount])', '[x]': null }),
      'INFO.VIEW.TABLES': rows({ '[t]': 'Sales', '[x]': 'Orders', '[h]': false, '[e]': null }),
    }
    const { facts, parts } = await factsOf(tenant(plain, { [query]: answering(answers) }))
    expect(facts[0]).toMatchObject({ schemaStatus: 'available', schemaWay: 'queries', tables: 1 })
    expect(parts).toEqual([
      'name name: Sales',
      'name Sales: Sales',
      'text Sales: Orders',
      'name Sales.Amount: Amount',
      'text Sales.Amount: Net of tax',
      'expression Sales.Amount: [Gross] * 0.8',
      'name Sales.Total: Total',
      'expression Sales.Total: SUM(Sales[Amount])',
    ])
  })

  it('reads columns, measures and tables without a name', async () => {
    const answers = {
      'INFO.VIEW.COLUMNS': rows(
        { '[t]': 'Sales', '[c]': null, '[x]': 'The first', '[e]': null },
        { '[t]': null, '[c]': 'Lost', '[x]': null, '[e]': '1 + 1' },
      ),
      'INFO.VIEW.MEASURES': rows({ '[t]': 'Sales', '[m]': '', '[e]': 'SUM(Sales[Amount])', '[x]': 'The sum' }),
      'INFO.VIEW.TABLES': rows({ '[t]': null, '[x]': 'A table', '[h]': false, '[e]': null }),
    }
    const { facts, parts } = await factsOf(tenant(plain, { [query]: answering(answers) }))
    expect(facts[0]).toMatchObject({ schemaWay: 'queries', tables: 2 })
    expect(parts).toEqual(
      expect.arrayContaining([
        'text Sales.(no name): The first',
        'expression Sales.(no name): SUM(Sales[Amount])',
        'text Sales.(no name): The sum',
        'text (no name): A table',
        'expression (no name).Lost: 1 + 1',
      ]),
    )
  })

  it('reads parts without a name in the metadata scan, and shows items by their ids', async () => {
    const columns = [{ description: 'A column', expression: 'A()' }]
    const measures = [{ name: '', description: 'A measure', expression: 'M()' }]
    const scanned = {
      id: ws,
      datasets: [
        {
          id: datasetId(1),
          tables: [
            { description: 'One', columns, measures, source: [{ expression: 'let x' }] },
            { description: 'Two', columns: [], measures: [] },
          ],
          expressions: [{ expression: 'shared' }],
        },
      ],
      reports: [{ id: guid('f', 1) }],
      dashboards: [],
    }
    const routes = tenant([{ id: datasetId(1) }], {
      [`GET /groups/${ws}/reports`]: [{ id: guid('f', 1), name: '' }],
      'POST /admin/workspaces/getInfo': { id: guid('e', 1), status: 'NotStarted' },
      'GET /admin/workspaces/scanStatus/*': { id: guid('e', 1), status: 'Succeeded' },
      'GET /admin/workspaces/scanResult/*': { workspaces: [scanned], datasourceInstances: [] },
    })
    const { facts, parts, assets } = await factsOf(routes)
    expect(facts[0]).toMatchObject({ schemaWay: 'scanner', tables: 1 })
    expect(parts).toEqual(
      expect.arrayContaining([
        'text (no name): One\nTwo',
        'text (no name).(no name): A column',
        'expression (no name).(no name): M()',
        'expression (no name) source: let x',
        'expression expression (no name): shared',
      ]),
    )
    const names = assets.map(({ kind, name }) => [kind, name])
    expect(names).toEqual(
      expect.arrayContaining([
        ['bi.dataset', datasetId(1)],
        ['bi.report', guid('f', 1)],
      ]),
    )
  })

  it('uses the older columns of the views where the newer ones are refused', async () => {
    const columns = ({ body }: { body: string }) =>
      queryOf(body).includes('[Description]') || !queryOf(body).includes('COLUMNS')
        ? refuse(400)
        : rows({ '[t]': 'Sales', '[c]': 'Amount', '[d]': 'Int64', '[h]': true })
    const { facts, parts } = await factsOf(tenant(plain, { [query]: columns }))
    expect(facts[0]).toMatchObject({ schemaWay: 'queries', tables: 1 })
    expect(parts).toContain('name Sales.Amount: Amount')
  })

  it('uses statistics where the views are refused, and never reads values', async () => {
    const answers = { COLUMNSTATISTICS: rows({ '[t]': 'Sales', '[c]': 'Amount' }) }
    const { facts, fake } = await factsOf(tenant(plain, { [query]: answering(answers) }))
    expect(facts[0]).toMatchObject({ schemaWay: 'statistics', tables: 1 })
    const asked = fake.seen.map(({ body }) => body).filter((body) => body.includes('COLUMNSTATISTICS'))
    expect(asked[0]).not.toMatch(/Min|Max/)
  })

  it('requests the tables of push datasets before it sends queries', async () => {
    const push = [{ ...plain[0], addRowsAPIEnabled: true }]
    const tables = { [`GET /groups/${ws}/datasets/*/tables`]: [{ name: 'Events', columns: [{ name: 'At' }] }] }
    const { facts, fake } = await factsOf(tenant(push, tables))
    expect(facts[0]).toMatchObject({ schemaWay: 'tables' })
    expect(fake.paths().some((path) => path.includes('executeQueries'))).toBe(false)
  })

  const error = { code: 'X' }
  it.each<[string, unknown, string]>([
    ['404', refuse(404, { error: { code: 'PowerBIEntityNotFound' } }), 'no_build_permission'],
    ['403', refuse(403), 'no_build_permission'],
    ['401 for this dataset alone', refuse(401), 'no_build_permission'],
    ['a setting', refuse(400, { error: { code: 'DatasetExecuteQueriesDisabled' } }), 'execute_queries_disabled'],
    ['an error inside 200', { error: { code: 'X', message: 'y' } }, 'query_refused'],
    ['an error inside a result', { results: [{ error }] }, 'query_refused'],
    ['an error inside a table', { results: [{ tables: [{ error }] }] }, 'query_refused'],
    ['a model without tables', rows(), 'no_tables'],
  ])('states why there is no schema: the query is answered with %s', async (_name, reply, reason) => {
    const { facts } = await factsOf(tenant(plain, { [query]: reply }))
    expect(facts[0]).toMatchObject({ schemaStatus: 'unavailable', schemaReason: reason })
    expect(facts[0]?.schemaTried).toMatchObject({ scanner: 'admin_api_forbidden' })
  })

  it.each<[string, Record<string, unknown>, Routes, string]>([
    ['an application and row-level security', { isEffectiveIdentityRequired: true }, {}, 'rls'],
    [
      '501 on the tables of a push dataset',
      { addRowsAPIEnabled: true },
      { [`GET /groups/${ws}/datasets/*/tables`]: refuse(501), [query]: refuse(404) },
      'no_build_permission',
    ],
  ])('states why there is no schema: %s', async (_name, dataset, extra, reason) => {
    const { facts } = await factsOf(tenant([{ ...plain[0], ...dataset }], extra))
    expect(facts[0]).toMatchObject({ schemaStatus: 'unavailable', schemaReason: reason })
  })

  const eight = Array.from({ length: 8 }, (_, index) => ({ id: datasetId(index + 1), name: `Set ${index}` }))
  const counted = (routes: Routes) =>
    factsOf(routes).then(({ fake }) => fake.paths().filter((path) => path.includes('executeQueries')).length)

  it('sends no further queries once the tenant has refused them', async () => {
    const off = refuse(400, { error: { code: 'TenantSettingDisabled' } })
    expect(await counted(tenant(eight, { [query]: off }))).toBeLessThanOrEqual(8)
    const fake = await startFakeBi(
      tenant(
        Array.from({ length: 45 }, (_, index) => ({ id: datasetId(index + 1), name: 'S' })),
        { [query]: off },
      ),
    )
    await crawlAll(payloadFor(fake))
    expect(fake.paths().filter((path) => path.includes('executeQueries')).length).toBeLessThanOrEqual(20)
  })

  it('continues with queries when only some datasets are refused', async () => {
    expect(await counted(tenant(eight, { [query]: refuse(404) }))).toBe(8)
  })

  it('records a model that could not be queried as unread', async () => {
    const answers = { 'INFO.VIEW.COLUMNS': rows({ '[t]': 'Sales', '[c]': 'Amount' }) }
    const fake = await startFakeBi(tenant(plain, { [query]: answering(answers) }))
    fake.routes[query] = refuse(500)
    const { assets, warnings } = await crawlAll(payloadFor(fake))
    const dataset = assets.find(({ kind }) => kind === 'bi.dataset')
    expect(dataset?.unread).toContainEqual({ section: 'tables', reason: 'failed', detail: 'queries_unavailable' })
    expect(warnings.map(({ code }) => code)).toEqual(['schema_unavailable'])
  })

  it.each([
    ['columns', '[c]', ['tables/columns', 'tables/descriptions', 'tables/names']],
    ['columns', '[x]', ['tables/descriptions/columns']],
    ['tables', '[t]', ['tables/columns', 'tables/descriptions', 'tables/names']],
    ['tables', '[x]', ['tables/descriptions/tables']],
    ['measures', '[m]', ['tables/measures']],
  ])('%s without %s have unread texts', async (view, missing, sections) => {
    const answers = {
      columns: { '[t]': 'Sales', '[c]': 'Amount', '[d]': 'Int64', '[h]': false, '[x]': 'Net', '[e]': null },
      measures: { '[t]': 'Sales', '[m]': 'Total', '[e]': '1', '[x]': null },
      tables: { '[t]': 'Sales', '[x]': 'Orders', '[h]': false, '[e]': null },
    }
    const told = Object.entries(answers).map(([name, row]) => {
      const members = Object.entries(row).filter(([key]) => name !== view || key !== missing)
      return [`INFO.VIEW.${name.toUpperCase()}`, rows(Object.fromEntries(members))] as const
    })
    const { assets } = await factsOf(tenant(plain, { [query]: answering(Object.fromEntries(told)) }))
    const dataset = assets.find(({ kind }) => kind === 'bi.dataset')
    const gaps = (dataset?.unread ?? []).filter(({ reason }) => reason === 'missing').map(({ section }) => section)
    expect(gaps.filter((section) => /^tables\/(?!assets)/.test(section)).sort()).toEqual(sections)
  })

  it('does not take a credential that expires between queries for a missing permission', async () => {
    let expired = false
    const guarded = (value: unknown) => () => (expired ? refuse(401) : value)
    const routes = tenant(plain, {
      'GET /groups': guarded([{ id: ws, name: 'Finance' }]),
      [query]: () => {
        expired = true
        return refuse(401)
      },
    })
    const fake = await startFakeBi(routes)
    expect((await crawlAll(payloadFor(fake))).failed).toEqual({ Finance: 'auth_expired' })
  })

  it('does not delete tables that are assets when they cannot be listed', async () => {
    const fake = await startFakeBi(tenant(plain, { [query]: refuse(500) }))
    const { assets } = await crawlAll(payloadFor(fake, { extraction: { extract_datasets_to_containers: true } }))
    const dataset = assets.find(({ kind }) => kind === 'bi.dataset')
    expect(dataset?.unlisted).toMatchObject([{ kinds: ['bi.table'], reason: 'failed' }])
  })
})

describe('the metadata scan', () => {
  const result = {
    workspaces: [
      {
        id: ws,
        name: 'Finance',
        description: 'Money',
        datasets: [
          {
            id: datasetId(1),
            name: 'Sales',
            configuredBy: 'ana@shop.com',
            tables: [
              {
                name: 'Sales',
                columns: [{ name: 'Amount', dataType: 'Int64', isHidden: false }],
                measures: [{ name: 'Total', expression: 'SUM(Sales[Amount])' }],
                source: [{ expression: 'let Source = Sql.Database("db") in Source' }],
              },
            ],
            expressions: [{ name: 'Key', expression: '"planted" meta [IsParameterQuery=true]' }],
            roles: [{ name: 'North', tablePermissions: [{ name: 'Sales', filterExpression: '[Region] = "north"' }] }],
            datasourceUsages: [{ datasourceInstanceId: guid('c', 1) }],
            upstreamDataflows: [{ targetDataflowId: guid('b', 1) }],
          },
          { id: datasetId(2), name: 'Live', schemaRetrievalError: 'Live connection' },
          { id: datasetId(3), name: 'Old' },
        ],
        reports: [
          {
            id: guid('e', 1),
            name: 'Monthly',
            datasetId: datasetId(1),
            createdBy: 'ben@shop.com',
            modifiedDateTime: '2025-02-03T10:00:00.5',
          },
        ],
        dashboards: [
          {
            id: guid('f', 1),
            displayName: 'Board',
            tiles: [{ id: guid('c', 2), title: 'Revenue', reportId: guid('e', 1) }],
          },
        ],
      },
    ],
    datasourceInstances: [
      { datasourceId: guid('c', 1), datasourceType: 'Sql', connectionDetails: { server: 'db', database: 'sales' } },
    ],
  }
  const scanned = (states: unknown[] = [{ status: 'Succeeded' }], scan: unknown = result): Routes => ({
    ...tenant([...plain, { id: datasetId(2), name: 'Live' }, { id: datasetId(3), name: 'Old' }]),
    [`GET /groups/${ws}/reports`]: [{ id: guid('e', 1), name: 'Monthly', datasetId: datasetId(1) }],
    [`GET /groups/${ws}/dashboards`]: [{ id: guid('f', 1), displayName: 'Board' }],
    'POST /admin/workspaces/getInfo': { id: 'scan-1', status: 'NotStarted' },
    'GET /admin/workspaces/scanStatus/scan-1': () => (states.length > 1 ? states.shift() : states[0]),
    'GET /admin/workspaces/scanResult/scan-1': scan,
  })

  it('gives tables, formulas, sources, dates and tiles in a few calls', async () => {
    const { facts, parts, assets, fake } = await factsOf(scanned([{ status: 'Running' }, { status: 'Succeeded' }]))
    expect(facts[0]).toMatchObject({ schemaStatus: 'available', schemaWay: 'scanner' })
    expect(parts).toEqual([
      'name name: Sales',
      'name Sales: Sales',
      'name Sales.Amount: Amount',
      'name Sales.Total: Total',
      'expression Sales.Total: SUM(Sales[Amount])',
      'expression Sales source: let Source = Sql.Database("db") in Source',
      'name expression Key: Key',
      'attribute expression Key: planted',
      'name role North on Sales: North on Sales',
      'expression role North on Sales: [Region] = "north"',
      'attribute data source 1 server: db',
      'attribute data source 1 database: sales',
    ])
    const report = assets.find(({ kind }) => kind === 'bi.report')
    expect(report?.contentUpdatedAt).toBe(Date.parse('2025-02-03T10:00:00.500Z'))
    expect(assets.find(({ kind }) => kind === 'bi.dashboard')?.links).toHaveLength(1)
    expect(fake.paths().some((path) => path.includes('/tiles'))).toBe(false)
    const asked = fake.seen.find(({ url }) => url.includes('getInfo'))
    expect(JSON.parse(asked?.body ?? '')).toEqual({ workspaces: [ws] })
    expect(Object.fromEntries(new URL(asked?.url ?? '', 'http://x').searchParams)).toEqual({
      lineage: 'true',
      datasourceDetails: 'true',
      datasetSchema: 'true',
      datasetExpressions: 'true',
      getArtifactUsers: 'false',
    })
  })

  it('reports why it contains no schema of a dataset', async () => {
    const { facts } = await factsOf(scanned())
    expect(facts.map(({ schemaReason }) => schemaReason)).toEqual([
      undefined,
      'retrieval_error:live_connection',
      'no_build_permission',
    ])
  })

  it.each<[string, unknown[], unknown]>([
    ['fails', [{ status: 'Failed' }], result],
    ['reports an error', [{ status: 'Running', error: { code: 'x' } }], result],
    ['has an expired result', [{ status: 'Succeeded' }], refuse(404)],
  ])('that %s does not prevent reading by queries', async (_name, states, scan) => {
    const answers = { 'INFO.VIEW.COLUMNS': rows({ '[t]': 'Sales', '[c]': 'Amount' }) }
    const { facts } = await factsOf({ ...scanned(states, scan), [query]: answering(answers) })
    expect(facts[0]).toMatchObject({ schemaStatus: 'available', schemaWay: 'queries' })
  })

  it('requests a hundred workspaces at a time, and halves a batch that fails', async () => {
    const many = Array.from({ length: 101 }, (_, index) => ({ id: guid('a', index + 1), name: `W${index}` }))
    const bad = many[3]?.id
    const asked: string[][] = []
    const fake = await startFakeBi({
      'GET /groups': many,
      'GET /groups/*/datasets': [],
      'GET /groups/*/reports': [],
      'GET /groups/*/dashboards': [],
      'POST /admin/workspaces/getInfo': ({ body }: { body: string }) => {
        const { workspaces } = JSON.parse(body) as { workspaces: string[] }
        asked.push(workspaces)
        return { id: `scan-${asked.length}` }
      },
      'GET /admin/workspaces/scanStatus/*': ({ url }: { url: string }) => {
        const workspaces = asked[Number(/scan-(\d+)/.exec(url)?.[1]) - 1] ?? []
        return { status: bad !== undefined && workspaces.includes(bad) ? 'Failed' : 'Succeeded' }
      },
      'GET /admin/workspaces/scanResult/*': ({ url }: { url: string }) => {
        const workspaces = asked[Number(/scan-(\d+)/.exec(url)?.[1]) - 1] ?? []
        return { workspaces: workspaces.map((id) => ({ id, name: 'x', description: `of ${id}` })) }
      },
    })
    const { assets, failed } = await crawlAll(payloadFor(fake))
    expect(failed).toEqual({})
    expect(Math.max(...asked.map(({ length }) => length))).toBe(100)
    const described = assets.filter(({ facts }) => facts?.description === true)
    expect(described).toHaveLength(100)
    expect(asked.length).toBeLessThanOrEqual(16)
  })
})

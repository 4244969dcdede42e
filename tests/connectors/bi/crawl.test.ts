import { describe, expect, it } from 'vitest'
import type { AssetDraft } from '../../../src/connectors/connector.ts'
import { crawlAll, guid, openBi, payloadFor, type Routes, refuse, startFakeBi, TENANT } from './fake.ts'

const [ws, other] = [guid('a', 1), guid('a', 2)]
const [sales, hr] = [guid('d', 1), guid('d', 2)]
const [monthly, weekly, paginated, copy] = [guid('e', 1), guid('e', 2), guid('e', 3), guid('e', 4)]
const board = guid('f', 1)

const tenant = (): Routes => ({
  'GET /groups': [
    { id: ws.toUpperCase(), name: 'Finance', type: 'Workspace' },
    { id: other, name: 'People', type: 'Workspace' },
  ],
  [`GET /groups/${ws}/datasets`]: [
    {
      id: sales,
      name: 'Sales',
      description: 'Orders, see https://docs.example.org/orders.',
      CreatedDate: '2024-05-01T08:00:00',
      addRowsAPIEnabled: true,
      configuredBy: 'ana@example.org',
      webUrl: `https://app.example/datasets/${sales}`,
      upstreamDatasets: [{ targetDatasetId: hr, groupId: other }],
    },
  ],
  [`GET /groups/${ws}/reports`]: [
    { id: monthly, name: 'Monthly', datasetId: sales, reportType: 'PowerBIReport', description: 'Board pack' },
    { id: weekly, name: 'Weekly', datasetId: hr, datasetWorkspaceId: other },
    { id: paginated, name: 'Invoices', reportType: 'PaginatedReport' },
    { id: copy, name: '[App] Monthly', datasetId: sales, appId: guid('9', 1), originalReportId: monthly },
  ],
  [`GET /groups/${ws}/dashboards`]: [{ id: board, displayName: 'Overview', isReadOnly: false }],
  [`GET /groups/${ws}/dashboards/${board}/tiles`]: [
    { id: guid('c', 2), title: 'Revenue', reportId: copy, datasetId: sales },
    { id: guid('c', 1), title: 'Note' },
  ],
  [`GET /groups/${ws}/reports/*/pages`]: [
    { name: 'p2', displayName: 'Details', order: 1 },
    { name: 'p1', displayName: 'Summary', order: 0 },
  ],
  [`GET /groups/${ws}/datasets/${sales}/datasources`]: [
    {
      datasourceType: 'Sql',
      connectionDetails: { server: 'db.internal', database: 'orders' },
      connectionString: 'Server=db.internal;User=sa;Password=planted',
    },
  ],
  [`GET /groups/${ws}/datasets/${sales}/parameters`]: [{ name: 'Region', type: 'Text', currentValue: 'north' }],
  [`GET /groups/${ws}/datasets/${sales}/tables`]: [
    {
      name: 'Sales',
      columns: [
        { name: 'Amount', dataType: 'Int64' },
        { name: 'RowNumber-2662979B-1795-4F74-8F37-6A1BA8059B61', dataType: 'Int64' },
      ],
      measures: [{ name: 'Total', expression: 'SUM(Sales[Amount])' }],
    },
    { name: 'LocalDateTable_4d5e', columns: [{ name: 'Date' }] },
  ],
  [`GET /groups/${ws}/datasets/upstreamDataflows`]: [
    { datasetObjectId: sales, dataflowObjectId: guid('b', 1), workspaceObjectId: ws },
  ],
  [`GET /groups/${ws}/users`]: [{ emailAddress: 'ada@example.org', groupUserAccessRight: 'Admin' }],
  [`GET /groups/${other}/datasets`]: [{ id: hr, name: 'Staff' }],
  [`GET /groups/${other}/reports`]: [],
  [`GET /groups/${other}/dashboards`]: [],
  'POST /admin/workspaces/getInfo': refuse(403),
})

const keyOf = (kind: string, id: string) => `bi:${TENANT}:${kind}:${id}`
const named = (assets: AssetDraft[], name: string) => {
  const asset = assets.find((item) => item.name === name)
  if (asset === undefined) throw new Error(`no asset ${name}`)
  return asset
}
const partsOf = async (asset: AssetDraft) =>
  (await asset.document?.())?.parts.map(({ kind, path, text }) => `${kind} ${path}: ${text}`) ?? []
const linksOf = (asset: AssetDraft) => asset.links.map(({ type, targetKey, url }) => `${type} ${targetKey ?? url}`)

describe('a tenant without admin rights', () => {
  it('yields every item once, with a key of ids only', async () => {
    const { assets, failed } = await crawlAll(payloadFor(await startFakeBi(tenant())))
    expect(failed).toEqual({})
    expect(assets.map(({ key, kind, container }) => `${kind} ${key} in ${container}`).sort()).toEqual(
      [
        `bi.workspace ${keyOf('workspace', ws)} in Finance`,
        `bi.dataset ${keyOf('dataset', sales)} in Finance`,
        `bi.report ${keyOf('report', monthly)} in Finance`,
        `bi.report ${keyOf('report', weekly)} in Finance`,
        `bi.report ${keyOf('report', paginated)} in Finance`,
        `bi.dashboard ${keyOf('dashboard', board)} in Finance`,
        `bi.workspace ${keyOf('workspace', other)} in People`,
        `bi.dataset ${keyOf('dataset', hr)} in People`,
      ].sort(),
    )
  })

  it('puts names, formulas, parameters and sources into the text', async () => {
    const { assets } = await crawlAll(payloadFor(await startFakeBi(tenant())))
    expect(await partsOf(named(assets, 'Sales'))).toEqual([
      'name name: Sales',
      'text description: Orders, see https://docs.example.org/orders.',
      'name Sales: Sales',
      'name Sales.Amount: Amount',
      'name Sales.Total: Total',
      'expression Sales.Total: SUM(Sales[Amount])',
      'name parameter Region: Region',
      'attribute parameter Region: north',
      'attribute data source 1 server: db.internal',
      'attribute data source 1 database: orders',
      'attribute data source 1 connectionString: Server=db.internal;User=sa;Password=planted',
    ])
    expect(await partsOf(named(assets, 'Monthly'))).toEqual([
      'name name: Monthly',
      'text description: Board pack',
      'name page 1: Summary',
      'name page 2: Details',
    ])
    expect(await partsOf(named(assets, 'Overview'))).toEqual([
      'name name: Overview',
      'name tile 1: Note',
      'name tile 2: Revenue',
    ])
  })

  it('links the lineage across workspaces and through app copies', async () => {
    const { assets } = await crawlAll(payloadFor(await startFakeBi(tenant())))
    expect(linksOf(named(assets, 'Sales'))).toEqual([
      `upstream_dataset ${keyOf('dataset', hr)}`,
      `upstream_dataflow ${keyOf('dataflow', guid('b', 1))}`,
      'reads_from Sql db.internal orders',
      'links_to https://docs.example.org/orders',
    ])
    expect(linksOf(named(assets, 'Weekly'))).toEqual([`uses_dataset ${keyOf('dataset', hr)}`])
    expect(linksOf(named(assets, 'Invoices'))).toEqual([])
    expect(linksOf(named(assets, 'Overview'))).toEqual([
      `tile_from_report ${keyOf('report', monthly)}`,
      `tile_from_dataset ${keyOf('dataset', sales)}`,
    ])
    expect(named(assets, 'Overview').facts).toMatchObject({ tiles: 2, unlinkedTiles: 1 })
    expect(named(assets, 'Finance').links).toHaveLength(5)
    const places = named(assets, 'Overview').links.map(({ reference }) => reference)
    expect(places).toEqual([
      { id: monthly, space: ws },
      { id: sales, space: ws },
    ])
    expect(named(assets, 'Weekly').links[0]?.reference).toEqual({ id: hr, space: other })
  })

  it('links no workspace for a dataset whose workspace is unknown', async () => {
    const routes = tenant()
    const tiles = [{ id: guid('c', 3), title: 'Foreign', datasetId: guid('d', 77) }]
    const { assets } = await crawlAll(
      payloadFor(await startFakeBi({ ...routes, [`GET /groups/${ws}/dashboards/${board}/tiles`]: tiles })),
    )
    expect(named(assets, 'Overview').links[0]?.reference).toEqual({ id: guid('d', 77) })
  })

  it('records for each dataset how its schema was read, or why it was not', async () => {
    const { assets } = await crawlAll(payloadFor(await startFakeBi(tenant())))
    expect(named(assets, 'Sales').facts).toMatchObject({ schemaStatus: 'available', schemaWay: 'tables', tables: 1 })
    expect(named(assets, 'Staff').facts).toMatchObject({
      schemaStatus: 'unavailable',
      schemaReason: 'no_build_permission',
      schemaTried: { scanner: 'admin_api_forbidden', tables: 'not_push_dataset', queries: 'no_build_permission' },
    })
  })

  it('requests tables of push datasets only, and no pages of paginated reports', async () => {
    const fake = await startFakeBi(tenant())
    await crawlAll(payloadFor(fake))
    expect(fake.paths().filter((path) => path.endsWith('/tables'))).toEqual([
      `GET /groups/${ws}/datasets/${sales}/tables`,
    ])
    expect(fake.paths().some((path) => path.includes(`${paginated}/pages`))).toBe(false)
    expect(fake.paths().filter((path) => path.includes('getInfo'))).toHaveLength(1)
  })
})

describe('changes', () => {
  const checksums = (assets: AssetDraft[]) => new Map(assets.map(({ key, checksum }) => [key, checksum]))
  const changed = async (edit: (routes: Routes) => void) => {
    const fake = await startFakeBi(tenant())
    const before = checksums((await crawlAll(payloadFor(fake))).assets)
    edit(fake.routes)
    const after = (await crawlAll(payloadFor(fake))).assets
    return after.filter(({ key, checksum }) => before.get(key) !== checksum).map(({ key }) => key)
  }
  const list = (routes: Routes, path: string) => routes[`GET ${path}`] as Record<string, unknown>[]

  const set = (path: string, members: object) => (routes: Routes) =>
    void Object.assign(list(routes, path)[0] ?? {}, members)
  const measures = [{ name: 'Total', expression: 'SUM(Sales[Net])' }]
  it.each<[string, (routes: Routes) => void, string[]]>([
    ['a renamed workspace changes no other asset', set('/groups', { name: 'Money' }), [keyOf('workspace', ws)]],
    ['a description', set(`/groups/${ws}/reports`, { description: 'New' }), [keyOf('report', monthly)]],
    ['a tile', set(`/groups/${ws}/dashboards/${board}/tiles`, { title: 'Income' }), [keyOf('dashboard', board)]],
    ['a measure', set(`/groups/${ws}/datasets/${sales}/tables`, { measures }), [keyOf('dataset', sales)]],
    [
      'order, addresses and letter case of keys change nothing',
      (routes) => {
        list(routes, `/groups/${ws}/reports`).reverse()
        list(routes, `/groups/${ws}/dashboards/${board}/tiles`).reverse()
        Object.assign(list(routes, `/groups/${ws}/reports`)[3] ?? {}, {
          webUrl: 'https://elsewhere.example/r',
          embedUrl: 'x',
        })
        const [dataset] = list(routes, `/groups/${ws}/datasets`)
        Object.assign(dataset ?? {}, { createdDate: dataset?.CreatedDate, CreatedDate: undefined })
      },
      [],
    ],
  ])('%s', async (_name, edit, expected) => {
    expect(await changed(edit)).toEqual(expected)
  })

  it('a detail that cannot be read is recorded as unread and affects nothing else', async () => {
    const fake = await startFakeBi(tenant())
    fake.routes[`GET /groups/${ws}/dashboards/${board}/tiles`] = refuse(501)
    Object.assign(list(fake.routes, `/groups/${ws}/dashboards`)[0] ?? {}, { displayName: 'Outlook' })
    const { assets } = await crawlAll(payloadFor(fake))
    expect(named(assets, 'Outlook').unread).toContainEqual({
      section: 'tiles',
      reason: 'failed',
      detail: 'server_error',
    })
    expect(await partsOf(named(assets, 'Outlook'))).toEqual(['name name: Outlook'])
  })
})

describe('extraction switches', () => {
  const kinds = async (extraction: Record<string, boolean>) => {
    const fake = await startFakeBi(tenant())
    const { assets } = await crawlAll(payloadFor(fake, { extraction }))
    return { assets, fake, kinds: new Set(assets.map(({ kind }) => kind)) }
  }

  it('does not list reports and dashboards that are turned off', async () => {
    const result = await kinds({ extract_reports: false, extract_dashboards: false })
    expect(result.kinds).toEqual(new Set(['bi.workspace', 'bi.dataset']))
    expect(result.fake.paths().some((path) => /reports|dashboards/.test(path))).toBe(false)
  })

  it('without workspace containers there is no asset and no link for them', async () => {
    const result = await kinds({ extract_workspaces_to_containers: false })
    expect(result.kinds.has('bi.workspace')).toBe(false)
    expect(result.assets.flatMap(linksOf).filter((link) => link.startsWith('contains'))).toEqual([])
    expect(result.assets.length).toBeGreaterThan(3)
    expect(result.assets.filter((asset) => 'container' in asset)).toEqual([])
    const nested = await kinds({ extract_workspaces_to_containers: false, extract_datasets_to_containers: true })
    const table = nested.assets.find(({ kind }) => kind === 'bi.table')
    expect(table).toMatchObject({ container: 'Sales', dataset: 'Sales' })
    expect(table).not.toHaveProperty('parentContainer')
  })

  it('makes tables separate assets', async () => {
    const { assets } = await kinds({ extract_datasets_to_containers: true })
    const tables = assets.filter(({ kind }) => kind === 'bi.table')
    expect(tables.map(({ key }) => key)).toEqual([`${keyOf('dataset', sales)}:table:Sales`])
    expect(await partsOf(tables[0] as AssetDraft)).toContain('name Sales.Amount: Amount')
    const dataset = assets.find(({ key }) => key === keyOf('dataset', sales)) as AssetDraft
    expect(linksOf(dataset)).toContain(`contains ${keyOf('dataset', sales)}:table:Sales`)
    expect((await partsOf(dataset)).join()).not.toContain('Amount')
    expect(tables[0]).toMatchObject({ container: 'Sales', dataset: 'Sales', parentContainer: 'Finance' })
    expect(dataset).toMatchObject({ container: 'Finance', dataset: 'Sales' })
  })

  it('records owners only when configured, and never in the text', async () => {
    const without = await kinds({})
    expect(without.assets.map(({ owner }) => owner).filter(Boolean)).toEqual([])
    const { assets } = await kinds({ extract_ownership: true })
    expect(named(assets, 'Finance').owner).toBe('ada@example.org')
    expect(named(assets, 'Sales').owner).toBe('ana@example.org')
    const texts = (await Promise.all(assets.map(partsOf))).flat().join()
    expect(texts).not.toContain('@example.org')
  })

  it('reads no schema when schemas are turned off', async () => {
    const { assets, fake } = await kinds({ extract_dataset_schema: false })
    expect(named(assets, 'Sales').facts).toMatchObject({ schemaStatus: 'not_requested' })
    expect(fake.paths().some((path) => /tables|executeQueries/.test(path))).toBe(false)
  })
})

describe('scopes that fail', () => {
  it('a forbidden workspace does not affect other workspaces', async () => {
    const fake = await startFakeBi({ ...tenant(), [`GET /groups/${ws}/reports`]: refuse(403) })
    const { assets, failed } = await crawlAll(payloadFor(fake))
    expect(failed).toEqual({ Finance: 'forbidden' })
    expect(assets.map(({ name }) => name)).toEqual(['People', 'Staff'])
  })

  it.each<[string, unknown, string]>([
    ['an object without a list', {}, 'protocol_error'],
    ['an error inside success', { error: { code: 'InternalServerError' } }, 'protocol_error'],
    ['text instead of a list', { value: 'none' }, 'protocol_error'],
    [
      'a repeated next link',
      { value: [], '@odata.nextLink': 'https://x.example/v1.0/myorg/r?$skiptoken=a' },
      'cursor_loop',
    ],
  ])('%s is not treated as an empty workspace', async (_name, body, reason) => {
    const fake = await startFakeBi({ ...tenant(), [`GET /groups/${ws}/reports`]: body })
    const { failed, assets } = await crawlAll(payloadFor(fake))
    expect(failed).toEqual({ Finance: reason })
    expect(assets.map(({ name }) => name)).toEqual(['People', 'Staff'])
  })

  it('an item without an id makes the listing incomplete, with a warning', async () => {
    const reports = [{ name: 'Nameless', datasetId: sales }]
    const fake = await startFakeBi({ ...tenant(), [`GET /groups/${ws}/reports`]: reports })
    const { failed, warnings } = await crawlAll(payloadFor(fake))
    expect(failed).toEqual({})
    expect(warnings).toContainEqual(expect.objectContaining({ code: 'entries_unreadable', incomplete: true }))
  })
})

describe('cursors', () => {
  it('resume after the stored batch', async () => {
    const many = Array.from({ length: 120 }, (_, index) => ({ id: guid('e', index + 10), name: `Report ${index}` }))
    const fake = await startFakeBi({ ...tenant(), [`GET /groups/${ws}/reports`]: many })
    const payload = payloadFor(fake, { scope: { workspace_names: ['finance'] } })
    const whole = await crawlAll(payload)
    expect(whole.cursors.length).toBeGreaterThan(3)
    const { session } = openBi(payload)
    const { scopes } = await session.scopes()
    const [scope] = scopes
    if (scope === undefined) throw new Error('no scope')
    for (const cursor of whole.cursors) {
      if (cursor === null) continue
      const rest: string[] = []
      for await (const batch of session.crawl({ scope, cursor, known: () => new Map() })) {
        rest.push(...batch.assets.map(({ key }) => key))
      }
      expect(rest.length).toBeLessThan(whole.assets.length)
      expect(rest).toEqual(whole.assets.slice(whole.assets.length - rest.length).map(({ key }) => key))
    }
  })
})

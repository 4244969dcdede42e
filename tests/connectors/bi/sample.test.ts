import { describe, expect, it, onTestFinished } from 'vitest'
import { type BiDataset, BiTenant } from '../../../src/sample/bi/tenant.ts'
import { toGuid } from '../../../src/sample/ids.ts'
import { onPath } from '../../sample/fault.ts'
import { type SampleBiOptions, startSampleBi } from '../../sample/servers.ts'
import { crawlAll } from './fake.ts'

const day = Date.parse('2025-01-01T00:00:00Z')

const dataset = (name: string, facts: Partial<BiDataset> = {}): BiDataset => ({
  id: toGuid(`dataset ${name}`),
  name,
  configuredBy: 'ana@shop.com',
  createdAt: day,
  refreshedAt: day,
  push: false,
  identityRequired: false,
  storageMode: 'Abf',
  tables: [
    {
      name: 'Orders',
      columns: [{ name: 'Amount', dataType: 'Int64' }],
      measures: [{ name: 'Total', expression: 'SUM(Orders[Amount])' }],
      source: 'let Source = Sql.Database("db", "orders") in Source',
    },
  ],
  expressions: [],
  parameters: [],
  dataSources: [{ datasourceType: 'Sql', connectionDetails: { server: 'db', database: 'orders' } }],
  upstreamDatasets: [],
  upstreamDataflows: [],
  roles: [],
  ...facts,
})

function company(): BiTenant {
  const tenant = new BiTenant()
  for (const name of ['Finance', 'People', 'Stores']) {
    tenant.addWorkspace({
      name,
      users: [{ email: 'ada@shop.com', displayName: 'Ada', right: 'Admin' }],
      datasets: [
        dataset(`${name} model`),
        dataset(`${name} events`, { push: true }),
        dataset(`${name} guarded`, { identityRequired: true }),
      ],
      reports: Array.from({ length: 4 }, (_, index) => ({
        id: toGuid(`report ${name} ${index}`),
        name: `${name} report ${index}`,
        datasetId: toGuid(`dataset ${name} model`),
        reportType: index === 3 ? 'PaginatedReport' : 'PowerBIReport',
        pages: ['Summary', 'Details'],
        createdBy: 'ben@shop.com',
        modifiedBy: 'cem@shop.com',
        createdAt: day,
        modifiedAt: day,
      })),
      dashboards: [
        {
          id: toGuid(`dashboard ${name}`),
          displayName: `${name} board`,
          owner: 'ada@shop.com',
          tiles: [{ id: toGuid(`tile ${name}`), title: 'Total', reportId: toGuid(`report ${name} 0`) }],
        },
      ],
    })
  }
  return tenant
}

async function open(options: SampleBiOptions = {}) {
  const server = await startSampleBi({ tenant: company(), ...options })
  onTestFinished(() => server.close())
  const { tenantId, clientId, clientSecret } = server.credentials
  const connection = { api_base_url: server.apiUrl, authority_url: server.authorityUrl }
  const principal = (optional: Record<string, unknown> = {}) => ({
    type: 'BI_PLATFORM',
    required: { auth_mode: 'SERVICE_PRINCIPAL', tenant_id: tenantId, client_id: clientId },
    masked: { client_secret: clientSecret },
    optional: { connection, ...optional },
  })
  const person = (optional: Record<string, unknown> = {}) => ({
    type: 'BI_PLATFORM',
    required: { auth_mode: 'ACCESS_TOKEN' },
    masked: { access_token: server.issueToken('person') },
    optional: { connection, ...optional },
  })
  const refused = () =>
    server.requests.filter(({ status }) => status === 400).map(({ method, url }) => `${method} ${url}`)
  return { server, principal, person, refused }
}

const _everything = { extract_ownership: true, extract_datasets_to_containers: true }

describe('against the sample platform, which refuses calls that are not in its contract', () => {
  it.each<[string, SampleBiOptions['faults'], string]>([
    ['a sign-in page', [{ match: onPath(/\/reports$/), times: 1, respond: 'html' }], 'ok'],
    ['a cut reply', [{ match: onPath(/\/reports$/), times: 1, respond: 'cut' }], 'ok'],
    ['a truncated reply', [{ match: onPath(/\/datasets$/), times: 1, respond: 'truncate' }], 'ok'],
    ['a reset', [{ match: onPath(/\/dashboards$/), times: 1, respond: 'reset' }], 'ok'],
    ['an empty reply', [{ match: onPath(/\/dashboards$/), times: 1, respond: 'empty' }], 'ok'],
    ['a slow drip', [{ match: onPath(/\/dashboards$/), times: 1, respond: 'slow' }], 'ok'],
    ['permanent sign-in pages', [{ match: onPath(/\/reports$/), respond: 'html' }], 'protocol_error'],
    ['a bomb', [{ match: onPath(/\/reports$/), respond: 'gzip_bomb' }], 'too_large'],
    ['an endless reply', [{ match: onPath(/\/reports$/), respond: 'endless' }], 'too_large'],
  ])('%s', async (_name, faults, outcome) => {
    const { principal } = await open({ faults: faults ?? [] })
    const { failed } = await crawlAll(principal({ scope: { workspace_names: ['Finance'] } }))
    expect(failed).toEqual(outcome === 'ok' ? {} : { Finance: outcome })
  })
})

import { describe, expect, it } from 'vitest'
import { toAddresses } from '../../../src/connectors/bi/config.ts'
import { biConnector } from '../../../src/connectors/bi/index.ts'

const id = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const principal = { auth_mode: 'SERVICE_PRINCIPAL', tenant_id: id, client_id: id }
const valid = { type: 'BI_PLATFORM', required: principal, masked: { client_secret: 's' } }
const token = { type: 'BI_PLATFORM', required: { auth_mode: 'ACCESS_TOKEN' }, masked: { access_token: 't' } }

const issuesOf = (payload: unknown) => {
  const result = biConnector.payload.safeParse(payload)
  return result.success ? [] : result.error.issues.map(({ path }) => path.join('.')).sort()
}
const withConnection = (connection: unknown) => ({ ...valid, optional: { connection } })

describe('the payload', () => {
  it.each([[valid], [token], [{ ...valid, optional: {} }]])('accepts %j', (payload) =>
    expect(issuesOf(payload)).toEqual([]),
  )

  it('fills in the defaults', () => {
    expect(biConnector.payload.parse(valid).optional).toEqual({
      connection: {
        api_base_url: 'https://api.powerbi.com/v1.0/myorg',
        authority_url: 'https://login.microsoftonline.com',
        timeout_seconds: 30,
      },
      scope: { include_personal_workspaces: false },
      extraction: {
        extract_dashboards: true,
        extract_dataset_schema: true,
        extract_datasets_to_containers: false,
        extract_ownership: false,
        extract_reports: true,
        extract_workspaces_to_containers: true,
      },
    })
  })

  it.each<[string, unknown, string[]]>([
    ['no secret', { ...valid, masked: {} }, ['masked.client_secret']],
    ['no token', { ...token, masked: {} }, ['masked.access_token']],
    ['the wrong secret', { ...valid, masked: { access_token: 't' } }, ['masked.access_token', 'masked.client_secret']],
    ['both', { ...token, masked: { access_token: 't', client_secret: 's' } }, ['masked.client_secret']],
    ['an empty secret', { ...valid, masked: { client_secret: ' ' } }, ['masked.client_secret']],
    ['an unknown mode', { ...valid, required: { auth_mode: 'PASSWORD' } }, ['required.auth_mode']],
    ['a tenant that is not an id', { ...valid, required: { ...principal, tenant_id: 'acme' } }, ['required.tenant_id']],
    [
      'a domain as the tenant of a token',
      { ...token, required: { auth_mode: 'ACCESS_TOKEN', tenant_id: 'a.com' } },
      ['required.tenant_id'],
    ],
    ['unknown members', { ...valid, optional: { more: 1 } }, ['optional']],
    [
      'several faults at once',
      {
        ...valid,
        required: { ...principal, client_id: 'x' },
        masked: {},
        optional: { extraction: { extract_reports: 'yes' } },
      },
      ['masked.client_secret', 'optional.extraction.extract_reports', 'required.client_id'],
    ],
  ])('refuses %s', (_name, payload, paths) => expect(issuesOf(payload)).toEqual(paths))

  it.each<[string, Record<string, unknown>]>([
    ['a short time limit', { timeout_seconds: 4 }],
    ['a long time limit', { timeout_seconds: 301 }],
    ['half a second', { timeout_seconds: 5.5 }],
    ['plain http', { api_base_url: 'http://api.powerbi.com' }],
    ['credentials in an address', { authority_url: 'https://a:b@x.com' }],
    ['a query in an address', { api_base_url: 'https://x.com/?a' }],
    ['no address', { api_base_url: 'powerbi' }],
  ])('refuses %s of a connection', (_name, connection) => {
    expect(issuesOf(withConnection(connection))).toEqual([`optional.connection.${Object.keys(connection)}`])
  })

  it.each(['http://127.0.0.1:4000/v1.0/myorg', 'http://localhost:1', 'http://[::1]:1', 'http://bi.localhost/'])(
    'accepts %s for a server on the same computer',
    (api_base_url) => expect(issuesOf(withConnection({ api_base_url }))).toEqual([]),
  )
})

describe('clouds', () => {
  it.each([
    ['https://api.powerbi.com/v1.0/myorg', 'analysis.windows.net', 'app.powerbi.com'],
    ['https://api.powerbigov.us/v1.0/myorg', 'analysis.usgovcloudapi.net', 'app.powerbigov.us'],
    ['https://api.high.powerbigov.us/v1.0/myorg', 'high.analysis.usgovcloudapi.net', 'app.high.powerbigov.us'],
    ['https://api.mil.powerbigov.us/v1.0/myorg', 'mil.analysis.usgovcloudapi.net', 'app.mil.powerbigov.us'],
    ['https://api.powerbi.cn/v1.0/myorg', 'analysis.chinacloudapi.cn', 'app.powerbi.cn'],
    ['http://127.0.0.1:4000/v1.0/myorg/', 'analysis.windows.net', 'app.powerbi.com'],
  ])('%s requires the scope of %s', (api_base_url, scopeHost, webHost) => {
    const addresses = toAddresses(biConnector.payload.parse(withConnection({ api_base_url })))
    const scope = `https://${scopeHost}/powerbi/api/.default`
    expect(addresses).toMatchObject({ scope, web: `https://${webHost}`, apiPath: '/v1.0/myorg' })
  })

  it.each([
    ['https://api.powerbigov.us', 'https://login.microsoftonline.com', true],
    ['https://api.high.powerbigov.us', 'https://login.microsoftonline.com', false],
    ['https://api.powerbi.com', 'https://login.chinacloudapi.cn', false],
    ['https://proxy.corp', 'https://login.microsoftonline.us', true],
  ])('%s and %s belong together: %s', (api_base_url, authority_url, expected) => {
    const config = biConnector.payload.parse(withConnection({ api_base_url, authority_url }))
    expect(toAddresses(config).cloudsMatch).toBe(expected)
  })

  it('lists the origins that the credential is sent to', () => {
    const origins = (payload: unknown) => biConnector.credentialOrigins(biConnector.payload.parse(payload))
    expect(origins(valid)).toEqual(['https://login.microsoftonline.com', 'https://api.powerbi.com'])
    expect(origins(token)).toEqual(['https://api.powerbi.com'])
  })
})

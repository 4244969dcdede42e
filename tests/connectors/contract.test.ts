import { describe, expect, it, onTestFinished } from 'vitest'
import type { ConnectorSession } from '../../src/connectors/connector.ts'
import type { RequestRecord, SampleReply } from '../../src/sample/exchange.ts'
import type { WikiTenant } from '../../src/sample/wiki/tenant.ts'
import { editComment, editPage, replaceAttachment } from '../sample/edits.ts'
import type { SampleFault } from '../sample/fault.ts'
import { startSampleBi, startSampleWiki } from '../sample/servers.ts'
import biRest from '../support/contracts/bi-rest.json' with { type: 'json' }
import type { Call, Parameter } from '../support/contracts/contract.ts'
import extras from '../support/contracts/extras.json' with { type: 'json' }
import wikiV2 from '../support/contracts/wiki-v2.json' with { type: 'json' }
import { crawlAll as crawlBi, openBi } from './bi/fake.ts'
import { crawlAll as crawlWiki, openWiki } from './wiki/support.ts'

interface Exchange {
  request: RequestRecord
  reply: SampleReply
}

const prefixed = (calls: object, prefix: string) =>
  Object.entries(calls as Record<string, Call>).map(([name, call]) => {
    const [method = '', path = ''] = name.split(' ')
    const pattern = `${prefix}${path}`.replace(/[.*+?^$|()[\]\\]/g, '\\$&').replace(/\{[^}]+\}/g, '[^/]+')
    return { name, method, pattern: new RegExp(`^${pattern}$`), holes: path.split('{').length, call }
  })

const contract = [
  ...prefixed(wikiV2, '/wiki/api/v2'),
  ...prefixed(biRest, '/v1.0/myorg'),
  ...prefixed(extras, ''),
].sort((a, b) => a.holes - b.holes)

const find = (method: string, path: string) =>
  contract.find((entry) => entry.method === method && entry.pattern.test(path.replace(/^\/ex\/confluence\/[^/]+/, '')))

function problemOf(value: string, parameter: Parameter): string | undefined {
  const { type, items, values, maximum, minimum, maxItems } = parameter
  if (type === 'array') {
    const parts = value.split(',')
    if (maxItems !== undefined && parts.length > maxItems) return 'too many'
    const one = { in: 'query', type: items ?? 'string', ...(values === undefined ? {} : { values }) }
    return parts.map((part) => problemOf(part, one)).find((problem) => problem !== undefined)
  }
  if (values !== undefined && !values.includes(value)) return 'not in the list'
  if (type === 'boolean' && !/^(?:true|false)$/.test(value)) return 'no boolean'
  if (type !== 'integer') return undefined
  if (!/^-?\d+$/.test(value)) return 'no number'
  if (Number(value) > (maximum ?? Number.MAX_SAFE_INTEGER) || Number(value) < (minimum ?? 0)) return 'out of bounds'
  return undefined
}

function checkRequest({ request }: Exchange): string[] {
  const { method, path, query } = request
  const found = find(method, path)
  if (found === undefined) return [`the contract has no ${method} ${path}`]
  const problems = [...query].flatMap(([name, value]) => {
    const parameter = found.call.parameters[name]
    if (parameter?.in !== 'query') return `${found.name} has no ${name}`
    const problem = problemOf(value, parameter)
    return problem === undefined ? [] : `${found.name} ${name}=${value}: ${problem}`
  })
  const missing = Object.entries(found.call.parameters).filter(
    ([name, parameter]) => parameter.in === 'query' && parameter.required === true && !query.has(name),
  )
  return [...problems, ...missing.map(([name]) => `${found.name} needs ${name}`)]
}

/** What the platforms really send although their contracts do not say so. */
const undocumented = [
  'ncsStepVersion',
  'type',
  'isFromPbix',
  'datasetWorkspaceId',
  'upstreamDatasets',
  '@odata.context',
  'profilePicture',
]

const typeOf = (value: unknown) => {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'number' ? (Number.isInteger(value) ? 'integer' : 'number') : typeof value
}

function checkReply({ request, reply }: Exchange): string[] {
  const found = find(request.method, request.path)
  const expected = found?.call.reply
  if (found === undefined || expected === undefined || reply.status >= 300) return []
  if (reply.status !== expected.status) return [`${found.name} is answered ${reply.status}`]
  const text = typeof reply.body === 'string' ? reply.body.replace(/^\uFEFF/, '') : undefined
  const body = (text === undefined ? reply.body : JSON.parse(text)) as Record<string, unknown>
  const listed = expected.list === undefined ? [body] : expected.list === '' ? body : body[expected.list]
  if (!Array.isArray(listed)) return [`${found.name} is answered with no list`]
  const known = new Map(Object.entries(expected.item).map(([name, type]) => [name.toLowerCase(), type]))
  return (listed as Record<string, unknown>[]).flatMap((item) =>
    Object.entries(item).flatMap(([name, value]) => {
      const type = known.get(name.toLowerCase())
      if (type === undefined) return undocumented.includes(name) ? [] : `${found.name} answers ${name}`
      const actual = typeOf(value)
      const fits = value === null || type === 'any' || type === actual || (type === 'number' && actual === 'integer')
      return fits ? [] : `${found.name} answers ${name} as ${actual}, not ${type}`
    }),
  )
}

function record(): { faults: SampleFault[]; exchanges: Exchange[] } {
  const exchanges: Exchange[] = []
  const keep = (reply: SampleReply, request: RequestRecord) => {
    if (request.server !== 'media' && request.server !== 'web') exchanges.push({ request, reply })
    return reply
  }
  return { faults: [{ match: () => true, respond: { rewrite: keep } }], exchanges }
}

/** Reads the earlier versions of one item of each kind, and looks them up. */
async function readHistory(
  tenant: WikiTenant,
  session: ConnectorSession,
  { post, file }: Record<'post' | 'file', { id: string }>,
) {
  const page = [...tenant.pages.values()].find(({ kind }) => kind === 'page')
  const comments = [...tenant.comments.values()].filter(({ parentId }) => parentId === undefined)
  const edited = (['footer', 'inline'] as const).flatMap(
    (kind) => comments.find((comment) => comment.kind === kind) ?? [],
  )
  editPage(tenant, post.id, { body: '<p>second</p>' })
  editPage(tenant, page?.id ?? '', { body: '<p>second</p>' })
  replaceAttachment(tenant, file.id, Buffer.from('second'))
  for (const { id } of edited) editComment(tenant, id, '<p>second</p>')
  const keys = [
    `page:${post.id}`,
    `page:${page?.id}`,
    `attachment:${file.id}`,
    ...edited.map(({ pageId }) => `comments:${pageId}`),
  ]
  for (const key of keys.map((end) => `wiki:${tenant.cloudId}:${end}`)) {
    let count = 0
    for await (const { document } of session.earlierVersions?.(key, { limit: 9 }) ?? [])
      if (document !== undefined) count++
    expect(count).toBeGreaterThan(0)
  }
  await session.locate?.(keys.map((end) => `wiki:${tenant.cloudId}:${end}`))
}

async function exchangesWithWiki(): Promise<Exchange[]> {
  const all: Exchange[] = []
  for (const tokenKind of ['classic', 'scoped'] as const) {
    const { faults, exchanges } = record()
    const wiki = await startSampleWiki({ faults, tokenKind })
    onTestFinished(() => wiki.close())
    const whole = tokenKind === 'classic'
    const { tenant } = wiki
    const spaceId = tenant.getSpace('OPS').id
    const post = tenant.addPage({ kind: 'blogpost', spaceId, title: 'News', body: '<p>first</p>' })
    tenant.addComment(post.id, { body: '<p>comment</p>' })
    const file = tenant.addAttachment(post.id, { title: 'a.txt', mediaType: 'text/plain', bytes: Buffer.from('first') })
    await crawlWiki(openWiki(wiki.url, whole ? {} : { optional: { scope: { spaces: { keys: ['OPS'] } } } }))
    if (whole) {
      await openWiki(wiki.url).test()
      const spaces = { keys: ['OPS'], type: 'global', status: 'current' }
      await crawlWiki(openWiki(wiki.url, { optional: { scope: { spaces } } }))
      for (const orderBy of [undefined, 'title']) {
        const sampling = { strategy: 'LATEST' as const, limit: 1, ...(orderBy === undefined ? {} : { orderBy }) }
        await crawlWiki(openWiki(wiki.url, { sampling }))
      }
      await crawlWiki(openWiki(wiki.url, { sampling: { strategy: 'RANDOM', limit: 6 } }))
      await readHistory(tenant, openWiki(wiki.url), { post, file })
      const users = Array.from({ length: 250 }, (_, index) => `account-${index}`)
      tenant.restrictions.set(post.id, { users, groups: [] })
      const keys = [`wiki:${tenant.cloudId}:page:${post.id}`]
      await openWiki(wiki.url).audiences?.({ key: spaceId, name: 'Operations' }, keys)
    }
    all.push(...exchanges)
  }
  return all
}

async function exchangesWithBi(): Promise<Exchange[]> {
  const all: Exchange[] = []
  for (const adminApi of [false, true]) {
    const { faults, exchanges } = record()
    const bi = await startSampleBi({ faults, adminApi })
    onTestFinished(() => bi.close())
    const { tenantId, clientId, clientSecret } = bi.credentials
    const scope = { include_personal_workspaces: true }
    const extraction = { extract_ownership: true, extract_datasets_to_containers: true }
    const connection = { api_base_url: bi.apiUrl, authority_url: bi.authorityUrl }
    const principal = {
      type: 'BI_PLATFORM',
      required: { auth_mode: 'SERVICE_PRINCIPAL', tenant_id: tenantId, client_id: clientId },
      masked: { client_secret: clientSecret },
      optional: { connection, scope, extraction },
    }
    const person = {
      ...principal,
      required: { auth_mode: 'ACCESS_TOKEN' },
      masked: { access_token: bi.issueToken('person') },
    }
    for (const payload of [principal, person]) {
      await crawlBi(payload)
      await openBi(payload).session.test()
      const [workspace] = bi.tenant.workspaces.values()
      const scope = { key: workspace?.id ?? '', name: 'Sales' }
      await openBi(payload).session.audiences?.(scope, [
        `bi:${tenantId}:workspace:${scope.key}`,
        `bi:${tenantId}:report:x`,
      ])
    }
    const orderBy = 'lastRefreshTime'
    if (adminApi) await crawlBi(principal, { sampling: { strategy: 'LATEST', limit: 5, seed: 1, orderBy } })
    all.push(...exchanges)
  }
  return all
}

const namesOf = (exchanges: readonly Exchange[]) =>
  [...new Set(exchanges.map(({ request }) => find(request.method, request.path)?.name ?? request.path))].sort()

describe('requests and replies between the connectors and the sample tenants', () => {
  it.each<[string, () => Promise<Exchange[]>, string[]]>([
    [
      'wiki',
      exchangesWithWiki,
      [
        'GET /_edge/tenant_info',
        'GET /attachments',
        'GET /attachments/{id}',
        'GET /attachments/{id}/versions',
        'GET /blogposts',
        'GET /blogposts/{id}/attachments',
        'GET /blogposts/{id}/footer-comments',
        'GET /blogposts/{id}/inline-comments',
        'GET /blogposts/{id}/versions',
        'GET /footer-comments',
        'GET /footer-comments/{id}/children',
        'GET /footer-comments/{id}/versions',
        'GET /inline-comments',
        'GET /inline-comments/{id}/children',
        'GET /inline-comments/{id}/versions',
        'GET /labels',
        'GET /labels/{id}/pages',
        'GET /pages',
        'GET /pages/{id}/attachments',
        'GET /pages/{id}/footer-comments',
        'GET /pages/{id}/inline-comments',
        'GET /pages/{id}/versions',
        'GET /spaces',
        'GET /spaces/{id}/pages',
        'GET /spaces/{id}/permissions',
        'GET /wiki/rest/api/content/search',
        'GET /wiki/rest/api/content/{id}/restriction/byOperation/read',
        'GET /wiki/rest/api/group/{groupId}/membersByGroupId',
        'GET /wiki/rest/api/search/user',
        'GET /wiki/rest/api/space/{key}',
        'GET /wiki/rest/api/content/{id}/child/attachment/{attachmentId}/download',
        'GET /wiki/rest/api/user/current',
        'POST /users-bulk',
      ],
    ],
    [
      'BI',
      exchangesWithBi,
      [
        'GET /admin/groups',
        'GET /admin/widelySharedArtifacts/linksSharedToWholeOrganization',
        'GET /admin/widelySharedArtifacts/publishedToWeb',
        'GET /admin/workspaces/scanResult/{scanId}',
        'GET /admin/workspaces/scanStatus/{scanId}',
        'GET /dashboards',
        'GET /datasets',
        'GET /groups',
        'GET /groups/{groupId}/dashboards',
        'GET /groups/{groupId}/dashboards/{dashboardId}/tiles',
        'GET /groups/{groupId}/datasets',
        'GET /groups/{groupId}/datasets/upstreamDataflows',
        'GET /groups/{groupId}/datasets/{datasetId}/datasources',
        'GET /groups/{groupId}/datasets/{datasetId}/parameters',
        'GET /groups/{groupId}/datasets/{datasetId}/refreshes',
        'GET /groups/{groupId}/datasets/{datasetId}/tables',
        'GET /groups/{groupId}/reports',
        'GET /groups/{groupId}/reports/{reportId}/pages',
        'GET /groups/{groupId}/users',
        'GET /reports',
        'POST /admin/workspaces/getInfo',
        'POST /groups/{groupId}/datasets/{datasetId}/executeQueries',
        'POST /{tenant}/oauth2/v2.0/token',
      ],
    ],
  ])(
    'conform to the contracts: %s',
    async (_name, talk, calls) => {
      const exchanges = await talk()
      expect([...new Set(exchanges.flatMap(checkRequest))]).toEqual([])
      expect([...new Set(exchanges.flatMap(checkReply))]).toEqual([])
      const names = namesOf(exchanges)
      expect(calls.filter((call) => !names.includes(call))).toEqual([])
      expect(exchanges.length).toBeGreaterThan(100)
    },
    180_000,
  )

  it('fail the check when they break a contract', () => {
    const asked = (path: string, query: string, body: unknown = {}): Exchange => ({
      request: { method: 'GET', path, query: new URLSearchParams(query) } as RequestRecord,
      reply: { status: 200, body },
    })
    const wrong = asked('/wiki/api/v2/pages', 'space-key=X&limit=251&sort=random&id=a,b', {
      results: [{ id: 5, name: 'x' }],
    })
    expect(checkRequest(wrong)).toHaveLength(4)
    expect(checkReply(wrong)).toHaveLength(2)
    expect(checkRequest(asked('/wiki/api/v2/space', ''))).toHaveLength(1)
  })
})

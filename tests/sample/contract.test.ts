import { describe, expect, test } from 'vitest'
import { toDashboardId, toDatasetId, toReportId, toWorkspaceId } from '../../src/sample/bi/content.ts'
import { biRoutes } from '../../src/sample/bi/routes.ts'
import { toFileId, toPageId } from '../../src/sample/company/page.ts'
import { toContentId } from '../../src/sample/ids.ts'
import type { ParameterRule, SampleRoute } from '../../src/sample/parameters.ts'
import { toSpaceId } from '../../src/sample/wiki/content.ts'
import { currentUserRoute, downloadRoute, tenantInfoRoute, wikiRoutes } from '../../src/sample/wiki/routes.ts'
import { toLabelId } from '../../src/sample/wiki/wire.ts'
import bi from '../support/contracts/bi-rest.json' with { type: 'json' }
import type { Call, Contract, Parameter } from '../support/contracts/contract.ts'
import extras from '../support/contracts/extras.json' with { type: 'json' }
import wiki from '../support/contracts/wiki-v2.json' with { type: 'json' }
import { type Answer, openBi, openWiki } from './support.ts'

const wikiContract = wiki as unknown as Contract
const biContract = bi as unknown as Contract
const extraContract = extras as unknown as Contract

const typeOf = { integer: 'integer', boolean: 'boolean', text: 'string' } as const

/** A parameter rule as the contracts write it. Limits of our own, where the contract gives none, are left out. */
function toParameter(rule: ParameterRule, contract: Parameter): Parameter {
  const type = typeOf[rule.type]
  return {
    in: 'query',
    type: rule.list === true ? 'array' : type,
    ...(rule.list === true ? { items: type } : {}),
    ...(rule.values === undefined ? {} : { values: [...rule.values] }),
    ...(contract.maximum === undefined ? {} : { maximum: rule.max ?? 0 }),
    ...(contract.minimum === undefined ? {} : { minimum: rule.min ?? 0 }),
    ...(contract.maxItems === undefined ? {} : { maxItems: rule.maxItems ?? 0 }),
    ...(rule.required === true ? { required: true } : {}),
  }
}

function check(route: SampleRoute, contract: Contract, path = route.path): void {
  const call = contract[`${route.method} ${path}`]
  if (call === undefined) throw new Error(`the contract has no ${route.method} ${path}`)
  const queries = Object.entries(call.parameters).filter(([, parameter]) => parameter.in === 'query')
  const expected = Object.fromEntries(
    queries.map(([name, { default: _, ...parameter }]: [string, Parameter & { default?: unknown }]) => [
      name,
      parameter,
    ]),
  )
  const actual = Object.fromEntries(
    Object.entries(route.query).map(([name, rule]) => [
      name,
      toParameter(rule, call.parameters[name] ?? { in: '', type: '' }),
    ]),
  )
  expect(actual).toEqual(expected)
  const inPath = Object.entries(call.parameters).filter(([, parameter]) => parameter.in === 'path')
  expect(Object.keys(route.ids ?? {}).sort()).toEqual(inPath.map(([name]) => name).sort())
}

describe('routes take exactly the parameters of the contract', () => {
  test.each(wikiRoutes.map((route) => [`${route.method} ${route.path}`, route] as const))('wiki %s', (_, route) => {
    check(route, wikiContract)
  })

  test.each(biRoutes.map((route) => [`${route.method} ${route.path}`, route] as const))('BI %s', (_, route) => {
    check(route, biContract)
  })

  test.each([currentUserRoute, tenantInfoRoute, downloadRoute].map((route) => [route.path, route] as const))(
    'in addition %s',
    (_, route) => check(route, extraContract),
  )
})

/** What the platforms really send although their contracts do not say so. */
const undocumented = {
  wiki: ['ncsStepVersion'],
  bi: ['type', 'isFromPbix', 'datasetWorkspaceId', 'upstreamDatasets', '@odata.context'],
}

function jsonType(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}

function checkReply({ status, body }: Answer, call: Call | undefined, allowed: readonly string[]): void {
  if (call?.reply === undefined) throw new Error('the contract has no reply')
  const { reply } = call
  expect(status).toBe(reply.status)
  const listed: unknown = reply.list === undefined ? [body] : reply.list === '' ? body : body[reply.list]
  if (!Array.isArray(listed)) throw new Error('the reply is no list')
  const items = listed as Record<string, unknown>[]
  expect(items.length).toBeGreaterThan(0)
  const known = new Map(Object.entries(reply.item).map(([name, type]) => [name.toLowerCase(), type]))
  for (const item of items) {
    for (const [name, value] of Object.entries(item)) {
      const type = known.get(name.toLowerCase())
      if (type === undefined) expect(allowed).toContain(name)
      else if (value !== null && type !== 'any') expect([name, jsonType(value)]).toEqual([name, type])
    }
  }
}

const page = toPageId('ops-carrier-sandbox')
const attachment = toFileId('ops-carrier-sandbox', 'ferry-debug.log')
const comment = (slug: string, path: string) => toContentId(`comment ${slug} ${path}`)

const wikiSamples: readonly (readonly [path: string, asked: string])[] = [
  ['/spaces', '/spaces?description-format=plain'],
  ['/spaces/{id}', `/spaces/${toSpaceId('ENG')}`],
  ['/spaces/{id}/pages', `/spaces/${toSpaceId('ENG')}/pages?depth=all&body-format=storage&status=current&sort=id`],
  ['/spaces/{id}/labels', `/spaces/${toSpaceId('ENG')}/labels`],
  ['/pages', '/pages?sort=-modified-date&body-format=atlas_doc_format'],
  ['/pages/{id}', `/pages/${page}?body-format=view&include-labels=true`],
  ['/pages/{id}/labels', `/pages/${toPageId('ops-runbook-cairn')}/labels`],
  ['/pages/{id}/children', `/pages/${toPageId('ops-home')}/children`],
  ['/pages/{id}/ancestors', `/pages/${page}/ancestors`],
  ['/pages/{id}/versions', `/pages/${page}/versions`],
  ['/pages/{id}/attachments', `/pages/${page}/attachments`],
  ['/pages/{id}/footer-comments', `/pages/${page}/footer-comments?body-format=storage`],
  ['/pages/{id}/inline-comments', `/pages/${toPageId('ops-runbook-cairn')}/inline-comments?resolution-status=resolved`],
  ['/attachments', '/attachments?sort=-modified-date'],
  ['/attachments/{id}', `/attachments/${attachment}`],
  ['/footer-comments', '/footer-comments'],
  ['/inline-comments', '/inline-comments'],
  ['/footer-comments/{comment-id}', `/footer-comments/${comment('ops-carrier-sandbox', 'c.0')}`],
  ['/inline-comments/{comment-id}', `/inline-comments/${comment('ops-runbook-cairn', 'c.0')}`],
  ['/footer-comments/{id}/children', `/footer-comments/${comment('ops-carrier-sandbox', 'c.0')}/children`],
  ['/inline-comments/{id}/children', `/inline-comments/${comment('ops-runbook-cairn', 'c.0')}/children`],
  ['/labels', '/labels'],
  ['/labels/{id}/pages', `/labels/${toLabelId('runbook')}/pages`],
]

describe('replies have the property names and types of the contract', () => {
  test.each(wikiSamples)('wiki %s', async (path, asked) => {
    const tenant = await openWiki()
    checkReply(await tenant.get(asked), wikiContract[`GET ${path}`], undocumented.wiki)
  })

  const stores = toWorkspaceId('Stores')
  const supply = toWorkspaceId('Supply Chain')
  const dataset = `/groups/${supply}/datasets/${toDatasetId('Stock movements')}`
  const biSamples: readonly (readonly [path: string, asked: string])[] = [
    ['/groups', '/groups'],
    ['/groups/{groupId}', `/groups/${stores}`],
    ['/groups/{groupId}/users', `/groups/${stores}/users`],
    ['/groups/{groupId}/datasets', `/groups/${stores}/datasets`],
    ['/groups/{groupId}/datasets/{datasetId}', dataset],
    [
      '/groups/{groupId}/datasets/{datasetId}/tables',
      `/groups/${supply}/datasets/${toDatasetId('Packing line live')}/tables`,
    ],
    ['/groups/{groupId}/datasets/{datasetId}/datasources', `${dataset}/datasources`],
    ['/groups/{groupId}/datasets/{datasetId}/users', `${dataset}/users`],
    ['/groups/{groupId}/datasets/{datasetId}/refreshes', `${dataset}/refreshes`],
    ['/groups/{groupId}/datasets/{datasetId}/parameters', `${dataset}/parameters`],
    ['/groups/{groupId}/datasets/upstreamDataflows', `/groups/${toWorkspaceId('Finance')}/datasets/upstreamDataflows`],
    ['/groups/{groupId}/reports', `/groups/${stores}/reports`],
    ['/groups/{groupId}/reports/{reportId}', `/groups/${stores}/reports/${toReportId('Stores', 'Till downtime')}`],
    [
      '/groups/{groupId}/reports/{reportId}/pages',
      `/groups/${stores}/reports/${toReportId('Stores', 'Till downtime')}/pages`,
    ],
    ['/groups/{groupId}/dashboards', `/groups/${stores}/dashboards`],
    [
      '/groups/{groupId}/dashboards/{dashboardId}/tiles',
      `/groups/${stores}/dashboards/${toDashboardId('Stores', 'All stores today')}/tiles`,
    ],
    ['/groups/{groupId}/dataflows', `/groups/${toWorkspaceId('Data Platform')}/dataflows`],
    ['/reports', '/reports'],
    ['/admin/groups', '/admin/groups?$top=10&$expand=users,reports,dashboards,datasets'],
    ['/admin/workspaces/modified', '/admin/workspaces/modified'],
    ['/admin/datasets', '/admin/datasets'],
    ['/admin/reports', '/admin/reports'],
    ['/admin/dashboards', '/admin/dashboards'],
  ]

  test.each(biSamples)('BI %s', async (path, asked) => {
    const tenant = await openBi({ as: 'person', adminApi: true })
    checkReply(await tenant.get(asked), biContract[`GET ${path}`], undocumented.bi)
  })
})

describe('requests that the contract does not know are answered 400', () => {
  test.each([
    ['an unknown path', '/space'],
    ['an unknown parameter', '/pages?space-key=ENG'],
    ['an offset, as older interfaces had it', '/pages?start=25'],
    ['a key in place of an id', '/spaces/ENG/pages'],
    ['text in place of a number', '/pages?limit=many'],
    ['a limit that is too large', '/pages?limit=251'],
    ['a limit of nothing', '/pages?limit=0'],
    ['a value outside the list', '/pages?sort=random'],
    ['an unknown status', '/pages?status=current,gone'],
    ['a parameter twice', '/pages?limit=1&limit=2'],
    ['a text that is no cursor', '/pages?cursor=abc'],
    ['too many ids', `/pages?id=${Array.from({ length: 251 }, (_, index) => index + 1)}`],
    ['a parameter of another call', '/spaces?body-format=storage'],
  ])('wiki: %s', async (_, path) => {
    const { status, body } = await (await openWiki()).get(path)
    expect([status, body.errors[0].status]).toEqual([400, 400])
  })

  test.each([
    ['an unknown path', '/workspaces'],
    ['$top on a list that has none', `/groups/${toWorkspaceId('Finance')}/reports?$top=10`],
    ['an unknown parameter', '/groups?top=10'],
    ['an id of another form', '/groups/finance'],
    ['a negative number', '/groups?$skip=-1'],
  ])('BI: %s', async (_, path) => {
    const { status, body } = await (await openBi()).get(path)
    expect([status, body.error.code]).toEqual([400, 'BadRequest'])
  })
})

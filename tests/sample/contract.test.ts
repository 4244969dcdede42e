import { describe, expect, onTestFinished, test } from 'vitest'
import { toWorkspaceId } from '../../src/sample/bi/content.ts'
import { biRoutes } from '../../src/sample/bi/routes.ts'
import { startSampleBi } from '../../src/sample/bi/server.ts'
import type { ParameterRule, SampleRoute } from '../../src/sample/parameters.ts'
import { currentUserRoute, downloadRoute, tenantInfoRoute, wikiRoutes } from '../../src/sample/wiki/routes.ts'
import { startSampleWiki } from '../../src/sample/wiki/server.ts'
import bi from '../support/contracts/bi-rest.json' with { type: 'json' }
import type { Contract, Parameter } from '../support/contracts/contract.ts'
import extras from '../support/contracts/extras.json' with { type: 'json' }
import wiki from '../support/contracts/wiki-v2.json' with { type: 'json' }

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
    const wiki = await startSampleWiki()
    onTestFinished(() => wiki.close())
    const { accountEmail, apiToken } = wiki.credentials
    const authorization = `Basic ${Buffer.from(`${accountEmail}:${apiToken}`).toString('base64')}`
    const reply = await fetch(`${wiki.url}/wiki/api/v2${path}`, { headers: { authorization } })
    expect(reply.status).toBe(400)
    expect(await reply.json()).toMatchObject({ errors: [{ status: 400 }] })
  })

  test.each([
    ['an unknown path', '/workspaces'],
    ['$top on a list that has none', `/groups/${toWorkspaceId('Finance')}/reports?$top=10`],
    ['an unknown parameter', '/groups?top=10'],
    ['an id of another form', '/groups/finance'],
    ['a negative number', '/groups?$skip=-1'],
  ])('BI: %s', async (_, path) => {
    const bi = await startSampleBi()
    onTestFinished(() => bi.close())
    const authorization = `Bearer ${bi.issueToken('application')}`
    const reply = await fetch(`${bi.apiUrl}${path}`, { headers: { authorization } })
    expect(reply.status).toBe(400)
    expect(await reply.json()).toMatchObject({ error: { code: 'BadRequest' } })
  })
})

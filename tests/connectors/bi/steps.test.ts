import { describe, expect, it } from 'vitest'
import { guid, openBi, payloadFor, type Routes, refuse, SECRET, startFakeBi } from './fake.ts'

const ws = guid('a', 1)
const good: Routes = {
  'GET /groups': [{ id: ws, name: 'Finance' }],
  'GET /groups/*/datasets': [{ id: guid('d', 1), name: 'Sales' }],
  'GET /groups/*/reports': [],
  'GET /groups/*/dashboards': [],
  'GET /admin/groups': refuse(403),
  'POST /groups/*/datasets/*/executeQueries': { results: [{ tables: [{ rows: [] }] }] },
}

async function stepsOf(routes: Routes, optional: Record<string, unknown> = {}) {
  const fake = await startFakeBi(routes)
  const steps = await openBi(payloadFor(fake, optional)).session.test()
  expect(JSON.stringify(steps)).not.toContain(SECRET)
  for (const step of steps) if (step.status === 'denied' || step.status === 'failed') expect(step.hint).toBeTruthy()
  return { fake, steps: Object.fromEntries(steps.map(({ name, status }) => [name, status])), all: steps }
}

describe('a connection test', () => {
  it('reports which steps succeed and which fail', async () => {
    const { steps, all } = await stepsOf(good)
    expect(steps).toEqual({
      address: 'ok',
      sign_in: 'ok',
      list_scopes: 'ok',
      scope: 'skipped',
      read_items: 'ok',
      personal_workspaces: 'skipped',
      admin_api: 'denied',
      execute_queries: 'ok',
    })
    expect(Object.keys(steps).slice(0, 5)).toEqual(['address', 'sign_in', 'list_scopes', 'scope', 'read_items'])
    expect(all.find(({ name }) => name === 'list_scopes')?.detail).toContain('Finance')
  })

  it('starts no metadata scan', async () => {
    const { fake } = await stepsOf({ ...good, 'GET /admin/groups': [] })
    expect(fake.paths().some((path) => path.includes('getInfo'))).toBe(false)
  })

  const noSignIn = { 'POST token': refuse(401, { error: 'invalid_client' }) }
  const noQueries = { 'POST /groups/*/datasets/*/executeQueries': refuse(400) }
  it.each<[string, Routes, Record<string, string>, scope?: object]>([
    ['a refused sign-in', noSignIn, { sign_in: 'denied', list_scopes: 'skipped' }],
    ['a refused listing', { 'GET /groups': refuse(403) }, { list_scopes: 'denied', read_items: 'skipped' }],
    ['a broken server', { 'GET /groups': refuse(501) }, { list_scopes: 'failed' }],
    ['no workspace', { 'GET /groups': [] }, { list_scopes: 'failed' }],
    ['a wrong name', {}, { scope: 'failed', list_scopes: 'ok' }, { workspace_names: ['Finance', 'X'] }],
    ['a valid scope', {}, { scope: 'ok' }, { workspace_names: ['Finance'] }],
    ['items that may not be read', { 'GET /groups/*/reports': refuse(403) }, { read_items: 'denied' }],
    ['an administrator', { 'GET /admin/groups': [] }, { admin_api: 'ok', execute_queries: 'skipped' }],
    ['queries that are refused', noQueries, { execute_queries: 'denied' }],
    ['an application', {}, { personal_workspaces: 'denied' }, { include_personal_workspaces: true }],
  ])('reports %s', async (_name, routes, expected, scope) => {
    const optional = scope === undefined ? {} : { scope }
    expect((await stepsOf({ ...good, ...routes }, optional)).steps).toMatchObject(expected)
  })
})

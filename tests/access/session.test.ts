import { describe, expect, test } from 'vitest'
import { sessionOperations } from '../../src/access/session-operation.ts'
import { dimensionOperations } from '../../src/findings/dimension-operations.ts'
import { expandScopes } from '../../src/operation/context.ts'
import { caller, openContext } from '../support/context.ts'

describe('get_session', () => {
  test('names the caller, its scopes, and what restricts the answers', async () => {
    const context = openContext({
      caller: { name: 'ana', via: 'http', scopes: expandScopes(['triage']), token: true, lockdown: true },
    })
    expect(await caller(sessionOperations, { ...context, readOnly: true })('get_session')).toEqual({
      name: 'ana',
      scopes: ['read', 'triage'],
      token: true,
      lockdown: true,
      readOnly: true,
    })
  })
})

describe('list_dimensions', () => {
  test('gives labels and filter keys, and fixed values in their order', async () => {
    const { items } = await caller(dimensionOperations, openContext())('list_dimensions')
    const named = (name: string) => items.find((item: { name: string }) => item.name === name)
    expect(named('severity')).toEqual({
      name: 'severity',
      label: 'Severity',
      filterKey: 'severities',
      values: ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'INFO'],
      ofAssets: false,
      overlapping: false,
    })
    expect(named('container')).toMatchObject({ label: 'Space or workspace', filterKey: 'containers' })
    expect(named('container').values).toBeUndefined()
    expect(named('label').overlapping).toBe(true)
  })
})

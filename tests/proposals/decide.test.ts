import { beforeEach, describe, expect, test } from 'vitest'
import { createToken, revokeToken } from '../../src/access/tokens.ts'
import { operations } from '../../src/catalogue.ts'
import { AppError } from '../../src/kernel/errors.ts'
import { type Caller, expandScopes, type Scope } from '../../src/operation/context.ts'
import { withWrite } from '../../src/proposals/changes.ts'
import { caller, errorOf, localPerson, openContext, type TestContext } from '../support/context.ts'

let context: TestContext
/** Calls as somebody. */
let as: (who: Caller, more?: Partial<TestContext>) => ReturnType<typeof caller>

const DAY = 86_400_000
const count = { aggregation: 'COUNT', entity: 'finding' }
const holder = (name: string, ...granted: Scope[]): Caller => ({
  ...{ name, id: `https://id.example.com#${name}`, via: 'http', token: true },
  scopes: expandScopes(granted),
})
const bot = holder('bot', 'propose')
const ada = holder('ada', 'propose', 'author', 'certify', 'triage')
const grace = holder('grace', 'author', 'certify')

beforeEach(async () => {
  context = openContext()
  as = (who, more = {}) => caller(operations, { ...context, ...more, caller: who })
  await as(ada)('create_metric', { slug: 'all', displayName: 'All', type: 'SIMPLE', definition: count })
})

const propose = async (operation: string, input: object, who = bot): Promise<string> =>
  (await as(who)('propose_change', { operation, input })).proposal.id

describe('an approved proposal', () => {
  test('takes effect in the name of the approver, and names its author everywhere', async () => {
    const id = await propose('update_metric', { slug: 'all', definition: { ...count, mode: 'stock' } })
    expect(await as(bot)('get_proposal', { id })).toMatchObject({
      ...{
        id,
        operation: 'update_metric',
        status: 'open',
        proposedBy: 'bot',
        scope: 'author',
        summary: 'Update metric: all',
      },
      changes: [{ action: 'update', kind: 'metric', before: { version: 1 }, after: { version: 2 } }],
    })
    const { proposal, result } = await as(grace)('approve_proposal', { id, reason: 'agreed' })
    expect(proposal).toMatchObject({ status: 'approved', proposedBy: 'bot', decidedBy: 'grace', reason: 'agreed' })
    expect(result).toMatchObject({ slug: 'all', version: 2 })
    const [changed, approved, proposed] = (await as(ada)('list_audit', { limit: 3 })).items
    expect(changed).toMatchObject({ actor: 'grace', proposal: id, proposedBy: 'bot', kind: 'metric', action: 'update' })
    expect(approved).toMatchObject({ actor: 'grace', proposedBy: 'bot', kind: 'proposal', action: 'approve', name: id })
    expect(proposed).toMatchObject({ actor: 'bot', proposal: null, kind: 'proposal', action: 'propose', name: id })
    const { items } = await as(ada)('list_metric_versions', { slug: 'all' })
    expect(items[0]).toMatchObject({ createdBy: 'grace, proposed by bot' })
    expect(await as(ada)('verify_audit', {}).catch(() => as(localPerson)('verify_audit', {}))).toMatchObject({
      intact: true,
    })
  })

  test('takes effect once', async () => {
    const id = await propose('delete_metric', { slug: 'all' })
    const outcomes = await Promise.allSettled([ada, grace, ada].map((who) => as(who)('approve_proposal', { id })))
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected'])
    const again = await errorOf(as(grace)('approve_proposal', { id }))
    expect(again).toMatchObject({ code: 'conflict', facts: { reason: 'proposal_decided' } })
    expect(again.message).toContain("approved by 'ada' already")
    expect((await as(ada)('list_audit', { kind: 'metric', name: 'all' })).items).toHaveLength(2)
  })

  test('has not taken place if it was interrupted before its end, and can be approved again', async () => {
    const id = await propose('delete_metric', { slug: 'all' })
    const { store } = context
    const write: typeof store.write = (work, options) =>
      store.write((writer) => {
        work(writer)
        throw new AppError('unavailable', 'The process ended.')
      }, options)
    const ending = as(grace, { store: withWrite(store, write) })
    expect((await errorOf(ending('approve_proposal', { id }))).code).toBe('unavailable')
    expect(await as(bot)('get_proposal', { id })).toMatchObject({ status: 'open' })
    expect(await as(bot)('get_metric', { slug: 'all' })).toMatchObject({ slug: 'all' })
    expect(await as(grace)('approve_proposal', { id })).toMatchObject({ proposal: { status: 'approved' } })
  })

  test('asks for the scope of its operation, and for another person under four eyes', async () => {
    const id = await propose('certify_metric', { slug: 'all' }, ada)
    const reader = holder('eve', 'read')
    const refused = await errorOf(as(reader)('approve_proposal', { id }))
    expect(refused).toMatchObject({ code: 'forbidden', facts: { reason: 'insufficient_scope' } })
    expect((await errorOf(as(reader)('reject_proposal', { id }))).facts.reason).toBe('insufficient_scope')
    const own = await errorOf(as(ada, { fourEyes: 'always' })('approve_proposal', { id }))
    expect(own).toMatchObject({ code: 'forbidden', facts: { reason: 'four_eyes' } })
    expect(await as(grace, { fourEyes: 'always' })('approve_proposal', { id })).toMatchObject({
      result: { status: 'ACTIVE', certifiedBy: 'grace' },
    })
  })
})

describe('a proposal is refused', () => {
  test.each([
    [
      'what it changes',
      'update_metric',
      { slug: 'all', description: 'mine' },
      ['update_metric', { slug: 'all', description: 'ours' }],
    ],
    ['what it certifies', 'certify_metric', { slug: 'all' }, ['update_metric', { slug: 'all', unit: 'findings' }]],
    [
      'policies beside it',
      'set_sla',
      { policies: [{ days: { HIGH: 3 } }] },
      ['set_sla', { policies: [{ glossaryTermSlug: 'pii-exposure', days: { LOW: 9 } }] }],
    ],
  ])('when %s has changed since', async (_, operation, input, [other, change]) => {
    const id = await propose(operation, input)
    await as(ada)(other as string, change as object)
    const before = await as(ada)('list_audit', { limit: 1 })
    const error = await errorOf(as(grace)('approve_proposal', { id }))
    expect(error).toMatchObject({ code: 'conflict', facts: { reason: 'proposal_outdated' } })
    expect(error.facts.facts).toMatchObject({ proposed: expect.any(Array), now: expect.any(Array) })
    expect(await as(bot)('get_proposal', { id })).toMatchObject({ status: 'failed', decidedBy: 'grace' })
    const [failed, previous] = (await as(ada)('list_audit', { limit: 2 })).items
    expect(failed).toMatchObject({ action: 'fail', kind: 'proposal' })
    expect(previous).toEqual(before.items[0])
  })

  test('when a term that it certifies has changed since', async () => {
    await as(ada)('update_metric', { slug: 'all', glossaryTermSlug: 'pii-exposure' })
    const id = await propose('certify_metric', { slug: 'all' })
    await as(ada)('update_glossary_term', { slug: 'pii-exposure', filterMapping: { detectorTypes: ['SECRETS'] } })
    const error = await errorOf(as(grace)('approve_proposal', { id }))
    expect(error.facts.reason).toBe('proposal_outdated')
  })

  test('without names of tenants in lockdown when it is outdated', async () => {
    const filterMapping = { containers: ['Quilfeather'] }
    await as(ada)('create_glossary_term', { slug: 'own', displayName: 'Own', filterMapping })
    const id = await propose('update_glossary_term', { slug: 'own', filterMapping: { containers: ['Quilfeather 2'] } })
    await as(ada)('update_glossary_term', { slug: 'own', description: 'changed' })
    const error = await errorOf(as(grace, { lockdown: true })('approve_proposal', { id }))
    expect(error.facts.reason).toBe('proposal_outdated')
    expect(JSON.stringify([error.message, error.facts])).not.toContain('Quilfeather')
  })

  test('after 14 days', async () => {
    const id = await propose('delete_metric', { slug: 'all' })
    context.clock.now += 14 * DAY
    expect(await as(bot)('get_proposal', { id })).toMatchObject({ status: 'expired' })
    expect((await as(bot)('list_proposals', { status: 'open' })).items).toEqual([])
    expect((await as(bot)('list_proposals', { status: 'expired' })).items).toMatchObject([{ id }])
    const error = await errorOf(as(ada)('approve_proposal', { id }))
    expect(error.message).toBe(`Proposal ${id} is expired already; nothing was done.`)
  })

  test('after its author withdrew it, and after the token of its author was revoked', async () => {
    const withdrawn = await propose('delete_metric', { slug: 'all' })
    expect(await as(bot)('reject_proposal', { id: withdrawn })).toMatchObject({ status: 'rejected', decidedBy: 'bot' })
    expect((await errorOf(as(ada)('approve_proposal', { id: withdrawn }))).facts.reason).toBe('proposal_decided')
    const token = createToken({ ...context, caller: localPerson }, { name: 'desk', scopes: ['propose'] })
    const id = await propose('delete_metric', { slug: 'all' }, { ...bot, name: 'desk', id: `token/${token.id}` })
    revokeToken({ ...context, caller: localPerson }, 'desk')
    const error = await errorOf(as(ada)('approve_proposal', { id }))
    expect(error).toMatchObject({ code: 'conflict', facts: { reason: 'proposer_revoked' } })
  })

  test('when it needs more than its operation does, or can never take place', async () => {
    const condition = { kind: 'above', value: 1 }
    const deliver = [{ type: 'webhook', url: 'https://hooks.example.com/x', format: 'json' }]
    const watch = { slug: 'w', displayName: 'W', metricSlug: 'open-findings', condition }
    const attempt = (operation: string, input: object) =>
      errorOf(as(localPerson)('propose_change', { operation, input }))
    expect((await attempt('create_watch', { ...watch, deliver })).facts.reason).toBe('insufficient_scope')
    expect((await attempt('create_source', {})).code).toBe('not_found')
    expect((await attempt('delete_metric', { slug: 'none' })).code).toBe('not_found')
    expect((await attempt('delete_metric', { slug: 'open-findings' })).facts.reason).toBe('in_use')
    expect((await attempt('create_metric', { slug: 'x' })).code).toBe('invalid_input')
    expect((await as(bot)('list_proposals', {})).items).toEqual([])
  })
})

test('a call that changes nothing is answered at once, and a repeated one is one proposal', async () => {
  const unchanged = await as(bot)('propose_change', {
    operation: 'update_metric',
    input: { slug: 'all', displayName: 'All' },
  })
  expect(unchanged).toMatchObject({ output: { slug: 'all' } })
  const input = { slug: 'all', displayName: 'Everything' }
  expect(await propose('update_metric', input)).toBe(await propose('update_metric', input))
  expect(await propose('update_metric', input, ada)).not.toBe(await propose('update_metric', input))
  expect((await as(ada)('get_metric', { slug: 'all' })).displayName).toBe('All')
})

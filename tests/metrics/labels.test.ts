import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createToken, findHolder } from '../../src/access/tokens.ts'
import { listAuditRows } from '../../src/audit/audit.store.ts'
import { operations } from '../../src/catalogue.ts'
import { createHttpApp } from '../../src/http/server.ts'
import { createMcpSurface } from '../../src/mcp/surface.ts'
import { type Caller, type Scope, scopes, type WriteContext } from '../../src/operation/context.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { askRest, exchange } from '../catalogue/estate.ts'
import { caller, errorOf, localPerson, openContext, type TestContext } from '../support/context.ts'

const someoneElse = 'ciso@example.com'
const definition = { aggregation: 'COUNT', entity: 'finding' }
const own = { slug: 'own', displayName: 'Own', type: 'SIMPLE', definition }

/** A caller with a token of the database. */
function holderOf({ store, now }: TestContext, name: string, granted: readonly Scope[]): Caller {
  const { token } = createToken({ store, now, caller: localPerson }, { name, scopes: granted })
  const holder = findHolder(store, token, now())
  if (holder === undefined) throw new Error('the token was not accepted')
  return holder
}

const as = (context: TestContext, who: Caller, more: Partial<WriteContext> = {}) =>
  caller(operations, { ...context, ...more, caller: who })

async function listLabels(context: TestContext): Promise<string[]> {
  const { items } = await as(context, localPerson)('list_metrics', { limit: 500 })
  return items.map(({ trust }: { trust: { label: string } }) => trust.label)
}

const claims = fc.constantFrom({ certifiedBy: someoneElse }, { certifiedBy: 'intern-bot' }, { certifiedBy: 'root' }, {})
const calls = fc.oneof(
  fc.record({ name: fc.constant('create_metric'), input: fc.constant({ ...own, owner: someoneElse }) }),
  fc.record({
    name: fc.constant('update_metric'),
    input: fc.constantFrom(
      { slug: 'own', unit: 'secrets' },
      { slug: 'others', unit: 'secrets' },
      { slug: 'open-findings', displayName: someoneElse },
    ),
  }),
  fc.record({
    name: fc.constant('update_glossary_term'),
    input: fc.constant({ slug: 'pii-exposure', filterMapping: { severities: ['LOW'] } }),
  }),
  fc.record({
    name: fc.constant('certify_metric'),
    input: fc
      .tuple(fc.constantFrom('own', 'others', 'open-findings'), claims)
      .map(([slug, claim]) => ({ slug, ...claim })),
  }),
  fc.record({
    name: fc.constant('deprecate_metric'),
    input: fc
      .tuple(fc.constantFrom('own', 'others', 'open-findings'), claims)
      .map(([slug, claim]) => ({ slug, ...('certifiedBy' in claim ? { deprecatedBy: claim.certifiedBy } : {}) })),
  }),
)

describe('a token alone', () => {
  it('makes no label in the name of someone else, with any scopes, over REST and MCP', async () => {
    let [done, refused] = [0, 0]
    await fc.assert(
      fc.asyncProperty(
        fc.subarray([...scopes], { minLength: 1 }),
        fc.array(fc.tuple(fc.constantFrom('rest', 'mcp'), calls), { minLength: 2, maxLength: 8 }),
        async (granted, sequence) => {
          const context = openContext()
          await as(context, localPerson)('create_metric', { ...own, slug: 'others', glossaryTermSlug: 'pii-exposure' })
          const before = new Set(await listLabels(context))
          const holder = holderOf(context, 'intern-bot', granted)
          const door = {
            operations,
            contextFor: (asked: Partial<WriteContext>) => ({ ...context, ...asked }),
            version: '1',
            log: silentLog,
          }
          const http = createHttpApp({ ...door, callerOf: () => holder, hosts: [] })
          const mcp = createMcpSurface({ ...door, toolsets: ['agent', 'admin'] })
          for (const [way, { name, input }] of sequence) {
            context.clock.now += 1000
            const operation = operations.find((each) => each.name === name)
            if (operation === undefined) throw new Error(name)
            const isDone =
              way === 'rest'
                ? (await askRest(http, operation, input)).status < 300
                : !('isError' in (await mcp.callTool(name, input, { ...exchange, caller: { ...holder, via: 'mcp' } })))
            if (isDone) done++
            else refused++
          }
          for (const label of await listLabels(context)) {
            if (before.has(label) || !/\b(?:ertified|eprecated) by\b/i.test(label)) continue
            expect(label).toMatch(/(?:Certified|certified|Deprecated) by (?:token intern-bot\b|assay on|local on)/)
            expect(
              label.replace(/by token intern-bot for (?:ciso@example\.com|'ciso@example\.com'|root)/, ''),
            ).not.toMatch(/ciso|root/)
          }
          const trail = context.store.read((reader) => listAuditRows(reader, { kind: 'metric', limit: 1000 }))
          expect(trail.filter(({ after }) => /ertified by|eprecated by/.test(after ?? ''))).toEqual([])
          context.store.close()
        },
      ),
      { numRuns: 30 },
    )
    expect(Math.min(done, refused)).toBeGreaterThan(20)
  }, 60_000)

  it.each<[{ certifiedBy?: string }, string]>([
    [{ certifiedBy: someoneElse }, `Certified by token audit-bot for ${someoneElse} on 2026-06-15 (version 1).`],
    [{ certifiedBy: 'audit-bot' }, 'Certified by token audit-bot on 2026-06-15 (version 1).'],
    [{}, 'Certified by token audit-bot on 2026-06-15 (version 1).'],
  ])('certifies with %j as itself', async (claim, label) => {
    const context = openContext()
    const ask = as(context, holderOf(context, 'audit-bot', ['certify']))
    const metric = await ask('certify_metric', { slug: 'open-findings', ...claim })
    expect(metric).toMatchObject({ certifiedBy: claim.certifiedBy ?? 'audit-bot', trust: { label } })
    expect((await ask('query_metric', { metricSlug: 'open-findings' })).trust).toEqual({ tier: 'certified', label })
  })
})

describe('who last changed what a metric means', () => {
  async function open(more: Partial<WriteContext> = {}) {
    const context = openContext()
    const [ann, bob] = ['ann', 'bob'].map((name) => {
      const ask = as(context, holderOf(context, name, ['author', 'certify']), more)
      return (operation: string, input: object) => {
        context.clock.now += 1000
        return ask(operation, input)
      }
    }) as [ReturnType<typeof caller>, ReturnType<typeof caller>]
    await ann('create_metric', { ...own, glossaryTermSlug: 'pii-exposure' })
    return { context, ann, bob, certify: { slug: 'own' } }
  }
  const refusal = { code: 'forbidden', facts: { reason: 'four_eyes' } }

  it('does not certify it; someone else does', async () => {
    const { ann, bob, certify } = await open()
    expect(await errorOf(ann('certify_metric', certify))).toMatchObject(refusal)
    await ann('update_metric', { slug: 'own', description: 'Text has no meaning.' })
    expect(await bob('certify_metric', certify)).toMatchObject({ status: 'ACTIVE' })
    await bob('update_metric', { slug: 'own', unit: 'x' })
    expect(await errorOf(bob('certify_metric', certify))).toMatchObject(refusal)
    expect(await ann('certify_metric', certify)).toMatchObject({ certifiedBy: 'ann' })
    await bob('update_metric', { slug: 'own', displayName: 'Other' })
    expect(await errorOf(bob('certify_metric', certify))).toMatchObject(refusal)
  })

  it.each([
    ['its term', 'update_glossary_term', { slug: 'pii-exposure', filterMapping: { severities: ['LOW'] } }],
    ['a metric that it is made of', 'update_metric', { slug: 'part', definition: { ...definition, mode: 'stock' } }],
  ])('counts as such through %s', async (_, operation, change) => {
    const { ann, bob } = await open()
    await ann('create_metric', { ...own, slug: 'part' })
    const ratio = { numerator: { metricSlug: 'part' }, denominator: definition }
    await ann('create_metric', {
      ...own,
      slug: 'whole',
      type: 'RATIO',
      definition: ratio,
      glossaryTermSlug: 'pii-exposure',
    })
    await bob('certify_metric', { slug: 'whole' })
    await bob(operation, change)
    expect(await errorOf(bob('certify_metric', { slug: 'whole' }))).toMatchObject(refusal)
    await ann('certify_metric', { slug: 'whole' })
    expect(await errorOf(bob('certify_metric', { slug: 'whole' }))).toMatchObject(refusal)
  })

  it('made the metric, where another made its term before', async () => {
    const { ann, bob } = await open()
    const term = { slug: 'leaks', displayName: 'Leaks', filterMapping: { detectorTypes: ['SECRETS'] } }
    await bob('create_glossary_term', term)
    await ann('create_metric', { ...own, slug: 'leaking', glossaryTermSlug: 'leaks' })
    expect(await errorOf(ann('certify_metric', { slug: 'leaking' }))).toMatchObject(refusal)
    expect(await bob('certify_metric', { slug: 'leaking' })).toMatchObject({ certifiedBy: 'bob' })
    expect(await errorOf(ann('certify_metric', { slug: 'leaking' }))).toMatchObject(refusal)
  })

  it('is told apart by the token, not by its name', async () => {
    const { context, ann, certify } = await open()
    const other = as(context, { ...localPerson, name: 'ann' })
    expect(await errorOf(ann('certify_metric', certify))).toMatchObject(refusal)
    expect(await other('certify_metric', certify)).toMatchObject({
      trust: { label: expect.stringContaining('by ann on') },
    })
  })

  it('may certify it where fourEyes is off, and where one person is alone', async () => {
    const { ann, certify } = await open({ fourEyes: 'never' })
    expect(await ann('certify_metric', certify)).toMatchObject({ status: 'ACTIVE' })
    const alone = as(openContext(), localPerson)
    await alone('create_metric', own)
    expect(await alone('certify_metric', certify)).toMatchObject({ status: 'ACTIVE' })
    const signedIn = as(openContext(), localPerson, { fourEyes: 'always' })
    await signedIn('create_metric', own)
    expect(await errorOf(signedIn('certify_metric', certify))).toMatchObject(refusal)
  })
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildEngine } from '../../src/engine/load.store.ts'
import { ownText } from '../../src/kernel/safe-text.ts'
import { createSeededRandom, makePlan } from '../../src/query/engine/verify.ts'
import type { Plan } from '../../src/query/plan/plan.ts'
import { selectGroups, toPlanTerms } from '../../src/query/sql/plan.store.ts'
import { toSlots } from '../../src/query/sql/slots.ts'
import { selectEndedSpans, selectLastSpans } from '../../src/query/sql/stock-series.store.ts'
import { db } from '../../src/store/builder.ts'
import { type Bind, bindList, cachedQuery, cachedQueryByShape } from '../../src/store/cached-query.ts'
import { openStore, plant } from '../query/estate.ts'
import { isLong } from '../support/long.ts'

test('each shape is compiled once, and only recently used shapes stay cached', () => {
  let built = 0
  const query = cachedQueryByShape(
    (values: readonly number[]) => values.length,
    (length, give: Bind<readonly number[]>) => {
      built += 1
      return db
        .selectFrom('lease')
        .select('name')
        .where(
          'expires_at',
          'in',
          bindList(give, length, (values) => values),
        )
    },
  )
  for (const values of [[1], [2], [1, 2], [3, 4], [5]]) expect(query(values).parameters).toEqual(values)
  expect(built).toBe(2)
  for (let length = 3; length < 300; length++) query(Array.from({ length }, (_, index) => index))
  built = 0
  expect(query([7]).parameters).toEqual([7])
  expect(built).toBe(1)
  expect(query([8]).parameters).toEqual([8])
  expect(built).toBe(1)
})

test('a query by shape includes its constants', () => {
  const query = cachedQuery((give: Bind<{ name: string }>) =>
    db
      .selectFrom('lease')
      .select('holder')
      .where('expires_at', '>', 5)
      .where(
        'name',
        '=',
        give(({ name }) => name),
      ),
  )
  for (const name of ['a', 'b']) expect(query({ name })).toEqual(query.build({ name }))
  expect(query({ name: 'c' }).parameters).toEqual([5, 'c'])
})

test('random plans have the same SQL, parameters and rows with and without shapes', () => {
  const store = openStore()
  const kinds = ['SECRETS', 'PII', 'CODE', 'LICENSE']
  plant(store, {
    sources: [{ name: 'Docs' }, { name: 'Reports', type: 'BI_PLATFORM' }],
    assets: kinds.map((container, index) => ({ key: `p${index}`, source: index < 2 ? 'Docs' : 'Reports', container })),
    findings: Array.from({ length: 60 }, (_, index) => ({
      asset: `p${index % 4}`,
      detectorType: kinds[index % 3] ?? 'PII',
      firstDetectedAt: index * 3_600_000,
      confidence: (index % 10) / 10,
      status: index % 3 === 0 ? ('RESOLVED' as const) : ('OPEN' as const),
      ...(index % 3 === 0 ? { changes: [{ at: index * 3_600_000 + 5, from: 'OPEN', to: 'RESOLVED' } as const] } : {}),
    })),
  })
  store.read((reader) => {
    const engine = buildEngine(reader)
    fc.assert(
      fc.property(fc.integer({ min: 1 }), fc.constantFrom('finding', 'asset'), (seed, entity) => {
        const plan = toPlanOf(entity, makePlan(engine, createSeededRandom(seed), 70 * 3_600_000))
        const slots = plan.edges === undefined ? undefined : toSlots(plan.edges)
        const terms = toPlanTerms(reader, plan, slots)
        const series = plan.mode === 'stock' && plan.edges !== undefined && slots !== undefined
        const asked = series ? { ...terms, isPast: false, moments: { first: slots.base, last: slots.last } } : terms
        for (const query of series ? [selectEndedSpans, selectLastSpans] : [selectGroups]) {
          expect(query(asked)).toEqual(query.build(asked))
          expect(reader.all(query(asked))).toEqual(reader.all(query.build(asked)))
        }
      }),
      { numRuns: isLong ? 400 : 150 },
    )
  })
})

const ofAssets = new Set(['source', 'sourceType', 'assetKind', 'container', 'owner'])

/** A plan of findings as one of assets asks it. */
function toPlanOf(entity: 'finding' | 'asset', plan: Plan): Plan {
  const groups = { dimensions: plan.dimensions, keys: [plan.dimensions.map(() => ownText('SECRETS'))], exclude: true }
  if (entity === 'finding') return plan.at % 2 === 0 ? plan : { ...plan, groups }
  return {
    ...plan,
    entity,
    measure: { aggregation: 'COUNT' },
    timeField: 'firstSeenAt',
    dimensions: plan.dimensions.filter((dimension) => ofAssets.has(dimension)),
    conditions: [...plan.conditions, { key: 'scanned', values: ['true'], exclude: false, origin: 'metric' }],
  }
}

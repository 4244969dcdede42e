import fc from 'fast-check'
import { type Expression, type SqlBool, sql } from 'kysely'
import { expect, test } from 'vitest'
import { buildEngine } from '../../src/engine/load.store.ts'
import { ownText } from '../../src/kernel/safe-text.ts'
import { createSeededRandom, makePlan } from '../../src/query/engine/verify.ts'
import type { Plan } from '../../src/query/plan/plan.ts'
import { selectGroups, toPlanTerms } from '../../src/query/sql/plan.store.ts'
import { toSlots } from '../../src/query/sql/slots.ts'
import { selectEndedSpans, selectLastSpans } from '../../src/query/sql/stock-series.store.ts'
import { type BuiltQuery, db, toStatement } from '../../src/store/builder.ts'
import { type Bind, bindList, cachedQuery, cachedQueryByShape } from '../../src/store/cached-query.ts'
import { openStore, plant } from '../query/estate.ts'
import { isLong } from '../support/long.ts'
import { sqliteOnly } from '../support/new-store.ts'
import { safe } from '../support/safe-text.ts'

type Value = string | number | null
/** A condition of a random query: what it is, and the values in it. */
type Node =
  | { kind: 'equal'; column: string; values: [Value] }
  | { kind: 'in'; column: string; values: Value[] }
  | { kind: 'null'; column: string; values: [] }
  | { kind: 'raw'; values: [Value, Value] }
  | { kind: 'sub'; values: Value[]; inner: Node }
  | { kind: 'any' | 'all'; values: []; parts: Node[] }

const value = fc.oneof(fc.string(), fc.integer(), fc.double({ noNaN: true }), fc.constant(null), fc.constant(`'; --?`))
const column = fc.constantFrom('holder', 'name', 'expires_at')
const { node } = fc.letrec<{ node: Node }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    fc.record({ kind: fc.constant('equal' as const), column, values: fc.tuple(value) }),
    fc.record({ kind: fc.constant('in' as const), column, values: fc.array(value, { maxLength: 4 }) }),
    fc.record({ kind: fc.constant('null' as const), column, values: fc.constant([] as []) }),
    fc.record({ kind: fc.constant('raw' as const), values: fc.tuple(value, value) }),
    fc.record({
      kind: fc.constant('sub' as const),
      values: fc.array(value, { minLength: 1, maxLength: 2 }),
      inner: tie('node'),
    }),
    fc.record({
      kind: fc.constantFrom('any' as const, 'all' as const),
      values: fc.constant([] as []),
      parts: fc.array(tie('node'), { minLength: 1, maxLength: 3 }),
    }),
  ),
}))

/** The query with the values in it, as anybody would write it. */
function write(part: Node, values: (part: Node) => readonly never[]): Expression<SqlBool> {
  const given = values(part)
  switch (part.kind) {
    case 'equal':
      return sql<SqlBool>`${sql.ref(part.column)} = ${given[0]}`
    case 'in':
      return sql<SqlBool>`${sql.ref(part.column)} IN (${given.length === 0 ? sql`` : sql.join(given)})`
    case 'null':
      return sql<SqlBool>`${sql.ref(part.column)} IS NULL`
    case 'raw':
      return sql<SqlBool>`coalesce(holder, ${given[0]}) <> ${given[1]}`
    case 'sub':
      return sql<SqlBool>`name IN ${db
        .selectFrom('lease')
        .select('name')
        .where('holder', 'in', [...given])
        .where(write(part.inner, values))}`
    default:
      return sql<SqlBool>`(${sql.join(
        part.parts.map((each) => write(each, values)),
        part.kind === 'any' ? sql` OR ` : sql` AND `,
      )})`
  }
}

interface Asked {
  where: Node
  limit: number
}

const listNodes = (part: Node): Node[] => [
  part,
  ...('inner' in part ? listNodes(part.inner) : []),
  ...('parts' in part ? part.parts.flatMap(listNodes) : []),
]
/** All of a tree but its values. */
const strip = (part: Node): object => ({
  ...part,
  values: part.values.length,
  ...('inner' in part ? { inner: strip(part.inner) } : {}),
  ...('parts' in part ? { parts: part.parts.map(strip) } : {}),
})
const build = (where: Node, values: (part: Node) => readonly never[], limit: number): BuiltQuery<unknown> =>
  db.selectFrom('lease').select('name').where(write(where, values)).orderBy('name').limit(limit)

const shaped = cachedQueryByShape(
  ({ where }: Asked) => strip(where) as never as Node,
  (where, give: Bind<Asked>) => {
    const nodes = listNodes(where)
    const limit = give((asked) => asked.limit) as never
    return build(
      where,
      (part) => {
        const at = nodes.indexOf(part)
        const length = part.values as never as number
        return bindList(give, length, (asked) => listNodes(asked.where)[at]?.values ?? []) as never
      },
      limit,
    )
  },
)

/** The same tree with other values. */
const revalued = (part: Node, next: () => Value): Node =>
  ({
    ...part,
    values: part.values.map(next),
    ...('inner' in part ? { inner: revalued(part.inner, next) } : {}),
    ...('parts' in part ? { parts: part.parts.map((each) => revalued(each, next)) } : {}),
  }) as Node

test('a query by shape has the SQL and rows of the query with its values', (test) => {
  sqliteOnly('it compares columns of numbers with texts', test)
  const store = openStore()
  store.write((writer) => {
    for (let each = 0; each < 20; each++)
      writer
        .prepare('INSERT INTO lease (name, holder, token, expires_at) VALUES (?, ?, 1, ?)')
        .run(safe(`n${each}`), '', each)
  })
  store.read((reader) => {
    fc.assert(
      fc.property(node, fc.array(value, { minLength: 1, maxLength: 9 }), fc.nat(30), (where, others, limit) => {
        let drawn = 0
        const second = revalued(where, () => others[drawn++ % others.length] ?? null)
        for (const asked of [
          { where, limit },
          { where: second, limit: limit + 1 },
        ]) {
          const plain = toStatement(build(asked.where, (part) => part.values as never, asked.limit))
          expect(shaped(asked)).toEqual(plain)
          expect(shaped.build(asked)).toEqual(plain)
          expect(reader.all(shaped(asked))).toEqual(reader.all(plain))
        }
      }),
      { numRuns: isLong ? 300 : 120 },
    )
  })
})

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

import { afterAll, describe, expect, it } from 'vitest'
import type { Plan } from '../../src/query/plan/plan.ts'
import { runPlan } from '../../src/query/sql/plan.store.ts'
import { type Query, toStatement } from '../../src/store/builder.ts'
import type { Reader } from '../../src/store/store.ts'
import { makeEstate, NOW } from '../properties/query-data.ts'
import { sqliteOnly } from '../support/new-store.ts'
import { type EstateSeed, openFolderStore, plant } from './estate.ts'

const DAY = 86_400_000
sqliteOnly('it reads query plans of SQLite')
const { store, close } = openFolderStore(() => NOW)
plant(store, makeEstate(3, 2_000) as EstateSeed)
afterAll(close)

/** The rows that SQL gives for each of the queries of a plan, and how it reaches them. */
function watch(plan: Plan) {
  return store.read((reader) => {
    const queries: { rows: number; steps: string[] }[] = []
    const all = <Row>(query: Query<Row>): Row[] => {
      const { sql, parameters } = toStatement(query)
      const steps = reader.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters) as { detail: string }[]
      const rows = reader.all(query)
      queries.push({ rows: rows.length, steps: steps.map(({ detail }) => detail) })
      return rows
    }
    const watched: Reader = {
      all,
      first: (query) => all(query)[0],
      prepare: (sql) => reader.prepare(sql),
      firstOfEach: (query, rows) => reader.firstOfEach(query, rows),
      dataVersion: 0,
      seesEnds: false,
      hasEndBefore: () => false,
      seeAsOf: (_moment, work) => work(),
    }
    return { cells: runPlan(watched, plan), queries }
  })
}

/** Borders that are no multiple of anything round, all equally far apart. */
const edges = Array.from({ length: 12 }, (_, index) => NOW - 700 * DAY + 1_234_567 + index * (50 * DAY + 1))
const plan: Plan = {
  ...{ entity: 'finding', timeField: 'firstDetectedAt', mode: 'flow', at: NOW, range: {} },
  ...{ measure: { aggregation: 'COUNT' }, conditions: [], dimensions: [], edges },
}

describe('a series', () => {
  it('is read from SQL as one row per bucket, not per instant', () => {
    const { cells, queries } = watch(plan)
    expect(cells.reduce((sum, { n }) => sum + n, 0)).toBe(2_000)
    expect(cells.length).toBeGreaterThan(3)
    // Two more: before the first border, and after the last.
    expect(queries[0]?.rows).toBeLessThanOrEqual(edges.length + 2)
  })

  it('of a stock is read as one row per pair of buckets', () => {
    const { queries } = watch({ ...plan, mode: 'stock', measure: { aggregation: 'MAX', field: 'confidence' } })
    const buckets = edges.length + 1
    const [ended, last] = queries
    expect(ended?.rows).toBeGreaterThan(edges.length)
    expect(ended?.rows).toBeLessThanOrEqual((buckets * (buckets + 1)) / 2)
    expect(last?.rows).toBeGreaterThan(3)
    expect(last?.rows).toBeLessThanOrEqual(buckets)
  })

  it('of a stock does not search the assets of a filter for each finding', () => {
    const conditions = [
      { key: 'containers', values: ['Space 1', 'Space 2'], exclude: false, origin: 'caller' },
    ] as const
    const [ended, last] = watch({ ...plan, mode: 'stock', conditions }).queries
    expect(ended?.steps).toContain('SEARCH f USING INDEX sqlite_autoindex_finding_1 (id=?)')
    // Of those that last, the findings of each asset are read once.
    expect(last?.steps).toContain('SEARCH f USING PRIMARY KEY (asset_id=?)')
  })

  it.each(['resolutionHours', 'assetId'] as const)(
    'of %s does not look up each row in an unsuitable index',
    (field) => {
      const aggregation = field === 'assetId' ? 'COUNT_DISTINCT' : 'AVG'
      const [, last] = watch({ ...plan, mode: 'stock', measure: { aggregation, field } }).queries
      expect(last?.steps).toContain('SEARCH f USING PRIMARY KEY (asset_id>?)')
    },
  )
})

describe.each(['finding', 'asset'] as const)('a stock of each %s at a past moment', (entity) => {
  const { edges: _none, ...past } = { ...plan, entity, mode: 'stock', at: NOW - 100 * DAY } as const
  const open = { key: 'statuses', values: ['OPEN'], exclude: false, origin: 'caller' } as const

  it('finds the next change by its key and does not scan the changes of each finding', () => {
    for (const hasStatistics of [false, true]) {
      if (hasStatistics) store.write((writer) => writer.prepare('ANALYZE').run())
      const { queries } = watch({ ...past, conditions: [open] })
      const steps = queries.flatMap((query) => query.steps)
      expect(steps).toContain('SEARCH changed USING PRIMARY KEY (finding_id=? AND seq=?) LEFT-JOIN')
      expect(steps.filter((step) => /^SCAN (?!c\b|a\b)/.test(step))).toEqual([])
    }
  })
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { buildEngine, catchUp } from '../../src/engine/load.store.ts'
import { listAssets } from '../../src/findings/asset-list.store.ts'
import type { FilterCondition } from '../../src/findings/conditions.ts'
import type { FilterMapping } from '../../src/findings/filter.ts'
import { attachIndex, findIndex, findingOrders } from '../../src/findings/finding-index.ts'
import { countFindings, listFindings } from '../../src/findings/list.store.ts'
import { resolveFilter } from '../../src/findings/term-filters.store.ts'
import { attachEngine, findEngine } from '../../src/query/engine/executor.ts'
import type { Plan } from '../../src/query/plan/plan.ts'
import { listExamples } from '../../src/query/sql/explore.store.ts'
import type { Reader, Store } from '../../src/store/store.ts'
import { changeSomething } from '../engine/changing.ts'
import { plantPolicies, plantTerm } from '../properties/plant-metrics.ts'
import { makeEstate, makeFilter, NOW, namedTerms, SeededRandom } from '../properties/query-data.ts'
import { policiesOf } from '../properties/query-terms.ts'
import { type EstateSeed, plant } from '../query/estate.ts'
import { cases, maxMs } from '../support/long.ts'
import { openNewFile } from '../support/new-store.ts'
import { missingPostgres, openNewPostgres, startPostgres } from '../support/postgres.ts'

const SEED = Number(process.env.ASSAY_LIST_SEED ?? 6)
const LISTS = cases(60, 5_000)
/** So few rows between marks that a small estate has many, and late rows are merged often. */
const tiny = { markBits: 8, blockBits: 4, minLate: 40 }
const MAX_PAGES = 8

function openFile(): Store {
  const folder = mkdtempSync(join(tmpdir(), 'assay-lists-'))
  const store = openNewFile(join(folder, 'assay.db'), () => NOW)
  onTestFinished(() => {
    store.close()
    rmSync(folder, { recursive: true })
  })
  return store
}

async function openServer(): Promise<Store> {
  const server = await startPostgres()
  const store = openNewPostgres(server.url, () => NOW)
  onTestFinished(() => {
    store.close()
    server.stop()
  })
  return store
}

/** Attaches an engine that is current with the snapshot of a reader. */
function attachCurrent(reader: Reader): void {
  const engine = findEngine(reader)
  if (engine === undefined || !catchUp(reader, engine)) attachEngine(reader, buildEngine(reader, tiny))
  findEngine(reader)?.runMaintenanceStep()
}

/** The answers of the index and of SQL; how many of them the index gave is counted. */
function askBoth<Answer>(reader: Reader, served: { lists: number }, ask: () => Answer): [index: Answer, sql: Answer] {
  attachCurrent(reader)
  const index = findIndex(reader)
  const counting = Object.fromEntries(
    Object.entries(index ?? {}).map(([name, list]) => [
      name,
      (asked: unknown) => {
        const found = list(asked as never)
        if (found !== undefined) served.lists++
        return found
      },
    ]),
  )
  attachIndex(reader, counting as never)
  const indexed = ask()
  attachIndex(reader, undefined)
  const plain = ask()
  attachIndex(reader, index)
  return [indexed, plain]
}

/** Of assets alone, so that the index finds them without their findings. */
const makeAssetFilter = (random: SeededRandom): FilterMapping => ({
  ranges: random.chance(0.5)
    ? { audienceSize: { min: 7, max: 30 + random.below(40) } }
    : { contentUpdatedAt: { from: new Date(NOW - (1 + random.below(200)) * 86_400_000).toISOString() } },
  ...(random.chance(0.5) ? { exclude: { ranges: { audienceSize: { upTo: random.below(60) } } } } : {}),
})

const toPlan = (conditions: FilterCondition[]): Plan => ({
  ...{ entity: 'finding', mode: 'flow', measure: { aggregation: 'COUNT' }, timeField: 'firstDetectedAt' },
  ...{ conditions: conditions.map((condition) => ({ ...condition, origin: 'caller' })), range: {}, at: NOW },
  dimensions: [],
})

test.each([
  { name: 'SQLite', open: openFile, missing: undefined },
  { name: 'PostgreSQL', open: openServer, missing: missingPostgres },
])(
  `on $name ${LISTS} random lists by the index have the rows, order, pages and totals of SQL, with writes in between`,
  async ({ open, missing }) => {
    if (missing !== undefined) return
    const store = await open()
    const random = new SeededRandom(SEED)
    plant(store, makeEstate(SEED, 700) as EstateSeed)
    for (const [slug, mapping] of Object.entries(namedTerms)) plantTerm(store, slug, mapping)
    plantPolicies(store, policiesOf(SEED))
    const keys = store.read((reader) => reader.prepare('SELECT key FROM asset ORDER BY id').pluck().all()) as string[]
    const served = { lists: 0 }
    for (let list = 0; list < LISTS; list++) {
      const ofAssets = random.maybe(0.1, () => makeAssetFilter(random))
      const filter = ofAssets ?? ((random.chance(0.2) ? {} : makeFilter(random)) as FilterMapping)
      const sort = random.pick(findingOrders)
      const assetId = random.maybe(0.1, () => random.pick(keys))
      const limit = 1 + random.below(30)
      const status = random.maybe(0.3, () => random.pick(['ACTIVE', 'DELETED'] as const))
      let [after, afterAsset]: [readonly number[] | undefined, number | undefined] = [undefined, undefined]
      for (let page = 0; page < MAX_PAGES; page++) {
        if (random.chance(0.2)) changeSomething(store, random)
        store.read((reader) => {
          const conditions = resolveFilter(reader, filter, NOW)
          const asked = { sort, conditions, assetId, at: NOW, limit, after }
          const [found, expected] = askBoth(reader, served, () => listFindings(reader, asked))
          expect({ list, page, filter, sort, found }).toEqual({ list, page, filter, sort, found: expected })
          after = expected.next
          if (page === 0) {
            const [total, counted] = askBoth(reader, served, () => countFindings(reader, asked))
            expect({ list, filter, total }).toEqual({ list, filter, total: counted })
          }
          const examples = askBoth(reader, served, () => listExamples(reader, toPlan(conditions), limit))
          expect({ list, filter, examples: examples[0] }).toEqual({ list, filter, examples: examples[1] })
          const askedAssets = { conditions, status, limit, after: afterAsset }
          const [assets, expectedAssets] = askBoth(reader, served, () => listAssets(reader, askedAssets))
          expect({ list, page, filter, assets }).toEqual({ list, page, filter, assets: expectedAssets })
          afterAsset = expectedAssets.next?.[0]
        })
        if (after === undefined) break
      }
    }
    expect(served.lists).toBeGreaterThan(2 * LISTS)
  },
  maxMs(300_000),
)

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { exploreView } from '../../src/query/answer/explore-view.ts'
import type { MetricAnswer, SeriesAnswer } from '../../src/query/model.ts'
import type { Store, Writer } from '../../src/store/store.ts'
import { ensureDictionaryId } from '../../src/store/words.store.ts'
import { answer, answerBoth } from '../engine/asking.ts'
import { changeSomething } from '../engine/changing.ts'
import { plantMetrics, plantPolicies, plantTerm } from '../properties/plant-metrics.ts'
import { compareScalar, compareSeries } from '../properties/query-comparison.ts'
import {
  type MadeMetric,
  makeEstate,
  makeMetrics,
  makeQuestion,
  NOW,
  namedTerms,
  SeededRandom,
} from '../properties/query-data.ts'
import { Oracle } from '../properties/query-oracle.ts'
import { type OracleQuestion, policiesOf } from '../properties/query-terms.ts'
import { readEstate } from '../properties/read-estate.ts'
import { type EstateSeed, plant } from '../query/estate.ts'
import { cases } from '../support/long.ts'
import { openNewFile } from '../support/new-store.ts'
import { missingPostgres, openNewPostgres, type PostgresServer, startPostgres } from '../support/postgres.ts'
import { safe } from '../support/safe-text.ts'

const SEED = Number(process.env.ASSAY_POSTGRES_SEED ?? 11)
const ESTATES = cases(1, 20)
const QUESTIONS = cases(12, 500)
/** Questions between two changes, because a change takes as long as several questions. */
const AT_ONCE = 4
/** So few rows between marks that a small estate has many. */
const tiny = { markBits: 8, blockBits: 4, minLate: 40 }

interface Estate {
  seed: number
  file: Store
  store: Store
  metrics: MadeMetric[]
}

/** The same rows in a file and in a database of PostgreSQL. */
function openEstate(server: PostgresServer, seed: number): Estate {
  const folder = mkdtempSync(join(tmpdir(), 'assay-both-'))
  const [file, store] = [openNewFile(join(folder, 'assay.db'), () => NOW), openNewPostgres(server.url, () => NOW)]
  onTestFinished(() => {
    for (const each of [file, store]) each.close()
    rmSync(folder, { recursive: true })
  })
  const [estate, metrics] = [makeEstate(seed, 150) as EstateSeed, makeMetrics(seed + 100)]
  for (const each of [file, store]) {
    plant(each, estate)
    for (const [slug, mapping] of Object.entries(namedTerms)) plantTerm(each, slug, mapping)
    plantPolicies(each, policiesOf(seed))
    plantMetrics(each, metrics)
  }
  return { seed, file, store, metrics }
}

function makeComparable(random: SeededRandom, metrics: MadeMetric[]) {
  const { question, isSeries } = makeQuestion(random, metrics)
  // The term is asked as a pinned filter, of which there is one.
  const { pinned, ...others } = question
  const asked = question.term !== undefined && question.filters !== undefined ? others : question
  // Without a limit, fewer groups are listed than fit in an answer.
  return { question: (isSeries ? asked : { limit: 50, ...asked }) as OracleQuestion, isSeries }
}

describe.skipIf(missingPostgres !== undefined)(`questions to PostgreSQL ${missingPostgres ?? ''}`, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  }, 120_000)
  afterAll(() => server?.stop())

  it('restricts numbers to findings with some words as a file does', () => {
    const { file, store } = openEstate(server, SEED)
    const ask = (each: Store, search: string) =>
      each.read((reader) => {
        const asked = { metricSlug: 'total-findings', search, dimensions: ['severity', 'container'] }
        const { value, boards } = exploreView(reader, asked, { now: NOW })
        return { value, groups: boards.map(({ breakdown }) => breakdown) }
      })
    for (const search of ['email', 'EMAIL', 'e a', '%', 'nowhere at all']) {
      expect(ask(store, search), search).toEqual(ask(file, search))
    }
    expect(ask(file, 'email').value).toBeGreaterThan(0)
  })

  it('sorts texts by their code points, whatever the language of the database', () => {
    const store = openNewPostgres(server.url, () => NOW)
    onTestFinished(() => store.close())
    const texts = ['a', 'a-b', 'ab', 'B', 'é', 'z', '_', 'Ab', '\u{fb01}', '\u{1f600}']
    store.write((writer) => {
      for (const text of texts) ensureDictionaryId(writer, safe(text))
    })
    const list = (order: string) =>
      store.read((reader) => reader.prepare(`SELECT text FROM word WHERE id > 0 ORDER BY ${order}`).pluck().all())
    const byCodePoint = texts.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
    expect(list('text')).toEqual(byCodePoint)
    expect(list('id')).toEqual(texts)
  })

  it.each(Array.from({ length: ESTATES }, (_, index) => SEED + index))(
    `estate %i: ${QUESTIONS} have the answers of SQLite and of a naive evaluation, by SQL and by an engine, during writes`,
    (seed) => {
      const { file, store, metrics } = openEstate(server, seed)
      const random = new SeededRandom(seed)
      const terms = { filters: namedTerms, policies: policiesOf(seed) }
      const readOracle = () => new Oracle(readEstate(file), metrics, NOW, terms)
      let oracle = readOracle()
      let served = 0
      const ask = (number: number) => {
        const { question, isSeries } = makeComparable(random, metrics)
        const metric = metrics.find(({ slug }) => slug === question.metricSlug)
        if (metric === undefined) throw new Error('the question is about no metric')
        try {
          const expected = file.read((reader) => answer(reader, question, isSeries))
          const { sql, engine, served: plans } = answerBoth(store, question, isSeries, tiny)
          expect(sql).toEqual(expected)
          expect(engine).toEqual(expected)
          if (isSeries) compareSeries(sql as SeriesAnswer, { oracle, question })
          else compareScalar(sql as MetricAnswer, { oracle, metric, question })
          served += plans
        } catch (error) {
          throw new Error(`question ${number} ${JSON.stringify(question)} of ${JSON.stringify(metric)}`, {
            cause: error,
          })
        }
      }
      for (let number = 0; number < QUESTIONS; number += AT_ONCE) {
        const askSome = () => {
          for (let next = number; next < Math.min(QUESTIONS, number + AT_ONCE); next++) ask(next)
        }
        if (random.chance(0.7)) {
          const change = random.below(2 ** 30)
          // What a transaction has written is not seen before it is committed.
          const meanwhile = (writer: Writer) => {
            // Asking may take longer than a transaction may be idle.
            writer.prepare('SET LOCAL idle_in_transaction_session_timeout = 0').all()
            askSome()
          }
          changeSomething(store, new SeededRandom(change), { meanwhile })
          changeSomething(file, new SeededRandom(change))
          oracle = readOracle()
        } else {
          askSome()
        }
      }
      expect(served).toBeGreaterThan(QUESTIONS / 4)
      // The rows are equal, too, except for the ids of combinations and the log of assets, which has new assets as well.
      const combo = 'c.source_id, c.detector_id, c.type_id, c.category_id, c.custom_key_id, c.severity, c.status, c.n'
      const statements = [
        `SELECT f.id, f.asset_id, f.fp, f.first_detected_at, f.conf_q, f.resolved_at, f.excerpt, ${combo}
           FROM finding f JOIN combo c ON c.id = f.combo_id ORDER BY f.id`,
        'SELECT * FROM status_change ORDER BY finding_id, seq',
        'SELECT * FROM expiry ORDER BY finding_id',
        'SELECT seq, at, n FROM facet_log ORDER BY seq',
        'SELECT * FROM word ORDER BY id',
      ]
      for (const sql of statements) {
        const [ours, theirs] = [store, file].map((each) => each.read((reader) => reader.prepare(sql).raw().all()))
        expect({ sql, rows: ours }).toEqual({ sql, rows: theirs })
      }
    },
    3_600_000,
  )
})

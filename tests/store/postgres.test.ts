import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { inRecordedSnapshot } from '../../src/background/engine-keeper.ts'
import { Engine } from '../../src/engine/columnar-index.ts'
import { buildEngine } from '../../src/engine/load.store.ts'
import { listSnapshots } from '../../src/engine/snapshot/snapshot.store.ts'
import { dropSnapshot, saveSnapshot } from '../../src/engine/snapshot/snapshot.ts'
import { type SeenAsset, saveAsset } from '../../src/findings/assets.store.ts'
import { applyDetection, type DetectionCounts } from '../../src/findings/detected.ts'
import type { FacetDictionary } from '../../src/findings/facets.store.ts'
import { FindingLedger } from '../../src/findings/ledger.store.ts'
import type { FindingStatus } from '../../src/findings/model.ts'
import { listTerms } from '../../src/glossary/glossary.store.ts'
import { importFindings } from '../../src/imports/imports.ts'
import { foldCase } from '../../src/kernel/fold.ts'
import { listMetrics } from '../../src/metrics/metrics.store.ts'
import { LeaseStopped, ScanLease } from '../../src/scans/lease.ts'
import { insertScan } from '../../src/scans/scans.store.ts'
import { PostgresClient } from '../../src/store/postgres/client.ts'
import type { PostgresStore } from '../../src/store/postgres/store.ts'
import type { Reader, Store, Writer } from '../../src/store/store.ts'
import { examineReadiness } from '../../src/telemetry/readiness.ts'
import { changeSomething } from '../engine/changing.ts'
import { countDifferences, countFindings, load, tiny } from '../engine/snapshots.ts'
import { streamOf } from '../imports/importing.ts'
import { plantMetrics, plantPolicies, plantTerm } from '../properties/plant-metrics.ts'
import { makeEstate, makeMetrics, NOW, namedTerms, SeededRandom } from '../properties/query-data.ts'
import { policiesOf } from '../properties/query-terms.ts'
import { type EstateSeed, plant } from '../query/estate.ts'
import { contextOf, localPerson } from '../support/context.ts'
import { openNewFile } from '../support/new-store.ts'
import {
  createDatabase,
  missingPostgres,
  openAdmin,
  openPostgresStore,
  type PostgresServer,
  startPostgres,
} from '../support/postgres.ts'
import { safe } from '../support/safe-text.ts'

const SEED = 11

it('is loaded only where it is selected', () => {
  const source = new URL('../../src/', import.meta.url).pathname
  const others = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !file.startsWith('store/postgres/'),
  )
  expect(others.length).toBeGreaterThan(300)
  const naming = (form: RegExp) => others.filter((file) => form.test(readFileSync(join(source, file), 'utf8')))
  expect(naming(/from '(?:pg|[^']*\/postgres\/[^']*)'/)).toEqual([])
  expect(naming(/import\('(?:pg|[^']*\/postgres\/[^']*)'\)/)).toEqual(['store/open-store.ts'])
})

describe.skipIf(missingPostgres !== undefined)(`a store on PostgreSQL ${missingPostgres ?? ''}`, () => {
  let server: PostgresServer
  let database: ReturnType<typeof createDatabase>
  let store: PostgresStore
  let file: Store
  const closers: (() => void)[] = []

  beforeAll(async () => {
    server = await startPostgres()
    closers.push(server.stop)
    database = createDatabase(server)
    closers.push(database.drop)
    store = openPostgresStore(database.connectionString, () => NOW)
    closers.push(() => store.close())
    const folder = mkdtempSync(join(tmpdir(), 'assay-both-'))
    file = openNewFile(join(folder, 'assay.db'), () => NOW)
    closers.push(() => rmSync(folder, { recursive: true }), file.close.bind(file))
    const [estate, metrics] = [makeEstate(SEED, 150) as EstateSeed, makeMetrics(SEED + 100)]
    for (const each of [file, store]) {
      plant(each, estate)
      for (const [slug, mapping] of Object.entries(namedTerms)) plantTerm(each, slug, mapping)
      plantPolicies(each, policiesOf(SEED))
      plantMetrics(each, metrics)
    }
  }, 120_000)
  afterAll(() => {
    for (const close of closers.reverse()) close()
  })

  const find = (sql: string, ...values: unknown[]) =>
    store.read((reader) =>
      reader
        .prepare(sql)
        .pluck()
        .get(...values),
    )

  it('has the functions of SQLite that statements call', () => {
    const call = (expression: string, ...values: unknown[]) => find(`SELECT ${expression}`, ...values)
    expect(call('max(CAST(? AS BIGINT), CAST(? AS BIGINT))', 3, null)).toBe(null)
    expect(call('min(CAST(? AS BIGINT), CAST(? AS BIGINT))', null, 3)).toBe(null)
    expect([call('max(3, 5)'), call('min(3, 5)'), call('max(-1, -1)')]).toEqual([5, 3, -1])
    expect([call('min(3, 5, 2, 4)'), call('min(1, 5, 2)'), call('min(1, 5, NULL)')]).toEqual([2, 1, null])
    expect(call(`CAST(? AS TEXT) ->> '$.a.b'`, '{"a":{"b":"c"}}')).toBe('c')
    expect(call(`CAST(? AS TEXT) ->> '$.a'`, '{}')).toBe(null)
    // PostgreSQL refuses NUL in a text, which nothing stored contains.
    expect(call('CAST(? AS TEXT)', 'a\u0000b')).toBe('a\ufffdb')
    const letters = fc.string({ unit: fc.constantFrom(...'aAzZ09 ßẞıİiIΣσςÄäǅéÉñЖжﬁ'), maxLength: 12 })
    const folds = fc.property(letters, (text) => {
      expect(call('fold_case(CAST(? AS TEXT))', text)).toBe(foldCase(text))
    })
    fc.assert(folds, { numRuns: 60 })
    const numbers = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1, maxLength: 9 })
    const interpolates = fc.property(numbers, fc.double({ min: 0, max: 1, noNaN: true }), (values, p) => {
      const found = call(
        'percentile_cont(CAST(value AS BIGINT), ?) AS quantile FROM json_each(?)',
        p,
        JSON.stringify(values),
      )
      const sorted = Float64Array.from(values).sort()
      const at = p * (sorted.length - 1)
      const [low = 0, high = low] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]]
      expect(found).toBeCloseTo(low + (at - Math.floor(at)) * (high - low), 9)
    })
    fc.assert(interpolates, { numRuns: 40 })
    expect(call(`percentile_cont(CAST(value AS BIGINT), ?) AS quantile FROM json_each('[]')`, 0.5)).toBe(null)
  })

  it('commits all of a transaction or nothing, and numbers the change log without gaps', () => {
    const change = (id: number) => (writer: Writer) =>
      FindingLedger.keep(writer, NOW, (ledger) => {
        const finding = ledger.findById(id)
        if (finding !== undefined) ledger.update(finding, { confidence: (finding.confidence + 1) % 10_000 })
      })
    const [id, other] = store.read((reader) => reader.prepare('SELECT id FROM finding ORDER BY id').pluck().all())
    const confidence = () => find('SELECT conf_q FROM finding WHERE id = ?', other)
    store.write(change(Number(id)))
    const [before, last] = [confidence(), Number(find('SELECT max(seq) FROM facet_log'))]
    const stop = () =>
      store.write((writer) => {
        change(Number(other))(writer)
        throw new Error('stopped')
      })
    expect(stop).toThrow('stopped')
    expect(confidence()).toBe(before)
    store.write(change(Number(id)))
    expect(find('SELECT max(seq) FROM facet_log')).toBe(last + 1)
  })

  it('stores a batch of 500 findings of 100 assets, of which 50 changed, in at most 8 round trips', () => {
    const sourceId = Number(find('SELECT min(id) FROM source'))
    const excerpts = Array.from({ length: 100 }, () => ['a', 'b', 'c', 'd', 'e'])
    const ids = store.write((writer) =>
      FindingLedger.keep(writer, NOW, ({ facets }) =>
        excerpts.map((_, number) => saveSomeAsset(writer, facets, number)),
      ),
    )
    function saveSomeAsset(writer: Writer, facets: FacetDictionary, number: number): number {
      const draft = { kind: 'wiki.page', key: `batch:${number}`, name: 'page', url: '', checksum: '', links: [] }
      return saveAsset(writer, facets, {
        ...safe({ sourceId, scopeKey: 'S', scanId: 1, at: NOW, detectorsHash: 'h', scanned: true }),
        draft: safe(draft) as SeenAsset['draft'],
      })
    }
    const scan = (at: number) =>
      store.write((writer) =>
        FindingLedger.keep(writer, at, (ledger) => {
          ledger.readAhead(ids)
          return ids.map((id, number) =>
            applyDetection(ledger, {
              asset: { id, sourceId, lastScannedAt: null },
              found: (excerpts[number] ?? []).map((excerpt, index) => ({
                detectorType: 'PII',
                findingType: `TYPE_${index}`,
                category: 'contact',
                severity: 'HIGH',
                confidence: 0.9,
                location: { path: 'Body' },
                excerpt,
                fingerprint: (number * 10 + index + 1).toString(16).padStart(12, '0'),
              })),
              examinedTypes: new Set(['PII']),
              complete: new Set(['PII']),
              scanId: 1,
              at,
            }),
          )
        }),
      )
    const sum = (counts: readonly DetectionCounts[], key: keyof DetectionCounts) =>
      counts.reduce((total, each) => total + each[key], 0)
    expect(sum(scan(NOW), 'new')).toBe(500)
    expect(sum(scan(NOW + 1), 'again')).toBe(500)
    for (let number = 0; number < 30; number++) excerpts[number] = ['A', 'b', 'c', 'd', 'e']
    for (let number = 30; number < 50; number++) excerpts[number] = ['a', 'b', 'c', 'd']
    const query = vi.spyOn(PostgresClient.prototype, 'query')
    onTestFinished(() => query.mockRestore())
    expect(sum(scan(NOW + 2), 'resolved')).toBe(20)
    expect(query.mock.calls.length).toBeLessThanOrEqual(8)
    query.mockClear()
    for (let number = 0; number < 30; number++) excerpts[number] = ['a', 'b', 'c', 'd', 'e']
    for (let number = 30; number < 50; number++) excerpts[number] = ['a', 'b', 'c', 'd', 'e']
    expect(sum(scan(NOW + 3), 'again')).toBe(500)
    expect(query.mock.calls.length).toBeLessThanOrEqual(8)
    const history = `SELECT count(*) FROM status_change WHERE finding_id IN (SELECT id FROM finding WHERE excerpt = 'e')`
    expect(find(history)).toBe(40)
  })

  it('imports 500 findings of 100 assets and 500 new types in at most 200 round trips', async () => {
    const rows = Array.from({ length: 500 }, (_, index) => {
      const file = index % 100
      return {
        asset: { key: `file ${file}`, kind: 'file', container: `folder ${file % 10}`, owner: `owner ${file % 7}` },
        ...{ detectorType: 'SCANNER', findingType: `RULE_${index}`, severity: 'HIGH' },
        firstDetectedAt: new Date(NOW - 1_000).toISOString(),
      }
    })
    const context = contextOf({ store, now: () => NOW, caller: localPerson })
    const text = rows.map((row) => JSON.stringify(row)).join('\n')
    const query = vi.spyOn(PostgresClient.prototype, 'query')
    onTestFinished(() => query.mockRestore())
    const bring = async () => {
      query.mockClear()
      const { findings } = await importFindings(streamOf(text), { source: 'scanner', format: 'ndjson' }, context)
      return { findings, trips: query.mock.calls.length }
    }
    const first = await bring()
    const again = await bring()
    expect([first.findings.new, again.findings]).toEqual([500, { new: 0, again: 500, resolved: 0 }])
    expect([first.trips, again.trips].filter((trips) => trips > 200)).toEqual([])
    const owners = `SELECT count(DISTINCT word.text) FROM asset JOIN word ON word.id = owner_id WHERE key LIKE 'file %'`
    expect(find(owners)).toBe(7)
    // The planner knows how much is staged.
    expect(find(`SELECT reltuples FROM pg_class WHERE oid = 'main.import_finding'::regclass`)).toBe(500)
  })

  it('decides on 500 findings in at most 40 round trips', () => {
    const select = `SELECT f.id FROM finding f JOIN asset a ON a.id = f.asset_id WHERE a.key LIKE 'batch:%' ORDER BY f.id`
    const ids = store.read((reader) => reader.prepare(select).pluck().all()) as number[]
    expect(ids).toHaveLength(500)
    const query = vi.spyOn(PostgresClient.prototype, 'query')
    onTestFinished(() => query.mockRestore())
    const decide = (to: FindingStatus, more: { until?: number } = {}) => {
      query.mockClear()
      const ends = store.write((writer) =>
        FindingLedger.keep(writer, NOW, (ledger) => {
          ledger.readAheadById(ids)
          const former = ids.map((id) => {
            const before = ledger.findById(id)
            if (before === undefined) throw new Error(`there is no finding ${id}`)
            const end = ledger.endOf(id)
            ledger.changeStatus(before, { ...safe({ at: NOW, to, actor: 'test' }), ...more })
            return end
          })
          const [first = 0] = ids
          expect([ledger.findById(first)?.facets.status, ledger.endOf(first)]).toEqual([to, more.until])
          return former
        }),
      )
      return { ends, trips: query.mock.calls.length }
    }
    const first = decide('IGNORED', { until: NOW + 1_000 })
    const second = decide('OPEN')
    expect(second.ends).toEqual(ids.map(() => NOW + 1_000))
    expect([first.trips, second.trips].filter((trips) => trips > 40)).toEqual([])
  })

  it('finds terms and metrics by their texts in the order of SQLite, also after a change', () => {
    const page = { limit: 100, offset: 0 }
    const search = (reader: Reader, match: string) => [
      listTerms(reader, { match, includeInactive: true }, page).terms.map(({ slug }) => slug),
      listMetrics(reader, { match }, page).metrics.map(({ slug }) => slug),
    ]
    const matches = ['data', 'pii', 'secret*', 'open AND critical', 'findings OR exposure', 'severity', 'nothing']
    const searchAll = (each: Store) => each.read((reader) => matches.map((match) => search(reader, match)))
    const expected = searchAll(file)
    expect(expected.flat(2).length).toBeGreaterThan(20)
    expect(searchAll(store)).toEqual(expected)
    const change = (writer: Writer) => {
      writer.prepare("UPDATE metric SET description = 'nothing is severe' WHERE slug = 'open-findings'").run()
      return search(writer, 'nothing')[1]
    }
    for (const each of [file, store]) expect(each.dryRun(change)).toEqual(['open-findings'])
    expect(searchAll(store)).toEqual(expected)
    for (const each of [file, store]) expect(each.write(change)).toEqual(['open-findings'])
    expect(searchAll(store)).toEqual(searchAll(file))
    expect(searchAll(store)).not.toEqual(expected)
  })

  it('reads one state in a snapshot while others write', () => {
    const count = `SELECT count(*) FROM word WHERE text = 'new'`
    const snapshot = store.openSnapshot()
    expect(snapshot.reader.prepare(count).pluck().get()).toBe(0)
    store.write((writer) => writer.prepare(`INSERT INTO word (text, folded) VALUES ('new', 'new')`).run())
    expect(snapshot.reader.prepare(count).pluck().get()).toBe(0)
    snapshot.close()
    expect(find(count)).toBe(1)
  })

  it('measures leases of scans, but not their times, by its own clock, and fences a process that was paused past its lease', () => {
    const scanUid = store.write((writer) =>
      insertScan(
        writer,
        {
          ...{ sourceId: 1, trigger: 'MANUAL', requestedBy: 'test', configHash: 'c', detectorsHash: 'd', seed: 1 },
          sampled: false,
        },
        NOW,
      ),
    )
    const claim = (host: string, skewMs: number) =>
      ScanLease.claim(scanUid, {
        store,
        owner: { name: `${host}/1/mark/lease`, release: () => {} },
        now: () => Date.now() + skewMs,
        signal: new AbortController().signal,
        heartbeatMs: 1_000_000,
      })
    const paused = claim('elsewhere', 600_000)
    const ahead = (paused?.scan.startedAt ?? 0) - Date.now()
    expect(ahead).toBeGreaterThan(540_000)
    expect(find(`SELECT started_at FROM scan WHERE uid = '${scanUid}'`)).toBe(paused?.scan.startedAt)
    expect(claim('here', -600_000)).toBe(undefined)
    store.write((writer) => writer.prepare('UPDATE scan SET heartbeat_at = heartbeat_at - 31000').run(), {
      scope: [{ source: 1 }, 'access'],
    })
    const next = claim('here', -600_000)
    const insert = (writer: Writer) => writer.prepare(`INSERT INTO word (text, folded) VALUES ('late', 'late')`).run()
    expect(() => paused?.write(insert)).toThrow(LeaseStopped)
    expect(find(`SELECT count(*) FROM word WHERE text = 'late'`)).toBe(0)
    next?.write(insert)
    expect(find(`SELECT count(*) FROM word WHERE text = 'late'`)).toBe(1)
    for (const lease of [paused, next]) lease?.close()
  })

  it('reports a lost connection, and connects again for the next transaction', () => {
    const admin = openAdmin(server)
    const insert = `INSERT INTO word (text, folded) VALUES ('lost', 'lost')`
    const count = `SELECT count(*) FROM word WHERE text = 'lost'`
    const lose = () =>
      store.write((writer) => {
        writer.prepare(insert).run()
        const pid = writer.prepare('SELECT pg_backend_pid()').pluck().get()
        expect(admin.query(`SELECT pg_terminate_backend(${pid})`)).toEqual([[1]])
        writer.prepare(insert).run()
      })
    expect(lose).toThrow('cannot be reached')
    admin.close()
    expect(find(count)).toBe(0)
    store.write((writer) => writer.prepare(insert).run())
    expect(find(count)).toBe(1)
  })

  it('is not ready where its user only reads, and says why', () => {
    const user = `reader_${database.name}`
    const reading = database.connectionString.replace('//assay@', `//${user}@`)
    const own = openAdmin(server, database.name)
    const run = (statements: string) => {
      for (const statement of statements.split(';')) own.query(statement)
    }
    try {
      run(`CREATE ROLE ${user} LOGIN; GRANT USAGE ON SCHEMA main TO ${user};
        GRANT SELECT ON ALL TABLES IN SCHEMA main TO ${user}`)
      const opened = openPostgresStore(reading, () => NOW)
      const examine = () => examineReadiness(opened, { problem: () => undefined })
      expect(examine()).toMatchObject({ database: 'failed', schema: 'ok', reason: 'database_refused' })
      run(`GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA main TO ${user}`)
      expect(examine()).toEqual({ database: 'ok', schema: 'ok', key: 'ok', disk: 'ok' })
      run(`ALTER ROLE ${user} SET default_transaction_read_only = on;
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${user}'`)
      // The first one may still meet the connection that was ended.
      expect([examine(), examine()].at(-1)).toMatchObject({ database: 'failed', reason: 'read_only' })
      opened.close()
      run(`ALTER ROLE ${user} RESET default_transaction_read_only; ALTER ROLE ${user} CONNECTION LIMIT 0`)
      expect(() => openPostgresStore(reading, () => NOW)).toThrow(/All connections .* are in use; .*max_connections/)
      expect(() => openPostgresStore(reading, () => NOW)).not.toThrow('correct the address')
    } finally {
      run(`DROP OWNED BY ${user}; DROP ROLE ${user}`)
      own.close()
    }
  })

  it('sees the ends of decisions after an idle connection was lost', () => {
    const id = Number(find('SELECT f.id FROM finding f JOIN combo k ON k.id = f.combo_id WHERE k.status = 0 LIMIT 1'))
    const ignored = safe({ at: NOW - 10, to: 'IGNORED' as const, actor: 'test', until: NOW - 1 })
    store.write((writer) =>
      FindingLedger.keep(writer, NOW - 5, (ledger) => {
        const finding = ledger.findById(id)
        if (finding !== undefined) ledger.changeStatus(finding, ignored)
      }),
    )
    const status = () => find('SELECT k.status FROM finding f JOIN combo k ON k.id = f.combo_id WHERE f.id = ?', id)
    expect(find('SELECT k.status FROM main.finding f JOIN combo k ON k.id = f.combo_id WHERE f.id = ?', id)).toBe(3)
    expect(status()).toBe(0)
    const admin = openAdmin(server)
    admin.query(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${database.name}'`)
    admin.close()
    // The connection may learn only by the next statement that it was lost.
    try {
      status()
    } catch {}
    expect(status()).toBe(0)
  })

  it('knows whether a change was saved whose COMMIT was not answered', () => {
    const count = `SELECT count(*) FROM word WHERE text = ?`
    const insert = `INSERT INTO word (text, folded) VALUES (?, '')`
    const { query } = PostgresClient.prototype
    const admin = openAdmin(server)
    const losing = (isSent: boolean) =>
      vi.spyOn(PostgresClient.prototype, 'query').mockImplementation(function (this: PostgresClient, request) {
        if (request.text !== 'COMMIT') return query.call(this, request)
        if (isSent) query.call(this, request)
        admin.query(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${database.name}'`)
        return query.call(this, { ...request, text: 'SELECT 1' })
      })
    onTestFinished(() => {
      vi.restoreAllMocks()
    })
    losing(true)
    store.write((writer) => writer.prepare(insert).run('saved'))
    vi.restoreAllMocks()
    losing(false)
    expect(() => store.write((writer) => writer.prepare(insert).run('unsaved'))).toThrow('cannot be reached')
    vi.restoreAllMocks()
    admin.close()
    try {
      find(count, 'saved')
    } catch {}
    expect([find(count, 'saved'), find(count, 'unsaved')]).toEqual([1, 0])
  })

  it('keeps a snapshot of the columnar index for each data folder, which is read and updated by the change log', async () => {
    const homes = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'assay-engine-')))
    onTestFinished(() => homes.forEach((home) => void rmSync(home, { recursive: true })))
    countFindings(store)
    const [first = '', second = ''] = homes
    for (const home of [first, second, second]) {
      const engine = await inRecordedSnapshot(store, (reader) => buildEngine(reader, tiny))
      expect(saveSnapshot({ store, home }, engine)).toBeDefined()
    }
    expect(store.read(listSnapshots)).toHaveLength(2)
    changeSomething(store, new SeededRandom(4), { startsOver: 0 })
    for (const home of homes) {
      const engine = await load(store, home)
      expect(engine).toBeInstanceOf(Engine)
      expect(countDifferences(store, engine as Engine, 10, 1)).toBe(0)
    }
    dropSnapshot(store, first)
    expect(store.read(listSnapshots)).toHaveLength(1)
    expect(await load(store, first)).toBe('there is none')
  })

  it('keeps its rows when it is opened again, and reports a server that is not there', () => {
    const findings = find('SELECT count(*) FROM finding')
    const again = openPostgresStore(database.connectionString, () => NOW)
    expect(again.read((reader) => reader.prepare('SELECT count(*) FROM finding').pluck().get())).toBe(findings)
    again.close()
    expect(() => openPostgresStore('postgres://assay@127.0.0.1:1/none', () => NOW)).toThrow('cannot be reached')
  })
})

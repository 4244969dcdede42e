import { afterEach, beforeEach, expect, it } from 'vitest'
import { dropSomeIndex, hasAllIndexes } from '../../src/findings/deferred-indexes.store.ts'
import { findingOperations } from '../../src/findings/operations.ts'
import { applyStagedImport } from '../../src/imports/apply/apply-import.ts'
import { createLeftOutIndexes, sweepImports } from '../../src/imports/apply/stale-imports.ts'
import { type ImportContext, importFindings } from '../../src/imports/imports.ts'
import type { ImportRow } from '../../src/imports/read/import-row.ts'
import { packBlock } from '../../src/imports/stage/import-block.ts'
import { addImportBlock } from '../../src/imports/stage/imports.store.ts'
import { AppError } from '../../src/kernel/errors.ts'
import { ScanLease } from '../../src/scans/lease.ts'
import { createOwner } from '../../src/scans/owner.ts'
import { requestCancel } from '../../src/scans/scans.store.ts'
import type { Store, WriteOptions, Writer } from '../../src/store/store.ts'
import { createTenant } from '../scans/fake-tenant.ts'
import { openWorkbench, type Workbench } from '../scans/workbench.ts'
import { filesOf, sqliteOnly } from '../support/new-store.ts'
import { safe } from '../support/safe-text.ts'

let bench: Workbench

beforeEach(() => {
  bench = openWorkbench(createTenant({ ENG: 2 }), { extra: findingOperations })
})
afterEach(() => bench.close())

const START = Date.UTC(2025, 0, 1)
const STRIDE = 7_919

/** Findings of some assets in no order of time or of assets; every third one is resolved. */
function* linesOf(count: number): Generator<Uint8Array> {
  for (let from = 0; from < count; from += 1_000) {
    const lines = Array.from({ length: Math.min(1_000, count - from) }, (_, index) => {
      const number = ((from + index) * STRIDE) % count
      const first = START + number * 1_000
      const asset = `{"key":"k${number % 503}","name":"Asset ${number % 503}"}`
      const fixed = number % 3 === 0 ? `"status":"RESOLVED","resolvedAt":"${toText(first + 60_000)}",` : ''
      return `{"asset":${asset},"detectorType":"D","findingType":"T${number % 7}","severity":"LOW",${fixed}"firstDetectedAt":"${toText(first)}","fingerprint":"${number}"}\n`
    })
    yield Buffer.from(lines.join(''))
  }
}
const toText = (at: number) => new Date(at).toISOString()

const importOf = (count: number, context: Partial<ImportContext> = {}) =>
  importFindings(
    (async function* () {
      yield* linesOf(count)
    })(),
    { source: 'scanner', format: 'ndjson' },
    { ...bench.context, ...context },
  )

const oneOf = <T>(sql: string): T => bench.store.read((reader) => reader.prepare(sql).get()) as T
const schemaOf = (store: Store) =>
  store.read((reader) =>
    (
      reader.prepare(`SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name`).all() as {
        name: string
        sql: string
      }[]
    ).map(({ name, sql }) => [name, sql.replace(/\s+/g, ' ')]),
  )

/** The store of the bench, which does something after the first transaction that has stored findings, or a scan. */
function afterFirst(act: () => void, table: 'finding' | 'scan' = 'finding'): Store {
  let acted = false
  return new Proxy(bench.store, {
    get: (target, name) => {
      const value = Reflect.get(target, name)
      if (name !== 'write') return typeof value === 'function' ? value.bind(target) : value
      return (...args: Parameters<typeof target.write>) => {
        const result = target.write(...args)
        if (!acted && target.read((reader) => reader.prepare(`SELECT 1 FROM main.${table}`).get()) !== undefined) {
          acted = true
          act()
        }
        return result
      }
    },
  })
}

it('drops indexes before storing and recreates them at the end, also in another process', async (test) => {
  sqliteOnly('an import into PostgreSQL keeps all indexes', test)
  const COUNT = 100_500
  const schema = schemaOf(bench.store)
  const stop = new AbortController()
  const broken = importOf(COUNT, { store: afterFirst(() => stop.abort()), signal: stop.signal })
  await expect(broken).rejects.toMatchObject({ code: 'unavailable' })
  expect(bench.store.read(hasAllIndexes)).toBe(false)
  expect(oneOf('SELECT count(*) > 0 AS stored FROM main.finding')).toEqual({ stored: 1 })
  expect(oneOf('SELECT count(*) AS n FROM finding')).toEqual({ n: 0 })
  // Nobody makes them while the import is to go on.
  await sweepImports(bench.context)
  expect(bench.store.read(hasAllIndexes)).toBe(false)
  const [scan] = (await bench.run<{ items: { id: string }[] }>('list_scans')).items
  bench.queue.start(scan?.id ?? '')
  await bench.queue.settled(scan?.id ?? '')
  expect(schemaOf(bench.store)).toEqual(schema)
  expect(filesOf(bench.store).examine('full')).toMatchObject({ integrity: 'ok', foreignKeys: 0 })
  expect(await bench.run('get_scan', { id: scan?.id ?? '' })).toMatchObject({
    status: 'COMPLETED',
    progress: { scanned: 503, findings: { new: COUNT, again: 0, resolved: COUNT / 3 } },
  })
  const sum = (of: (number: number) => number) => Array.from({ length: COUNT }, (_, n) => of(n)).reduce((a, b) => a + b)
  expect(
    oneOf(`SELECT count(*) AS n, count(DISTINCT fp) AS prints, sum(first_detected_at - ${START}) AS times,
             sum(resolved_at - first_detected_at) AS open FROM finding`),
  ).toEqual({ n: COUNT, prints: COUNT, times: sum((n) => n * 1_000), open: (COUNT / 3) * 60_000 })
  expect(oneOf('SELECT count(*) AS n, count(DISTINCT finding_id) AS ids FROM status_change')).toEqual({
    n: COUNT / 3,
    ids: COUNT / 3,
  })
  expect(oneOf('SELECT sum(n) AS n, sum(held) AS held FROM combo')).toEqual({ n: COUNT, held: 0 })
  expect(oneOf('SELECT count(*) AS n FROM import_block')).toEqual({ n: 0 })
  // No engine was there, and none is made meanwhile.
  expect(oneOf('SELECT count(*) AS n, max(n) AS most FROM facet_log')).toEqual({ n: 1, most: 0 })
}, 120_000)

it('creates indexes in memory where there can be no temporary files', async (test) => {
  sqliteOnly('an import into PostgreSQL keeps all indexes', test)
  const schema = schemaOf(bench.store)
  while (bench.store.write((writer) => dropSomeIndex(writer, { names: true })));
  let attempts = 0
  const write = <T>(work: (writer: Writer) => T, options?: WriteOptions): T =>
    bench.store.write((writer) => {
      const result = work(writer)
      if (options?.sortsInFiles !== true) return result
      attempts++
      throw new AppError('unavailable', 'There is no space.')
    }, options)
  await createLeftOutIndexes(bench.store, { write, signal: new AbortController().signal })
  expect([attempts, schemaOf(bench.store)]).toEqual([1, schema])
})

it('stays hidden from a transaction that sorts in files, which drops temporary views, and from later ones', async (test) => {
  sqliteOnly('sorts in files', test)
  const stop = new AbortController()
  const broken = importOf(8_501, { store: afterFirst(() => stop.abort()), signal: stop.signal })
  await expect(broken).rejects.toMatchObject({ code: 'unavailable' })
  expect(oneOf('SELECT count(*) > 0 AS stored FROM main.finding')).toEqual({ stored: 1 })
  const count = (writer: Writer) => writer.prepare('SELECT count(*) FROM finding').pluck().get()
  expect([{}, { sortsInFiles: true }, {}].map((options) => bench.store.write(count, options))).toEqual([0, 0, 0])
})

it('a cancelled import leaves nothing behind', async () => {
  const COUNT = 8_501
  const cancel = () => {
    // An import into PostgreSQL keeps all indexes.
    if (bench.store.files !== undefined) bench.store.write((writer) => dropSomeIndex(writer, { names: true }))
    const { id } = oneOf<{ id: number }>('SELECT id FROM scan')
    bench.store.write((writer) => requestCancel(writer, id))
  }
  await expect(importOf(COUNT, { store: afterFirst(cancel) })).rejects.toMatchObject({
    code: 'conflict',
    facts: { reason: 'cancelled' },
  })
  expect(await bench.run('list_scans')).toMatchObject({
    items: [{ status: 'CANCELLED', progress: { findings: { new: 0 } } }],
  })
  expect(bench.store.read(hasAllIndexes)).toBe(true)
  const tables = ['main.finding', 'main.asset', 'import_block', 'import_file', 'pending_import', 'finished_import']
  const sum = tables.map((table) => `(SELECT count(*) FROM ${table})`).join(' + ')
  expect(oneOf(`SELECT ${sum} AS n, (SELECT coalesce(sum(n + held), 0) FROM combo) AS counted`)).toEqual({
    n: 0,
    counted: 0,
  })
  expect(await importOf(100)).toMatchObject({ findings: { new: 100, again: 0 } })
}, 240_000)

it('recreates the dropped indexes of an abandoned import', async (test) => {
  sqliteOnly('an import into PostgreSQL keeps all indexes', test)
  const stop = new AbortController()
  const dropAndStop = () => {
    bench.store.write((writer) => dropSomeIndex(writer, { names: true }))
    stop.abort()
  }
  const broken = importOf(8_501, { store: afterFirst(dropAndStop), signal: stop.signal })
  await expect(broken).rejects.toMatchObject({ code: 'unavailable' })
  expect(bench.store.read(hasAllIndexes)).toBe(false)
  await bench.run('delete_source', { id: 'scanner' })
  await sweepImports(bench.context)
  expect(bench.store.read(hasAllIndexes)).toBe(true)
  expect(oneOf('SELECT (SELECT count(*) FROM import_block) + (SELECT count(*) FROM import_file) AS n')).toEqual({
    n: 0,
  })
}, 120_000)

it('counts an asset once if its findings are stored in several batches, even if the import resumes between them and the clock is set back', async () => {
  const begun = new AbortController()
  const toBegin = importOf(1, { store: afterFirst(() => begun.abort(), 'scan'), signal: begun.signal })
  await expect(toBegin).rejects.toMatchObject({ code: 'unavailable' })
  const { uid } = oneOf<{ uid: string }>('SELECT uid FROM scan')
  const facets: ImportRow['facets'] = {
    detectorType: safe('D'),
    findingType: safe('T'),
    category: safe(''),
    customDetectorKey: safe(''),
    severity: 'LOW',
    status: 'OPEN',
  }
  const told = Array.from({ length: 10 }, (_, number) => ({ key: `k${number}` }))
  const excerpt = 'x'.repeat(1_000_000)
  const times = { firstDetectedAt: START, lastDetectedAt: null, resolvedAt: null, undated: 0 }
  bench.store.write((writer) => {
    writer.prepare('DELETE FROM import_block').run()
    for (const turn of [0, 1]) {
      const rows = told.map((asset, fp) => ({ asset, facets, fp: fp + turn * 100, confidence: 1, ...times, excerpt }))
      const data = packBlock(safe(rows))
      addImportBlock(writer, uid, turn, { part: 0, group: turn, size: rows.length, data })
    }
  })
  const stop = new AbortController()
  const store = afterFirst(() => stop.abort())
  const owner = createOwner()
  const options = { store, owner, now: bench.context.now, signal: stop.signal, heartbeatMs: 1_000 }
  const lease = ScanLease.claim(uid, options)
  if (lease === undefined) throw new Error('the scan is not to be had')
  bench.clock.now -= 3_600_000
  await expect(applyStagedImport(lease, options)).rejects.toMatchObject({ code: 'unavailable' })
  owner.release()
  expect(oneOf('SELECT count(*) AS n FROM main.finding')).toEqual({ n: 10 })
  bench.queue.start(uid)
  await bench.queue.settled(uid)
  expect(await bench.run('get_scan', { id: uid })).toMatchObject({
    status: 'COMPLETED',
    progress: { discovered: 10, scanned: 10, findings: { new: 20, again: 0 } },
  })
}, 60_000)

it('stores a finding once that a file has several times, as the last line states it', async () => {
  const [ASSETS, FINDINGS] = [9, 300]
  const toLine = (asset: number, finding: number, severity: string, name: string) =>
    `{"asset":{"key":"k${asset}","name":"${name}"},"detectorType":"D","findingType":"T","severity":"${severity}","status":"RESOLVED","resolvedAt":"${toText(START + finding)}","firstDetectedAt":"${toText(START)}","fingerprint":"${finding}"}\n`
  const lines = Array.from({ length: ASSETS * FINDINGS }, (_, at) => {
    const [asset, finding] = [Math.floor(at / FINDINGS), at % FINDINGS]
    const repeated = finding % 10 === 0 ? toLine(asset, finding, 'HIGH', 'B') : ''
    const atOnce = finding % 10 === 5 ? toLine(asset, finding, 'HIGH', 'A') : ''
    return [toLine(asset, finding, 'LOW', 'A') + atOnce, repeated]
  })
  const text = lines.map(([line]) => line).join('') + lines.map(([, line]) => line).join('')
  const imported = importFindings(
    (async function* () {
      yield Buffer.from(text)
    })(),
    { source: 'scanner', format: 'ndjson' },
    bench.context,
  )
  const count = ASSETS * FINDINGS
  expect(await imported).toMatchObject({
    lines: count * 1.2,
    assets: ASSETS,
    findings: { new: count, again: count / 5, resolved: count },
  })
  expect(
    oneOf(`SELECT count(*) AS n, count(CASE WHEN c.severity = 4 THEN 1 END) AS high, count(DISTINCT f.id) AS ids, sum(f.resolved_at) - ${START * count} AS ends
           FROM finding f JOIN combo c ON c.id = f.combo_id`),
  ).toEqual({ n: count, high: count / 5, ids: count, ends: (ASSETS * FINDINGS * (FINDINGS - 1)) / 2 })
  expect(oneOf('SELECT count(*) AS n, max(seq) AS most FROM status_change')).toEqual({ n: count, most: 1 })
  expect(oneOf(`SELECT count(*) AS n, min(name) || max(name) AS names FROM asset`)).toEqual({ n: ASSETS, names: 'BB' })
  expect(oneOf('SELECT sum(n) AS n, sum(held) AS held FROM combo')).toEqual({ n: count, held: 0 })
})

it('completes an accepted import after a failure', async () => {
  const fail = () => {
    throw new Error('the disk is gone')
  }
  await expect(importOf(5, { store: afterFirst(fail, 'scan') })).rejects.toThrow('the disk is gone')
  const { uid } = oneOf<{ uid: string }>('SELECT uid FROM scan')
  bench.queue.start(uid)
  await bench.queue.settled(uid)
  expect(await bench.run('get_scan', { id: uid })).toMatchObject({
    status: 'COMPLETED',
    progress: { scanned: 5, findings: { new: 5 } },
  })
})

it.each(['all at once', 'by another process'])(
  'an import whose source is deleted meanwhile fails with a message: %s',
  async (how) => {
    let removed: Promise<unknown> | undefined
    const abandon = `UPDATE scan SET status = 'CANCELLED', token = token + 1, reason = 'source_deleted'`
    const remove = () => {
      if (how === 'all at once') removed = bench.run('delete_source', { id: 'scanner' })
      else bench.store.write((writer) => writer.prepare(abandon).run())
    }
    await expect(importOf(8_501, { store: afterFirst(remove) })).rejects.toMatchObject({
      code: 'conflict',
      facts: { reason: 'source_deleted' },
    })
    await removed
    expect(oneOf('SELECT count(*) AS n FROM import_file')).toEqual({ n: 0 })
  },
  60_000,
)

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findingOperations } from '../../src/findings/operations.ts'
import { importFindings } from '../../src/imports/imports.ts'
import type { ImportContext } from '../../src/imports/request.ts'
import { requestCancel } from '../../src/scans/scans.store.ts'
import type { Store } from '../../src/store/store.ts'
import { createTenant } from '../scans/fake-tenant.ts'
import { openWorkbench, type Workbench } from '../scans/workbench.ts'
import { sqliteOnly } from '../support/new-store.ts'
import { lockForLong } from '../support/write-lock.ts'

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
const staged = () =>
  oneOf(
    `SELECT ${['file', 'asset', 'facets', 'finding'].map((name) => `(SELECT count(*) FROM import_${name})`).join(' + ')} AS n`,
  )

/** The store of the bench, which does something once a file was accepted. */
function onceAccepted(act: () => void): Store {
  let acted = false
  return new Proxy(bench.store, {
    get: (target, name) => {
      const value = Reflect.get(target, name)
      if (name !== 'write') return typeof value === 'function' ? value.bind(target) : value
      return (...args: Parameters<typeof target.write>) => {
        const result = target.write(...args)
        if (!acted && target.read((reader) => reader.prepare('SELECT 1 FROM scan').get()) !== undefined) {
          acted = true
          act()
        }
        return result
      }
    },
  })
}

it('stores a large file', async () => {
  const COUNT = 50_500
  const RESOLVED = Math.ceil(COUNT / 3)
  expect(await importOf(COUNT)).toMatchObject({
    lines: COUNT,
    assets: 503,
    findings: { new: COUNT, again: 0, resolved: RESOLVED },
  })
  if (bench.store.files !== undefined)
    expect(bench.store.files.examine('full')).toMatchObject({ integrity: 'ok', foreignKeys: 0 })
  const sum = (of: (number: number) => number) => Array.from({ length: COUNT }, (_, n) => of(n)).reduce((a, b) => a + b)
  expect(
    oneOf(`SELECT count(*) AS n, count(DISTINCT fp) AS prints, count(DISTINCT id) AS ids,
             sum(first_detected_at - ${START}) AS times, sum(resolved_at - first_detected_at) AS open FROM finding`),
  ).toEqual({ n: COUNT, prints: COUNT, ids: COUNT, times: sum((n) => n * 1_000), open: RESOLVED * 60_000 })
  expect(oneOf('SELECT count(*) AS n, count(DISTINCT finding_id) AS ids FROM status_change')).toEqual({
    n: RESOLVED,
    ids: RESOLVED,
  })
  expect(oneOf('SELECT sum(n) AS n FROM combo')).toEqual({ n: COUNT })
  expect(staged()).toEqual({ n: 0 })
  expect(oneOf('SELECT sum(n) AS n FROM facet_log')).toEqual({ n: COUNT })
  expect(await importOf(COUNT)).toMatchObject({ findings: { new: 0, again: COUNT, resolved: 0 } })
  expect(oneOf('SELECT sum(n) AS n FROM facet_log')).toEqual({ n: COUNT })
}, 120_000)

it('a cancelled import leaves nothing behind', async () => {
  const cancel = () => {
    const { id } = oneOf<{ id: number }>('SELECT id FROM scan')
    bench.store.write((writer) => requestCancel(writer, id))
  }
  await expect(importOf(8_501, { store: onceAccepted(cancel) })).rejects.toMatchObject({
    code: 'conflict',
    facts: { reason: 'cancelled' },
  })
  expect(await bench.run('list_scans')).toMatchObject({
    items: [{ status: 'CANCELLED', progress: { findings: { new: 0 } } }],
  })
  expect(staged()).toEqual({ n: 0 })
  const tables = ['finding', 'asset', 'combo'].map((table) => `(SELECT count(*) FROM ${table})`)
  expect(oneOf(`SELECT ${tables.join(' + ')} AS n`)).toEqual({ n: 0 })
  expect(await importOf(100)).toMatchObject({ findings: { new: 100, again: 0 } })
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
  expect(oneOf('SELECT sum(n) AS n FROM combo')).toEqual({ n: count })
})

it('is finished once it is stored', async () => {
  let time = Date.now()
  await importOf(5, { now: () => ++time })
  const times = oneOf<{ stored: number; finished: number }>(
    'SELECT max(a.first_seen_at) AS stored, max(s.finished_at) AS finished FROM asset a CROSS JOIN scan s',
  )
  expect(times.finished).toBeGreaterThan(times.stored)
})

it('completes an accepted import after a failure', async () => {
  const fail = () => {
    throw new Error('the disk is gone')
  }
  await expect(importOf(5, { store: onceAccepted(fail) })).rejects.toThrow('the disk is gone')
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
    await expect(importOf(8_501, { store: onceAccepted(remove) })).rejects.toMatchObject({
      code: 'conflict',
      facts: { reason: 'source_deleted' },
    })
    await removed
    expect(oneOf('SELECT count(*) AS n FROM import_file')).toEqual({ n: 0 })
  },
  60_000,
)

describe('an import that meets one that takes longer than a write may wait', () => {
  const bring = (last: string) => {
    let locking: Promise<void> | undefined
    async function* stream() {
      for (const chunk of linesOf(3_000)) {
        yield chunk
        locking ??= lockForLong(bench.store.files?.file)
        await locking
      }
      yield Buffer.from(last)
    }
    return importFindings(stream(), { source: 'scanner', format: 'ndjson' }, bench.context)
  }
  beforeEach((test) => sqliteOnly('imports of two sources do not wait for each other on PostgreSQL', test))

  it('waits', async () => {
    expect(await bring('')).toMatchObject({ lines: 3_000, findings: { new: 3_000 } })
  }, 60_000)

  it('reports an invalid line, and leaves nothing behind', async () => {
    await expect(bring('{"no":1}')).rejects.toMatchObject({ facts: { reason: 'bad_line' } })
    expect(staged()).toEqual({ n: 0 })
  }, 60_000)
})

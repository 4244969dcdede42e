import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { findingOperations } from '../../src/findings/operations.ts'
import { internalText } from '../../src/kernel/safe-text.ts'
import { call } from '../../src/operation/operation.ts'
import type { Scan, ScanItem } from '../../src/scans/model.ts'
import { scanOperations } from '../../src/scans/operations.ts'
import { safe } from '../support/safe-text.ts'
import { createTenant, type FakeTenant } from './fake-tenant.ts'
import { createFake, openWorkbench, type Workbench } from './workbench.ts'

let tenant: FakeTenant
let bench: Workbench

beforeEach(async () => {
  tenant = createTenant({ ENG: 3 })
  bench = openWorkbench(tenant, { extra: findingOperations })
  await createFake(bench)
})
afterEach(() => bench.close())

const list = (input: Record<string, unknown> = {}) =>
  bench.run<{ items: ScanItem[]; nextCursor?: string }>('list_scans', input)

describe('start_scan', () => {
  it('reports an unknown source', async () => {
    await expect(bench.run('start_scan', { id: 'fak' })).rejects.toMatchObject({
      code: 'not_found',
      facts: { suggestions: [{ value: 'fake', kind: 'source' }] },
    })
  })
})

describe('get_scan', () => {
  it('waits for the end and reports progress', async () => {
    tenant.onPage = () => sleep(300)
    const { id } = await bench.run<Scan>('start_scan', { id: 'fake' })
    const told: string[] = []
    const operation = scanOperations.find(({ name }) => name === 'get_scan')
    if (operation === undefined) throw new Error('no get_scan')
    const context = { ...bench.context, progress: ({ message }: { message: string }) => told.push(message) }
    expect(await call(operation, { id, waitSeconds: 20 }, context)).toMatchObject({ status: 'COMPLETED' })
    expect(told[0]).toBe('0 of 0 listed assets read')
  })

  it('waits only for the next change when progress is requested', async () => {
    let read: () => void = () => {}
    const reading = new Promise<void>((resolve) => {
      read = resolve
    })
    tenant.onPage = () => reading
    const { id } = await bench.run<Scan>('start_scan', { id: 'fake' })
    let scan = await bench.run<Scan>('get_scan', { id, waitSeconds: 20, waitFor: 'progress' })
    while (scan.status === 'QUEUED')
      scan = await bench.run<Scan>('get_scan', { id, waitSeconds: 20, waitFor: 'progress' })
    expect(scan.status).toBe('RUNNING')
    read()
    while (scan.status === 'RUNNING') {
      scan = await bench.run<Scan>('get_scan', { id, waitSeconds: 20, waitFor: 'progress' })
    }
    expect(scan.status).toBe('COMPLETED')
  })

  it('answers at once without a wait, and when its caller disconnects', async () => {
    tenant.onPage = () => sleep(300)
    const { id } = await bench.run<Scan>('start_scan', { id: 'fake' })
    expect((await bench.run<Scan>('get_scan', { id })).status).not.toBe('COMPLETED')
    const operation = scanOperations.find(({ name }) => name === 'get_scan')
    if (operation === undefined) throw new Error('no get_scan')
    const started = performance.now()
    await call(operation, { id, waitSeconds: 60 }, { ...bench.context, signal: AbortSignal.timeout(50) })
    expect(performance.now() - started).toBeLessThan(10_000)
    await bench.queue.settled(id)
  })

  it('reports an unknown scan', async () => {
    await expect(bench.run('get_scan', { id: 'x' })).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('list_scans', () => {
  it('pages through the scans of a source, newest first', async () => {
    await bench.run('create_source', {
      name: 'other',
      config: { type: 'FAKE', required: { base_url: 'https://fake.example' }, masked: { token: 'another-token' } },
    })
    await bench.scan('other')
    const ids = [(await bench.scan()).id, (await bench.scan()).id, (await bench.scan()).id].reverse()
    const first = await list({ source: 'fake', limit: 2 })
    const rest = await list({ source: 'fake', limit: 2, cursor: first.nextCursor })
    expect([...first.items, ...rest.items].map(({ id }) => id)).toEqual(ids)
    expect(rest).not.toHaveProperty('nextCursor')
    expect((await list()).items).toHaveLength(4)
  })

  it('filters by status', async () => {
    await bench.scan()
    expect((await list({ status: 'COMPLETED' })).items).toHaveLength(1)
    expect((await list({ status: 'FAILED' })).items).toEqual([])
  })

  it('keeps only the newest scans', async () => {
    bench.store.write((writer) => {
      const insert = writer.prepare(
        `INSERT INTO scan (uid, source_id, status, trigger, requested_by, config_hash, detectors_hash, created_at)
         VALUES (?, 1, 'COMPLETED', 'MANUAL', 'x', '', '', 0)`,
      )
      for (let count = 0; count < 300; count++) insert.run(safe(`old-${count}`))
    })
    const { id } = await bench.scan()
    const { items } = await list({ limit: 500 })
    expect(items).toHaveLength(200)
    expect(items[0]?.id).toBe(id)
    expect(items[199]?.id).toBe('old-101')
  })
})

describe('cancel_scan', () => {
  it('refuses a finished scan, and accepts a cancelled one again', async () => {
    const { id } = await bench.scan()
    await expect(bench.run('cancel_scan', { id })).rejects.toMatchObject({ facts: { reason: 'scan_finished' } })
    tenant.onPage = () => new Promise(() => {})
    const second = await bench.run<Scan>('start_scan', { id: 'fake' })
    await bench.run('cancel_scan', { id: second.id })
    await bench.queue.settled(second.id)
    expect(await bench.run('cancel_scan', { id: second.id })).toMatchObject({ status: 'CANCELLED' })
  })
})

describe('get_stats', () => {
  it('counts the stored findings and assets', async () => {
    await bench.scan()
    expect(await bench.run('get_stats')).toMatchObject({
      sources: 1,
      assets: { active: 3, deleted: 0, byKind: [{ kind: 'wiki.page', count: 3 }] },
      findings: {
        total: 3,
        byStatus: expect.arrayContaining([{ status: 'OPEN', count: 3 }]),
        bySeverity: expect.arrayContaining([{ severity: 'LOW', count: 3, open: 3 }]),
        byDetectorType: [{ detectorType: 'WORDS', count: 3, open: 3 }],
      },
      lastScans: [{ source: 'fake', status: 'COMPLETED' }],
    })
  })

  it('counts every status in each breakdown, and open findings separately', async () => {
    await bench.scan()
    const { items } = await bench.run<{ items: { id: string }[] }>('search_findings', { limit: 1 })
    await bench.run('update_finding', { id: items[0]?.id, status: 'IGNORED', reason: 'known' })
    expect(await bench.run('get_stats')).toMatchObject({
      findings: {
        total: 3,
        bySeverity: expect.arrayContaining([{ severity: 'LOW', count: 3, open: 2 }]),
        byDetectorType: [{ detectorType: 'WORDS', count: 3, open: 2 }],
      },
    })
  })

  it('counts nothing before the first scan', async () => {
    expect(await bench.run('get_stats')).toMatchObject({
      assets: { active: 0, byKind: [] },
      findings: { total: 0, byDetectorType: [] },
      lastScans: [{ source: 'fake' }],
    })
  })
})

describe('triage_findings', () => {
  const triage = (input: Record<string, unknown>) =>
    bench.run<{ matched: number; changed: number }>('triage_findings', { status: 'IGNORED', reason: 'known', ...input })

  beforeEach(async () => {
    tenant.spaces[0]?.pages.push({ id: 'ENG-9', body: 'worse:leak here' })
    await bench.scan()
  })

  it('sets the status of all matching findings once, with the reason', async () => {
    const filters = { severities: ['LOW'] }
    expect(await triage({ filters, reason: 'samples' })).toMatchObject({
      matched: 3,
      changed: 3,
      items: Array(3).fill({ from: 'OPEN' }),
    })
    expect(await triage({ filters })).toEqual({ matched: 3, changed: 0, items: [] })
    expect(await triage({ filters: { severities: ['CRITICAL'] }, search: 'nowhere' })).toEqual({
      matched: 0,
      changed: 0,
      items: [],
    })
    const { items } = await bench.run<{ items: { id: string }[] }>('search_findings', { statuses: ['IGNORED'] })
    expect(items).toHaveLength(3)
    expect(await bench.run('get_finding', { id: items[0]?.id ?? '' })).toMatchObject({
      history: [{ by: 'ada', reason: 'samples' }],
    })
  })
})

it('a scan with times beyond the range of dates is shown with the others', async () => {
  const { id } = await bench.scan()
  for (const at of [8_640_000_000_000_001, -8_640_000_000_000_001]) {
    bench.store.write((writer) =>
      writer.prepare('UPDATE scan SET retry_at = ? WHERE uid = ?').run(at, internalText(id)),
    )
    const shown = expect.stringMatching(at > 0 ? /^9999-/ : /^-006060-/)
    expect((await list()).items).toMatchObject([{ id, retryAt: shown }])
    expect(await bench.run<Scan>('get_scan', { id })).toMatchObject({ id, retryAt: shown })
  }
})

it('a scan that lets others take its place is released with what it has stored, and completed later', async () => {
  tenant = createTenant({ ENG: 60 })
  const other = openWorkbench(tenant)
  await createFake(other)
  tenant.onPage = () => new Promise((resolve) => setTimeout(resolve, 2))
  const { id } = await other.run<Scan>('start_scan', { id: 'fake' })
  const find = () => other.run<Scan>('get_scan', { id })
  await vi.waitUntil(async () => (await find()).status === 'RUNNING', { interval: 1 })
  other.queue.yield(id)
  await other.queue.settled(id)
  const released = await find()
  expect(released.status).toBe('RUNNING')
  expect(released.progress.scanned).toBeGreaterThan(0)
  expect(released.progress.scanned).toBeLessThan(60)
  other.queue.start(id)
  await other.queue.settled(id)
  expect(await find()).toMatchObject({ status: 'COMPLETED', failures: [], progress: { scanned: 60 } })
  await other.close()
})

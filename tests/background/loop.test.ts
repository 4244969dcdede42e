import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Loop, runTick, startLoop } from '../../src/background/loop.ts'
import { silentLog } from '../../src/runtime/log.ts'
import type { Scan, ScanItem } from '../../src/scans/model.ts'
import { createTenant, type FakeTenant, refuse } from '../scans/fake-tenant.ts'
import { createFake, openWorkbench, type Workbench } from '../scans/workbench.ts'
import { safe } from '../support/safe-text.ts'

const HOUR = 3_600_000
let tenant: FakeTenant
let bench: Workbench
let loops: Loop[]

beforeEach(() => {
  tenant = createTenant({ ENG: 3 })
  bench = openWorkbench(tenant)
  loops = []
})
afterEach(async () => {
  for (const loop of loops) await loop.stop()
  await bench.close()
})

const options = () => ({
  store: bench.store,
  scans: bench.queue,
  log: silentLog,
  now: () => bench.clock.now,
  signal: new AbortController().signal,
})
const turn = () => runTick(options())
const scans = async () => (await bench.run<{ items: ScanItem[] }>('list_scans')).items
const settle = async () => {
  for (const { id } of await scans()) await bench.queue.settled(id)
}
const nextRunAt = async () => (await bench.run<{ nextRunAt?: string }>('get_source', { id: 'fake' })).nextRunAt

describe('a schedule', () => {
  beforeEach(async () => {
    await createFake(bench, { schedule: { enabled: true, preset: 'hourly' } })
  })

  it('starts one scan when it is due, and advances to the next time', async () => {
    bench.clock.now += HOUR
    turn()
    turn()
    await settle()
    turn()
    expect(await scans()).toMatchObject([{ status: 'COMPLETED', trigger: 'SCHEDULE', requestedBy: 'schedule' }])
    expect(await nextRunAt()).toBe('2026-01-05T14:00:00.000Z')
  })

  it('skips a run while another one is running', async () => {
    const { promise: held, resolve: go } = Promise.withResolvers<void>()
    tenant.onPage = () => held
    await bench.run('start_scan', { id: 'fake' })
    await expect.poll(async () => (await scans())[0]?.status).toBe('RUNNING')
    bench.clock.now += HOUR
    turn()
    expect(await scans()).toHaveLength(1)
    expect(await nextRunAt()).toBe('2026-01-05T14:00:00.000Z')
    delete tenant.onPage
    go()
    await settle()
  })

  it('starts no scan while it is disabled', async () => {
    await bench.run('update_source', { id: 'fake', config: { schedule: { enabled: false } } })
    bench.clock.now += 48 * HOUR
    turn()
    expect(await scans()).toEqual([])
  })
})

describe('a parked scan', () => {
  beforeEach(async () => {
    await createFake(bench)
    tenant.onPage = () => {
      throw refuse('retry_later', 3392)
    }
    await bench.scan()
  })

  it('has a resume time, and resumes then under the same id', async () => {
    const [parked] = await scans()
    expect(parked).toMatchObject({ status: 'PARTIAL', reason: 'retry_later', retryAt: '2026-01-05T12:56:32.000Z' })
    turn()
    expect(await scans()).toEqual([parked])
    delete tenant.onPage
    bench.clock.now += 3392_000
    turn()
    await settle()
    expect(await scans()).toMatchObject([{ id: parked?.id, status: 'COMPLETED', progress: { discovered: 3 } }])
    expect((await scans())[0]).not.toHaveProperty('retryAt')
  })

  it('is not resumed when a newer scan of the source exists', async () => {
    delete tenant.onPage
    await bench.scan()
    bench.clock.now += 3392_000
    turn()
    await settle()
    expect((await scans()).map(({ status }) => status)).toEqual(['COMPLETED', 'PARTIAL'])
  })
})

describe('an interrupted scan', () => {
  const interrupt = async (owner: string | null, heartbeatAt: number | null) => {
    await createFake(bench)
    tenant.onPage = (_space, index) => (index === 0 ? new Promise(() => {}) : undefined)
    const { id } = await bench.run<Scan>('start_scan', { id: 'fake' })
    await expect.poll(async () => (await scans())[0]?.status).toBe('RUNNING')
    bench.store.write((writer) =>
      writer.prepare('UPDATE scan SET token = token + 1, owner = ?, heartbeat_at = ?').run(safe(owner), heartbeatAt),
    )
    await bench.queue.settled(id)
    delete tenant.onPage
    return id
  }

  it.each<[string, () => string | null, number]>([
    ['no process runs it', () => null, 0],
    ['its process has ended', () => `${hostname()}/4194399/dead`, 0],
    ['an earlier process with the same id ran it', () => `${hostname()}/${process.pid}/earlier`, 0],
    ['its process on another machine sends no heartbeat', () => 'elsewhere/1/x', -60_000],
  ])('is resumed when %s', async (_name, owner, heartbeat) => {
    const id = await interrupt(owner(), bench.clock.now + heartbeat)
    turn()
    await bench.queue.settled(id)
    expect(await bench.run('get_scan', { id })).toMatchObject({ status: 'COMPLETED', progress: { discovered: 3 } })
  })

  it('is not resumed while another process runs it', async () => {
    const id = await interrupt('elsewhere/1/x', bench.clock.now)
    turn()
    await bench.queue.settled(id)
    expect(await bench.run('get_scan', { id })).toMatchObject({ status: 'RUNNING' })
  })

  it('is resumed when a scan of its source is requested', async () => {
    const id = await interrupt(null, null)
    expect(await bench.scan()).toMatchObject({ id, status: 'COMPLETED' })
  })

  it('starts over when the settings of the source have changed', async () => {
    const id = await interrupt(null, null)
    tenant.spaces.push(...createTenant({ OPS: 2 }).spaces)
    await bench.run('update_source', { id: 'fake', config: { optional: { spaces: ['OPS'] } } })
    turn()
    await bench.queue.settled(id)
    expect(await bench.run('get_scan', { id })).toMatchObject({
      status: 'COMPLETED',
      scopes: [{ key: 'OPS', discovered: 2 }],
    })
  })
})

describe('the lease', () => {
  const holder = () =>
    bench.store.read((reader) => reader.prepare('SELECT holder, token FROM lease').get()) as
      | { holder: string; token: number }
      | undefined
  const start = (more: { leaseMs?: number; now?: () => number } = {}) => {
    const loop = startLoop({ ...options(), tickMs: 10, ...more })
    loops.push(loop)
    return loop
  }

  it.each<[string, string, number]>([
    ['died', 'HOST/4194399/dead', 20_000],
    ['lets it expire', 'elsewhere/1/x', -1],
    ['sends no heartbeat and has a clock far ahead', 'elsewhere/1/x', 400 * 24 * HOUR],
    ['sends no heartbeat and has a clock far behind', 'elsewhere/1/x', -400 * 24 * HOUR],
  ])('is taken from a holder that %s', async (_name, name, expiresIn) => {
    const expiresAt = bench.clock.now + expiresIn
    bench.store.write((writer) =>
      writer
        .prepare("INSERT INTO lease VALUES ('loop', ?, 7, ?)")
        .run(safe(name.replace('HOST', hostname())), expiresAt),
    )
    start({ leaseMs: 100 })
    await expect.poll(() => holder()?.token).toBe(8)
  })

  it.each([0, 5 * 60_000, 24 * HOUR, -24 * HOUR])(
    'does not change hands where clocks differ by %d ms',
    async (differenceMs) => {
      const lease = { leaseMs: 300 }
      start(lease)
      await expect.poll(holder).toBeDefined()
      const first = holder()
      start({ ...lease, now: () => bench.clock.now + differenceMs })
      start({ ...lease, now: () => bench.clock.now - 2 * differenceMs })
      await sleep(800)
      expect(holder()).toEqual(first)
      bench.clock.now += differenceMs
      await sleep(500)
      expect(holder()).toEqual(first)
    },
  )

  it('prevents other processes from starting due scans while its holder is alive', async () => {
    await createFake(bench, { schedule: { enabled: true, preset: 'hourly' } })
    bench.clock.now += HOUR
    bench.store.write((writer) =>
      writer.prepare("INSERT INTO lease VALUES ('loop', 'elsewhere/1/x', 7, ?)").run(bench.clock.now + 20_000),
    )
    start()
    await sleep(100)
    expect(await scans()).toEqual([])
    bench.store.write((writer) => writer.prepare('DELETE FROM lease').run())
    await expect.poll(async () => (await scans()).length).toBe(1)
    await settle()
  })

  it('starts what only the time makes due, while nothing is written', async () => {
    await createFake(bench, { schedule: { enabled: true, preset: 'hourly' } })
    start()
    await expect.poll(holder).toBeDefined()
    await sleep(100)
    bench.clock.now += HOUR
    await expect.poll(async () => (await scans()).length).toBe(1)
    await settle()
  })

  it('is not taken from a holder that is alive', async () => {
    bench.store.write((writer) =>
      writer.prepare("INSERT INTO lease VALUES ('loop', 'elsewhere/1/x', 7, ?)").run(bench.clock.now + 20_000),
    )
    start()
    await sleep(60)
    expect(holder()).toEqual({ holder: 'elsewhere/1/x', token: 7 })
  })
})

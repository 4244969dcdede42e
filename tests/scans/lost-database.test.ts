import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { AppError } from '../../src/kernel/errors.ts'
import type { Scan, ScanItem } from '../../src/scans/model.ts'
import { isLong } from '../support/long.ts'
import { createTenant } from './fake-tenant.ts'
import { createFake, openWorkbench, type Workbench } from './workbench.ts'

const benches: Workbench[] = []
const open = async () => {
  const bench = openWorkbench(createTenant({ ENG: 30, OPS: 10 }))
  benches.push(bench)
  await createFake(bench)
  return bench
}
afterEach(async () => {
  vi.restoreAllMocks()
  for (const bench of benches.splice(0)) await bench.close()
})

/** Lets calls of the database fail, counted from now on. Returns the number of calls so far. */
function loseDatabase({ store }: Workbench, isLost: (call: number) => boolean): () => number {
  let calls = 0
  for (const name of ['read', 'write', 'openSnapshot'] as const) {
    const call = store[name].bind(store) as (...given: unknown[]) => unknown
    vi.spyOn(store, name).mockImplementation(((...given: unknown[]) => {
      if (!isLost(++calls)) return call(...given)
      throw new AppError('unavailable', 'The database cannot be reached.', { reason: 'database_unreachable' })
    }) as never)
  }
  return () => calls
}

describe('a scan that loses the database', () => {
  it.each([
    ['for one call', 1, isLong ? 1 : 5],
    ['for longer than it runs', Number.POSITIVE_INFINITY, isLong ? 1 : 7],
  ])(
    '%s is resumed, wherever that happens, with the same result',
    async (_, lostCalls, every) => {
      const calm = await open()
      const count = loseDatabase(calm, () => false)
      expect(await calm.scan()).toMatchObject({ status: 'COMPLETED' })
      const [calls, expected] = [count(), calm.snapshot()]
      expect(calls).toBeGreaterThan(30)
      let interrupted = 0
      // The first calls queue the scan and claim it.
      for (let first = 8; first < calls; first += every) {
        vi.restoreAllMocks()
        const bench = await open()
        const { id } = await bench.run<Scan>('start_scan', { id: 'fake' })
        loseDatabase(bench, (call) => call >= first && call < first + lostCalls)
        await bench.queue.settled(id)
        vi.restoreAllMocks()
        const now = () => bench.run<Scan>('get_scan', { id })
        if ((await now()).status === 'RUNNING') {
          interrupted++
          const heartbeat = () =>
            bench.store.read((reader) => reader.prepare('SELECT heartbeat_at FROM scan').pluck().get())
          // A lease without a heartbeat for so long is lost; the heart of a scan that has ended must not beat.
          bench.store.write((writer) => writer.prepare('UPDATE scan SET heartbeat_at = heartbeat_at - 40000').run())
          const before = heartbeat()
          bench.clock.now += 1_000
          await sleep(50)
          expect(heartbeat()).toBe(before)
          bench.turn()
          await bench.queue.settled(id)
        }
        const { items } = await bench.run<{ items: ScanItem[] }>('list_scans')
        expect([first, items]).toMatchObject([first, [{ id, status: 'COMPLETED' }]])
        expect([first, bench.snapshot()]).toEqual([first, expected])
        await benches.pop()?.close()
      }
      expect(interrupted).toBeGreaterThan(3)
    },
    // On a server, each of many scans takes thousands of round trips.
    600_000,
  )
})

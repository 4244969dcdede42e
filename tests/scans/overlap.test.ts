import { afterEach, beforeEach, expect, it } from 'vitest'
import { call } from '../../src/operation/operation.ts'
import type { Scan, ScanItem } from '../../src/scans/model.ts'
import { scanOperations } from '../../src/scans/operations.ts'
import { createTenant, type FakeTenant } from './fake-tenant.ts'
import { createFake, openWorkbench, type Workbench } from './workbench.ts'

let tenant: FakeTenant
let bench: Workbench
let other: Workbench

beforeEach(async () => {
  tenant = createTenant({ ENG: 3 })
  bench = openWorkbench(tenant)
  other = openWorkbench(tenant, { beside: bench })
  await createFake(bench, { schedule: { enabled: true, preset: 'hourly' } })
})
afterEach(async () => {
  await other.close()
  await bench.close()
})

const start = scanOperations.find(({ name }) => name === 'start_scan')

async function trigger(place: Workbench, via: 'http' | 'mcp' | 'cli'): Promise<Scan> {
  if (start === undefined) throw new Error('start_scan is missing')
  const context = { ...place.context, caller: { ...place.context.caller, via } }
  return (await call(start, { id: 'fake' }, context)) as Scan
}

it('fifty triggers through every interface start one scan, and the others return its id', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  tenant.onPage = () => held
  for (const place of [bench, other]) place.clock.now += 2 * 3_600_000
  const doors = ['http', 'mcp', 'cli'] as const
  const triggers = Array.from({ length: 50 }, async (_, index) => {
    const place = index % 2 === 0 ? bench : other
    if (index % 10 === 5) return place.turn()
    return trigger(place, doors[index % 3] ?? 'cli')
  })
  const results = await Promise.allSettled(triggers)
  for (const place of [bench, other]) place.turn()
  const { items } = await bench.run<{ items: ScanItem[] }>('list_scans')
  expect(items).toHaveLength(1)
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  const started = results.flatMap((result) => (result.status === 'fulfilled' && result.value ? [result.value.id] : []))
  expect(refused.length + started.length).toBe(45)
  expect(started.length).toBeLessThanOrEqual(1)
  for (const error of refused) {
    expect(error).toMatchObject({
      code: 'conflict',
      facts: { reason: 'scan_running', facts: { id: items[0]?.id } },
    })
  }
  release()
  for (const place of [bench, other]) await place.queue.settled(items[0]?.id ?? '')
  expect(await bench.run('get_scan', { id: items[0]?.id })).toMatchObject({
    status: 'COMPLETED',
    progress: { discovered: 3, scanned: 3 },
  })
  expect(tenant.fetched).toHaveLength(3)
})

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ScanItem } from '../../src/scans/model.ts'
import { createTenant } from './fake-tenant.ts'
import { createFake, openWorkbench, type Workbench } from './workbench.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
let bench: Workbench

beforeEach(async () => {
  bench = openWorkbench(createTenant({ ENG: 1 }))
  await createFake(bench, { schedule: { enabled: true, preset: 'hourly' } })
})
afterEach(() => bench.close())

const scans = async () => (await bench.run<{ items: ScanItem[] }>('list_scans', { limit: 500 })).items
const nextRunAt = async () =>
  Date.parse((await bench.run<{ nextRunAt: string }>('get_source', { id: 'fake' })).nextRunAt)

const listUnfinished = () =>
  bench.store.read((reader) =>
    reader.prepare("SELECT uid FROM scan WHERE status <> 'COMPLETED'").pluck().all(),
  ) as string[]

/** Lets minutes pass in every process, one turn each; returns when scans were started. */
async function pass(minutes: number, places: readonly Workbench[] = [bench]): Promise<number[]> {
  const before = new Set((await scans()).map(({ id }) => id))
  for (let minute = 0; minute < minutes; minute++) {
    for (const place of places) {
      place.clock.now += MINUTE
      place.turn()
    }
    for (const id of listUnfinished()) {
      await Promise.all(places.map((place) => place.queue.settled(id)))
    }
  }
  const started = (await scans()).filter(({ id }) => !before.has(id))
  return started.map(({ createdAt }) => Date.parse(createdAt)).reverse()
}

const lateness = (runs: readonly number[]) => runs.map((run) => run % HOUR).filter((late) => late > MINUTE)
const hoursOf = (runs: readonly number[]) => runs.map((run) => Math.floor(run / HOUR))

describe('a clock', () => {
  it.each<[string, number]>([
    ['an hour ahead', HOUR],
    ['a day ahead', DAY],
    ['a year ahead', 365 * DAY],
    ['an hour back', -HOUR],
    ['a day back', -DAY],
    ['ten years back', -3652 * DAY],
  ])('that jumps %s repeats no run, delays at most one, and the schedule continues', async (_name, jumpMs) => {
    const before = await pass(90)
    expect(before).toHaveLength(1)
    bench.clock.now += jumpMs
    const after = await pass(180)
    expect(lateness(after).length).toBeLessThanOrEqual(1)
    const hours = hoursOf([...before, ...after])
    expect(new Set(hours).size).toBe(hours.length)
    // Where the clock went back a little, the runs that it passes again have been.
    if (jumpMs > 0 || jumpMs < -2 * DAY) expect(after.length).toBeGreaterThanOrEqual(3)
    const next = await nextRunAt()
    expect(next - bench.clock.now).toBeLessThanOrEqual(Math.max(HOUR, -jumpMs < 2 * DAY ? -jumpMs + HOUR : 0))
    if (next - bench.clock.now <= HOUR) expect(await pass(61)).toHaveLength(1)
  })

  it('that jumps a year ahead and back again continues at once', async () => {
    await pass(90)
    bench.clock.now += 365 * DAY
    expect(await pass(2)).toHaveLength(1)
    bench.clock.now -= 365 * DAY
    bench.turn()
    expect((await nextRunAt()) - bench.clock.now).toBeLessThanOrEqual(HOUR)
  })

  it('that stops starts no run early and loses none', async () => {
    await pass(30)
    for (let times = 0; times < 200; times++) bench.turn()
    expect(await scans()).toEqual([])
    expect(await pass(60)).toHaveLength(1)
  })

  it('that differs by five minutes between processes repeats no run', async () => {
    const other = openWorkbench(createTenant({ ENG: 1 }), { beside: bench })
    other.clock.now += 5 * MINUTE
    try {
      const runs = await pass(200, [bench, other])
      expect(runs).toHaveLength(3)
      expect(new Set(hoursOf(runs)).size).toBe(3)
    } finally {
      await other.close()
    }
  })
})

describe('runs that were missed', () => {
  it.each<[string, number]>([
    ['5 minutes', 5 * MINUTE],
    ['3 days', 3 * DAY],
    ['400 days', 400 * DAY],
  ])('are made up for by one run after %s', async (_name, offMs) => {
    await pass(55)
    bench.clock.now += 5 * MINUTE + offMs
    for (let times = 0; times < 5; times++) bench.turn()
    const [first] = await scans()
    await bench.queue.settled(first?.id ?? '')
    for (let times = 0; times < 5; times++) bench.turn()
    expect(await scans()).toMatchObject([{ trigger: 'SCHEDULE', status: 'COMPLETED' }])
    const next = await nextRunAt()
    expect(next).toBeGreaterThan(bench.clock.now)
    expect(next - bench.clock.now).toBeLessThanOrEqual(HOUR)
  })
})

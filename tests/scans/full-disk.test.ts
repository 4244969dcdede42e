import { afterEach, expect, it } from 'vitest'
import type { Scan, ScanItem } from '../../src/scans/model.ts'
import { filesOf, sqliteOnly } from '../support/new-store.ts'
import { createTenant } from './fake-tenant.ts'
import { createFake, openWorkbench, type Workbench } from './workbench.ts'

const benches: Workbench[] = []
const open = async () => {
  const tenant = createTenant({ ENG: 60, OPS: 30 })
  for (const { pages } of tenant.spaces) for (const page of pages) page.body += ` ${'word:filler'.repeat(40)}`
  const bench = openWorkbench(tenant)
  benches.push(bench)
  await createFake(bench)
  return bench
}
afterEach(async () => {
  for (const bench of benches.splice(0)) await bench.close()
})

it('a scan that fails on a full disk at any write resumes when there is space and ends with the same result', async (test) => {
  sqliteOnly('it limits the pages of the file', test)
  const calm = await open()
  expect(await calm.scan()).toMatchObject({ status: 'COMPLETED' })
  const bench = await open()
  const setMost = (pages: number) =>
    bench.store.write((writer) => writer.prepare(`PRAGMA max_page_count = ${pages}`).get())
  const countPages = () => bench.store.read((reader) => reader.prepare('PRAGMA page_count').pluck().get()) as number
  const id = (await bench.run<Scan>('start_scan', { id: 'fake' })).id
  let most = countPages() + 1
  setMost(most)
  await bench.queue.settled(id)
  let faults = 0
  for (let turn = 0; turn < 200; turn++) {
    const scan = await bench.run<Scan>('get_scan', { id })
    if (scan.status === 'COMPLETED') break
    faults++
    if (scan.status !== 'RUNNING') expect(scan).toMatchObject({ status: 'PARTIAL', reason: 'storage_full' })
    expect(scan.progress.findings.resolved).toBe(0)
    expect(filesOf(bench.store).examine()).toMatchObject({ integrity: 'ok', foreignKeys: 0 })
    setMost(++most)
    bench.clock.now += 60_000
    bench.turn()
    await bench.queue.settled(id)
  }
  expect(faults).toBeGreaterThan(3)
  const { items } = await bench.run<{ items: ScanItem[] }>('list_scans')
  expect(items).toMatchObject([{ id, status: 'COMPLETED' }])
  expect(bench.snapshot()).toEqual(calm.snapshot())
}, 120_000)

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { BiTenant, SampleReport } from '../../../src/sample/bi/tenant.ts'
import { sampleSourceConfigs } from '../../../src/sample/tenants.ts'
import type { Scan } from '../../../src/scans/model.ts'
import { deleteReport, editReport } from '../../sample/edits.ts'
import { onPath } from '../../sample/fault.ts'
import { generatedBi } from '../../sample/generated-bi.ts'
import { type SampleBi, type SampleBiOptions, startSampleBi } from '../../sample/servers.ts'
import { openSectionedBench } from '../../scans/sectioned.ts'
import type { Workbench } from '../../scans/workbench.ts'
import { isLong } from '../../support/long.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const [WORKSPACES, REPORTS, DATASETS] = isLong ? [8, 59, 29] : [3, 15, 7]

let bench: Workbench
let server: SampleBi
let tenant: BiTenant

let home: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'assay-revisit-'))
  bench = openSectionedBench(home)
})
afterEach(async () => {
  await bench.close()
  await server.close()
  rmSync(home, { recursive: true, force: true })
})

const ways: { way: string; server: SampleBiOptions }[] = [
  { way: 'by the list of changed workspaces', server: { adminApi: true } },
  { way: 'by times in the lists', server: { listTimes: true } },
]

async function start(options: SampleBiOptions, config: object = {}) {
  const now = () => bench.clock.now
  tenant = generatedBi({
    workspaces: WORKSPACES,
    reports: REPORTS,
    datasets: DATASETS,
    editedAt: now() - 30 * DAY_MS,
    now,
  })
  server = await startSampleBi({ tenant, now, scanPolls: 0, ...options })
  const urls = { wikiUrl: server.url, biUrl: server.url, authorityUrl: server.authorityUrl }
  const sample = sampleSourceConfigs(urls).bi.config
  const required = { ...(sample.required as object), tenant_id: server.credentials.tenantId }
  await bench.run('create_source', {
    name: 'fake',
    config: { ...sample, ...config, required, detectors: [{ type: 'WORDS' }] },
  })
}

async function scan(status = 'COMPLETED'): Promise<{ scan: Scan; requests: number }> {
  const before = server.requests.length
  const done = await bench.scan()
  expect(done).toMatchObject({ status })
  return { scan: done, requests: server.requests.length - before }
}

const later = (ms: number) => {
  bench.clock.now += ms
}

const reportAt = (index: number): SampleReport => {
  const report = [...tenant.workspaces.values()].flatMap(({ reports }) => reports)[index]
  if (report === undefined) throw new Error(`no report ${index}`)
  return report
}

/** Words that stand open, and those that are resolved. */
function listWords(): { open: string[]; resolved: string[] } {
  const rows = bench.snapshot() as { excerpt: string | null; status: number; fp: number | null; key: string }[]
  const of = (wanted: number) =>
    rows.filter(({ fp, status }) => fp !== null && status === wanted).map(({ key }) => key.split(':')[2] ?? '')
  return { open: of(0).sort(), resolved: of(1).sort() }
}

/** Edits every item without a modification time. */
function editSilently(): void {
  for (const { reports, datasets } of tenant.workspaces.values()) {
    for (const report of reports) report.pages = ['word:silent']
    for (const dataset of datasets)
      dataset.parameters = [{ name: 'word:silent', type: 'Text', currentValue: 'x', isRequired: true }]
  }
}

/** The findings that are open after each day of a week. */
async function countDaily(): Promise<number[]> {
  const found: number[] = []
  for (let day = 0; day < 7; day++) {
    later(DAY_MS)
    await scan()
    found.push(listWords().open.length)
  }
  return found
}

describe.each(ways)('a second scan, $way', (way) => {
  /** What does not depend on how changes are found out. */
  const forOneWay = it.runIf(isLong || way === ways[0])

  it('sends at most a third of the requests for an unchanged tenant, and keeps its findings', async () => {
    await start(way.server)
    editReport(tenant, reportAt(3).id, { pages: ['word:kept'] })
    later(2 * HOUR_MS)
    const first = await scan()
    later(2 * HOUR_MS)
    const second = await scan()
    expect(second.requests * 3).toBeLessThanOrEqual(first.requests)
    expect(second.scan.warnings).toEqual([])
    expect(second.scan.progress).toMatchObject({ discovered: first.scan.progress.discovered, scanned: 0 })
    expect(listWords()).toEqual({ open: ['report'], resolved: [] })
  })

  it('reads every item with a newer modification time, and nothing else', async () => {
    await start(way.server)
    const first = await scan()
    const gaps = [10 * 60_000, DAY_MS, 2 * HOUR_MS].slice(0, isLong ? 3 : 2)
    for (const [step, gap] of gaps.entries()) {
      later(gap)
      const report = reportAt(step * 7)
      const dataset = [...tenant.workspaces.values()][step]?.datasets[0]
      if (dataset === undefined) throw new Error('no dataset')
      editReport(tenant, report.id, { pages: [`word:page${step}`] })
      dataset.parameters = [{ name: 'P', type: 'Text', currentValue: `word:value${step}`, isRequired: true }]
      dataset.modifiedAt = bench.clock.now
      tenant.touch([...tenant.workspaces.values()][step] as never)
      const { requests } = await scan()
      expect(listWords().open).toHaveLength(2 * (step + 1))
      expect(requests).toBeLessThan(first.requests)
    }
    later(2 * HOUR_MS)
    editReport(tenant, reportAt(0).id, { pages: ['plain'] })
    await scan()
    expect(listWords()).toMatchObject({ resolved: ['report'] })
  })

  forOneWay('finds an edit without a modification time within a week', async () => {
    await start(way.server)
    await scan()
    editSilently()
    const found = await countDaily()
    expect(found[6]).toBe(REPORTS + DATASETS)
    expect(found[0]).toBeLessThan(REPORTS)
    expect(new Set(found).size).toBeGreaterThan(2)
  })

  forOneWay('resolves findings in deleted items when nothing else has changed', async () => {
    await start(way.server)
    editReport(tenant, reportAt(5).id, { pages: ['word:gone'] })
    await scan()
    later(2 * HOUR_MS)
    deleteReport(tenant, reportAt(5).id)
    await scan()
    expect(listWords().resolved).toEqual([])
    later(5 * HOUR_MS)
    await scan()
    expect(listWords().resolved).toEqual(['report'])
  })

  forOneWay('reads everything after a change of settings', async () => {
    await start(way.server)
    const first = await scan()
    later(2 * HOUR_MS)
    const { config } = await bench.run<{ config: Record<string, unknown> }>('get_source', { id: 'fake' })
    const optional = config.optional as { extraction: object }
    const extraction = { ...optional.extraction, extract_datasets_to_containers: true }
    await bench.run('update_source', { id: 'fake', config: { ...config, optional: { ...optional, extraction } } })
    const second = await scan()
    expect(second.requests).toBeGreaterThanOrEqual(first.requests - 2)
    later(2 * HOUR_MS)
    const third = await scan()
    expect(third.requests * 3).toBeLessThanOrEqual(first.requests)
    expect(third.scan.progress.discovered).toBe(second.scan.progress.discovered)
  })

  forOneWay(
    'has the same result as an undisturbed scan when it is interrupted after any number of requests',
    async () => {
      await start(way.server)
      await scan()
      const reports = [2, 3, 4, 5].map(reportAt)
      for (const [round, after] of (isLong ? [1, 4, 9, 14] : [1, 9]).entries()) {
        later(2 * HOUR_MS)
        for (const report of reports) editReport(tenant, report.id, { pages: [`word:round${round}`] })
        const { id } = await bench.run<Scan>('start_scan', { id: 'fake' })
        await new Promise<void>((resolve) => {
          let left = after
          const match = () => {
            if (--left === 0) resolve()
            return false
          }
          server.faults.push({ match, respond: 'reset' })
          void bench.queue.settled(id).then(() => resolve())
        })
        await bench.close()
        server.faults.splice(0)
        const { now } = bench.clock
        bench = openSectionedBench(home)
        bench.clock.now = now
        bench.turn()
        await bench.queue.settled(id)
        expect(await bench.run('get_scan', { id })).toMatchObject({ status: 'COMPLETED' })
        expect(listWords().open).toEqual(reports.map(() => 'report'))
        expect(listWords().resolved).toHaveLength(4 * round)
      }
    },
  )
})

describe('permissions that are lost and restored', () => {
  it('keep findings that only administrators can see, and report edits made meanwhile', async () => {
    await start({ adminApi: true })
    const [dataset] = tenant.getWorkspace('Workspace 2').datasets
    const [table] = dataset?.tables ?? []
    if (table === undefined) throw new Error('no table')
    table.source = 'let Key = "word:key" in Key'
    const first = await scan()
    server.faults.push({ match: onPath(/\/admin\//), respond: { status: 403 } })
    later(2 * HOUR_MS)
    editReport(tenant, reportAt(9).id, { pages: ['word:meanwhile'] })
    await scan('PARTIAL')
    expect(listWords()).toEqual({ open: ['dataset', 'report'], resolved: [] })
    later(2 * HOUR_MS)
    table.source = 'let Key = "plain" in Key'
    tenant.touch(tenant.getWorkspace('Workspace 2'))
    await scan('PARTIAL')
    expect(listWords()).toEqual({ open: ['dataset', 'report'], resolved: [] })
    server.faults.splice(0)
    later(5 * HOUR_MS)
    await scan()
    expect(listWords()).toEqual({ open: ['report'], resolved: ['dataset'] })
    later(2 * HOUR_MS)
    expect((await scan()).requests * 3).toBeLessThanOrEqual(first.requests)
  })

  it('are noticed although the modification time of the item is unchanged', async () => {
    await start({ listTimes: true })
    const { id } = reportAt(9)
    editReport(tenant, id, { pages: ['word:before'] })
    await scan()
    later(HOUR_MS)
    editReport(tenant, id, { pages: ['word:after'] })
    server.faults.push({ match: onPath(/\/pages$/), respond: { status: 403 } })
    await scan('PARTIAL')
    expect(listWords()).toEqual({ open: ['report'], resolved: [] })
    later(HOUR_MS)
    await scan('PARTIAL')
    server.faults.splice(0)
    later(HOUR_MS)
    await scan()
    expect(listWords()).toEqual({ open: ['report'], resolved: ['report'] })
  })
})

describe('a second scan where the lists contain no modification times', () => {
  const listScanned = () =>
    bench.store.read((reader) =>
      reader
        .prepare('SELECT DISTINCT last_scanned_at AS at FROM asset WHERE last_scanned_at IS NOT NULL')
        .pluck()
        .all(),
    )

  it('sends at most a third of the requests for an unchanged tenant, and reports what it did not read', async () => {
    await start({})
    const first = await scan()
    const [readAt] = listScanned()
    later(2 * HOUR_MS)
    const second = await scan()
    expect(second.requests * 3).toBeLessThanOrEqual(first.requests)
    expect(new Set(second.scan.warnings.map(({ code }) => code))).toEqual(new Set(['read_weekly']))
    expect(second.scan.progress).toMatchObject({ discovered: first.scan.progress.discovered })
    expect(listScanned()).toContain(readAt)
  })

  it('finds an edit within a week, and a new name in the next scan', async () => {
    await start({})
    await scan()
    editSilently()
    reportAt(3).name = 'word:named'
    const found = await countDaily()
    expect(found[0]).toBeGreaterThan(0)
    expect(found[0]).toBeLessThan(REPORTS)
    expect(found[6]).toBe(REPORTS + DATASETS + 1)
  })

  it('finds every edit in a full scan', async () => {
    await start({})
    await scan()
    editSilently()
    later(2 * HOUR_MS)
    await scan()
    expect(listWords().open).toEqual([])
    const { id } = await bench.run<Scan>('start_scan', { id: 'fake', full: true })
    await bench.queue.settled(id)
    expect(await bench.run<Scan>('get_scan', { id })).toMatchObject({ status: 'COMPLETED', warnings: [] })
    expect(listWords().open).toHaveLength(REPORTS + DATASETS)
  })
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import type { Scan } from '../../src/scans/model.ts'
import { guid, payloadFor, type Routes, refuse, startFakeBi } from '../connectors/bi/fake.ts'
import { openPlatformBench } from './platform.ts'

const [workspace, dataset] = [guid('a', 1), guid('d', 1)]

it.each([
  ['polled by the scan that resumes', false, 1],
  ['started again when its result is no longer available', true, 2],
])(
  'a metadata scan that was started before an interruption is %s',
  async (_name, isLost, started) => {
    const home = mkdtempSync(join(tmpdir(), 'assay-metadata-'))
    let isReady = false
    let scans = 0
    const tables = [{ name: 'Orders', columns: [{ name: 'Amount', dataType: 'Int64' }], measures: [] }]
    const routes: Routes = {
      'GET /groups': [{ id: workspace, name: 'Finance' }],
      'GET /groups/*/datasets': [{ id: dataset, name: 'Sales' }],
      'GET /groups/*/reports': [],
      'GET /groups/*/dashboards': [],
      'GET /groups/*/datasets/*/datasources': [],
      'GET /groups/*/datasets/*/parameters': [],
      'GET /groups/*/datasets/upstreamDataflows': [],
      'POST /admin/workspaces/getInfo': () => ({ id: `scan-${++scans}`, status: 'NotStarted' }),
      'GET /admin/workspaces/scanStatus/scan-1': () => {
        if (!isReady) return { status: 'Running' }
        return isLost ? refuse(404) : { status: 'Succeeded' }
      },
      'GET /admin/workspaces/scanStatus/*': { status: 'Succeeded' },
      'GET /admin/workspaces/scanResult/*': {
        workspaces: [{ id: workspace, name: 'Finance', datasets: [{ id: dataset, name: 'Sales', tables }] }],
      },
      'POST /groups/*/datasets/*/executeQueries': refuse(404),
    }
    const fake = await startFakeBi(routes)
    const first = openPlatformBench(home)
    await first.run('create_source', { name: 'fake', config: { ...payloadFor(fake), detectors: [{ type: 'WORDS' }] } })
    const { id } = await first.run<Scan>('start_scan', { id: 'fake' })
    const isAsked = () => fake.paths().some((path) => path.includes('scanStatus'))
    for (let waited = 0; !isAsked() && waited < 60_000; waited += 20) await sleep(20)
    await first.close()

    isReady = true
    const second = openPlatformBench(home)
    onTestFinished(async () => {
      await second.close()
      rmSync(home, { recursive: true, force: true })
    })
    expect(await second.scan()).toMatchObject({ id, status: 'COMPLETED', failures: [] })
    expect(scans).toBe(started)
    const row = second.store.read((reader) =>
      reader
        .prepare("SELECT json_extract(facts, '$.schemaStatus') AS status FROM asset WHERE key LIKE ?")
        .get(`%:dataset:${dataset}`),
    )
    expect(row).toEqual({ status: 'available' })
    await second.scan()
    expect(scans).toBe(started + 1)
  },
  120_000,
)

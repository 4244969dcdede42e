import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sampleSourceConfigs } from '../../src/sample/tenants.ts'
import { type SampleBi, startSampleBi } from '../sample/servers.ts'
import { plantedBi } from './planted.ts'
import { openSectionedBench } from './sectioned.ts'
import type { Workbench } from './workbench.ts'

let bench: Workbench
let server: SampleBi
beforeEach(async () => {
  bench = openSectionedBench()
  server = await startSampleBi({ tenant: plantedBi().tenant, scanPolls: 0, adminApi: true })
  const urls = { wikiUrl: server.url, biUrl: server.url, authorityUrl: server.authorityUrl }
  const { config } = sampleSourceConfigs(urls).bi
  const required = { ...(config.required as object), tenant_id: server.credentials.tenantId }
  await bench.run('create_source', { name: 'fake', config: { ...config, required, detectors: [{ type: 'WORDS' }] } })
})
afterEach(async () => {
  await bench.close()
  await server.close()
})

interface Row {
  kind: string
  name: string
  container: string
  dataset: string
  parent: string
  /** Container of the asset that contains a table. */
  around: string | null
  of: string | null
}

const setContainers = (isOn: boolean) =>
  bench.run('update_source', {
    id: 'fake',
    config: { optional: { extraction: { extract_datasets_to_containers: isOn } } },
  })
const listRows = () =>
  bench.store.read((reader) =>
    reader
      .prepare(
        `SELECT kind.text AS kind, a.name, container.text AS container, dataset.text AS dataset, parent.text AS parent,
           (SELECT w.text FROM asset d JOIN word w ON w.id = d.container_id
            JOIN asset_link l ON l.asset_id = d.id AND l.type = 'contains' AND l.target_key = a.key
            JOIN word k ON k.id = d.kind_id AND k.text = 'bi.dataset') AS around,
           (SELECT d.name FROM asset d
            JOIN asset_link l ON l.asset_id = d.id AND l.type = 'contains' AND l.target_key = a.key
            JOIN word k ON k.id = d.kind_id AND k.text = 'bi.dataset') AS "of"
         FROM asset a JOIN word kind ON kind.id = a.kind_id JOIN word container ON container.id = a.container_id
         JOIN word dataset ON dataset.id = a.dataset_id JOIN word parent ON parent.id = a.parent_container_id
         WHERE a.status = 'ACTIVE' ORDER BY a.key`,
      )
      .all(),
  ) as Row[]
const of = (kind: string) => listRows().filter((row) => row.kind === kind)

function expectContainers() {
  const [tables, datasets] = [of('bi.table'), of('bi.dataset')]
  expect(tables.length).toBeGreaterThan(5)
  for (const table of tables) {
    expect([table.container, table.dataset, table.parent], table.name).toEqual([table.of, table.of, table.around])
  }
  expect(datasets.map(({ dataset }) => dataset)).toEqual(datasets.map(({ name }) => name))
  expect(new Set(datasets.map(({ container }) => container)).size).toBeGreaterThan(1)
  for (const { dataset, parent } of of('bi.report')) expect([dataset, parent]).toEqual(['', ''])
}

describe('extract_datasets_to_containers: dataset metadata for grouping by containers', () => {
  it('rewrites the containers of all items at the next scan when it is switched', async () => {
    await bench.scan()
    await setContainers(true)
    await bench.scan()
    expectContainers()
    await setContainers(false)
    await bench.scan()
    expect(of('bi.table')).toEqual([])
    expect(new Set(of('bi.dataset').map(({ dataset }) => dataset))).toEqual(new Set(['']))
  })

  it('gives unchanged items of an earlier version their containers at the next scan', async () => {
    await setContainers(true)
    await bench.scan()
    bench.store.write((writer) => {
      writer.prepare('UPDATE asset SET container_id = parent_container_id WHERE parent_container_id <> ?').run(0)
      writer.prepare('UPDATE asset SET dataset_id = ?, parent_container_id = ?').run(0, 0)
      writer.prepare('DELETE FROM reading').run()
    })
    const { progress } = await bench.scan()
    expect(progress.scanned).toBe(0)
    expectContainers()
  })
})

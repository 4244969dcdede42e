import { afterEach, describe, expect, it } from 'vitest'
import { onPath } from '../sample/fault.ts'
import type { SampleBi } from '../sample/servers.ts'
import { isLong } from '../support/long.ts'
import { PAST_REREAD_MS } from './compared.ts'
import { codesOf, countKept, openScannedBi, type ScannedBi } from './scanned-bi.ts'
import { listKept } from './sectioned.ts'
import type { Workbench } from './workbench.ts'

/** What was not seen is deleted by the second scan. */
const SCANS_IN_A_ROW = isLong ? 3 : 2

let scannedBi: ScannedBi
let bench: Workbench
let server: SampleBi
afterEach(() => scannedBi.close())

async function scanned(options: { adminApi?: boolean; optional?: object } = {}): Promise<ScannedBi> {
  scannedBi = await openScannedBi({ adminApi: false, ...options })
  bench = scannedBi.bench
  server = scannedBi.server
  const { scan } = bench
  bench.scan = (source) => {
    bench.clock.now += PAST_REREAD_MS
    return scan(source)
  }
  return scannedBi
}

const secondOf = ({ planted: { tenant } }: ScannedBi) => {
  const [, workspace] = [...tenant.workspaces.values()]
  if (workspace === undefined) throw new Error('no second workspace')
  return workspace
}
const count = (status: string) => countKept(bench, status)

describe('a workspace that is no longer listed', () => {
  it('is kept while the list of administrators contains it', async () => {
    const opened = await scanned({ adminApi: true })
    secondOf(opened).open = false
    for (let times = 0; times < SCANS_IN_A_ROW; times++) {
      const scan = await bench.scan()
      expect([scan.status, scan.reason]).toEqual(['PARTIAL', 'right_lost'])
      expect(codesOf(scan)).toContain('scope_hidden')
      expect(count('RESOLVED')).toBe(0)
    }
  })

  it('is deleted when the list of administrators no longer contains it', async () => {
    const opened = await scanned({ adminApi: true })
    const open = count('OPEN')
    opened.planted.tenant.workspaces.delete(secondOf(opened).id)
    expect(codesOf(await bench.scan())).toContain('scope_gone')
    expect(count('RESOLVED') + count('OPEN')).toBe(open)
    expect(count('RESOLVED')).toBeGreaterThan(40)
  })

  it.each([
    ['among all', {}],
    [
      'by its id',
      { scope: { workspace_ids: ['aaaaaaaa-0000-4000-8000-000000000001', 'aaaaaaaa-0000-4000-8000-000000000002'] } },
    ],
  ])(
    '%s is deleted by the second complete scan if its removal cannot be confirmed, with a warning each time',
    async (_name, optional) => {
      const opened = await scanned({ optional })
      const open = count('OPEN')
      opened.planted.tenant.workspaces.delete(secondOf(opened).id)
      expect(codesOf(await bench.scan())).toContain('scope_gone')
      expect(count('RESOLVED')).toBe(0)
      expect(codesOf(await bench.scan())).toContain('scope_gone')
      expect(count('RESOLVED') + count('OPEN')).toBe(open)
      expect(count('RESOLVED')).toBeGreaterThan(40)
    },
  )

  describe('and was the only one selected by id', () => {
    const optional = { scope: { workspace_ids: ['aaaaaaaa-0000-4000-8000-000000000001'] } }
    const firstOf = ({ planted: { tenant } }: ScannedBi) =>
      tenant.getWorkspace([...tenant.workspaces.values()][0]?.name ?? '')

    it('is deleted by the second complete scan if its removal cannot be confirmed', async () => {
      const opened = await scanned({ optional })
      const open = count('OPEN')
      opened.planted.tenant.workspaces.delete(firstOf(opened).id)
      const second = await bench.scan()
      expect([second.status, second.reason]).toEqual(['PARTIAL', 'nothing_visible'])
      expect(codesOf(second)).toEqual(['scope_unmatched', 'scope_gone'])
      expect(count('OPEN')).toBe(open)
      const third = await bench.scan()
      expect([third.status, codesOf(third)]).toEqual(['COMPLETED', ['scope_unmatched', 'scope_gone']])
      expect([count('OPEN'), count('RESOLVED')]).toEqual([0, open])
      expect(await bench.scan()).toMatchObject({ status: 'FAILED', reason: 'scope_unmatched' })
    })

    it('is deleted at once when the list of administrators no longer contains it', async () => {
      const opened = await scanned({ adminApi: true, optional })
      const open = count('OPEN')
      opened.planted.tenant.workspaces.delete(firstOf(opened).id)
      expect(await bench.scan()).toMatchObject({ status: 'COMPLETED' })
      expect([count('OPEN'), count('RESOLVED')]).toEqual([0, open])
    })

    it('is kept while access to its id is refused', async () => {
      const opened = await scanned({ optional })
      const open = count('OPEN')
      firstOf(opened).open = false
      for (let times = 0; times < SCANS_IN_A_ROW; times++) {
        expect(await bench.scan()).toMatchObject({ status: 'PARTIAL', reason: 'right_lost' })
        expect(count('OPEN')).toBe(open)
      }
    })
  })

  it('is kept when the account sees no workspace and their status is unknown', async () => {
    const opened = await scanned()
    const open = count('OPEN')
    for (const workspace of opened.planted.tenant.workspaces.values()) workspace.open = false
    for (let times = 0; times < SCANS_IN_A_ROW; times++) {
      expect(await bench.scan()).toMatchObject({ status: 'FAILED', reason: 'nothing_visible' })
      expect(count('OPEN')).toBe(open)
    }
  })

  it('is kept while the platform lists workspaces without an id', async () => {
    const names = ['Finance word:b1', 'People word:b45']
    const opened = await scanned({ optional: { scope: { workspace_names: names } } })
    const open = count('OPEN')
    expect([...opened.planted.tenant.workspaces.values()].filter(({ name }) => names.includes(name))).not.toEqual([])
    server.faults.push({
      match: onPath(/\/groups$/),
      respond: {
        rewrite: (reply) => {
          for (const group of (reply.body as { value: { id?: string }[] }).value) delete group.id
          return reply
        },
      },
    })
    for (let times = 0; times < SCANS_IN_A_ROW; times++) {
      expect(await bench.scan()).toMatchObject({ status: 'FAILED', reason: 'entries_unreadable' })
      expect(count('OPEN')).toBe(open)
    }
  })

  it('is kept when a new name excludes it from the scope', async () => {
    const opened = await scanned()
    const names = [...opened.planted.tenant.workspaces.values()].map(({ name }) => name)
    await bench.run('update_source', { id: 'fake', config: { optional: { scope: { workspace_names: names } } } })
    await bench.scan()
    secondOf(opened).name = 'Another name'
    for (let times = 0; times < SCANS_IN_A_ROW; times++) {
      expect(codesOf(await bench.scan())).toContain('scope_left_out')
      expect(count('RESOLVED')).toBe(0)
    }
  })
})

describe('tables that become separate assets or parts of their dataset', () => {
  const setContainers = (isOn: boolean) =>
    bench.run('update_source', {
      id: 'fake',
      config: { optional: { extraction: { extract_datasets_to_containers: isOn } } },
    })
  const inTables = () => listKept(bench).filter(({ asset }) => asset.includes(':table:'))
  const isDataset = ({ asset }: { asset: string }) => /:dataset:[^:]*$/.test(asset)

  it('keep the decisions of people on their findings', async () => {
    await scanned({ adminApi: true })
    const rows = bench.store.read((reader) =>
      reader
        .prepare("SELECT f.id FROM finding f JOIN asset a ON a.id = f.asset_id WHERE a.key LIKE '%:dataset:%'")
        .all(),
    ) as { id: number }[]
    expect(rows.length).toBeGreaterThan(4)
    for (const { id } of rows) {
      await bench.run('update_finding', { id: String(id), status: 'IGNORED', reason: 'a test value' })
    }
    const before = count('OPEN')
    await setContainers(true)
    await bench.scan()
    expect(inTables().length).toBeGreaterThan(30)
    expect(new Set(inTables().map(({ status, history }) => `${status} ${history}`))).toEqual(
      new Set(['IGNORED 3a test value']),
    )
    expect(count('OPEN')).toBe(before)
    await setContainers(false)
    await bench.scan()
    expect(inTables().filter(({ status }) => status === 'OPEN')).toEqual([])
    expect(count('OPEN')).toBe(before)
    const inDatasets = listKept(bench).filter(isDataset)
    expect(new Set(inDatasets.map(({ status }) => status))).toEqual(new Set(['IGNORED']))
  })

  it('become parts again when only the member API reads them, although some sections cannot be read', async () => {
    const opened = await scanned()
    const before = count('OPEN')
    await setContainers(true)
    await bench.scan()
    expect(inTables().filter(({ status }) => status === 'OPEN').length).toBeGreaterThan(20)
    await setContainers(false)
    await bench.scan()
    expect(inTables().filter(({ status }) => status === 'OPEN')).toEqual([])
    expect(count('OPEN')).toBe(before)
    opened.planted.clean()
    await bench.scan()
    await bench.scan()
    expect(count('OPEN')).toBe(0)
  })

  it('do not become assets in a scan without permission to read them', async () => {
    await scanned({ adminApi: true })
    await setContainers(true)
    await bench.scan()
    const open = count('OPEN')
    server.faults.push({ match: onPath(/getInfo$/), respond: { status: 403, body: {} } })
    await setContainers(false)
    const scan = await bench.scan()
    expect([scan.status, scan.reason]).toEqual(['PARTIAL', 'right_lost'])
    // The tables of push datasets are read in another way, all of them.
    const resolved = inTables().filter(({ status }) => status === 'RESOLVED')
    expect(resolved.filter(({ asset }) => !/0[01]2:table:/.test(asset))).toEqual([])
    expect(count('OPEN')).toBeGreaterThanOrEqual(open)
  })
})

describe('a metadata scan', () => {
  it('that is not permitted is reported by the first scan', async () => {
    const { first } = await scanned()
    expect(first.status).toBe('COMPLETED')
    server.faults.push({ match: onPath(/executeQueries$/), respond: { status: 404, body: {} } })
    expect(codesOf(await bench.scan())).toContain('schema_unavailable')
  })

  it('with a requested wait of an hour parks the scan, and resolves nothing', async () => {
    await scanned({ adminApi: true })
    const before = count('OPEN')
    const respond = { status: 429, headers: { 'retry-after': '3600' }, body: {} }
    server.faults.push({ match: onPath(/getInfo$/), respond })
    const scan = await bench.scan()
    expect([scan.status, scan.reason]).toEqual(['PARTIAL', 'retry_later'])
    expect(Date.parse(scan.retryAt ?? '') - bench.clock.now).toBeGreaterThan(3_000_000)
    expect(count('OPEN')).toBe(before)
  })
})

describe('a text that the platform omits when it is empty', () => {
  it('counts as removed once it is omitted, without a warning', async () => {
    await scanned()
    server.faults.push({
      match: onPath(/\/reports$/),
      respond: {
        rewrite: (reply) => {
          for (const report of (reply.body as { value: { description?: string }[] }).value) delete report.description
          return reply
        },
      },
    })
    const scans = [await bench.scan(), await bench.scan()]
    expect(scans.map(({ progress }) => progress.findings.resolved)).toEqual([4, 0])
    expect(scans.map(codesOf)).toEqual([[], []])
  })
})

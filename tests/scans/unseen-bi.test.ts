import { afterEach, describe, expect, it } from 'vitest'
import type { BiDataset, BiTenant, BiWorkspace } from '../../src/sample/bi/tenant.ts'
import type { SampleReply } from '../../src/sample/exchange.ts'
import type { Scan } from '../../src/scans/model.ts'
import { onPath } from '../sample/fault.ts'
import type { SampleBi } from '../sample/servers.ts'
import { isLong } from '../support/long.ts'
import { PAST_REREAD_MS } from './compared.ts'
import { codesOf, countKept, openScannedBi, type ScannedBi, type ScannedBiOptions } from './scanned-bi.ts'
import { listKept } from './sectioned.ts'
import type { Workbench } from './workbench.ts'

/** What was not seen is deleted by the second scan. */
const SCANS_IN_A_ROW = isLong ? 3 : 2

let scannedBi: ScannedBi
let bench: Workbench
let server: SampleBi
let tenant: BiTenant
afterEach(() => scannedBi.close())

async function scanned(options: Partial<ScannedBiOptions> = {}): Promise<number> {
  scannedBi = await openScannedBi({ adminApi: true, ...options })
  const { planted, first } = scannedBi
  tenant = planted.tenant
  bench = scannedBi.bench
  server = scannedBi.server
  expect(first).toMatchObject({ status: 'COMPLETED' })
  return count('OPEN')
}

const workspaceAt = (index: number): BiWorkspace => {
  const workspace = [...tenant.workspaces.values()][index]
  if (workspace === undefined) throw new Error(`no workspace ${index}`)
  return workspace
}
const count = (status: string) => countKept(bench, status)

function scanLater(): Promise<Scan> {
  bench.clock.now += PAST_REREAD_MS
  return bench.scan()
}

function rewrite<Body>(path: RegExp, change: (body: Body) => void): void {
  const rewriteBody = (reply: SampleReply) => {
    change(reply.body as Body)
    return reply
  }
  server.faults.push({ match: onPath(path), respond: { rewrite: rewriteBody } })
}

interface ScanResult {
  workspaces: { datasets: Record<string, unknown>[] }[]
}

/** Scans several times in a row: nothing is resolved, and each scan says that something was not read. */
async function expectKept(open: number, code: string): Promise<void> {
  for (let times = 0; times < SCANS_IN_A_ROW; times++) {
    expect(codesOf(await scanLater())).toContain(code)
    expect([count('OPEN'), count('RESOLVED')]).toEqual([open, 0])
  }
}

it.each([true, false])(
  'a tenant that has not changed is not read again, whatever it omits (admin API: %s)',
  async (adminApi) => {
    const open = await scanned({
      adminApi,
      prepare: ({ workspaces }) => {
        for (const { datasets } of workspaces.values()) {
          for (const { expressions } of datasets) for (const expression of expressions) delete expression.description
        }
      },
    })
    for (let times = 0; times < SCANS_IN_A_ROW; times++) {
      const scan = await scanLater()
      expect(scan).toMatchObject({ status: 'COMPLETED', failures: [], warnings: [], progress: { scanned: 0 } })
      expect([count('OPEN'), count('RESOLVED')]).toEqual([open, 0])
    }
  },
)

describe('a dataset in the metadata scan', () => {
  const missing = { tables: undefined, expressions: undefined, roles: undefined }
  it.each<[string, object]>([
    ['with partial metadata', missing],
    ['whose schema cannot be retrieved', { ...missing, schemaRetrievalError: 'The model is too large' }],
    ['with an empty list of tables', { tables: [] }],
  ])('%s keeps its tables, expressions and roles', async (_name, members) => {
    const open = await scanned()
    server.faults.push({ match: onPath(/executeQueries$/), respond: { status: 404, body: {} } })
    // One dataset of one workspace, so that the others have everything.
    rewrite<ScanResult>(/scanResult/, ({ workspaces }) => void Object.assign(workspaces[0]?.datasets[0] ?? {}, members))
    await expectKept(open, 'not_read')
  })
})

it.each([
  ['tiles', /\/tiles$/],
  ['pages', /\/pages$/],
  ['parameters', /\/parameters$/],
  ['datasets', /\/datasets$/],
  ['dashboards', /\/dashboards$/],
  ['workspaces', /myorg\/groups$/],
])('a list of %s with entries that are not objects removes nothing', async (_name, path) => {
  const open = await scanned({ adminApi: false })
  rewrite<{ value: unknown[] }>(path, (body) => {
    body.value = [...body.value.slice(1), null]
  })
  for (let times = 0; times < SCANS_IN_A_ROW; times++) {
    const scan = await scanLater()
    expect(scan.status !== 'COMPLETED' || scan.warnings.length > 0).toBe(true)
    expect([count('OPEN'), count('RESOLVED')]).toEqual([open, 0])
  }
})

describe('a workspace that is no longer listed', () => {
  it('is kept while it can be read by its id', async () => {
    const open = await scanned({ adminApi: false })
    const { id } = workspaceAt(1)
    rewrite<{ value: { id: string }[] }>(/myorg\/groups$/, (body) => {
      body.value = body.value.filter((group) => group.id !== id)
    })
    await expectKept(open, 'scope_hidden')
  })

  it('is kept while the list of administrators has entries without an id', async () => {
    const open = await scanned()
    workspaceAt(1).open = false
    rewrite<{ value: unknown[] }>(/\/admin\/groups$/, (body) => {
      body.value = [{}]
    })
    await scanLater()
    expect([count('OPEN'), count('RESOLVED')]).toEqual([open, 0])
  })

  it('is kept if it is personal, only administrators can list it, and the account loses that permission', async () => {
    const open = await scanned({
      isPerson: true,
      optional: { scope: { include_personal_workspaces: true } },
      prepare: ({ workspaces }) => {
        const [, last] = workspaces.values()
        if (last !== undefined) last.type = 'PersonalGroup'
      },
    })
    expect(listKept(bench).some(({ asset }) => asset.endsWith(`workspace:${workspaceAt(1).id}`))).toBe(true)
    for (const path of [/\/admin\//, new RegExp(`/groups/${workspaceAt(1).id}$`)]) {
      server.faults.push({
        match: onPath(path),
        respond: { status: 403, body: { error: { code: 'PowerBINotAuthorizedException' } } },
      })
    }
    await expectKept(open, 'scope_hidden')
  })
})

describe('an item that moves to a workspace that is not scanned', () => {
  const scope = { workspace_ids: ['aaaaaaaa-0000-4000-8000-000000000001'] }
  const move = () => {
    const [from, to] = [workspaceAt(0), workspaceAt(1)]
    for (const kind of ['datasets', 'reports', 'dashboards'] as const) {
      to[kind].push(...(from[kind].splice(0, 1) as never[]))
    }
    tenant.touch(from)
    tenant.touch(to)
  }

  it('is kept while the lists of administrators contain it', async () => {
    const open = await scanned({ optional: { scope } })
    move()
    await expectKept(open, 'outside_scope')
  })

  it('is deleted by the second scan if there is no evidence that it exists', async () => {
    await scanned({ adminApi: false, optional: { scope } })
    move()
    await scanLater()
    expect(count('RESOLVED')).toBe(0)
    await scanLater()
    expect(count('RESOLVED')).toBeGreaterThan(5)
  })
})

it('a list of changed workspaces with an entry without an id hides no edit', async () => {
  await scanned()
  bench.clock.now += 2 * 3_600_000
  const dataset = workspaceAt(0).datasets[0] as BiDataset
  dataset.description = 'word:edited'
  tenant.touch(workspaceAt(0))
  rewrite<unknown[]>(/\/workspaces\/modified$/, (list) => {
    list.splice(0, list.length, {})
  })
  const scan = await bench.scan()
  expect(scan.progress.findings.new).toBe(1)
})

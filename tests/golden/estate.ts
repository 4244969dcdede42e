import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type OpenedApp, openApp } from '../../src/app.ts'
import { loadConfig } from '../../src/config.ts'
import { call } from '../../src/operation/operation.ts'
import { startSampleTenants } from '../../src/sample/tenants.ts'

/** A finding as lists show it. */
export interface ListedFinding {
  id: string
  assetId: string
  sourceId: string
  detectorType: string
  findingType: string
  category: string
  severity: string
  confidence: number
  status: string
  firstDetectedAt: string
  asset: { key: string; kind: string; name: string; container: string }
}

export interface ListedAsset {
  id: string
  sourceId: string
  kind: string
  container: string
  status: string
  lastScannedAt?: string | null
  contentUpdatedAt?: string | null
}

/** Both sample tenants scanned, a few findings decided by a person, and everything in flat lists. */
export interface GoldenEstate {
  findings: ListedFinding[]
  assets: ListedAsset[]
  /** Names of sources, by id. */
  sources: Map<string, string>
  ask(tool: string, input: Record<string, unknown>): Promise<Record<string, unknown>>
  close(): Promise<void>
}

export async function openGoldenEstate(): Promise<GoldenEstate> {
  const home = mkdtempSync(join(tmpdir(), 'assay-golden-'))
  const app = await openApp(loadConfig({ home, logLevel: 'silent' }, {}), {})
  const tenants = await startSampleTenants()
  const ask = asker(app)
  for (const { name, config } of tenants.sources) {
    await ask('create_source', { name, config })
    const { id } = await ask('start_scan', { id: name })
    await untilDone(() => ask('get_scan', { id }))
  }
  await tenants.close()
  await decide(ask)
  const [findings, assets] = [await listAll(ask, 'search_findings'), await listAll(ask, 'list_assets')]
  const { items } = (await ask('list_sources', {})) as { items: { id: string; name: string }[] }
  return {
    findings: findings as ListedFinding[],
    assets: assets as ListedAsset[],
    sources: new Map(items.map(({ id, name }) => [id, name])),
    ask,
    close: async () => {
      await app.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

function asker(app: OpenedApp): GoldenEstate['ask'] {
  const context = app.contextFor({ caller: app.caller, signal: new AbortController().signal })
  return async (tool, input) => {
    const operation = app.operations.find(({ name }) => name === tool)
    if (operation === undefined) throw new Error(`there is no tool ${tool}`)
    return (await call(operation, input, context)) as Record<string, unknown>
  }
}

async function untilDone(look: () => Promise<Record<string, unknown>>): Promise<void> {
  for (;;) {
    const { status } = await look()
    if (status === 'COMPLETED' || status === 'PARTIAL') return
    if (status === 'FAILED' || status === 'CANCELLED') throw new Error(`the scan ended ${status}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** A person decides about some findings, so that questions about decisions have something to count. */
async function decide(ask: GoldenEstate['ask']): Promise<void> {
  const decisions: [Record<string, unknown>, string][] = [
    [{ detectorTypes: 'PII', limit: 6 }, 'FALSE_POSITIVE'],
    [{ detectorTypes: 'SECRETS', limit: 3 }, 'RESOLVED'],
    [{ detectorTypes: 'BROKEN_LINKS', limit: 2 }, 'IGNORED'],
  ]
  for (const [input, status] of decisions) {
    const { items } = (await ask('search_findings', input)) as { items: { id: string }[] }
    for (const { id } of items) await ask('update_finding', { id, status, reason: 'looked at' })
  }
}

async function listAll(ask: GoldenEstate['ask'], tool: string): Promise<unknown[]> {
  const all: unknown[] = []
  let cursor: unknown
  do {
    const page = await ask(tool, { limit: 500, ...(cursor === undefined ? {} : { cursor }) })
    all.push(...(page.items as unknown[]))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return all
}

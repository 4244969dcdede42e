import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { type OpenedApp, openApp } from '../../src/app.ts'
import { createSurface } from '../../src/commands/mcp-surface.ts'
import { loadConfig } from '../../src/config.ts'
import type { ToolAnswer } from '../../src/mcp/protocol.ts'
import { call } from '../../src/operation/operation.ts'
import { startSampleTenants } from '../sample/servers.ts'

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
  resolvedAt?: string
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
  /** Calls a tool the way an assistant does. */
  callTool(tool: string, input: Record<string, unknown>): Promise<ToolAnswer>
  /** How many findings the tables hold of each detector, severity and status, without any of our code. */
  countStored(): Record<string, number>
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
  await define(ask)
  const [findings, assets] = [await listAll(ask, 'search_findings'), await listAll(ask, 'list_assets')]
  const { items } = (await ask('list_sources', {})) as { items: { id: string; name: string }[] }
  return {
    findings: findings as ListedFinding[],
    assets: assets as ListedAsset[],
    sources: new Map(items.map(({ id, name }) => [id, name])),
    ask,
    callTool: toolCaller(app),
    countStored: () => countStored(join(home, 'assay.db')),
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

function toolCaller(app: OpenedApp): GoldenEstate['callTool'] {
  const surface = createSurface(app)
  const exchange = {
    caller: { ...app.caller, via: 'mcp' as const },
    signal: new AbortController().signal,
    progress: () => {},
    notice: () => {},
    clientCapabilities: new Set<never>(),
    answers: {},
    state: undefined,
  }
  return async (tool, input) => (await surface.callTool(tool, input, exchange)) as ToolAnswer
}

async function untilDone(look: () => Promise<Record<string, unknown>>): Promise<void> {
  for (;;) {
    const { status } = await look()
    if (status === 'COMPLETED' || status === 'PARTIAL') return
    if (status === 'FAILED' || status === 'CANCELLED') throw new Error(`the scan ended ${status}`)
    await sleep(50)
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

/** Names that two metrics or two terms share, as they come about where several people define. */
async function define(ask: GoldenEstate['ask']): Promise<void> {
  const keys = { aggregation: 'COUNT', entity: 'finding', filters: { detectorTypes: ['SECRETS'] } }
  const metric = { displayName: 'Leaked keys', type: 'SIMPLE' }
  await ask('create_metric', { ...metric, slug: 'leaked-keys-ever', definition: keys })
  await ask('create_metric', { ...metric, slug: 'leaked-keys-present', definition: { ...keys, mode: 'stock' } })
  const term = { synonyms: ['risks'] }
  await ask('create_glossary_term', {
    ...term,
    slug: 'acute',
    displayName: 'Acute',
    filterMapping: { severities: ['CRITICAL'] },
  })
  await ask('create_glossary_term', {
    ...term,
    slug: 'chronic',
    displayName: 'Chronic',
    filterMapping: { severities: ['LOW'] },
  })
}

function countStored(file: string): Record<string, number> {
  const database = new Database(file, { readonly: true })
  const rows = database
    .prepare(
      `SELECT word.text || ' ' || CASE combo.severity WHEN 5 THEN 'CRITICAL' WHEN 4 THEN 'HIGH' WHEN 3 THEN 'MEDIUM'
         WHEN 2 THEN 'LOW' ELSE 'INFO' END || ' ' || CASE combo.status WHEN 0 THEN 'OPEN' WHEN 1 THEN 'RESOLVED'
         WHEN 2 THEN 'FALSE_POSITIVE' ELSE 'IGNORED' END AS facets, count(*) AS n
       FROM finding JOIN combo ON combo.id = finding.combo_id JOIN word ON word.id = combo.detector_id GROUP BY 1`,
    )
    .all() as { facets: string; n: number }[]
  database.close()
  return Object.fromEntries(rows.map(({ facets, n }) => [facets, n]))
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

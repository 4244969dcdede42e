import { createHash } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { operations } from '../../src/catalogue.ts'
import type { RedactedFinding } from '../../src/detectors/detector.ts'
import { createFingerprinter } from '../../src/detectors/fingerprint.ts'
import { toDatum } from '../../src/detectors/value.ts'
import { saveAsset, saveLinks } from '../../src/findings/assets.store.ts'
import { applyDetection } from '../../src/findings/detected.ts'
import { FindingLedger } from '../../src/findings/ledger.store.ts'
import { createHttpApp } from '../../src/http/server.ts'
import type { McpRequest, McpSurface } from '../../src/mcp/protocol.ts'
import { createMcpSurface } from '../../src/mcp/surface.ts'
import { type Caller, scopes, type WriteContext } from '../../src/operation/context.ts'
import type { Operation } from '../../src/operation/operation.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { addNotes, finishScan, getScan, insertScan } from '../../src/scans/scans.store.ts'
import { addScopes } from '../../src/scans/scopes.store.ts'
import { getSource, insertSource, setLastCompletedScan } from '../../src/sources/sources.store.ts'
import { Store, type Writer } from '../../src/store/store.ts'
import { caller, contextOf, plainVault } from '../support/context.ts'
import { safe } from '../support/safe-text.ts'

export const NOON = Date.UTC(2026, 5, 15, 12)
const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Stands in every text of the estate that a tenant wrote, and nowhere else. */
export const tenantMark = 'Quillfeather'

/** Someone with a token for everything: no door asks such a caller for consent. */
export const tokenHolder: Caller = { name: 'ada', via: 'http', scopes: new Set(scopes), token: true }

export const wikiConfig = {
  type: 'WIKI',
  required: { base_url: 'http://127.0.0.1:9', account_email: 'ada@northfield.dev' },
  masked: { api_token: 'an-api-token-of-the-wiki' },
  optional: { connection: { max_retries: 0, request_timeout_seconds: 1 } },
}

export const birdDetector = {
  key: 'birds',
  displayName: 'Birds',
  definition: {
    rule: { any: [{ type: 'KEYWORDS', keywords: ['blue heron'] }] },
    examples: { match: ['a blue heron'], noMatch: ['a heron'] },
  },
}

/** What the estate was given ids by chance for. */
export interface EstateIds {
  scan: string
  openScan: string
}

/** A database with two sources, findings of every status, scans, and whatever the doors show of them. */
export interface Template {
  file: string
  ids: EstateIds
  /** Every id that it holds. */
  known: ReadonlySet<string>
  remove(): void
}

/** Makes the database once; tests work on copies of it. `plant` puts more into it. */
export async function makeTemplate(plant?: (context: WriteContext) => void | Promise<void>): Promise<Template> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-catalogue-'))
  const file = join(folder, 'template.db')
  const clock = { now: NOON - 20 * DAY }
  const store = Store.open(file, { now: () => clock.now })
  const ids = await plantEstate(store, clock, plant)
  const known = store.read((reader) => {
    const ids = ['source', 'asset', 'scan', 'term', 'metric'].map((table) => `SELECT uid FROM ${table}`)
    return new Set(reader.prepare(ids.join(' UNION ALL ')).pluck().all() as string[])
  })
  store.close()
  return { file, ids, known, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Fills a new store; `clock` is the one that it was opened with. */
export async function plantEstate(
  store: Store,
  clock: { now: number },
  plant?: (context: WriteContext) => void | Promise<void>,
): Promise<EstateIds> {
  const context = contextOf({ store, now: () => clock.now, caller: tokenHolder })
  const run = caller(operations, context)
  await run('create_source', { name: 'Company wiki', config: wikiConfig })
  await run('create_source', { name: 'Quiet wiki', config: wikiConfig })
  const definition = { aggregation: 'COUNT', entity: 'finding' }
  const tests = [{ kind: 'between', max: 1_000_000 }]
  await run('create_metric', { slug: 'scratch', displayName: 'Scratch', type: 'SIMPLE', definition, tests })
  const pinnedFilters = { containers: ['Quillfether Engineering'] }
  await run('set_placement', { dashboard: 'pinned', slug: 'open-findings', pinnedFilters })
  await run('create_custom_detector', birdDetector)
  await run('create_suppression', { filters: { findingTypes: ['BIRDS'] }, reason: 'birds are welcome' })
  await run('create_token', { name: 'old robot', scopes: ['read'] })
  clock.now = NOON
  const input = { slug: 'scratch', reason: 'nobody uses it' }
  await run('propose_change', { operation: 'deprecate_metric', input })
  const ids = store.write((writer) => {
    const wiki = getSource(writer, 'Company wiki').id
    const imports = insertSource(
      writer,
      { uid: crypto.randomUUID(), name: 'Nightly scanner', type: 'IMPORT', config: {}, secrets: {}, nextRunAt: null },
      NOON - 19 * DAY,
    )
    const draft = { sourceId: wiki, requestedBy: 'ada', configHash: 'c', detectorsHash: 'd', seed: 1, sampled: false }
    const scan = insertScan(writer, { ...draft, trigger: 'MANUAL' }, NOON - 10 * DAY)
    const { id } = getScan(writer, scan)
    const scope = { key: 'wiki:1', name: `${tenantMark} Engineering` }
    addScopes(writer, id, [safe(scope)])
    const note = { code: 'download_failed', message: `The attachment ${tenantMark}.pdf could not be read.` }
    addNotes(writer, id, 'failures', [note])
    finishScan(writer, id, { status: 'COMPLETED' }, NOON - 9 * DAY)
    setLastCompletedScan(writer, wiki, NOON - 9 * DAY)
    for (const page of pages) plantPage(writer, page, page.container === 2 ? imports : wiki, id)
    FindingLedger.keep(writer, NOON - DAY, (ledger) => {
      for (const [finding, to] of [
        [2, 'FALSE_POSITIVE'],
        [5, 'RESOLVED'],
        [7, 'IGNORED'],
      ] as const) {
        const found = ledger.findById(finding)
        if (found === undefined) throw new Error(`there is no finding ${finding}`)
        ledger.changeStatus(found, { at: NOON - DAY, to, actor: safe('ada'), reason: safe('looked at') })
      }
    })
    const openScan = insertScan(writer, { ...draft, trigger: 'SCHEDULE' }, NOON - HOUR)
    addScopes(writer, getScan(writer, openScan).id, [safe(scope)])
    return { scan, openScan }
  })
  const condition = { kind: 'above', value: 2 }
  const watch = { slug: 'open-by-space', displayName: 'Open by space', metricSlug: 'open-findings', condition }
  await run('create_watch', { ...watch, dimensions: ['container'] })
  await run('check_watches')
  await plant?.(context)
  return ids
}

interface Page {
  key: string
  container: number
  daysAgo: number
  found: readonly [RedactedFinding['detectorType'], string, RedactedFinding['severity'], number][]
}

const pages: readonly Page[] = [
  {
    key: 'wiki:page:1',
    container: 0,
    daysAgo: 12,
    found: [
      ['SECRETS', 'AWS_ACCESS_KEY', 'CRITICAL', 0.95],
      ['PII', 'EMAIL', 'LOW', 0.8],
    ],
  },
  {
    key: 'wiki:page:2',
    container: 0,
    daysAgo: 9,
    found: [
      ['PII', 'IBAN', 'HIGH', 0.9],
      ['BROKEN_LINKS', 'HTTP_404', 'MEDIUM', 1],
    ],
  },
  { key: 'wiki:page:3', container: 1, daysAgo: 5, found: [['PROMPT_INJECTION', 'OVERRIDE', 'HIGH', 0.7]] },
  {
    key: 'repo:file:4',
    container: 2,
    daysAgo: 2,
    found: [
      ['SECRETS', 'PRIVATE_KEY', 'CRITICAL', 1],
      ['PII', 'EMAIL', 'LOW', 0.6],
    ],
  },
  { key: 'wiki:page:5', container: 1, daysAgo: 1, found: [] },
]

/** The mail address of all findings of one. */
export const foundAddress = 'grace@northfield.dev'
const toHash = createFingerprinter(plainVault.fingerprintKey())

const containers = [`${tenantMark} Engineering`, `${tenantMark} Sales, EMEA`, `${tenantMark} Repository`]

function plantPage(writer: Writer, { key, container, daysAgo, found }: Page, sourceId: number, scanId: number): void {
  const at = NOON - daysAgo * DAY
  FindingLedger.keep(writer, at, (ledger) => {
    const assetId = saveAsset(writer, ledger.facets, {
      sourceId,
      scopeKey: safe('wiki:1'),
      scanId,
      at,
      detectorsHash: 'd',
      scanned: true,
      draft: {
        key: safe(key),
        kind: 'wiki.page',
        name: safe(`${tenantMark} page ${key.slice(-1)}`),
        url: safe(`http://127.0.0.1:9/wiki/${tenantMark}/${key.slice(-1)}`),
        container: safe(containers[container] ?? ''),
        owner: safe(`${tenantMark} Smith`),
        checksum: safe(key),
        links: [],
        contentUpdatedAt: at - DAY,
        facts: { labels: [tenantMark] },
      },
    })
    saveLinks(writer, assetId, [
      { type: 'links_to', url: safe(`https://${tenantMark}.dev/`), label: safe(`${tenantMark} site`) },
    ])
    applyDetection(ledger, {
      asset: { id: assetId, sourceId, lastScannedAt: null },
      found: found.map(([detectorType, findingType, severity, confidence], index) => ({
        detectorType,
        findingType,
        severity,
        confidence,
        category: detectorType === 'BROKEN_LINKS' ? '' : 'SECURITY',
        location: { path: `comment of ${tenantMark}`, line: index + 1 },
        excerpt: `${tenantMark} wrote ****`,
        fingerprint: Buffer.from(`${key.at(-1)}${index}`)
          .toString('hex')
          .padStart(12, '0'),
        ...(findingType === 'EMAIL' ? { valueId: toHash(toDatum(foundAddress)) } : {}),
      })),
      examinedTypes: new Set(),
      complete: new Set(),
      scanId,
      at,
    })
  })
}

export interface OpenEstate {
  context: WriteContext
  /** The database. */
  file: string
  /** Changes with every commit to the database, even of nothing. */
  version(): number
  /** Everything that is stored, as one hash. */
  digest(): string
  close(): void
}

export function openEstate(template: Template, now = () => NOON): OpenEstate {
  const folder = mkdtempSync(join(tmpdir(), 'assay-catalogue-'))
  const file = join(folder, 'assay.db')
  copyFileSync(template.file, file)
  const store = Store.open(file, { now })
  const watcher = new Database(file, { readonly: true })
  // There is a token, but one caller makes and certifies everything.
  const context = { ...contextOf({ store, now, caller: tokenHolder }), fourEyes: 'never' as const }
  return {
    context,
    file,
    version: () => watcher.pragma('data_version', { simple: true }) as number,
    digest: () => digestOf(watcher),
    close: () => {
      watcher.close()
      store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Both doors, opened once, over a copy of the database that can be replaced by a fresh one. */
export interface Doors {
  http: ReturnType<typeof createHttpApp>
  mcp: McpSurface
  estate(): OpenEstate
  renew(): void
  close(): void
}

export function openDoors(template: Template, log = silentLog): Doors {
  let estate = openEstate(template)
  const contextFor = (asked: Pick<WriteContext, 'caller' | 'signal'>) => ({ ...estate.context, ...asked })
  const door = { operations, contextFor, version: '1', log }
  return {
    http: createHttpApp({ ...door, callerOf: () => tokenHolder, hosts: [] }),
    mcp: createMcpSurface({ ...door, toolsets: ['agent', 'admin'] }),
    estate: () => estate,
    renew: () => {
      estate.close()
      estate = openEstate(template)
    },
    close: () => estate.close(),
  }
}

/** A tool call of someone with a token. */
export const exchange: McpRequest = {
  caller: tokenHolder,
  signal: new AbortController().signal,
  progress: () => {},
  notice: () => {},
  clientCapabilities: new Set(),
  answers: {},
  state: undefined,
}

/** Tables that count writes, whatever they changed. */
const counters = ['definition_count']

function digestOf(database: Database.Database): string {
  const listed = database
    .prepare(`SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%'`)
    .pluck()
    .all() as string[]
  const tables = listed.filter((name) => !counters.includes(name))
  const hash = createHash('sha256')
  for (const table of tables) hash.update(JSON.stringify(database.prepare(`SELECT * FROM "${table}"`).all()))
  return hash.digest('hex')
}

/** The members of an input in a query string: lists by repeating, other values as JSON. */
const toJsonQuery = (input: Record<string, unknown>) =>
  Object.entries(input).flatMap(([key, value]) =>
    (Array.isArray(value) ? value : [value]).map((each): [string, string] => [
      key,
      typeof each === 'string' ? each : JSON.stringify(each),
    ]),
  )

/** Where an operation's input goes in REST: path, query string and body. */
export function toRequest(
  operation: Operation,
  input: Record<string, unknown>,
  toQuery: (input: Record<string, unknown>) => [string, string][] = toJsonQuery,
): { path: string; init: RequestInit } {
  const [method = 'GET', template = '/'] = (operation.route ?? '').split(' ')
  const rest = { ...input }
  const path = template.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = rest[name]
    delete rest[name]
    const text = typeof value === 'string' ? value : JSON.stringify(value ?? null)
    return encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\uFFFD')) || '%20'
  })
  const headers = { host: '127.0.0.1:7411' }
  if (method === 'GET' || method === 'DELETE') {
    const query = new URLSearchParams(toQuery(rest))
    return { path: query.size === 0 ? path : `${path}?${query}`, init: { method, headers } }
  }
  return {
    path,
    init: { method, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(rest) },
  }
}

export async function askRest(
  http: ReturnType<typeof createHttpApp>,
  operation: Operation,
  input: Record<string, unknown>,
): Promise<{ status: number; body: unknown }> {
  const { path, init } = toRequest(operation, input)
  const reply = await http.request(`http://127.0.0.1:7411${path}`, init)
  return { status: reply.status, body: await reply.json() }
}

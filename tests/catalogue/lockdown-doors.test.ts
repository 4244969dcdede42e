import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { clearTokens, createToken } from '../../src/access/tokens.ts'
import { type OpenedApp, openApp } from '../../src/app.ts'
import { operations } from '../../src/catalogue.ts'
import { startServer } from '../../src/commands/serve.ts'
import { loadConfig } from '../../src/config.ts'
import { forms } from '../../src/http/forms.ts'
import { importFindings } from '../../src/imports/imports.ts'
import { ImportLine } from '../../src/imports/read/import-line.ts'
import type { WriteContext } from '../../src/operation/context.ts'
import { call, type ExportFormat } from '../../src/operation/operation.ts'
import { isLong } from '../support/long.ts'
import { runOnTerminal } from '../support/terminal.ts'
import { makeTemplate, openEstate, type Template, tenantMark, toRequest } from './estate.ts'
import { examples } from './examples.ts'

type Json = Record<string, unknown>

const canary = new RegExp(tenantMark, 'i')
/** Close enough to the canary to have it suggested, and not the canary itself. */
const NEAR = 'Quilfeather'

/** A line of an import whose every text is a canary, made from the schema so that a new member is one too. */
function toCanary(schema: Json, name: string, n: number): unknown {
  const { type, properties, format, pattern, enum: words } = schema
  if (words !== undefined) return (words as unknown[])[0]
  if (type === 'object') {
    const members = Object.entries(properties as Record<string, Json>)
    return Object.fromEntries(members.map(([key, below]) => [key, toCanary(below, key, n)]))
  }
  if (type === 'array') return [toCanary(schema.items as Json, name, n)]
  if (type === 'integer') return 1
  if (type !== 'string') return 0.5
  if (format === 'date-time') return '2026-06-01T00:00:00Z'
  const text = `${tenantMark}_${name}_${n}`
  return String(pattern ?? '').startsWith('^[A-Z]') ? text.toUpperCase() : text
}

async function plant(context: WriteContext): Promise<void> {
  const schema = z.toJSONSchema(ImportLine, { io: 'input' }) as Json
  const lines = Array.from({ length: 3 }, (_, n) => {
    const line = toCanary(schema, '', n) as Json
    const { resolvedAt: _resolvedAt, ...open } = { ...line, status: 'OPEN' } as Json
    const asset = { ...(open.asset as Json), ...(n === 0 ? { key: `wiki:${tenantMark}:page:1` } : {}) }
    return JSON.stringify({ ...open, asset })
  })
  await importFindings(Readable.from([lines.join('\n')]), { source: 'Other scanner', format: 'ndjson' }, context)
}

const nearNames = [NEAR, `${NEAR} Engineering`, `${NEAR}_findingType_1`]
let turn = 0

/** The same input with each text, one after the other, close to a name of a tenant; the names take turns. */
function listMistakes(input: unknown): unknown[] {
  if (typeof input === 'string') return [nearNames[turn++ % nearNames.length]]
  if (typeof input !== 'object' || input === null) return []
  return Object.entries(input).flatMap(([key, value]) =>
    listMistakes(value).map((wrong) =>
      Array.isArray(input)
        ? input.map((item, index) => (String(index) === key ? wrong : item))
        : { ...input, [key]: wrong },
    ),
  )
}

const filters = [
  ...['detectorTypes', 'findingTypes', 'categories', 'customDetectorKeys', 'assetKinds', 'containers'],
  ...['sources', 'sourceTypes'],
].map((key) => ({ [key]: key === 'detectorTypes' ? ['QUILFEATHER_DETECTORTYPE_1'] : [`${NEAR}_${key}_1`] }))
const allDimensions = ['detectorType', 'findingType', 'category', 'customDetectorKey', 'assetKind', 'container']

/** Questions that show, or come close to, every kind of name that a tenant can write. */
const pointed: Readonly<Record<string, readonly Json[]>> = {
  query_metric: [
    ...allDimensions.map((dimension) => ({ metricSlug: 'total-findings', dimensions: [dimension] })),
    ...filters.map((each) => ({ metricSlug: 'total-findings', filters: each })),
    { metricSlug: 'total-findings', dimensions: [`${NEAR} Engineering`] },
    { metricSlug: `${NEAR} Engineering` },
  ],
  query_metric_timeseries: allDimensions.map((dimension) => ({
    ...{ metricSlug: 'new-findings', granularity: 'week', from: '2026-05-01', to: '2026-07-01' },
    dimension,
  })),
  explore_by_glossary_term: allDimensions.map((dimension) => ({
    ...{ glossaryTermSlug: 'unresolved-issues', from: '2026-01-01' },
    dimensions: [dimension],
  })),
  search_findings: filters,
  list_assets: filters,
  get_asset: [{ id: `wiki:${NEAR}:page:1` }, { id: 'wiki:page:1' }],
}

/** From the first token on, a server would refuse all that come without one. */
const listExamples = (template: Template, name: string) =>
  (name === 'create_token' ? [] : (examples[name]?.(template.ids) ?? [])) as Json[]

/** The examples of an operation, pointed questions, and mistakes that may show a name. */
const listInputs = (template: Template, name: string): Json[] => {
  const own = listExamples(template, name)
  const mistakes = listMistakes(own[0] ?? {}) as Json[]
  const questions = pointed[name] ?? []
  return [...own, ...(isLong ? questions : questions.slice(0, 6)), ...(isLong ? mistakes : mistakes.slice(0, 2))]
}

let template: Template
let folder: string
let n = 0

beforeAll(async () => {
  template = await makeTemplate(async (context) => {
    await plant(context)
    clearTokens(context)
  })
  folder = mkdtempSync(join(tmpdir(), 'assay-canary-'))
})
afterAll(() => {
  template.remove()
  rmSync(folder, { recursive: true, force: true })
})

/** A data folder with the canaries. */
function makeHome(settings: Json): string {
  const home = mkdtempSync(join(folder, `${n++}-`))
  copyFileSync(template.file, join(home, 'assay.db'))
  writeFileSync(join(home, 'config.json'), JSON.stringify({ logLevel: 'silent', logFile: false, port: 0, ...settings }))
  return home
}

const openHome = (settings: Json): Promise<OpenedApp> => openApp(loadConfig({ home: makeHome(settings) }, {}), {})

interface Opened {
  app: OpenedApp
  server: Awaited<ReturnType<typeof startServer>>
}
/** By their settings, since two ways need the same ones. */
const servers = new Map<string, Promise<Opened>>()
afterAll(async () => {
  for (const { app, server } of await Promise.all(servers.values())) {
    await server.close()
    await app.close()
  }
})

function openServer(settings: Json): Promise<Opened> {
  const open = async () => {
    const app = await openHome(settings)
    return { app, server: await startServer(app) }
  }
  const key = JSON.stringify(settings)
  const opened = servers.get(key) ?? open()
  servers.set(key, opened)
  return opened
}

interface Way {
  name: string
  settings: Json
  headers(app: OpenedApp): Record<string, string>
}

const ways: Way[] = [
  { name: 'by config.json', settings: { lockdown: true }, headers: () => ({}) },
  { name: 'by a header', settings: {}, headers: () => ({ 'x-assay-lockdown': '1' }) },
  {
    name: 'by a token',
    settings: {},
    headers: (app) => {
      const about = { store: app.store, caller: app.caller, now: () => Date.now() }
      const { token } = createToken(about, { name: `guest ${n++}`, scopes: ['admin'], lockdown: true })
      return { authorization: `Bearer ${token}` }
    },
  },
]

/** In one way everything is asked; in the others, whether the way leads to lockdown at all. */
const inputsFor = (way: Way, name: string) =>
  way.name === 'by config.json' ? listInputs(template, name) : listExamples(template, name).slice(0, 1)

describe.each(ways)('lockdown $name shows no text from tenants', (way) => {
  let server: Awaited<ReturnType<typeof startServer>>
  let headers: Record<string, string>
  beforeEach(async () => {
    const opened = await openServer(way.settings)
    server = opened.server
    headers = way.headers(opened.app)
  })

  /** The reply once the token may ask again. */
  async function patient(ask: () => Promise<Response>): Promise<Response> {
    for (;;) {
      const reply = await ask()
      if (reply.status !== 429) return reply
      await sleep(100)
    }
  }

  it('over REST', { timeout: 180_000 }, async () => {
    let answered = 0
    for (const operation of operations) {
      if (operation.route === undefined) continue
      for (const input of inputsFor(way, operation.name)) {
        const { path, init } = toRequest(operation, input)
        const { host: _host, ...own } = init.headers as Record<string, string>
        const reply = await patient(() => fetch(server.url + path, { ...init, headers: { ...own, ...headers } }))
        const text = await reply.text()
        expect(text, `${operation.name} ${JSON.stringify(input)}`).not.toMatch(canary)
        if (reply.ok) answered++
        expect(reply.status).not.toBe(500)
      }
    }
    expect(answered).toBeGreaterThan(20)
  })

  it('in exports', { timeout: 60_000 }, async () => {
    let written = 0
    for (const operation of operations) {
      for (const format of Object.keys(operation.files ?? {}) as ExportFormat[]) {
        const accept = forms[format].mediaType
        for (const { limit: _limit, cursor: _cursor, ...input } of inputsFor(way, operation.name)) {
          const { path, init } = toRequest(operation, input)
          const { host: _host, ...own } = init.headers as Record<string, string>
          const ask = () => fetch(server.url + path, { ...init, headers: { ...own, ...headers, accept } })
          const reply = await patient(ask)
          const text = await reply.text()
          expect(text, `${operation.name} as ${format} ${JSON.stringify(input)}`).not.toMatch(canary)
          expect(reply.status).not.toBe(500)
          if (reply.ok) expect(reply.headers.get('content-type')).toContain(accept)
          if (reply.ok && text.split('\n').length > 2) written++
        }
      }
    }
    expect(written).toBeGreaterThan(3)
  })

  it('in errors about a file of findings', async () => {
    const good = { asset: { key: 'k' }, detectorType: 'YARA', findingType: 'T', severity: 'LOW' }
    const mistakes = [
      { severity: tenantMark },
      { [tenantMark]: 1 },
      { asset: { key: 'k', [tenantMark]: 1 } },
      { firstDetectedAt: tenantMark },
      { detectorType: tenantMark },
      { status: 'RESOLVED', resolvedAt: tenantMark },
      { findingType: { [tenantMark]: tenantMark } },
    ].map((wrong) => JSON.stringify({ ...good, firstDetectedAt: '2026-06-01T00:00:00Z', ...wrong }))
    const log = {
      version: '2.1.0',
      runs: [{ tool: { driver: { name: tenantMark } }, results: [{ level: tenantMark }] }],
    }
    const files = [
      ...mistakes.map((body) => ['ndjson', body]),
      ['ndjson', `${tenantMark} is no JSON`],
      ['sarif', JSON.stringify(log)],
      ['sarif', `{"runs": [{"results": [{"${tenantMark}"`],
      ['sarif', JSON.stringify({ version: tenantMark, [tenantMark]: [] })],
    ]
    for (const [format = '', body = ''] of files) {
      const reply = await patient(() =>
        fetch(`${server.url}/findings/import?source=wrong&format=${format}`, {
          ...{ method: 'POST', body },
          headers: { 'content-type': 'application/x-ndjson', ...headers },
        }),
      )
      const text = await reply.text()
      expect(text).not.toMatch(canary)
      expect(format === 'ndjson' ? [400] : [200, 400], text).toContain(reply.status)
    }
  })

  it('over MCP', { timeout: 180_000 }, async () => {
    const transport = new StreamableHTTPClientTransport(new URL('/mcp', server.url), { requestInit: { headers } })
    const client = new Client({ name: 'canary', version: '1' })
    await client.connect(transport as never)
    for (const operation of operations.toSorted((a, b) => a.effect.localeCompare(b.effect))) {
      if (operation.toolset === undefined) continue
      for (const input of inputsFor(way, operation.name)) {
        const answer = await client.callTool({ name: operation.name, arguments: input })
        expect(JSON.stringify(answer), `${operation.name} ${JSON.stringify(input)}`).not.toMatch(canary)
      }
    }
    const { resources } = await client.listResources()
    expect(JSON.stringify(resources)).not.toMatch(canary)
    await client.close()
  })
})

describe('lockdown on a terminal', () => {
  async function run(home: string, ...argv: string[]): Promise<{ code: number; output: string }> {
    const { code, stdout, stderr } = await runOnTerminal([...argv, '--home', home], {
      open: () => openApp(loadConfig({ home }, {}), {}),
      locate: () => ({ home, env: {}, networkFolder: false }),
    })
    return { code, output: stdout + stderr }
  }

  it('shows no names from tenants', { timeout: 60_000 }, async () => {
    const home = makeHome({ lockdown: true })
    const file = join(folder, 'wrong.ndjson')
    writeFileSync(file, JSON.stringify({ [tenantMark]: tenantMark }))
    const commands = [
      ['import', file, '--source', 'wrong'],
      ['findings'],
      ['findings', '--json'],
      ['findings', '--search', 'Quil'],
      ['sources'],
      ['query', 'total-findings', '--by', 'findingType,container'],
      ['query', 'total-findings', '--by', 'detectorType', '--json'],
      ['query', 'total-findings', '--filters', JSON.stringify(filters[1])],
      ['query', `${NEAR} Engineering`],
      ['query', 'total-findings', '--by', 'findingType,container', '--format', 'csv'],
      ...['csv', 'sarif', 'ndjson'].map((format) => ['findings', '--format', format]),
      ['call', 'get_asset', '{"id":"wiki:page:1"}'],
      ['call', 'get_stats', '{}'],
    ]
    for (const argv of commands) {
      const { output } = await run(home, ...argv)
      expect(output, argv.join(' ')).not.toMatch(canary)
      expect(output).not.toBe('')
    }
  })
})

describe('a code from an import in lockdown', () => {
  const find = (name: string) => {
    const operation = operations.find((each) => each.name === name)
    if (operation === undefined) throw new Error(`there is no operation ${name}`)
    return operation
  }
  const codesOf = async (context: WriteContext, dimension: string) => {
    const answer = await call(find('query_metric'), { metricSlug: 'total-findings', dimensions: [dimension] }, context)
    const { breakdown } = answer as { breakdown: { dimensionValue: string; value: number }[] }
    return breakdown
  }

  it.each([
    ['detectorType', 'detectorTypes'],
    ['findingType', 'findingTypes'],
    ['category', 'categories'],
    ['customDetectorKey', 'customDetectorKeys'],
    ['assetKind', 'assetKinds'],
  ])('is shown as a hash that filters accept: %s', async (dimension, key) => {
    const { context, close } = openEstate(template)
    const locked = { ...context, lockdown: true }
    const [open, shown] = [await codesOf(context, dimension), await codesOf(locked, dimension)]
    expect(shown.map(({ value }) => value).sort()).toEqual(open.map(({ value }) => value).sort())
    const coded = shown.filter(({ dimensionValue }) => dimensionValue.startsWith('code:'))
    expect(coded.length).toBeGreaterThan(0)
    for (const { dimensionValue, value } of coded) {
      expect(dimensionValue).toMatch(/^code:[0-9a-f]{12}$/)
      const asked = { metricSlug: 'total-findings', filters: { [key]: [dimensionValue] } }
      expect(await call(find('query_metric'), asked, locked)).toMatchObject({
        value,
        applied: { filters: [{ key, values: [dimensionValue] }] },
      })
    }
    close()
  })

  it('is shown unmasked if the settings allow it, and built-in codes always are', async () => {
    const { context, close } = openEstate(template)
    const locked = { ...context, lockdown: true }
    const names = async (given: WriteContext) =>
      (await codesOf(given, 'findingType')).map((each) => each.dimensionValue)
    expect(await names({ ...locked, lockdownCodes: true })).toEqual(await names(context))
    expect(await names(locked)).toEqual(expect.arrayContaining(['AWS_ACCESS_KEY', 'EMAIL', 'IBAN']))
    close()
  })
})

describe('the key of an asset in lockdown', () => {
  it('is shown if it consists of ids only', async () => {
    const { context, close } = openEstate(template)
    const keys = async (lockdown: boolean) => {
      const search = operations.find(({ name }) => name === 'list_assets')
      const answer = search && (await call(search, { limit: 500 }, { ...context, lockdown }))
      return (answer as { items: { key: string }[] }).items.map(({ key }) => key)
    }
    expect((await keys(false)).filter((key) => canary.test(key))).toHaveLength(3)
    expect(new Set(await keys(true))).toEqual(new Set(['(withheld)']))
    close()
  })
})

import { Client as ModernClient, StreamableHTTPClientTransport as ModernHttp } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import { createHttpApp } from '../../src/http/server.ts'
import { createMcpHttpHandler, type McpHttpHandler } from '../../src/mcp/http/http.ts'
import { createMcpSurface } from '../../src/mcp/surface.ts'
import { type Caller, expandScopes, type WriteContext } from '../../src/operation/context.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { makeTemplate, type OpenEstate, openEstate, type Template } from '../catalogue/estate.ts'
import { plantFindings } from '../catalogue/planted-findings.ts'
import { serveHttp } from '../mcp/serve-http.ts'
import { localPerson } from '../support/context.ts'

type Input = Record<string, unknown>
// biome-ignore lint/suspicious/noExplicitAny: the shapes are what the tests are about
type Answer = any

const LOW = 30
const counted = { aggregation: 'COUNT', entity: 'finding' }
const lows = { findingTypes: ['PHONE'], severities: ['LOW'] }
const reason = 'numbers of the test line'
const condition = { kind: 'above', value: 10 }

/** What the owner of an assistant asks it for, by tools. */
const byTool: readonly [what: string, tool: string, input: Input][] = [
  ['triage 30', 'update_finding', { filters: lows, status: 'IGNORED', reason, expectedCount: LOW }],
  ['dismiss a critical one', 'update_finding', { id: '1', status: 'FALSE_POSITIVE', reason }],
  ['define a term', 'create_glossary_term', { slug: 'phones', displayName: 'Phones', filterMapping: lows }],
  ['change a term', 'update_glossary_term', { slug: 'phones', description: 'Numbers of people' }],
  ['define a metric', 'create_metric', { slug: 'all', displayName: 'All', type: 'SIMPLE', definition: counted }],
  ['change a metric', 'update_metric', { slug: 'all', unit: 'findings' }],
  ['certify', 'certify_metric', { slug: 'all' }],
  ['put it on a dashboard', 'set_placement', { dashboard: 'mine', slug: 'all' }],
  ['take it off', 'remove_placement', { dashboard: 'mine', slug: 'all' }],
  ['deprecate', 'deprecate_metric', { slug: 'all', replacedBy: 'total-findings' }],
  ['delete a metric', 'delete_metric', { slug: 'scratch' }],
  ['delete a term', 'delete_glossary_term', { slug: 'phones' }],
  ['delete a source', 'delete_source', { id: 'Quiet wiki' }],
]

/** And by requests, for what no tool is for. */
const byRequest: readonly [what: string, method: string, path: string, input?: Input][] = [
  ['watch', 'POST', '/semantic/watches', { slug: 'w', displayName: 'W', metricSlug: 'open-findings', condition }],
  ['change a watch', 'PUT', '/semantic/watches/w', { condition: { ...condition, value: 20 } }],
  ['delete a watch', 'DELETE', '/semantic/watches/w'],
  ['set due dates', 'PUT', '/semantic/sla', { policies: [{ days: { HIGH: 7 } }] }],
  ['suppress', 'POST', '/suppressions', { filters: { containers: ['Archive'] }, reason }],
  ['lift a suppression', 'DELETE', '/suppressions/1'],
  ['re-open 30', 'POST', '/findings/triage', { filters: lows, status: 'OPEN', expectedCount: LOW }],
]

const bot: Caller = {
  ...{ name: 'desk', id: 'https://id.example.com#desk', via: 'http', token: true },
  scopes: expandScopes(['propose']),
}

let template: Template
let estate: OpenEstate
let mcp: McpHttpHandler
let served: Awaited<ReturnType<typeof serveHttp>>
let origin: string

beforeAll(async () => {
  template = await makeTemplate((context) => plantFindings(context, ['CRITICAL', ...Array(LOW).fill('LOW')]))
  const contextFor = (asked: Pick<WriteContext, 'caller' | 'signal'>) => ({ ...estate.context, ...asked })
  const door = { operations, contextFor, version: '1', log: silentLog }
  const surface = createMcpSurface({ ...door, toolsets: ['agent', 'admin'], findConsole: () => origin })
  mcp = createMcpHttpHandler({ surface, log: silentLog })
  const app = createHttpApp({
    ...door,
    hosts: [],
    callerOf: ({ headers }) => (headers.has('authorization') ? bot : localPerson),
    mcp: (request, caller) => mcp(request, { ...caller, via: 'mcp' }),
  })
  served = await serveHttp(async (request) => app.fetch(request))
  origin = served.url.origin
})
afterAll(async () => {
  await mcp.close()
  await served.close()
  template.remove()
})
beforeEach(() => {
  estate = openEstate(template)
  return () => estate.close()
})

/** A request as the person, or with the token of the bot. */
async function ask(
  method: string,
  path: string,
  body?: object,
  token = false,
): Promise<{ status: number; body: Answer }> {
  const headers = { 'content-type': 'application/json', ...(token ? { authorization: 'Bearer bot' } : {}) }
  const reply = await fetch(`${origin}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  return { status: reply.status, body: await reply.json() }
}

/** What was changed, by whom and on whose proposal. */
async function listDone() {
  const { items } = (await ask('GET', '/semantic/audit?limit=500')).body
  return items.filter(({ kind }: { kind: string }) => kind !== 'proposal')
}

/** The person reads the page of a proposal and clicks. */
async function decide(address: string, click: 'approve' | 'reject' = 'approve'): Promise<void> {
  const [, id] = /^http:\/\/127\.0\.0\.1:\d+\/console\/proposals\/(\d+)$/.exec(address) ?? []
  expect(id, address).toBeDefined()
  const { body } = await ask('GET', `/proposals/${id}`)
  expect(body).toMatchObject({ status: 'open', changes: expect.any(Array) })
  expect(body.changes.length).toBeGreaterThan(0)
  const decided = await ask('POST', `/proposals/${id}/${click}`, {})
  expect(decided, JSON.stringify(decided.body)).toMatchObject({ status: 200 })
}

type Modes = { form?: Record<string, never>; url?: Record<string, never> }

/** A client of either revision that declares these modes of elicitation, or none; `visit` opens a page. */
async function connect(line: 'v1' | 'v2', who: 'bot' | 'local', modes: Modes | undefined, visit: typeof decide) {
  const asked: string[] = []
  const capabilities = modes === undefined ? {} : { elicitation: modes }
  const answer = async (params: { message: string; mode?: string; url?: string }) => {
    asked.push(params.mode ?? 'form')
    if (params.mode !== 'url') return { action: 'accept', content: { agree: true } } as never
    await visit(String(params.url))
    return { action: 'accept' } as never
  }
  const identity = { name: 'desk', version: '2.0' }
  const requestInit = who === 'bot' ? { headers: { authorization: 'Bearer bot' } } : {}
  const versionNegotiation = { mode: { pin: '2026-07-28' } }
  const legacy = new Client(identity, { capabilities })
  const modern = new ModernClient(identity, { capabilities, versionNegotiation })
  if (modes !== undefined) {
    legacy.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params as never))
    modern.setRequestHandler('elicitation/create', ({ params }) => answer(params as never))
  }
  const client = line === 'v1' ? legacy : modern
  if (line === 'v1') await legacy.connect(new StreamableHTTPClientTransport(served.url, { requestInit }) as never)
  else await modern.connect(new ModernHttp(served.url, { requestInit }) as never)
  // Clients check answers against the output schemas that they have listed.
  await client.listTools()
  return {
    asked,
    call: async (name: string, input: Input) =>
      (await (client as Client).callTool({ name, arguments: input })) as {
        isError?: boolean
        content: { text: string }[]
        structuredContent?: Answer
      },
    read: (uri: string) => (client as Client).readResource({ uri }),
    close: () => client.close(),
  }
}

const consented = new Set(operations.filter(({ consent }) => consent !== 'none').map(({ name }) => name))

describe.each([
  ['no capability', 'v1', undefined],
  ['no capability', 'v2', undefined],
  ['forms', 'v1', { form: {} }],
  ['forms', 'v2', { form: {} }],
  ['pages', 'v1', { url: {} }],
  ['pages', 'v2', { url: {} }],
] as const)('an assistant whose client declares %s (%s)', (_, line, modes) => {
  test.each(['bot', 'local'] as const)('does all jobs of %s, none without the click of a person', async (who) => {
    const client = await connect(line, who, modes, decide)
    for (const [what, tool, input] of byTool) {
      const before = await listDone()
      client.asked.length = 0
      const answer = await client.call(tool, input)
      const text = answer.content[0]?.text ?? ''
      expect(answer.isError, `${what}: ${text}`).not.toBe(true)
      expect(text).not.toContain('assay call')
      const isFree = who === 'local' && !consented.has(tool)
      const isForm = who === 'local' && modes !== undefined && 'form' in modes
      const isVisit = modes !== undefined && 'url' in modes
      const wanted = isFree ? [] : isForm ? ['form'] : isVisit ? ['url'] : []
      expect(client.asked, what).toEqual(wanted)
      if (!isFree && wanted.length === 0) {
        expect(answer.structuredContent, what).toMatchObject({ status: 'proposed', proposal: { operation: tool } })
        expect(await listDone(), what).toEqual(before)
        await decide(answer.structuredContent.proposal.approveUrl)
      } else if (wanted[0] === 'url') {
        expect(answer.structuredContent, what).toMatchObject({ status: 'approved', proposal: { decidedBy: 'local' } })
      }
      const done = await listDone()
      expect(done.length, what).toBeGreaterThan(before.length)
      const isProposed = !isFree && wanted[0] !== 'form'
      expect(done[0], what).toMatchObject({ actor: 'local', via: isProposed ? 'http' : 'mcp' })
      expect(done[0].proposedBy, what).toBe(isProposed ? (who === 'bot' ? 'desk' : 'local') : undefined)
    }
    await client.close()
  })
})

test('the other jobs are proposed over REST, and done by a click', async () => {
  await ask('POST', '/findings/triage', { filters: lows, status: 'IGNORED', reason })
  for (const [what, method, path, input] of byRequest) {
    const before = await listDone()
    const { status, body } = await ask(method, path, input, true)
    expect({ status, body }, what).toMatchObject({ status: 202, body: { status: 'proposed' } })
    expect(await listDone(), what).toEqual(before)
    await decide(body.proposal.approveUrl)
    expect((await listDone())[0], what).toMatchObject({ actor: 'local', proposedBy: 'desk' })
  }
  const headers = { authorization: 'Bearer bot', prefer: 'respond-async', 'content-type': 'application/json' }
  const asked = await fetch(`${origin}/semantic/metrics/scratch`, { method: 'DELETE', headers })
  expect(asked.status).toBe(200)
})

test('a person who rejects on the page, or a client that declines to open it, changes nothing', async () => {
  const client = await connect('v1', 'bot', { url: {} }, (address) => decide(address, 'reject'))
  const before = await listDone()
  const answer = await client.call('delete_metric', { slug: 'scratch' })
  expect(answer.isError).toBe(true)
  expect(answer.content[0]?.text).toContain('rejected by local')
  const { contents } = await client.read('assay://proposals')
  expect(JSON.parse(String((contents[0] as { text: string }).text)).items[0]).toMatchObject({ status: 'rejected' })
  expect(await listDone()).toEqual(before)
  await client.close()
})

import { PassThrough } from 'node:stream'
import { Client as ModernClient, StreamableHTTPClientTransport as ModernHttp } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAuthenticator } from '../../src/access/gatekeeper.ts'
import { createToken, openTokenLookup } from '../../src/access/tokens.ts'
import { operations } from '../../src/catalogue.ts'
import { createHttpApp } from '../../src/http/server.ts'
import { createMcpHttpHandler } from '../../src/mcp/http/http.ts'
import { serveStdio } from '../../src/mcp/stdio/stdio.ts'
import { createMcpSurface } from '../../src/mcp/surface.ts'
import { isProposable } from '../../src/operation/consent.ts'
import { type Caller, expandScopes, type Scope, scopes, type WriteContext } from '../../src/operation/context.ts'
import type { Operation } from '../../src/operation/operation.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { serveHttp } from '../mcp/serve-http.ts'
import { localPerson, openStore } from '../support/context.ts'
import { isLong } from '../support/long.ts'
import { locateStore } from '../support/new-store.ts'
import { runOnTerminal } from '../support/terminal.ts'
import { makeTemplate, type OpenEstate, openEstate, type Template, toRequest } from './estate.ts'
import { examples } from './examples.ts'
import { plantFindings } from './planted-findings.ts'

type Input = Record<string, unknown>

/** What a client can do when it is asked, and what its person then says. */
const people = {
  'cannot be asked': undefined,
  agrees: { action: 'accept', content: { agree: true } },
  'does not tick the box': { action: 'accept', content: { agree: false } },
  declines: { action: 'decline' },
  'turns away': { action: 'cancel' },
} as const
type Person = keyof typeof people

interface Way {
  line: 'v1' | 'v2'
  door: 'stdio' | 'http'
  who: Who
}

/** The person at this machine, or the holder of a token with one scope. */
type Who = Scope | 'local'
const everyone: readonly Who[] = ['local', ...scopes]

const CRITICAL = '1'
const LOW = '2'

interface Case {
  operation: Operation
  input: Input
  /** Whether a person is asked at all. */
  asks: boolean
  /** Whether it only counts, or sets what is set already. */
  isVoid?: boolean
}

let template: Template
let estate: OpenEstate
let close: (() => Promise<void> | void)[]
let loopback: URL
let guarded: URL
const tokens = new Map<Who, string>()

const contextFor = (asked: Pick<WriteContext, 'caller' | 'signal'>) => ({ ...estate.context, ...asked })
const toolsets = ['agent', 'admin'] as const
const surface = createMcpSurface({
  usualAddress: 'http://127.0.0.1:7411',
  operations,
  toolsets,
  contextFor,
  version: '1',
  log: silentLog,
})

/** The whole HTTP door on a port of its own. */
async function openPort(callerOf: (request: Request) => Caller | Promise<Caller>): Promise<URL> {
  const mcp = createMcpHttpHandler({ surface, log: silentLog })
  const app = createHttpApp({
    operations,
    contextFor,
    version: '1',
    log: silentLog,
    hosts: [],
    callerOf,
    mcp: (request, caller) => mcp(request, { ...caller, via: 'mcp' }),
  })
  const served = await serveHttp(async (request) => app.fetch(request))
  close.push(served.close, () => mcp.close())
  return served.url
}

beforeAll(async () => {
  close = []
  template = await makeTemplate((context) => plantFindings(context, ['CRITICAL', 'MEDIUM', ...Array(20).fill('LOW')]))
  estate = openEstate(template)
  const { store, remove } = openStore()
  close.push(remove)
  const now = () => Date.now()
  for (const scope of scopes) {
    tokens.set(scope, createToken({ store, caller: localPerson, now }, { name: scope, scopes: [scope] }).token)
  }
  const gatekeeper = createAuthenticator({
    tokens: openTokenLookup(store, now),
    local: localPerson,
    always: false,
    clock: () => Date.now() * 1000,
  })
  loopback = await openPort(() => localPerson)
  guarded = await openPort(({ headers }) =>
    gatekeeper.authenticate({ authorization: headers.get('authorization') ?? undefined, address: '127.0.0.1' }),
  )
})

afterAll(async () => {
  for (const each of close.reverse()) await each()
  estate.close()
  template.remove()
})

interface Connected {
  /** What came of a call: `done`, `proposed`, or the code and the reason of its error. */
  call(name: string, input: Input): Promise<{ outcome: string; text: string }>
  asked: string[]
  close(): Promise<void>
}

const identity = { name: 'desk', version: '2.0' }

/** A client of either revision; over HTTP with the token of `who`, if that has one. */
async function connect({ line, door, who }: Way, person: Person): Promise<Connected> {
  const asked: string[] = []
  const said = people[person]
  const capabilities = said === undefined ? {} : { elicitation: {} }
  const reply = (message: string) => {
    asked.push(message)
    return said as never
  }
  const token = tokens.get(who)
  const requestInit = { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } }
  const url = token === undefined ? loopback : guarded
  const legacy = new Client(identity, { capabilities })
  const modern = new ModernClient(identity, { capabilities, versionNegotiation: { mode: { pin: '2026-07-28' } } })
  if (said !== undefined) {
    legacy.setRequestHandler(ElicitRequestSchema, ({ params }) => reply(params.message))
    modern.setRequestHandler('elicitation/create', ({ params }) => reply(params.message))
  }
  const client = line === 'v1' ? legacy : modern
  let end = () => {}
  if (door === 'stdio') {
    const [toServer, toClient] = [new PassThrough(), new PassThrough()]
    const caller: Caller = { ...localPerson, via: 'mcp' }
    const { signal } = new AbortController()
    void serveStdio({ surface, caller, stdin: toServer, stdout: toClient, signal, log: silentLog })
    // The SDK's own transport over two streams reads one and writes the other, on either side.
    await client.connect(new StdioServerTransport(toClient, toServer) as never)
    end = () => toServer.end()
  } else if (line === 'v1') {
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }) as never)
  } else {
    await client.connect(new ModernHttp(url, { requestInit }) as never)
  }
  return {
    asked,
    call: async (name, input) => {
      const result = (await (client as Client).callTool({ name, arguments: input })) as {
        isError?: boolean
        content: { text: string }[]
        structuredContent?: { status?: string }
        _meta?: { 'assay/error'?: { code: string; reason?: string } }
      }
      const text = result.content[0]?.text ?? ''
      const isProposed = result.structuredContent?.status === 'proposed'
      if (result.isError !== true) return { outcome: isProposed ? 'proposed' : 'done', text }
      const { code = 'failed', reason = '' } = result._meta?.['assay/error'] ?? {}
      return { outcome: `${code} ${reason}`, text }
    },
    close: async () => {
      end()
      await client.close()
    },
  }
}

/** In the short form, the local person is asked at one door of each revision, and two tokens at one door. */
const ways = (['v1', 'v2'] as const)
  .flatMap((line): Way[] => [
    { line, door: 'stdio', who: 'local' },
    ...everyone.map((who: Who): Way => ({ line, door: 'http', who })),
  ])
  .filter(
    ({ line, door, who }) =>
      isLong ||
      (who === 'local'
        ? (line === 'v1') === (door === 'http')
        : line === 'v1' && ['propose', 'triage', 'author'].includes(who)),
  )

/** Triages of many findings by filters. */
function listBatches(operation: Operation): Case[] {
  const decided = { status: 'IGNORED', reason: 'test numbers' }
  const select = (...severities: string[]) => ({ findingTypes: ['PHONE'], severities })
  const batch = (filters: Input, expectedCount: number, more: Input = decided) => ({
    ...{ operation, input: { filters, ...more, expectedCount } },
  })
  return [
    { ...batch(select('LOW'), 20), asks: false },
    { ...batch(select('LOW', 'MEDIUM'), 21), asks: true },
    { ...batch(select('LOW', 'MEDIUM'), 21, { status: 'RESOLVED' }), asks: true },
    { ...batch(select('CRITICAL'), 1, { ...decided, status: 'FALSE_POSITIVE' }), asks: true },
    { ...batch(select('LOW', 'MEDIUM'), 21, { status: 'OPEN' }), asks: false, isVoid: true },
    { operation, input: { filters: select('LOW', 'MEDIUM', 'CRITICAL'), ...decided }, asks: false, isVoid: true },
  ]
}

/** Every tool whose declaration asks a person, and a triage by what it is about. */
function listCases(): Case[] {
  return operations.flatMap((operation): Case[] => {
    const { name, toolset, consent } = operation
    if (consent === 'none' || toolset === undefined) return []
    const [input = {}] = examples[name]?.(template.ids) ?? []
    if (name !== 'update_finding') return [{ operation, input, asks: true }]
    const reason = 'a test key'
    return [
      ...['RESOLVED', 'IGNORED', 'FALSE_POSITIVE'].map((status) => ({
        operation,
        input: { id: CRITICAL, status, reason },
        asks: true,
      })),
      { operation, input: { id: CRITICAL, status: 'OPEN' }, asks: false, isVoid: true },
      { operation, input: { id: '5', status: 'OPEN' }, asks: false },
      { operation, input: { id: '7', status: 'RESOLVED' }, asks: false },
      { operation, input: { id: LOW, status: 'IGNORED', reason }, asks: false },
      ...listBatches(operation),
    ]
  })
}

function expectedOutcome({ operation, asks, isVoid }: Case, who: Who, person: Person): string {
  const granted = who === 'local' ? new Set<Scope>(scopes) : expandScopes([who])
  if (!granted.has(operation.scope)) {
    if (who !== 'propose' || !isProposable(operation)) return 'forbidden insufficient_scope'
    return isVoid === true ? 'done' : 'proposed'
  }
  if (!asks) return 'done'
  if (person === 'cannot be asked' && who !== 'local') return 'done'
  if (person === 'cannot be asked') return isProposable(operation) ? 'proposed' : 'forbidden consent_required'
  return person === 'agrees' ? 'done' : 'forbidden declined'
}

function renewIfChanged(before: number): void {
  if (estate.version() === before) return
  estate.close()
  estate = openEstate(template)
}

describe.each(ways)('every change through $door by $line for $who', (way) => {
  it.each(Object.keys(people) as Person[])('where the person %s', async (person) => {
    const { who } = way
    const client = await connect(way, person)
    for (const each of listCases()) {
      const { operation, input } = each
      const about = `${operation.name} ${JSON.stringify(input)}`
      const before = estate.version()
      client.asked.length = 0
      const { outcome, text } = await client.call(operation.name, structuredClone(input))
      const wanted = expectedOutcome(each, who, person)
      expect(outcome, about).toBe(wanted)
      const isAsked = ['done', 'forbidden declined'].includes(wanted) && each.asks && person !== 'cannot be asked'
      expect(client.asked.length, about).toBe(isAsked ? 1 : 0)
      if (isAsked) expect(client.asked[0]).toContain(`It wants to call ${operation.name}`)
      if (wanted.endsWith('consent_required')) expect(text).toContain('in the console: http://127.0.0.1:7411/console/')
      expect(text).not.toContain('assay call')
      if (wanted === 'proposed') {
        expect(text).toMatch(
          /^Proposed, not done yet: .*assay approve \d+.*http:\/\/127.0.0.1:7411\/console\/proposals\/\d+/,
        )
        expect(text.includes('\n12 months up to '), about).toBe(operation.impact !== undefined)
        renewIfChanged(before)
        continue
      }
      const isChanging = wanted === 'done' && each.isVoid !== true
      if (!isChanging) expect(estate.version(), about).toBe(before)
      else if (input.filters !== undefined) expect(estate.version(), about).not.toBe(before)
      renewIfChanged(before)
    }
    await client.close()
  })
})

/** The cases, with the operations that are no tools; over REST many findings are triaged by an operation of its own. */
function listDirectCases(): Case[] {
  const bulk = operations.find(({ name }) => name === 'triage_findings')
  const others = operations.filter(({ consent, toolset }) => consent !== 'none' && toolset === undefined)
  const own = others.filter((operation) => operation !== bulk)
  return [
    ...listCases().filter(({ input }) => input.filters === undefined),
    ...own.map((operation) => ({ operation, input: examples[operation.name]?.(template.ids)[0] ?? {}, asks: true })),
    ...(bulk === undefined ? [] : listBatches(bulk).filter(({ isVoid }) => isVoid !== true)),
  ]
}

describe('every change that an assistant needs consent for', () => {
  it.each(['local', 'triage', 'author'] as const)('needs none over REST for %s', async (who) => {
    const token = tokens.get(who)
    const granted = who === 'local' ? new Set<Scope>(scopes) : expandScopes([who])
    for (const { operation, input } of listDirectCases()) {
      if (operation.route === undefined) continue
      const { path, init } = toRequest(operation, structuredClone(input))
      const headers = { ...(init.headers as Record<string, string>) }
      const before = estate.version()
      delete headers.host
      if (token !== undefined) headers.authorization = `Bearer ${token}`
      const reply = await fetch(new URL(path, token === undefined ? loopback : guarded), { ...init, headers })
      const about = `${operation.name} ${JSON.stringify(input)}: ${await reply.text()}`
      // The proposal in the estate is one for authors.
      const scope = operation.name === 'approve_proposal' ? 'author' : operation.scope
      if (granted.has(scope)) expect([200, 201], about).toContain(reply.status)
      else expect(about).toContain('insufficient_scope')
      renewIfChanged(before)
    }
  })

  it('needs none on the command line', async () => {
    for (const { operation, input } of listDirectCases()) {
      const { context } = estate
      const asked = { ...localPerson, via: 'cli' as const }
      // Credentials are not taken from the command line, by anybody.
      if ('masked' in ((input.config ?? {}) as object)) continue
      const { code, stderr } = await runOnTerminal(['call', operation.name, JSON.stringify(input)], {
        open: async () => ({
          ...{ operations, caller: asked, contextFor: (given) => ({ ...context, ...given }), close: async () => {} },
        }),
        locate: () => locateStore(context.store),
      })
      expect({ operation: operation.name, input, code, stderr }).toMatchObject({ code: 0, stderr: '' })
      estate.close()
      estate = openEstate(template)
    }
  })
})

describe('declarations', () => {
  it('that require consent are all in the matrix', () => {
    const asking = listCases().flatMap(({ operation, asks }) => (asks ? [operation.name] : []))
    const declared = operations.flatMap(({ name, toolset, consent }) =>
      toolset !== undefined && consent !== 'none' ? [name] : [],
    )
    expect([...new Set(asking)].sort()).toEqual(declared.sort())
    expect(declared).toEqual(expect.arrayContaining(['delete_metric', 'certify_metric', 'update_finding']))
  })
})

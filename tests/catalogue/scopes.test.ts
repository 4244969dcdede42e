import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Authenticator, createAuthenticator } from '../../src/access/gatekeeper.ts'
import { createToken, openTokenLookup } from '../../src/access/tokens.ts'
import { operations } from '../../src/catalogue.ts'
import { createHttpApp } from '../../src/http/server.ts'
import { createMcpSurface } from '../../src/mcp/surface.ts'
import { isProposable } from '../../src/operation/consent.ts'
import { type Scope, scopes, type WriteContext } from '../../src/operation/context.ts'
import type { Operation } from '../../src/operation/operation.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { localPerson, openStore } from '../support/context.ts'
import { exchange, makeTemplate, type OpenEstate, openEstate, type Template, toRequest } from './estate.ts'
import { examples } from './examples.ts'

type Input = Record<string, unknown>
type Who = Scope | 'nobody'

/** What each scope lets its holder do. */
const allowed: Readonly<Record<Who, readonly Scope[]>> = {
  nobody: [],
  read: ['read'],
  propose: ['read', 'propose'],
  triage: ['read', 'triage'],
  author: ['read', 'author'],
  certify: ['read', 'certify'],
  admin: ['read', 'propose', 'triage', 'author', 'certify', 'admin'],
}
const everyone = Object.keys(allowed) as Who[]

/** What each scope is for, said a second time: everything that is not named here may be done by whoever may read. */
const asking: Readonly<Record<string, readonly string[]>> = {
  propose: ['propose_change'],
  triage: ['update_finding', 'triage_findings', 'create_suppression', 'delete_suppression', 'find_value'],
  author: [
    ...['create', 'update', 'delete'].flatMap((verb) =>
      ['glossary_term', 'metric', 'custom_detector', 'watch'].map((noun) => `${verb}_${noun}`),
    ),
    ...['deprecate_metric', 'set_placement', 'remove_placement', 'check_watches', 'set_sla', 'test_metrics'],
  ],
  certify: ['certify_metric'],
  admin: [
    ...['create', 'update', 'delete', 'test'].map((verb) => `${verb}_source`),
    ...['start_scan', 'cancel_scan', 'verify_audit', 'preview_custom_detector'],
    ...['list_tokens', 'create_token', 'revoke_token'],
  ],
}

/** The scope of what the proposal in the estate would do, which those who decide it need. */
const deciding: Readonly<Record<string, Scope>> = { approve_proposal: 'author', reject_proposal: 'author' }

let template: Template
let estate: OpenEstate
let gatekeeper: Authenticator
let remove: () => void
const tokens = new Map<Who, string>()

beforeAll(async () => {
  template = await makeTemplate()
  estate = openEstate(template)
  const kept = openStore()
  remove = kept.remove
  const { store } = kept
  const now = () => Date.now()
  for (const scope of scopes) {
    tokens.set(scope, createToken({ store, caller: localPerson, now }, { name: scope, scopes: [scope] }).token)
  }
  gatekeeper = createAuthenticator({
    tokens: openTokenLookup(store, now),
    local: localPerson,
    always: false,
    clock: () => Date.now() * 1000,
  })
})
afterAll(() => {
  estate.close()
  template.remove()
  remove()
})

const contextFor = (asked: Pick<WriteContext, 'caller' | 'signal'>) => ({ ...estate.context, ...asked })
const door = { operations, contextFor, version: '1', log: silentLog }
const credentials = (who: Who) => {
  const token = tokens.get(who)
  return { authorization: token === undefined ? undefined : `Bearer ${token}`, address: '127.0.0.1' }
}

const app = createHttpApp({
  ...door,
  hosts: [],
  callerOf: ({ headers }) =>
    gatekeeper.authenticate({ authorization: headers.get('authorization') ?? undefined, address: '127.0.0.1' }),
})
const surface = createMcpSurface({ ...door, toolsets: ['agent', 'admin'] })

async function askRest(operation: Operation, input: Input, who: Who): Promise<string> {
  const { path, init } = toRequest(operation, input)
  const { authorization } = credentials(who)
  const headers = { ...init.headers, ...(authorization === undefined ? {} : { authorization }) }
  const reply = await app.request(`http://127.0.0.1:7411${path}`, { ...init, headers })
  return reply.status === 202
    ? 'proposed'
    : reply.status < 300
      ? 'answered'
      : ((await reply.json()) as { code: string }).code
}

async function askMcp({ name }: Operation, input: Input, who: Who): Promise<string> {
  try {
    const caller = { ...(await gatekeeper.authenticate(credentials(who))), via: 'mcp' as const }
    const answer = await surface.callTool(name, input, { ...exchange, caller })
    if (!('content' in answer)) return 'asked'
    if (answer.isError !== true) return answer.structuredContent?.status === 'proposed' ? 'proposed' : 'answered'
    const { code } = (answer._meta?.['assay/error'] ?? {}) as { code?: string }
    return code ?? 'failed'
  } catch (error) {
    return (error as { code: string }).code
  }
}

const cases = operations.flatMap((operation) => [
  ...(operation.route === undefined ? [] : [{ name: operation.name, door: 'REST', operation, ask: askRest }]),
  ...(operation.toolset === undefined ? [] : [{ name: operation.name, door: 'MCP', operation, ask: askMcp }]),
])

describe('every operation with every scope and with none', () => {
  it.each(cases)('$name through $door is answered only with the declared scope', async ({ operation, ask }) => {
    const [input = {}] = examples[operation.name]?.(template.ids) ?? []
    for (const who of everyone) {
      const before = estate.version()
      const outcome = await ask(operation, structuredClone(input), who)
      const wanted = allowed[who].includes(deciding[operation.name] ?? operation.scope)
        ? 'answered'
        : who === 'nobody'
          ? 'unauthorized'
          : who === 'propose' && isProposable(operation)
            ? // It changes no definition, so it answers without storing the states.
              ['check_watches', 'test_metrics'].includes(operation.name)
              ? 'answered'
              : 'proposed'
            : 'forbidden'
      expect(outcome, who).toBe(wanted)
      if (estate.version() === before) continue
      expect(operation.effect).toBe('write')
      expect(['answered', 'proposed'], 'only who may has written').toContain(wanted)
      estate.close()
      estate = openEstate(template)
    }
  })

  it('each operation requires the intended scope', () => {
    const scopeOf = (name: string) => Object.keys(asking).find((scope) => asking[scope]?.includes(name)) ?? 'read'
    expect(operations.map(({ name, scope }) => [name, scope])).toEqual(
      operations.map(({ name }) => [name, scopeOf(name)]),
    )
    const open = operations.filter(({ effect, scope }) => effect === 'write' && scope === 'read')
    expect(open.map(({ name }) => name)).toEqual(Object.keys(deciding))
  })
})

describe('importing over HTTP', () => {
  it.each(everyone)('is allowed to %s only with the scope admin', async (who) => {
    const { authorization } = credentials(who)
    const before = estate.version()
    const reply = await app.request('http://127.0.0.1:7411/findings/import?source=other', {
      method: 'POST',
      headers: {
        host: '127.0.0.1:7411',
        'content-type': 'application/x-ndjson',
        ...(authorization === undefined ? {} : { authorization }),
      },
      body: '',
    })
    expect(reply.status).toBe(who === 'admin' ? 200 : who === 'nobody' ? 401 : 403)
    expect(estate.version() !== before).toBe(who === 'admin')
  })
})

describe('tools/list', () => {
  const operationOf = new Map(operations.map((operation) => [operation.name, operation]))

  it.each(everyone)('lists for %s the tools they may call, in the same order for everyone', (who) => {
    const granted = new Set(allowed[who])
    const listed = surface.listTools({ ...localPerson, scopes: granted }).map(({ name }) => name)
    const all = surface.tools.map(({ name }) => name)
    const isListed = (operation: Operation | undefined) =>
      operation !== undefined && (granted.has(operation.scope) || (who === 'propose' && isProposable(operation)))
    expect(listed).toEqual(all.filter((name) => isListed(operationOf.get(name))))
  })
})

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import type { McpSurface } from '../../src/mcp/protocol.ts'
import { createMcpSurface } from '../../src/mcp/surface.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { caller, localPerson } from '../support/context.ts'
import { exchange, makeTemplate, type OpenEstate, openEstate, type Template } from './estate.ts'
import { examples } from './examples.ts'
import { plantFindings } from './planted-findings.ts'

let template: Template
let estate: OpenEstate
let surface: McpSurface

beforeAll(async () => {
  template = await makeTemplate((context) => plantFindings(context, ['CRITICAL']))
})
afterAll(() => template.remove())
beforeEach(() => {
  estate = openEstate(template)
  surface = createMcpSurface({
    operations,
    toolsets: ['agent', 'admin'],
    contextFor: (asked) => ({ ...estate.context, ...asked }),
    version: '1',
    log: silentLog,
  })
  return () => estate.close()
})

/** What the person is shown. */
async function ask(name: string, input: Record<string, unknown>): Promise<string> {
  const answer = await surface.callTool(name, input, {
    ...exchange,
    caller: { ...localPerson, via: 'mcp' },
    clientCapabilities: new Set(['elicitation']),
  })
  if (!('ask' in answer)) throw new Error(`nobody was asked: ${JSON.stringify(answer)}`)
  return String((answer.ask as unknown as { consent: { params: { message: string } } }).consent.params.message)
}

test('the question about a finding has its title, severity and status so far', async () => {
  const { items } = await caller(operations, estate.context)('search_findings', { severities: ['CRITICAL'], limit: 1 })
  const [{ id, asset }] = items
  const message = await ask('update_finding', { id, status: 'RESOLVED' })
  const [first, detail, call] = message.split('\n')
  expect(first).toBe('An assistant asks for your consent: Setting 1 finding to RESOLVED (1 CRITICAL).')
  expect(detail).toContain(`Finding ${id}: CRITICAL`)
  expect(detail).toContain(`'${asset.name}', now OPEN`)
  expect(call).toMatch(/^It wants to call update_finding with id: /)
})

test('the question about a certificate has the definition and what it is said to mean', async () => {
  const message = await ask('certify_metric', { slug: 'open-findings' })
  expect(message).toContain("'Open findings' (open-findings), ACTIVE, version 1: How many findings were open")
  expect(message).toMatch(/Definition: SIMPLE, \{.*"statuses":\["OPEN"\]/)
  expect(message).toMatch(
    /- 12 months up to 2026-06-15, or the state then: 4 findings, unchanged\n- 0 findings gained, 0 lost\n- Used by discovery, pinned, open-by-space\./,
  )
})

test('a source is created and changed with consent, for which no credential is shown', async () => {
  const [wiki] = (examples.create_source?.(template.ids) ?? []) as { config: Record<string, unknown> }[]
  const config = { ...wiki?.config, masked: { api_token: 'a-token-that-is-not-shown' } }
  const created = await ask('create_source', { name: 'Other', config })
  expect(created).toContain('with new api_token')
  expect(created).not.toContain('a-token-that-is-not-shown')
  const [source] = (await caller(operations, estate.context)('list_sources', {})).items
  const updated = await ask('update_source', {
    id: source.id,
    name: 'Renamed',
    config: { schedule: { enabled: false } },
  })
  expect(updated).toContain(`'${source.name}', renamed to 'Renamed'`)
  expect(updated).toContain('before: {')
  expect(updated).toContain('after: {"schedule":{"enabled":false}}')
})

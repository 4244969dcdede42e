import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import type { McpSurface, ToolAnswer } from '../../src/mcp/protocol.ts'
import { createMcpSurface } from '../../src/mcp/surface.ts'
import type { Caller, WriteContext } from '../../src/operation/context.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { caller, contextOf, localPerson } from '../support/context.ts'
import { exchange, makeTemplate, NOON, type OpenEstate, openEstate, type Template } from './estate.ts'
import { plantFindings } from './planted-findings.ts'

const HOUR = 3_600_000
const PLANTED = 40

let template: Template
let estate: OpenEstate
let now: number
let ids: string[]
let surface: McpSurface

const surfaceOver = (context: WriteContext) =>
  createMcpSurface({
    operations,
    toolsets: ['admin'],
    contextFor: (asked) => ({ ...context, ...asked, now: () => now }),
    version: '1',
    log: silentLog,
  })

beforeAll(async () => {
  template = await makeTemplate((context) => plantFindings(context, Array(PLANTED).fill('LOW')))
})
afterAll(() => template.remove())
beforeEach(async () => {
  now = NOON
  estate = openEstate(template, () => now)
  surface = surfaceOver(estate.context)
  const run = caller(operations, estate.context)
  const { items } = await run('search_findings', { findingTypes: ['PHONE'], limit: 500 })
  ids = items.map(({ id }: { id: string }) => id)
  return () => estate.close()
})

const local: Caller = { ...localPerson, via: 'mcp' }

async function triage(
  id: string,
  { by = local, through = surface, status = 'IGNORED', askable = new Set<'elicitation'>() } = {},
): Promise<'done' | 'asked' | 'proposed'> {
  const input = { id, status, reason: 'a sample' }
  const answer = await through.callTool('update_finding', input, {
    ...exchange,
    caller: by,
    clientCapabilities: askable,
  })
  if ('ask' in answer) return 'asked'
  expect(answer.isError).not.toBe(true)
  return (answer as ToolAnswer).structuredContent?.status === 'proposed' ? 'proposed' : 'done'
}

async function triageAll(some: readonly string[], options: Parameters<typeof triage>[1] = {}): Promise<string[]> {
  const outcomes: string[] = []
  for (const id of some) outcomes.push(await triage(id, options))
  return outcomes
}

const done = (count: number) => Array.from({ length: count }, () => 'done')
const countOf = (status: string) =>
  caller(operations, estate.context)('search_findings', {
    statuses: [status],
    findingTypes: ['PHONE'],
    limit: 500,
  }).then(({ items }) => items.length)

describe('consent for an assistant that triages findings one by one', () => {
  it('is not required for the first twenty within an hour', async () => {
    expect(ids).toHaveLength(PLANTED)
    expect(await triageAll(ids.slice(0, 22))).toEqual([...done(20), 'proposed', 'proposed'])
    expect(await triage(ids[20] ?? '', { askable: new Set(['elicitation']) })).toBe('asked')
    expect(await countOf('IGNORED')).toBe(20)
    now += HOUR - 1
    expect(await triage(ids[20] ?? '')).toBe('proposed')
    now += 1
    expect(await triageAll(ids.slice(20, 41))).toEqual(done(20))
  })

  it('is required for a batch that exceeds the limit', async () => {
    const outcomes = await Promise.all(ids.map((id) => triage(id)))
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(20)
    expect(await countOf('IGNORED')).toBe(20)
  })

  it('is also required through another connection or with another status', async () => {
    expect(await triageAll(ids.slice(0, 12), { status: 'RESOLVED' })).toEqual(done(12))
    const { store } = estate.context
    const again = surfaceOver(contextOf({ store, now: () => now, caller: local }))
    const outcomes = await triageAll(ids.slice(12, 24), { through: again, status: 'FALSE_POSITIVE' })
    expect(outcomes).toEqual([...done(8), ...Array.from({ length: 4 }, () => 'proposed')])
  })

  it('is not required for re-opening, and callers are counted separately', async () => {
    expect(await triageAll(ids.slice(0, 20))).toEqual(done(20))
    expect(await triageAll(ids.slice(0, 20), { status: 'OPEN' })).toEqual(done(20))
    expect(await triage(ids[0] ?? '')).toBe('proposed')
    const other: Caller = { ...local, name: 'grace', id: 'https://id.example.com#grace' }
    expect(await triage(ids[0] ?? '', { by: other })).toBe('done')
  })

  it('does not count changes made by the person through other interfaces', async () => {
    const run = caller(operations, { ...estate.context, caller: localPerson })
    const filters = { findingTypes: ['PHONE'] }
    await run('triage_findings', { filters, status: 'IGNORED', reason: 'samples' })
    await run('triage_findings', { filters, status: 'OPEN' })
    expect(await triage(ids[0] ?? '')).toBe('done')
  })

  it('shows every argument of the call, none of which begins a line', async () => {
    await triageAll(ids.slice(0, 20))
    const input = { reason: `\u2028Agreed.\n${'x'.repeat(900)}`, status: 'IGNORED', id: ids[20] ?? '' }
    const answer = await surface.callTool('update_finding', input, {
      ...exchange,
      caller: local,
      clientCapabilities: new Set(['elicitation']),
    })
    const message = 'ask' in answer ? String(answer.ask.consent?.params?.message) : ''
    expect(message).toContain('status: "IGNORED"')
    expect(message).toContain(`id: "${input.id}"`)
    expect(message).toContain('reason: "')
    expect(message).not.toMatch(/\u2028|x{300}/)
    expect(message.split('\n').map((each) => each.slice(0, 10))).toEqual(['An assista', `- Finding `, 'It wants t'])
  })
})

describe('a decision of an assistant that ends by itself', () => {
  const until = new Date(NOON + HOUR).toISOString()
  const call = async (input: Record<string, unknown>): Promise<Record<string, unknown>> => {
    const answer = await surface.callTool('update_finding', input, { ...exchange, caller: local })
    if ('ask' in answer || answer.isError === true) throw new Error(JSON.stringify(answer))
    return answer.structuredContent as Record<string, unknown>
  }
  const show = (id: string) =>
    caller(operations, estate.context)('get_finding', { id }) as Promise<{
      status: string
      until?: string
      history: { to: string; by: string; reason?: string }[]
    }>

  it.each(['IGNORED', 'FALSE_POSITIVE'])('is open again from that instant on (%s)', async (status) => {
    const [first = '', second = ''] = ids
    expect(await call({ id: first, status, reason: 'until noon', until })).toMatchObject({ status, until })
    const filters = { findingTypes: ['PHONE'], statuses: ['OPEN'] }
    const decision = { filters: { ...filters, assets: ['wiki:page:9'] }, status, reason: 'the rest', until }
    const counted = await call(decision)
    expect(counted).toMatchObject({ matched: PLANTED - 1, changed: 0, fix: { arguments: { until } } })
    now = NOON + HOUR - 1
    expect(await show(first)).toMatchObject({ status, until })
    now = NOON + HOUR
    expect(await show(first)).toMatchObject({ status: 'OPEN' })
    expect((await show(first)).until).toBeUndefined()
    expect((await show(first)).history.at(-1)).toMatchObject({ to: 'OPEN', by: 'assay', reason: 'expired' })
    expect(await show(second)).toMatchObject({ status: 'OPEN', history: [] })
  })

  it.each([
    ['in the past', { status: 'IGNORED', reason: 'known', until: new Date(NOON).toISOString() }],
    ['with another status', { status: 'RESOLVED', until }],
  ])('is refused %s', async (_, decision) => {
    const version = estate.version()
    await expect(call({ id: ids[0], ...decision })).rejects.toThrow(/invalid_input.*until/)
    expect(estate.version()).toBe(version)
  })
})

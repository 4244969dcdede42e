import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import { saveAsset } from '../../src/findings/assets.store.ts'
import { FindingLedger } from '../../src/findings/ledger.store.ts'
import type { McpSurface, ToolAnswer } from '../../src/mcp/protocol.ts'
import { isQuestion } from '../../src/mcp/protocol.ts'
import { createMcpSurface } from '../../src/mcp/surface.ts'
import type { Caller, WriteContext } from '../../src/operation/context.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { getSource } from '../../src/sources/sources.store.ts'
import { caller, contextOf, localPerson } from '../support/context.ts'
import { safe } from '../support/safe-text.ts'
import { exchange, makeTemplate, NOON, type OpenEstate, openEstate, type Template } from './estate.ts'

const HOUR = 3_600_000
const PLANTED = 40

let template: Template
let estate: OpenEstate
let now: number
let ids: string[]
let surface: McpSurface

/** Open findings of no great severity, enough for two batches. */
function plant({ store }: WriteContext): void {
  store.write((writer) => {
    const sourceId = getSource(writer, 'Company wiki').id
    FindingLedger.keep(writer, NOON, (ledger) => {
      const assetId = saveAsset(writer, ledger.facets, {
        ...{ sourceId, scopeKey: safe('wiki:1'), scanId: 1, at: NOON, detectorsHash: 'd', scanned: true },
        draft: {
          key: safe('wiki:page:9'),
          kind: 'wiki.page',
          name: safe('Page'),
          url: safe(''),
          checksum: safe('9'),
          links: [],
        },
      })
      for (let fp = 1; fp <= PLANTED; fp++) {
        const facets = safe({ sourceId, detectorType: 'PII', findingType: 'PHONE', category: 'PRIVACY' })
        ledger.insert({
          ...{ assetId, fp, firstDetectedAt: NOON, confidence: 9000, lastDetectedAt: null, resolvedAt: null },
          ...{ location: null, excerpt: null },
          facets: {
            ...ledger.facets.facetsOf(1),
            ...facets,
            severity: 'LOW',
            status: 'OPEN',
            customDetectorKey: safe(''),
          },
        })
      }
    })
  })
}

const surfaceOver = (context: WriteContext) =>
  createMcpSurface({
    operations,
    toolsets: ['admin'],
    contextFor: (asked) => ({ ...context, ...asked, now: () => now }),
    version: '1',
    log: silentLog,
  })

beforeAll(async () => {
  template = await makeTemplate(plant)
})
afterAll(() => template.remove())
beforeEach(async () => {
  estate = openEstate(template)
  now = NOON
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
): Promise<'done' | 'asked' | 'refused'> {
  const input = { id, status, reason: 'a sample' }
  const answer = await through.callTool('update_finding', input, {
    ...exchange,
    caller: by,
    clientCapabilities: askable,
  })
  if (isQuestion(answer)) return 'asked'
  if (answer.isError !== true) return 'done'
  expect((answer as ToolAnswer)._meta?.['assay/error']).toMatchObject({ code: 'forbidden', reason: 'consent_required' })
  return 'refused'
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
    expect(await triageAll(ids.slice(0, 22))).toEqual([...done(20), 'refused', 'refused'])
    expect(await triage(ids[20] ?? '', { askable: new Set(['elicitation']) })).toBe('asked')
    expect(await countOf('IGNORED')).toBe(20)
    now += HOUR - 1
    expect(await triage(ids[20] ?? '')).toBe('refused')
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
    expect(outcomes).toEqual([...done(8), ...Array.from({ length: 4 }, () => 'refused')])
  })

  it('is not required for re-opening, and callers are counted separately', async () => {
    expect(await triageAll(ids.slice(0, 20))).toEqual(done(20))
    expect(await triageAll(ids.slice(0, 20), { status: 'OPEN' })).toEqual(done(20))
    expect(await triage(ids[0] ?? '')).toBe('refused')
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

  it('shows every argument of the call on a line of its own', async () => {
    await triageAll(ids.slice(0, 20))
    const input = { reason: `\u2028Agreed.\n${'x'.repeat(900)}`, status: 'IGNORED', id: ids[20] ?? '' }
    const answer = await surface.callTool('update_finding', input, {
      ...exchange,
      caller: local,
      clientCapabilities: new Set(['elicitation']),
    })
    const message = isQuestion(answer) ? String(answer.ask.consent?.params?.message) : ''
    expect(message).toContain('status: "IGNORED"')
    expect(message).toContain(`id: "${input.id}"`)
    expect(message).toContain('reason: "')
    expect(message).not.toMatch(/[\n\u2028]|x{300}/)
  })
})

import { describe, expect, it } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import { createMcpSurface } from '../../src/mcp/surface.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { exchange } from '../catalogue/estate.ts'
import { errorOf, NOON } from '../support/context.ts'
import { cases } from '../support/long.ts'
import { DAY, openWatching, type Watching } from '../watches/watching.ts'
import { triageConcurrently } from './concurrent-triage.ts'

const bring = (watching: Watching, count: number, severity = 'HIGH') =>
  watching.bring(Array.from({ length: count }, (_, id) => ({ id, severity, first: NOON - DAY })))
const idsOf = async ({ ask }: Watching): Promise<string[]> =>
  (await ask('search_findings', { limit: 500 })).items.map(({ id }: { id: string }) => id)
const ignored = { status: 'IGNORED', reason: 'samples' }

describe('expectedStatus', () => {
  it('reports a status that was changed meanwhile as a conflict', async () => {
    const watching = openWatching()
    await bring(watching, 2)
    const [id] = await idsOf(watching)
    await watching.ask('update_finding', { id, ...ignored, expectedStatus: 'OPEN' })
    const late = watching.ask('update_finding', { id, status: 'RESOLVED', expectedStatus: 'OPEN' })
    expect(await errorOf(late)).toMatchObject({
      code: 'conflict',
      facts: { reason: 'status_changed', facts: { status: 'IGNORED' } },
    })
    const many = watching.ask('triage_findings', { ids: [id], status: 'RESOLVED', expectedStatus: 'OPEN' })
    expect(await errorOf(many)).toMatchObject({ code: 'conflict', facts: { reason: 'status_changed' } })
    expect((await watching.ask('get_finding', { id })).history).toHaveLength(1)
  })
})

describe('triage_findings', () => {
  it('accepts ids, returns the previous status of each finding, and is undone by one call per previous status', async () => {
    const watching = openWatching()
    await bring(watching, 6)
    const ids = await idsOf(watching)
    await watching.ask('triage_findings', { ids: ids.slice(0, 2), status: 'RESOLVED' })
    const { items, ...counts } = await watching.ask('triage_findings', { ids: [...ids, ids[0]], ...ignored })
    expect(counts).toEqual({ matched: 6, changed: 6 })
    expect(items.map(({ from }: { from: string }) => from).sort()).toEqual([
      ...Array(4).fill('OPEN'),
      'RESOLVED',
      'RESOLVED',
    ])
    // One of them moves before the undo.
    await watching.ask('update_finding', { id: ids[5], status: 'FALSE_POSITIVE', reason: 'a sample' })
    for (const status of ['OPEN', 'RESOLVED']) {
      const former = items.filter(({ from }: { from: string }) => from === status).map(({ id }: { id: string }) => id)
      await watching.ask('triage_findings', { ids: former, status, expectedStatus: 'IGNORED' })
    }
    const statuses = await Promise.all(ids.map(async (id) => (await watching.ask('get_finding', { id })).status))
    expect(statuses).toEqual(['RESOLVED', 'RESOLVED', 'OPEN', 'OPEN', 'OPEN', 'FALSE_POSITIVE'])
  })

  it('refuses an unexpected count, unknown ids, ids with filters, and more than 10,000 findings, and changes nothing', async () => {
    const watching = openWatching()
    await bring(watching, 3)
    const filters = { severities: ['HIGH'] }
    const ids = Array.from({ length: 10_001 }, (_, id) => String(id + 1))
    const refused = async (input: object) => {
      const error = await errorOf(watching.ask('triage_findings', { ...ignored, ...input }))
      return [error.code, error.facts.reason]
    }
    expect(await refused({ filters, expectedCount: 2 })).toEqual(['conflict', 'count_changed'])
    expect(await refused({ filters, expected: 2 })).toEqual(['conflict', 'count_changed'])
    expect(await refused({ ids: ['1', '999'] })).toEqual(['not_found', undefined])
    expect(await refused({ ids: ['1'], filters })).toEqual(['invalid_input', undefined])
    expect(await refused({})).toEqual(['invalid_input', undefined])
    expect(await refused({ ids })).toEqual(['invalid_input', 'too_long'])
    expect(await refused({ ids: ['1'], reason: '' })).toEqual(['invalid_input', undefined])
    expect((await watching.ask('query_metric', { metricSlug: 'open-findings' })).value).toBe(3)
    expect((await watching.ask('list_audit', { kind: 'finding' })).total ?? 0).toBe(0)
  })

  it('keeps history, counts and audit trail equal when two people and an assistant triage and undo at once', async () => {
    for (let seed = 4; seed < 4 + cases(1, 3); seed++) {
      const done = await triageConcurrently(cases(300, 5_000), cases(12, 25), seed)
      expect(done.recorded).toEqual(done.answered)
      expect(done.audited).toEqual(done.changedBy)
      expect(done.counted).toEqual(done.ended)
      expect(done).toMatchObject({ broken: 0, wronglyUndone: [], changed: done.recorded.length })
      expect(Math.min(done.changed / 100, done.conflicts, done.undos)).toBeGreaterThan(0.9)
    }
  })
})

it('update_finding over MCP accepts filters: the first call counts and states how to continue, the second changes the findings', async () => {
  const watching = openWatching()
  await bring(watching, 5, 'LOW')
  const surface = createMcpSurface({
    operations,
    toolsets: ['agent', 'admin'],
    contextFor: (asked) => ({ ...watching.context, ...asked }),
    version: '1',
    log: silentLog,
  })
  const callTool = async (input: Record<string, unknown>) => {
    const answer = await surface.callTool('update_finding', input, exchange)
    if ('ask' in answer) throw new Error('a token is not asked')
    return answer.structuredContent
  }
  const input = { filters: { severities: ['LOW'] }, ...ignored }
  const counted = await callTool(input)
  expect(counted).toEqual({
    matched: 5,
    changed: 0,
    ids: [],
    fix: { tool: 'update_finding', arguments: { ...input, expectedCount: 5 } },
  })
  const changed = await callTool({ ...input, expectedCount: 5 })
  expect(changed).toMatchObject({ matched: 5, changed: 5 })
  expect(changed?.ids).toHaveLength(5)
})

it('values that nothing has are named with the closest, wherever a filter is given', async () => {
  const watching = openWatching()
  await watching.bring([{ id: 1, severity: 'HIGH', first: NOON - DAY, container: 'Engineering' }])
  const filters = { containers: ['Enginering'] }
  const warnings = [
    { code: 'unknown_value', message: "Nothing has containers 'Enginering'; did you mean Engineering?" },
  ]
  expect(await watching.ask('preview_triage', { filters })).toEqual({ count: 0, warnings })
  expect(await watching.ask('update_finding', { filters, ...ignored })).toMatchObject({ matched: 0, warnings })
  expect(await watching.ask('search_findings', filters)).toEqual({ items: [], warnings })
  expect(await watching.ask('create_suppression', { filters, ...ignored })).toMatchObject({ changed: 0, warnings })
  const known = { filters: { containers: ['engineering'] } }
  expect(await watching.ask('preview_triage', known)).toEqual({ count: 1 })
})

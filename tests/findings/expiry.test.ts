import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { recordExpiries } from '../../src/findings/expiries.ts'
import { errorOf, NOON } from '../support/context.ts'
import { startEntry, untilPrinted } from '../support/entry.ts'
import { cases, maxMs } from '../support/long.ts'
import { filesOf, sqliteOnly } from '../support/new-store.ts'
import { DAY, openWatching, type Watching } from '../watches/watching.ts'
import { runCourse } from './expiry-course.ts'

const KILLS = cases(1, 6)
const inDays = (days: number) => new Date(NOON + days * DAY).toISOString()
const ignored = { status: 'IGNORED', reason: 'accepted for now' }

async function openThree(): Promise<{ watching: Watching; ids: string[] }> {
  const watching = openWatching()
  await watching.bring([1, 2, 3].map((id) => ({ id, severity: 'HIGH', first: NOON - 10 * DAY })))
  const { items } = await watching.ask('search_findings', { limit: 10 })
  return { watching, ids: items.map(({ id }: { id: string }) => id) }
}

const openFindings = async ({ ask }: Watching, to?: string): Promise<number> =>
  (await ask('query_metric', { metricSlug: 'open-findings', ...(to === undefined ? {} : { to }) })).value

describe('a triage decision with an end', () => {
  it('ends at that instant in every answer, before the end is recorded, and in answers about the future', async () => {
    const { watching, ids } = await openThree()
    const { ask, context } = watching
    const day = await ask('update_finding', { id: ids[0], ...ignored, until: '2099-12-31' })
    expect(day.until).toBe('2100-01-01T00:00:00.000Z')
    const shown = await ask('update_finding', { id: ids[0], ...ignored, until: inDays(5) })
    expect(shown).toMatchObject({ status: 'IGNORED', until: inDays(5) })
    expect(shown.history.at(-1)).toMatchObject({ to: 'IGNORED', until: inDays(5) })
    expect(await openFindings(watching)).toBe(2)
    expect(await openFindings(watching, inDays(4))).toBe(2)
    // A stock at T applies what happened before T.
    expect(await openFindings(watching, inDays(5))).toBe(2)
    expect(await openFindings(watching, new Date(NOON + 5 * DAY + 1).toISOString())).toBe(3)
    context.clock.now = NOON + 5 * DAY
    expect(await openFindings(watching)).toBe(3)
    const found = await ask('get_finding', { id: ids[0] })
    expect(found).toMatchObject({ status: 'OPEN' })
    expect(found).not.toHaveProperty('until')
    expect(found.history.at(-1)).toEqual({ at: inDays(5), from: 'IGNORED', to: 'OPEN', by: 'assay', reason: 'expired' })
    expect((await ask('search_findings', { statuses: ['IGNORED'] })).items).toEqual([])
    expect((await ask('get_stats', {})).findings).toMatchObject({
      total: 3,
      byStatus: [{ status: 'OPEN', count: 3 }, {}, {}, {}],
    })
    context.clock.now = NOON + 6 * DAY
    expect(await recordExpiries({ store: context.store, now: context.now })).toBe(1)
    expect(await ask('get_finding', { id: ids[0] })).toEqual(found)
    expect(await openFindings(watching, inDays(4))).toBe(2)
    expect(await recordExpiries({ store: context.store, now: context.now })).toBe(0)
  })

  it('is refused, with the path, for an end in the past, an invalid instant or another status', async () => {
    const { watching, ids } = await openThree()
    const { ask } = watching
    const pathsOf = async (operation: string, input: object) => {
      const { code, facts } = await errorOf(ask(operation, input))
      return [code, facts.issues?.map(({ path }) => path)]
    }
    const refused = ['invalid_input', ['until']]
    expect(await pathsOf('update_finding', { id: ids[0], ...ignored, until: inDays(0) })).toEqual(refused)
    expect(await pathsOf('update_finding', { id: ids[0], ...ignored, until: 'next week' })).toEqual(refused)
    expect(await pathsOf('update_finding', { id: ids[0], ...ignored, until: '2026-13-01T00:00:00Z' })).toEqual(refused)
    expect(await pathsOf('update_finding', { id: ids[0], status: 'RESOLVED', until: inDays(1) })).toEqual(refused)
    expect(await pathsOf('triage_findings', { ids, status: 'OPEN', until: inDays(1) })).toEqual(refused)
    expect(await pathsOf('triage_findings', { ids, ...ignored, until: inDays(-1) })).toEqual(refused)
    const filters = { severities: ['HIGH'] }
    expect(await pathsOf('create_suppression', { filters, reason: 'x', until: inDays(-1) })).toEqual(refused)
    expect(await openFindings(watching)).toBe(3)
  })

  it('is recorded in the audit trail', async () => {
    const { watching, ids } = await openThree()
    await watching.ask('update_finding', { id: ids[0], ...ignored, until: inDays(1) })
    await watching.ask('update_finding', { id: ids[0], ...ignored, until: inDays(2) })
    const { items } = await watching.ask('list_audit', { kind: 'finding' })
    expect(items[0]).toMatchObject({ before: { status: 'IGNORED', until: inDays(1) }, after: { until: inDays(2) } })
  })
})

it('has one row of history for its end when a process is killed before it records the end', async (test) => {
  sqliteOnly('another process opens the file', test)
  const watching = openWatching()
  const { ask, context } = watching
  await watching.bring(Array.from({ length: 2_000 }, (_, id) => ({ id, severity: 'LOW', first: NOON - DAY })))
  const count = { expectedCount: 2_000, filters: { severities: ['LOW'] } }
  await ask('triage_findings', { ...count, ...ignored, until: inDays(1) })
  context.clock.now = NOON + 2 * DAY
  const entry = new URL('expiry-entry.ts', import.meta.url)
  const countRecorded = () =>
    context.store.read((reader) =>
      reader.prepare(`SELECT count(*) FROM main.status_change WHERE reason = 'expired'`).pluck().get(),
    )
  const seen: unknown[] = []
  for (let kill = 0; kill < KILLS; kill++) {
    const running = await startEntry(entry, [filesOf(context.store).file, String(context.clock.now)])
    await untilPrinted(running, 'ready')
    await sleep(kill * (72 / KILLS))
    running.child.kill('SIGKILL')
    await running.ended
    seen.push(countRecorded())
    expect(await openFindings(watching)).toBe(2_000)
  }
  await recordExpiries({ store: context.store, now: context.now })
  expect([...seen, countRecorded()].at(-1)).toBe(2_000)
  const doubled = context.store.read((reader) =>
    reader.prepare('SELECT count(*) FROM status_change GROUP BY finding_id HAVING count(*) <> 2').all(),
  )
  expect(doubled).toEqual([])
  expect(await openFindings(watching)).toBe(2_000)
}, 60_000)

describe('any sequence of scans, decisions with an end, suppressions and undos', () => {
  it(
    'has the state in every answer that a model predicts, before and after the ends are recorded',
    async () => {
      const total = { histories: 0, ends: 0, servedByEngine: 0 }
      for (let seed = 1; seed <= cases(6, 160); seed++) {
        const course = await runCourse(seed, cases(9, 13), cases(6, 16))
        expect(course.differences).toEqual([])
        total.histories += course.histories
        total.ends += course.ends
        total.servedByEngine += course.servedByEngine
      }
      expect(total.histories).toBeGreaterThanOrEqual(50)
      expect(total.ends).toBeGreaterThan(5)
      expect(total.servedByEngine).toBeGreaterThan(20)
    },
    maxMs(60_000),
  )
})

import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, expect, test, vi } from 'vitest'
import { createToken } from '../../src/access/tokens.ts'
import { createCountedAnswers } from '../../src/background/counted-answers.ts'
import { operations } from '../../src/catalogue.ts'
import { createHttpApp } from '../../src/http/server.ts'
import type { McpRequest, ToolAnswer } from '../../src/mcp/protocol.ts'
import type { Caller, WriteContext } from '../../src/operation/context.ts'
import { silentLog } from '../../src/runtime/log.ts'
import type { Store } from '../../src/store/store.ts'
import { changeSomething } from '../engine/changing.ts'
import { plantMetrics } from '../properties/plant-metrics.ts'
import { makeEstate, makeMetrics, NOW, SeededRandom } from '../properties/query-data.ts'
import { type EstateSeed, openFolderStore, plant } from '../query/estate.ts'
import { contextOf, localPerson } from '../support/context.ts'
import { openTools } from '../support/mcp-tools.ts'
import { safe } from '../support/safe-text.ts'

const SEED = Number(process.env.ASSAY_ENGINE_SEED ?? 4)
const STEPS = Number(process.env.ASSAY_ENGINE_QUESTIONS ?? 80)
const MINUTE = 60_000
const DAY = 1440 * MINUTE
const closers: (() => void)[] = []
afterAll(() => {
  for (const close of closers) close()
})

function fill(seed: number, now: () => number): Store {
  const { store, close } = openFolderStore(now)
  closers.push(close)
  plant(store, makeEstate(seed, 500) as EstateSeed)
  store.write((writer) =>
    writer.prepare('UPDATE combo SET n = (SELECT count(*) FROM finding WHERE combo_id = combo.id)').run(),
  )
  return store
}

const questions = [
  { metricSlug: 'total-findings', dimensions: ['severity'] },
  { metricSlug: 'total-findings', dimensions: ['findingType', 'source'], limit: 6 },
  { metricSlug: 'open-findings', dimensions: ['detectorType'], limit: '3' },
  { metricSlug: 'open-findings', alsoMetrics: ['false-positive-rate', 'total-findings', 'no-such'] },
  { metricSlug: 'false-positive-rate', dimensions: ['severity'], timeZone: 'Europe/Berlin' },
  { metricSlug: 'total-findings', filters: { findingTypes: ['sk_live_4eC39HqLyjWDarjtT1zdp7dc', 'EMAIL'] } },
  { metricSlug: 'Total findings', filters: { severities: ['HIGH'], exclude: { statuses: ['OPEN'] } } },
  { metricSlug: 'total-findings', filters: { severities: ['HIGH'], exclude: { severities: ['HIGH'] } } },
  { metricSlug: 'total-findings', from: '2026-03-01' },
  { metricSlug: 'total-findings', filters: { sources: ['No such source'] } },
]

/** Statements that change definitions; a scan and a schedule become late at about the time of the questions. */
const definitions: readonly ((random: SeededRandom) => string)[] = [
  () => `UPDATE metric SET display_name = display_name || '!' WHERE slug = 'total-findings'`,
  () => `UPDATE metric SET version = version + 1 WHERE slug = 'open-findings'`,
  (random) => `UPDATE source SET last_completed_scan_at = ${NOW - 7 * DAY + random.below(5 * MINUTE)} WHERE id = 2`,
  (random) =>
    `UPDATE source SET schedule_enabled = 1, next_run_at = ${NOW - 60 * MINUTE + random.below(5 * MINUTE)} WHERE id = 1`,
  () => `UPDATE source SET name = name || '.' WHERE id = 3`,
]

/** The answers of two doors as texts, without the marks and ids that are random. */
function openDoors(contextFor: (caller: Caller) => WriteContext) {
  const own = contextFor(localPerson)
  const http = createHttpApp({
    operations,
    contextFor: ({ caller }) => contextFor(caller),
    callerOf: ({ headers }) => ({ ...localPerson, ...(headers.has('x-lockdown') ? { lockdown: true } : {}) }),
    version: '1',
    log: silentLog,
    hosts: [],
  })
  const tools = openTools(own)
  return {
    async overHttp(question: object, lockdown: boolean): Promise<string> {
      const reply = await http.request('http://127.0.0.1/semantic/query', {
        method: 'POST',
        headers: {
          host: '127.0.0.1',
          'content-type': 'application/json',
          ...(lockdown ? { 'x-lockdown': '1' } : {}),
        },
        body: JSON.stringify(question),
      })
      return `${reply.status} ${await reply.text()}`
    },
    async overMcp(question: object, lockdown: boolean): Promise<string> {
      const caller = { ...localPerson, ...(lockdown ? { lockdown: true } : {}) }
      const request: McpRequest = {
        ...{ caller, signal: own.signal, clientCapabilities: new Set(), answers: {}, state: undefined },
        ...{ progress: () => {}, notice: () => {} },
      }
      const answer = (await tools.callTool('query_metric', { ...question }, request)) as ToolAnswer
      return JSON.stringify(answer).replaceAll(/\[[0-9a-f]{8}\]/g, '[mark]')
    },
  }
}

test(`${STEPS} answers, repeated and not, are those of SQL to the byte, through changes of everything and of the time`, async () => {
  const clock = { now: NOW }
  const store = fill(SEED, () => clock.now)
  plantMetrics(store, makeMetrics(SEED))
  const counted = createCountedAnswers({ store, log: silentLog })
  const tally = { asked: 0, run: 0, repeated: 0 }
  const contextFor = (caller: Caller) => contextOf({ store, now: () => clock.now, caller })
  const ours = openDoors((caller) => ({
    ...contextFor(caller),
    answerByCounts(question) {
      const before = tally.run
      const answer = counted.answer({
        ...question,
        run: (read, now) => {
          tally.run += 1
          return question.run(read, now)
        },
      })
      tally.asked += 1
      if (answer !== undefined && tally.run === before) tally.repeated += 1
      return answer
    },
  }))
  const theirs = openDoors(contextFor)
  const random = new SeededRandom(SEED)
  // The counts are loaded again only after a second.
  const real = performance.now.bind(performance)
  let ahead = 0
  vi.spyOn(performance, 'now').mockImplementation(() => real() + ahead)
  for (let step = 0; step < STEPS; step++) {
    const kind = random.below(60)
    if (kind === 0) changeSomething(store, random, { startsOver: 0 })
    else if (kind === 1) store.write((writer) => writer.prepare(random.pick(definitions)(random)).run())
    else if (kind === 2) createToken(contextFor(localPerson), { name: `token ${step}`, scopes: ['read'] })
    else if (kind === 3) clock.now = NOW + random.below(40 * DAY)
    else if (kind < 8) clock.now = NOW - random.below(2 * MINUTE)
    else if (kind < 12) clock.now += random.below(2 * MINUTE)
    else if (kind < 30) clock.now += random.below(1_000)
    ahead += 500
    await nextTurn()
    const question = random.pick(random.chance(0.7) ? questions.slice(0, 5) : questions)
    const lockdown = random.chance(0.1)
    for (const door of ['overHttp', 'overMcp'] as const) {
      const [own, full] = [await ours[door](question, lockdown), await theirs[door](question, lockdown)]
      expect({ step, door, question, lockdown, answer: own }).toEqual({ step, door, question, lockdown, answer: full })
    }
  }
  vi.restoreAllMocks()
  counted.close()
  expect(tally.repeated).toBeGreaterThan(STEPS / 15)
  // On a server, these are about 7,000 round trips one after the other.
}, 300_000)

test('an answer is not repeated once a decision ends, a scan is too long ago, or another process has written', async () => {
  const clock = { now: NOW }
  const store = fill(SEED + 1, () => clock.now)
  const counted = createCountedAnswers({ store, log: silentLog })
  let runs = 0
  const ask = () => {
    const before = runs
    const answer = counted.answer({
      operation: 'query_metric',
      input: {},
      now: clock.now,
      key,
      run: (read, now) => {
        runs += 1
        return read((reader) => ({
          asOf: new Date(now).toISOString(),
          sum: reader.prepare('SELECT sum(n) AS n FROM combo').get(),
          isLate: now >= NOW + 30_000,
        }))
      },
    })
    return { output: answer?.output, isRepeated: runs === before }
  }
  const key = {}
  await expect.poll(() => ask().output).toBeDefined()
  // Until half a minute after the first moment at which it is asked again.
  expect(ask().isRepeated).toBe(false)
  clock.now = NOW + 30_000
  ask()
  clock.now += 1
  expect(ask().isRepeated).toBe(true)
  clock.now -= 2
  expect(ask().output).toMatchObject({ isLate: false })
  clock.now = NOW + 40_000
  ask()
  ask()
  expect(ask()).toMatchObject({ isRepeated: true, output: { asOf: '2026-11-15T12:00:40.000Z' } })
  store.write((writer) =>
    writer.prepare('INSERT INTO expiry (finding_id, at, to_status) VALUES (1, ?, 0)').run(clock.now + 30_000),
  )
  ask()
  ask()
  expect(ask().isRepeated).toBe(false)
  store.write((writer) => writer.prepare('DELETE FROM expiry').run())
  ask()
  ask()
  expect(ask().isRepeated).toBe(true)
  store.write((writer) => writer.prepare('UPDATE source SET name = ? WHERE id = 1').run(safe('Renamed')))
  expect(ask().isRepeated).toBe(false)
  counted.close()
})

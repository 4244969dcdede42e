import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createQueryThread } from '../../src/background/query-thread.ts'
import { dashboardOperations } from '../../src/dashboards/operations.ts'
import { buildEngine } from '../../src/engine/load.store.ts'
import { FindingLedger } from '../../src/findings/ledger.store.ts'
import { findingOperations } from '../../src/findings/operations.ts'
import { createHttpApp } from '../../src/http/server.ts'
import { queryOperations } from '../../src/query/operations.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { getStats } from '../../src/scans/stats-operation.ts'
import { makeEstate, NOW, SeededRandom } from '../properties/query-data.ts'
import { type EstateSeed, plant } from '../query/estate.ts'
import { caller, errorOf, localPerson, openContext } from '../support/context.ts'
import { takeFaults } from '../support/endings.ts'
import { openNewFile } from '../support/new-store.ts'

const operations = [...queryOperations, ...dashboardOperations, ...findingOperations, getStats]

/** The built thread starts much faster than the one from the sources. */
const builtScript = new URL('../../dist/background/query.worker.js', import.meta.url)

function openThread(script: URL | undefined = builtScript) {
  const home = mkdtempSync(join(tmpdir(), 'assay-answers-'))
  const store = openNewFile(join(home, 'assay.db'), () => NOW)
  plant(store, makeEstate(5, 500) as EstateSeed)
  store.write((writer) => {
    // The thread has the clock of the system, by which other decisions have ended.
    writer.prepare('DELETE FROM main.expiry').run()
  })
  const lines: string[] = []
  const startThread = () =>
    createQueryThread({
      store,
      home,
      env: process.env,
      log: silentLog,
      logLevel: 'info',
      writeLine: (line) => lines.push(line),
      minFindings: 100,
      script,
    })
  const thread = startThread()
  onTestFinished(async () => {
    await thread.close()
    store.close()
    rmSync(home, { recursive: true, force: true })
  })
  const asked = { caller: localPerson, signal: new AbortController().signal }
  return { store, thread, startThread, lines, asked }
}

test('gives the same answers as the main thread, with and without the engine, while findings are written', async () => {
  const { store, thread, lines, asked } = openThread()
  const own = { ...openContext(), store, read: store.read.bind(store), now: () => Date.now() }
  const here = caller(operations, own)
  const away = caller(operations, {
    ...own,
    runOnQueryThread: async (name, input) => {
      const answer = await thread.answer(name, input, asked)
      expect(answer).toBeDefined()
      return answer
    },
  })
  const input = { metricSlug: 'total-findings', dimensions: ['severity', 'detectorType'] }
  const compare = async () => {
    const [theirs, ours] = [await away('query_metric', input), await here('query_metric', input)]
    expect({ ...theirs, freshness: null }).toEqual({ ...ours, freshness: null })
    return theirs.value
  }
  expect(await compare()).toBe(500)
  const random = new SeededRandom(1)
  for (let round = 1; round <= 30; round++) {
    store.write((writer) =>
      FindingLedger.keep(writer, NOW, (ledger) => {
        const facets = ledger.findById(1 + random.below(500))?.facets
        if (facets === undefined) throw new Error('the estate has no such finding')
        const times = { firstDetectedAt: NOW - random.below(1e10), lastDetectedAt: null, resolvedAt: null }
        ledger.insert({ assetId: 1, fp: 1e9 + round, facets, ...times, confidence: 1, location: null, excerpt: null })
      }),
    )
    expect(await compare()).toBe(500 + round)
  }
  await expect
    .poll(() => lines.filter((line) => line.includes('the engine is ready')).length, { timeout: 20_000 })
    .toBe(1)
  expect(await compare()).toBe(530)
}, 60_000)

test('lists and counts of many rows are also answered on the query thread, page by page', async () => {
  const { store, thread, asked } = openThread()
  const own = { ...openContext(), store, read: store.read.bind(store), now: () => NOW }
  const here = caller(operations, own)
  const answered: string[] = []
  const away = caller(operations, {
    ...own,
    runOnQueryThread: (name, input) => {
      answered.push(name)
      return thread.answer(name, input, asked)
    },
  })
  const first = await away('search_findings', { severities: ['HIGH', 'CRITICAL'], limit: 7 })
  expect(first.items).toHaveLength(7)
  const rest = { severities: ['HIGH', 'CRITICAL'], limit: 7, cursor: first.nextCursor }
  for (const [name, input] of [
    ['search_findings', rest],
    ['list_assets', { limit: 5, severities: ['LOW'] }],
    ['preview_triage', { filters: { statuses: ['OPEN'] } }],
    ['get_stats', {}],
  ] as const) {
    const [theirs, ours] = [await away(name, input), await here(name, input)]
    expect({ ...theirs, nextCursor: '' }).toEqual({ ...ours, nextCursor: '' })
  }
  expect(new Set(answered)).toEqual(new Set(['search_findings', 'list_assets', 'preview_triage', 'get_stats']))
}, 60_000)

test('the heaviest queries, eight at once over HTTP, cause no reads in the main thread', async () => {
  const { store, thread } = openThread()
  const own = { ...openContext(), store, now: () => Date.now() }
  const here = caller(operations, { ...own, read: store.read.bind(store) })
  const read = () => {
    throw new Error('the thread that serves has read')
  }
  const http = createHttpApp({
    operations,
    contextFor: (about) => ({ ...own, ...about, read, runOnQueryThread: thread.answer }),
    version: '1',
    log: silentLog,
    callerOf: () => localPerson,
    hosts: [],
  })
  const heaviest = ['container', 'assetKind', 'severity', 'detectorType'].map((dimension) => ({
    metricSlug: 'affected-assets',
    dimensions: [dimension, 'findingType'],
  }))
  const questions = [...heaviest, ...heaviest]
  const replies = await Promise.all(
    questions.map(async (question) => {
      const headers = { host: '127.0.0.1:7411', 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: JSON.stringify(question) }
      const reply = await http.request('http://127.0.0.1:7411/semantic/query', init)
      return { status: reply.status, body: (await reply.json()) as { value: unknown; breakdown: unknown } }
    }),
  )
  for (const [index, question] of questions.entries()) {
    const { value, breakdown } = await here('query_metric', question)
    expect(replies[index]).toMatchObject({ status: 200, body: { value, breakdown } })
  }
}, 60_000)

test('passes errors on with their facts, and reports cancelled queries', async () => {
  const { thread, asked } = openThread()
  const answer = thread.answer('query_metric', { metricSlug: 'total-findigns' }, asked)
  const error = await errorOf(answer ?? Promise.resolve())
  expect(error.code).toBe('not_found')
  expect(error.facts.suggestions?.[0]?.value).toBe('total-findings')
  const stop = new AbortController()
  const cancelled = thread.answer('query_metric', { metricSlug: 'total-findings' }, { ...asked, signal: stop.signal })
  stop.abort()
  expect((await errorOf(cancelled ?? Promise.resolve())).facts.reason).toBe('cancelled')
}, 60_000)

/** The thread that answers a question after a time, where threads only pretend to build an engine. */
function openPretending(home: 'builds' | 'fails') {
  const { store, asked } = openThread()
  const warn = vi.fn()
  const lines: string[] = []
  const thread = createQueryThread({
    ...{ store, home, env: {}, log: { ...silentLog, warn }, logLevel: 'info', minFindings: 100 },
    writeLine: (line) => lines.push(line),
    script: new URL('./replaced.worker.mjs', import.meta.url),
  })
  onTestFinished(() => thread.close())
  const ask = async (afterMs: number) =>
    ((await thread.answer('query_metric', { afterMs }, asked)) as { output: number } | undefined)?.output
  /** The number of signs of life of a thread in a while. */
  const countSigns = async (thread: number | undefined) => {
    lines.length = 0
    await new Promise((resolve) => setTimeout(resolve, 200))
    return lines.filter((line) => line === String(thread)).length
  }
  return { ask, warn, countSigns }
}

test('a thread that has built an engine replaces the one that answers, which still answers what it was asked', async () => {
  const { ask, countSigns } = openPretending('builds')
  const [first, late] = [await ask(0), ask(1_000)]
  await expect.poll(() => ask(0)).not.toBe(first)
  expect(await countSigns(first)).toBeGreaterThan(0)
  expect(await late).toBe(first)
  await expect.poll(() => countSigns(first), { timeout: 5_000 }).toBe(0)
  expect(await ask(0)).toBeGreaterThan(first ?? 0)
})

test('a thread that cannot build an engine replaces none, and another one tries later', async () => {
  const { ask, warn } = openPretending('fails')
  const first = await ask(0)
  await expect.poll(() => warn.mock.calls.length).toBeGreaterThan(1)
  expect(warn).toHaveBeenCalledWith('the engine could not be built; SQL answers most queries', expect.anything())
  expect(await ask(0)).toBe(first)
})

test('leaves a query to the main thread when the query thread dies or does not run the operation', async () => {
  const { thread, asked } = openThread(new URL('./mortal.worker.mjs', import.meta.url))
  expect(await thread.answer('query_metric', { metricSlug: 'total-findings' }, asked)).toBeUndefined()
  expect(thread.answer('query_metric', { metricSlug: 'total-findings' }, asked)).toBeUndefined()
  expect(thread.answer('list_metrics', {}, asked)).toBeUndefined()
  expect(takeFaults()).toHaveLength(1)
}, 60_000)

test('rejects waiting queries with unavailable when it is closed', async () => {
  const { thread, asked } = openThread(new URL('./silent.worker.mjs', import.meta.url))
  const questions = ['total-findings', 'open-findings', 'affected-assets'].map((metricSlug) =>
    errorOf(thread.answer('query_metric', { metricSlug }, asked) ?? Promise.resolve()),
  )
  await thread.close()
  for (const error of await Promise.all(questions)) {
    expect(error).toMatchObject({ code: 'unavailable', facts: { reason: 'closing' } })
  }
  expect(thread.answer('query_metric', { metricSlug: 'total-findings' }, asked)).toBeUndefined()
}, 60_000)

test('an engine is built from one snapshot while other connections write', () => {
  const { store } = openThread(new URL('./silent.worker.mjs', import.meta.url))
  const snapshot = store.openSnapshot()
  store.write((writer) => writer.prepare('DELETE FROM finding WHERE id <= 100').run())
  const engine = buildEngine(snapshot.reader)
  snapshot.close()
  expect(engine.count).toBe(500)
})

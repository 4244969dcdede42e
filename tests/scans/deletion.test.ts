import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { buildEngine } from '../../src/engine/load.store.ts'
import { findingOperations } from '../../src/findings/operations.ts'
import { glossaryOperations } from '../../src/glossary/operations.ts'
import { importFindings } from '../../src/imports/imports.ts'
import { attachEngine } from '../../src/query/engine/executor.ts'
import { queryOperations } from '../../src/query/operations.ts'
import { finishDeletions } from '../../src/scans/source-deletion.ts'
import { findSource } from '../../src/sources/sources.store.ts'
import { startEntry, untilPrinted } from '../support/entry.ts'
import { sqliteOnly } from '../support/new-store.ts'
import { createTenant } from './fake-tenant.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

const ASSETS = 450
const day = (n: number) => new Date(Date.UTC(2025, 8, 1 + (n % 90))).toISOString()

async function* streamOf(source: string) {
  for (let n = 0; n < ASSETS; n++) {
    const line = {
      asset: { key: `${source}:${n}`, kind: `kind-${n % 3}`, name: `${n}`, container: `${n % 7}` },
      detectorType: ['YARA', 'LICENSE'][n % 2],
      findingType: `TYPE_${n % 5}`,
      severity: ['HIGH', 'LOW', 'CRITICAL'][n % 3],
      status: n % 4 === 0 ? 'RESOLVED' : 'OPEN',
      firstDetectedAt: day(n),
      ...(n % 4 === 0 ? { resolvedAt: day(89) } : {}),
    }
    yield Buffer.from(`${JSON.stringify(line)}\n`)
  }
}

async function openBench() {
  const bench = openWorkbench(createTenant({ ENG: 1 }), {
    extra: [...queryOperations, ...findingOperations, ...glossaryOperations],
  })
  onTestFinished(() => bench.close())
  for (const source of ['going', 'staying']) {
    await importFindings(streamOf(source), { source, format: 'ndjson' }, bench.context)
  }
  await bench.run('create_glossary_term', {
    slug: 'high',
    displayName: 'High',
    filterMapping: { severities: ['HIGH'] },
  })
  return bench
}

const range = { from: '2025-09-01T00:00:00Z', to: '2026-01-01T00:00:00Z' }
const questions: [string, Record<string, unknown>][] = [
  ['query_metric', { metricSlug: 'total-findings' }],
  ['query_metric', { metricSlug: 'open-findings', dimensions: ['source', 'severity'] }],
  ['query_metric', { metricSlug: 'affected-assets', dimensions: ['container'] }],
  ['query_metric', { metricSlug: 'total-findings', glossaryTermSlug: 'high', dimensions: ['detectorType'] }],
  ['query_metric_timeseries', { metricSlug: 'total-findings', granularity: 'week', ...range }],
  ['explore_by_glossary_term', { glossaryTermSlug: 'high' }],
  ['search_findings', { severities: ['HIGH'], limit: 500 }],
  ['list_assets', { limit: 500 }],
  ['preview_triage', { filters: { statuses: ['OPEN'] } }],
  ['preview_glossary_term', { slug: 'high' }],
  ['get_stats', {}],
  ['list_sources', {}],
  ['list_scans', {}],
]

async function answer(bench: Workbench): Promise<Record<string, string>> {
  const answers: Record<string, string> = {}
  for (const [name, input] of questions) {
    const given = await bench.run(name, input)
    answers[`${name} ${JSON.stringify(input)}`] = JSON.stringify(given, (key, value: unknown) =>
      key === 'nextCursor' ? undefined : value,
    )
  }
  return answers
}

function buildNow(bench: Workbench) {
  bench.store.read((reader) => attachEngine(reader, buildEngine(reader)))
}
const removal = (bench: Workbench) => ({
  store: bench.store,
  now: () => bench.clock.now,
  signal: new AbortController().signal,
})
const count = (bench: Workbench, table: string) =>
  bench.store.read((reader) => reader.prepare(`SELECT count(*) FROM ${table}`).pluck().get())

it('a deletion that another process finished does not affect a new source with the same row id', async (test) => {
  sqliteOnly('PostgreSQL gives no row id twice', test)
  const bench = await openBench()
  const id = bench.store.read((reader) => findSource(reader, 'staying'))?.id ?? 0
  vi.spyOn(bench.store, 'yieldBetweenBatches').mockImplementationOnce(async () => {
    expect(await finishDeletions(removal(bench))).toBe(1)
    await importFindings(streamOf('new'), { source: 'new', format: 'ndjson' }, bench.context)
    expect(bench.store.read((reader) => findSource(reader, 'new'))?.id).toBe(id)
  })
  await bench.run('delete_source', { id: 'staying' })
  expect(await bench.run('get_source', { id: 'new' })).toMatchObject({ counts: { assets: ASSETS, findings: ASSETS } })
})

describe('a deletion whose process is killed', () => {
  sqliteOnly('another process opens the file')
  it.each([
    ['SQL', false],
    ['the engine', true],
  ])(
    'leaves nothing in any answer (by %s), and is finished by the next process',
    async (_name, withEngine) => {
      const bench = await openBench()
      const running = await startEntry(new URL('deletion-entry.ts', import.meta.url), [bench.home, 'going'])
      await untilPrinted(running, 'one part is gone')
      running.child.kill('SIGKILL')
      await running.ended
      expect(count(bench, 'asset')).toBe(2 * ASSETS - 200)
      if (withEngine) buildNow(bench)
      const half = await answer(bench)
      expect(Object.values(half).join()).not.toContain('going')
      expect(half['query_metric {"metricSlug":"total-findings"}']).toContain(`"value":${ASSETS},`)
      expect(await finishDeletions(removal(bench))).toBe(1)
      expect(['source', 'asset', 'finding'].map((table) => count(bench, table))).toEqual([1, ASSETS, ASSETS])
      if (withEngine) buildNow(bench)
      expect(half).toEqual(await answer(bench))
      expect(await finishDeletions(removal(bench))).toBe(0)
    },
    60_000,
  )
})

import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  createScanEnding,
  createScanThread,
  type ScanThread,
  type ScanThreadOptions,
} from '../../src/background/scan-thread.ts'
import { createUpstreamTally } from '../../src/connectors/http/upstream.ts'
import { scopes, type WriteContext } from '../../src/operation/context.ts'
import { call, type Operation } from '../../src/operation/operation.ts'
import { createLog } from '../../src/runtime/log.ts'
import { sampleSourceConfigs } from '../../src/sample/tenants.ts'
import type { Scan } from '../../src/scans/model.ts'
import { scanOperations } from '../../src/scans/operations.ts'
import { sourceOperations } from '../../src/sources/operations.ts'
import { openVault } from '../../src/store/keys/vault-file.ts'
import type { Store } from '../../src/store/store.ts'
import { generatedWiki } from '../sample/generated-wiki.ts'
import { startSampleWiki } from '../sample/servers.ts'
import { snapshotOf } from '../scans/workbench.ts'
import { takeFaults } from '../support/endings.ts'
import { importLine } from '../support/import-line.ts'
import { openNewFile } from '../support/new-store.ts'

const catalogue: readonly Operation[] = [...sourceOperations, ...scanOperations]
/** The built thread starts much faster than the one from the sources. */
const builtScript = new URL('../../dist/background/scan.worker.js', import.meta.url)
/** The first thread of a folder ends by itself as soon as it has stored something. */
const dyingScript = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { existsSync, writeFileSync } from 'node:fs'
    import { workerData } from 'node:worker_threads'
    const { default: Database } = await import(${JSON.stringify(import.meta.resolve('better-sqlite3'))})
    const mark = workerData.home + '/died'
    if (!existsSync(mark)) {
      const database = new Database(workerData.home + '/assay.db', { readonly: true })
      const stored = database.prepare('SELECT count(*) FROM asset').pluck()
      setInterval(() => {
        if (stored.get() === 0) return
        writeFileSync(mark, '')
        process.exit(3)
      }, 5)
    }
    await import(${JSON.stringify(builtScript.href)})
  `)}`,
)
/** Dies of every scan. */
const deadlyScript = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads'
    parentPort.on('message', ({ name }) => { if (name === 'scan') process.exit(7) })
  `)}`,
)

interface Bench {
  store: Store
  lines: string[]
  thread: ScanThread
  /** A further thread on the same folder, as after a restart. */
  openThread(more?: Partial<ScanThreadOptions>): ScanThread
  run<T>(operation: string, input: object, scans?: ScanThread): Promise<T>
  start(scans?: ScanThread): Promise<string>
  end(id: string): Promise<Scan>
}

async function openBench(pages: number, options: Partial<ScanThreadOptions> & { latencyMs?: number } = {}) {
  const { bench, close } = await makeBench(pages, options)
  onTestFinished(close)
  return bench
}

async function makeBench(pages: number, options: Partial<ScanThreadOptions> & { latencyMs?: number } = {}) {
  const { latencyMs = 0, ...more } = options
  const wiki = await startSampleWiki({ tenant: generatedWiki({ pages, sentences: 5, plantEvery: 3 }), latencyMs })
  const home = mkdtempSync(join(tmpdir(), 'assay-thread-'))
  const now = () => Date.now()
  const store = openNewFile(join(home, 'assay.db'), now)
  const vault = openVault({ store, home, env: {}, now })
  const lines: string[] = []
  const writeLine = (line: string) => void lines.push(line)
  const log = createLog({ level: 'info', write: writeLine, now })
  const threads: ScanThread[] = []
  const openThread = (overrides: Partial<ScanThreadOptions> = {}) => {
    const settings = { store, home, env: {}, log, logLevel: 'info' as const, writeLine, now, script: builtScript }
    const thread = createScanThread({ ...settings, ...more, ...overrides })
    threads.push(thread)
    return thread
  }
  const thread = openThread()
  const close = async () => {
    for (const opened of threads) await opened.close()
    await wiki.close()
    store.close()
    rmSync(home, { recursive: true, force: true })
  }
  const context = (scans: ScanThread): WriteContext => ({
    read: (work) => store.read(work),
    store,
    now,
    caller: { name: 'ada', via: 'cli', scopes: new Set(scopes) },
    signal: new AbortController().signal,
    log,
    progress: () => {},
    vault,
    scans,
  })
  const bench: Bench & { home: string; wiki: typeof wiki } = {
    home,
    wiki,
    store,
    lines,
    thread,
    openThread,
    run: async <T>(name: string, input: object, scans = thread) => {
      const operation = catalogue.find((candidate) => candidate.name === name)
      if (operation === undefined) throw new Error(`no operation ${name}`)
      return (await call(operation, input, context(scans))) as T
    },
    start: async (scans = thread) => (await bench.run<Scan>('start_scan', { id: 'wiki' }, scans)).id,
    end: (id) => bench.run<Scan>('get_scan', { id, waitSeconds: 60 }),
  }
  const { config } = sampleSourceConfigs({ wikiUrl: wiki.url, biUrl: wiki.url, authorityUrl: wiki.url }).wiki
  const detectors = [{ type: 'SECRETS', enabled: true }]
  await bench.run('create_source', { name: 'wiki', config: { ...config, detectors } })
  return { bench, close }
}

const until = async (isTrue: () => boolean) => {
  for (let waited = 0; !isTrue() && waited < 60_000; waited += 20) await sleep(20)
  expect(isTrue()).toBe(true)
}

describe('the scan thread', { timeout: 120_000 }, () => {
  it('starts with the first scan, ends when idle, and starts again', async () => {
    const upstream = createUpstreamTally()
    const bench = await openBench(12, { idleMs: 50, upstream })
    const first = await bench.end(await bench.start())
    expect(first).toMatchObject({ status: 'COMPLETED', failures: [] })
    expect(first.progress.findings.new).toBeGreaterThan(3)
    const [replies] = upstream.take()?.replies.values() ?? []
    const counted = [...(replies?.values() ?? [])].reduce((sum, n) => sum + n, 0)
    expect(counted).toBe(bench.wiki.requests.length)
    await sleep(400)
    const second = await bench.end(await bench.start())
    expect(second).toMatchObject({ status: 'COMPLETED', progress: { scanned: 0, findings: { new: 0, resolved: 0 } } })
    expect(bench.lines).toEqual([])
  })

  it('cancels a scan immediately; leaves its scans resumable when it is closed, and a later thread resumes them', async () => {
    const bench = await openBench(24, { latencyMs: 10 })
    const cancelled = await bench.start()
    await until(() => bench.wiki.requests.length > 5)
    await bench.run('cancel_scan', { id: cancelled })
    expect(await bench.end(cancelled)).toMatchObject({ status: 'CANCELLED', progress: { findings: { resolved: 0 } } })
    const before = bench.wiki.requests.length
    const id = await bench.start()
    await until(() => bench.wiki.requests.length > before + 12)
    await bench.thread.close()
    const left = await bench.run<Scan>('get_scan', { id })
    expect(left.status).toBe('RUNNING')
    const next = bench.openThread()
    expect(await bench.start(next)).toBe(id)
    expect(await bench.end(id)).toMatchObject({ status: 'COMPLETED', failures: [] })
  })

  it('logs its crash, and its scan is resumed', async () => {
    const bench = await openBench(40, { latencyMs: 20, script: dyingScript })
    const id = await bench.start()
    expect(await bench.end(id)).toMatchObject({ status: 'COMPLETED', failures: [] })
    expect(existsSync(join(bench.home, 'died'))).toBe(true)
    expect(bench.lines.join('')).toContain('the scan thread died')
    const stored = snapshotOf(bench.store)
    const again = await bench.run<Scan>('start_scan', { id: 'wiki', full: true })
    expect(await bench.end(again.id)).toMatchObject({ status: 'COMPLETED', failures: [] })
    expect(snapshotOf(bench.store)).toEqual(stored)
    expect(takeFaults()).toHaveLength(1)
  }, 120_000)

  it('gives up a scan that crashes it repeatedly', async () => {
    const bench = await openBench(5, { script: deadlyScript })
    const id = await bench.start()
    expect(await bench.end(id)).toMatchObject({
      status: 'FAILED',
      reason: 'thread_died',
      failures: [{ code: 'thread_died' }],
    })
    expect(bench.lines.filter((line) => line.includes('scan thread died'))).toHaveLength(3)
    expect(bench.lines.filter((line) => line.includes('"event":"thread_lost"'))).toHaveLength(3)
    expect(takeFaults()).toHaveLength(3)
  })

  it('previews a detector on the assets of a source, and reports its progress', async () => {
    const bench = await openBench(12)
    const reached: number[] = []
    const rule = {
      all: [],
      any: [{ type: 'KEYWORDS', keywords: ['the'], caseSensitive: false, wholeWords: false }],
      none: [],
    }
    const definition = { findingType: 'WORD', category: 'CUSTOM', severity: 'LOW', confidence: 0.8, rule }
    const examples = { match: [], noMatch: [] }
    const preview = await bench.thread.run(
      'preview_custom_detector',
      { definition: { ...definition, examples }, texts: [], source: 'wiki', limit: 5 },
      {
        caller: { name: 'ada', via: 'cli', scopes: new Set(scopes) },
        signal: new AbortController().signal,
        progress: ({ done }) => reached.push(done),
      },
    )
    expect(preview).toMatchObject({ examined: 5, warnings: [] })
    expect(reached).toEqual([1, 2, 3, 4, 5])
  })

  it('leaves it to another thread to end what a crash left, where that is given', async () => {
    const bench = await openBench(5, { script: deadlyScript })
    const own = createScanEnding({ store: bench.store, now: Date.now })
    const asked: string[] = []
    const thread = bench.openThread({
      ending: {
        releaseScans: async (owner) => {
          asked.push('release')
          return own.releaseScans(owner)
        },
        giveUpScan: async (scanUid, cause) => {
          asked.push(`give up ${scanUid}`)
          return own.giveUpScan(scanUid, cause)
        },
      },
    })
    const id = await bench.start(thread)
    expect(await bench.end(id)).toMatchObject({ status: 'FAILED', reason: 'thread_died' })
    expect(asked).toEqual(['release', 'release', 'release', `give up ${id}`])
    expect(takeFaults()).toHaveLength(3)
  })

  it('does not count crashes that are more than an hour apart', async () => {
    let hours = 0
    let countDeaths = () => 0
    const now = () => {
      if (countDeaths() < 4) hours = 2 * countDeaths()
      return Date.now() + hours * 3_600_000
    }
    const bench = await openBench(5, { script: deadlyScript, now })
    countDeaths = () => bench.lines.filter((line) => line.includes('scan thread died')).length
    const id = await bench.start()
    expect(await bench.end(id)).toMatchObject({ status: 'FAILED', reason: 'thread_died' })
    expect(countDeaths()).toBeGreaterThan(4)
    expect(takeFaults()).toHaveLength(countDeaths())
  }, 60_000)
})

const streamOf = (text: string) => new Blob([text]).stream() as ReadableStream<Uint8Array>

describe('an import on the scan thread', () => {
  const request = { source: 'yara', format: 'ndjson' as const }
  const context = () => ({
    signal: new AbortController().signal,
    caller: { name: 'ada', via: 'cli' as const, scopes: new Set<never>() },
  })
  let bench: Bench
  beforeAll(async () => {
    const made = await makeBench(1)
    bench = made.bench
    return made.close
  })
  const countAssets = () => bench.store.read((reader) => reader.prepare('SELECT count(*) FROM asset').pluck().get())

  it('imports a stream', async () => {
    const text = Array.from({ length: 500 }, (_, index) => importLine(`file-${index}`)).join('\n')
    const result = await bench.thread.importFindings(streamOf(text), request, context())
    expect(result).toMatchObject({ source: { name: 'yara' }, lines: 500, assets: 500, findings: { new: 500 } })
    const again = await bench.thread.importFindings(streamOf(text), request, context())
    expect(again).toMatchObject({ findings: { new: 0, again: 500 } })
  })

  it('fails with the same error as without a thread', async () => {
    const refused = bench.thread.importFindings(streamOf(`${importLine('a')}\n{"no":1}\n`), request, context())
    await expect(refused).rejects.toMatchObject({
      name: 'AppError',
      code: 'invalid_input',
      facts: { reason: 'bad_line', facts: { line: 2 } },
    })
  })

  it('stores nothing of a stream that ends prematurely or whose caller is gone', async () => {
    const before = countAssets()
    const broken = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode(`${importLine('a')}\n`))
        setTimeout(() => controller.error(new Error('the socket is gone')), 100)
      },
    })
    await expect(bench.thread.importFindings(broken, request, context())).rejects.toBeDefined()
    const stop = new AbortController()
    const endless = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        await sleep(5)
        controller.enqueue(new TextEncoder().encode(`${importLine(crypto.randomUUID())}\n`))
      },
    })
    const waiting = bench.thread.importFindings(endless, request, { ...context(), signal: stop.signal })
    setTimeout(() => stop.abort(), 200)
    await expect(waiting).rejects.toMatchObject({ code: 'unavailable' })
    expect(countAssets()).toBe(before)
  })

  it('runs a triage of many findings, and fails as it does without a thread', async () => {
    await bench.thread.importFindings(
      streamOf([...Array(2_500).keys()].map((n) => importLine(`k${n}`)).join('\n')),
      { ...request, source: 'triaged' },
      context(),
    )
    const caller = { name: 'ada', via: 'cli' as const, scopes: new Set(scopes) }
    const ask = (input: object) =>
      bench.thread.run('triage_findings', input, {
        ...{ caller, signal: new AbortController().signal, progress: () => {} },
      })
    const filters = { sources: ['triaged'] }
    await expect(ask({ filters, status: 'IGNORED', expected: 3 })).rejects.toMatchObject({
      code: 'conflict',
      facts: { facts: { matched: 2_500, expected: 3 } },
    })
    const changed = await ask({ filters, status: 'IGNORED', reason: 'noise' })
    expect(changed).toMatchObject({ matched: 2_500, changed: 2_500, items: Array(2_500).fill({ from: 'OPEN' }) })
    expect(await ask({ filters, status: 'IGNORED' })).toEqual({
      matched: 2_500,
      changed: 0,
      items: [],
    })
    const told = bench.store.read((reader) =>
      reader.prepare('SELECT actor, reason, count(*) AS n FROM status_change GROUP BY actor, reason').all(),
    )
    expect(told).toEqual([{ actor: 'ada', reason: 'noise', n: 2_500 }])
  })
})

import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createRandom } from '../../src/sample/ids.ts'
import { type FileStore, Store } from '../../src/store/store.ts'
import { mainFile, makeHome, runAssay } from '../support/assay.ts'
import { cases, isLong, maxMs } from '../support/long.ts'
import { safe } from '../support/safe-text.ts'
import { killWriters } from './killed-writer.ts'

it(
  'no acknowledged write is lost and none is stored in part, however a writer is killed',
  async () => {
    const wanted = cases(2, 1_000)
    const { kills, acknowledged, damages } = await killWriters(wanted, 1)
    expect(damages).toEqual([])
    expect(kills).toBe(wanted)
    expect(acknowledged).toBeGreaterThan(kills)
  },
  maxMs(180_000),
)

/** A new store in a folder of its own, which goes with the test. */
function openStore(): FileStore {
  const folder = mkdtempSync(join(tmpdir(), 'assay-power-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return Store.open(join(folder, 'assay.db'), { now: Date.now })
}

/** A database and its write-ahead log as a power cut leaves them: every commit is one more row. */
function leaveLog(commits: number) {
  const store = openStore()
  const { file } = store
  for (let commit = 1; commit <= commits; commit++) {
    store.write((writer) => {
      const insert = writer.prepare('INSERT INTO install (name, value) VALUES (?, ?)')
      for (let row = 0; row < 1 + (commit % 7); row++)
        insert.run(safe(`commit-${commit}-${row}`), safe('x'.repeat(400)))
      writer.prepare("INSERT OR REPLACE INTO install (name, value) VALUES ('commits', ?)").run(safe(String(commit)))
    })
  }
  const cut = join(dirname(file), 'cut.db')
  const [database, log] = [readFileSync(file), readFileSync(`${file}-wal`)]
  store.close()
  return {
    log,
    /** Opens what is left with this log, and says how many commits it holds; throws when it is no prefix of them. */
    open(bytes: Uint8Array): number {
      for (const end of ['-wal', '-shm']) rmSync(`${cut}${end}`, { force: true })
      writeFileSync(cut, database)
      writeFileSync(`${cut}-wal`, bytes)
      const opened = new Database(cut)
      try {
        expect(opened.pragma('quick_check', { simple: true })).toBe('ok')
        const hasTable = opened.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'install'").get() !== undefined
        if (!hasTable) return 0
        const found = opened.prepare("SELECT value FROM install WHERE name = 'commits'").pluck().get()
        const last = Number(found ?? 0)
        const rows = opened.prepare("SELECT count(*) FROM install WHERE name LIKE 'commit-%'").pluck().get()
        let expected = 0
        for (let commit = 1; commit <= last; commit++) expected += 1 + (commit % 7)
        expect(rows).toBe(expected)
        return last
      } finally {
        opened.close()
      }
    },
  }
}

describe('a log that a power cut damaged', () => {
  const COMMITS = isLong ? 300 : 40
  const [FRAMES, CUTS, TURNS, HOLES] = isLong ? [600, 300, 300, 100] : [20, 12, 12, 5]
  const random = createRandom('torn logs')
  const FRAME = 24 + 8192

  it('keeps the commits before the damage when it is truncated anywhere', () => {
    const torn = leaveLog(COMMITS)
    expect(torn.open(torn.log)).toBe(COMMITS)
    const frames = Math.floor((torn.log.length - 32) / FRAME)
    expect(frames).toBeGreaterThanOrEqual(FRAMES)
    let before = 0
    for (let frame = 0; frame <= frames; frame += Math.max(1, Math.floor(frames / FRAMES))) {
      const found = torn.open(torn.log.subarray(0, 32 + frame * FRAME))
      expect(found).toBeGreaterThanOrEqual(before)
      before = found
    }
    for (let cut = 0; cut < CUTS; cut++) torn.open(torn.log.subarray(0, Math.floor(random() * torn.log.length)))
  }, 600_000)

  it('keeps the commits before the damage when bits are flipped or ranges are zeroed', () => {
    const torn = leaveLog(COMMITS)
    for (let turn = 0; turn < TURNS; turn++) {
      const bytes = Buffer.from(torn.log)
      const at = Math.floor(random() * bytes.length)
      bytes.writeUInt8((bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8)), at)
      torn.open(bytes)
    }
    for (let hole = 0; hole < HOLES; hole++) {
      const bytes = Buffer.from(torn.log)
      const at = Math.floor(random() * bytes.length)
      bytes.fill(0, at, at + Math.floor(random() * 20_000))
      torn.open(bytes)
    }
  }, 120_000)
})

const hasStrace = process.platform === 'linux' && spawnSync('strace', ['-V']).status === 0

describe('an acknowledged change', () => {
  it('is written with FULL synchronisation, and scans are not', () => {
    const store = openStore()
    const level = (durable: boolean) =>
      store.write((writer) => writer.prepare('PRAGMA synchronous').pluck().get(), { durable })
    expect([level(true), level(false), level(true)]).toEqual([2, 1, 2])
    expect(() =>
      store.write(
        () => {
          throw new Error('no')
        },
        { durable: true },
      ),
    ).toThrow('no')
    expect(level(false)).toBe(1)
    store.close()
  })

  const wiki = {
    type: 'WIKI',
    required: { base_url: 'http://127.0.0.1:9', account_email: 'a@example.com' },
    masked: { api_token: { env: 'WIKI_TOKEN' } },
    sampling: { strategy: 'ALL' },
  }
  let home: string
  let remove = () => {}
  beforeAll(async () => {
    ;({ home, remove } = makeHome())
    await runAssay(['init'], { home })
  })
  afterAll(() => remove())
  const term = { slug: 'kept', displayName: 'Kept', filterMapping: { detectorTypes: ['SECRETS'] } }
  type Change = [name: string, args: string[], variables?: Record<string, string>]
  const changes: Change[] = [
    [
      'a credential',
      ['call', 'create_source', JSON.stringify({ name: 'wiki', config: wiki })],
      { WIKI_TOKEN: 'token' },
    ],
    ['a token', ['token', 'create', '--name', 'ci', '--scope', 'read']],
  ]
  const further: Change[] = [
    ['a term', ['call', 'create_glossary_term', JSON.stringify(term)]],
    ['a metric that is certified', ['call', 'certify_metric', '{"slug":"open-findings","certifiedBy":"Ada"}']],
  ]
  it.runIf(hasStrace).each(isLong ? [...changes, ...further] : changes)(
    'reaches the disk before the answer does: %s',
    async (_, args, variables = {}) => {
      const trace = join(home, 'trace.txt')
      const traced = [
        '-f',
        // Without it, every other system call stops the process, too.
        '--seccomp-bpf',
        '-e',
        'trace=fsync,fdatasync,write,pwrite64',
        '-o',
        trace,
        process.execPath,
        mainFile,
        ...args,
      ]
      const child = spawn('strace', traced, {
        env: { ...process.env, ASSAY_HOME: home, ...variables },
        stdio: 'ignore',
      })
      expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0)
      const calls = readFileSync(trace, 'utf8').split('\n')
      const answer = calls.findIndex((call) => /write\(1,/.test(call))
      const synced = calls.findLastIndex((call, index) => index < answer && /f(?:data)?sync\(/.test(call))
      const written = calls.findLastIndex((call, index) => index < answer && /pwrite64\(/.test(call))
      expect(written).toBeGreaterThan(0)
      expect(synced).toBeGreaterThan(written)
    },
    60_000,
  )
})

describe('the write-ahead log', () => {
  const MAX_ENTRIES = 64 * 1024 * 1024
  /** Of 4 MB each: more than the log may hold. */
  const BATCHES = 17
  const grow = (store: FileStore, from: number) =>
    store.write((writer) => {
      const insert = writer.prepare('INSERT OR REPLACE INTO install (name, value) VALUES (?, ?)')
      for (let row = 0; row < 500; row++) insert.run(safe(`grown-${from}-${row}`), safe('x'.repeat(8_000)))
    })

  it('stays below 64 MB, and batches wait for a reader that blocks checkpoints', async () => {
    const store = openStore()
    const { file } = store
    const size = () => statSync(`${file}-wal`).size
    let most = 0
    const other = new Database(file, { readonly: true })
    let batches = 0
    const writing = (async () => {
      for (; batches < BATCHES; batches++) {
        grow(store, batches)
        most = Math.max(most, size())
        await store.yieldBetweenBatches()
      }
    })()
    await sleep(50)
    other.exec('BEGIN')
    other.prepare('SELECT count(*) FROM install').get()
    let stalled = -1
    for (let looks = 0; looks < 600 && stalled !== batches; looks++) {
      stalled = batches
      await sleep(200)
    }
    expect(batches < BATCHES).toBe(true)
    other.exec('COMMIT')
    await writing
    other.close()
    expect(batches).toBe(BATCHES)
    expect(most).toBeLessThan(MAX_ENTRIES)
    store.close()
  }, 120_000)

  /** Reads in transactions of 30 ms, or writes a row every few milliseconds, until it is ended. */
  const busy = `
    const { parentPort, workerData } = require('node:worker_threads')
    const database = new (require('better-sqlite3'))(workerData.file)
    const sleep = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
    for (let turn = 0; ; turn++) {
      if (workerData.role === 'read') {
        database.exec('BEGIN')
        database.prepare('SELECT count(*) FROM install').get()
        sleep(30)
        database.exec('COMMIT')
      } else {
        database.prepare('INSERT OR REPLACE INTO install (name, value) VALUES (?, ?)').run('busy', String(turn))
        sleep(5)
      }
      if (turn === 0) parentPort.postMessage('at work')
    }`

  it('is checkpointed while other processes read and write continuously', async () => {
    const store = openStore()
    const { file } = store
    grow(store, 0)
    const others = ['read', 'read', 'read', 'write'].map(
      (role) => new Worker(busy, { eval: true, workerData: { file, role } }),
    )
    await Promise.all(others.map((other) => new Promise((resolve) => other.once('message', resolve))))
    let most = 0
    const until = Date.now() + 20_000
    let batches = 0
    for (; batches < BATCHES && Date.now() < until; batches++) {
      await store.yieldBetweenBatches(AbortSignal.timeout(10_000))
      grow(store, batches)
      most = Math.max(most, store.logBytes)
    }
    grow(store, 0)
    await store.drainLog()
    const left = store.logBytes
    await Promise.all(others.map((other) => other.terminate()))
    store.close()
    // The writer among them goes on.
    expect(left).toBeLessThan(1_000_000)
    expect(batches).toBe(BATCHES)
    expect(most).toBeLessThan(MAX_ENTRIES)
  }, 120_000)

  it('does not fail a committed write when it cannot be checkpointed', () => {
    const store = openStore()
    const other = new Database(store.file, { readonly: true })
    other.exec('BEGIN')
    other.prepare('SELECT count(*) FROM install').get()
    const full = new Database.SqliteError('database or disk is full', 'SQLITE_FULL')
    const { pragma } = Database.prototype
    const spy = vi.spyOn(Database.prototype, 'pragma').mockImplementation(function (this: Database.Database, text) {
      if (text.startsWith('wal_checkpoint')) throw full
      return pragma.call(this, text)
    })
    onTestFinished(() => spy.mockRestore())
    for (let batch = 0; store.logBytes < 50 * 1024 * 1024; batch++) grow(store, batch)
    expect(spy.mock.calls.flat()).toContain('wal_checkpoint(TRUNCATE)')
    expect(() => store.emptyLog()).toThrow('The disk is full')
    other.close()
    store.close()
  })

  it('can be truncated after an iteration was abandoned', async () => {
    const store = openStore()
    const { file } = store
    grow(store, 0)
    store.read((reader) => {
      for (const _row of reader.prepare('SELECT * FROM install').iterate()) break
    })
    for (let batch = 1; batch < BATCHES; batch++) {
      grow(store, batch)
      await store.yieldBetweenBatches()
    }
    expect(statSync(`${file}-wal`).size).toBeLessThan(MAX_ENTRIES)
    store.close()
  }, 120_000)
})

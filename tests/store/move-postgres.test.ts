import { copyFileSync, createWriteStream, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { verifyAudit } from '../../src/audit/audit-chain.store.ts'
import { cancelMove, type MoveOptions, moveDatabase, planMove } from '../../src/commands/move.ts'
import { generateFindings } from '../../src/sample/findings.ts'
import { findMove } from '../../src/store/move/marker.ts'
import type { MoveProgress } from '../../src/store/move/target.ts'
import { ensureDictionaryId } from '../../src/store/words.store.ts'
import { runAssay } from '../support/assay.ts'
import { cases, maxMs } from '../support/long.ts'
import { createDatabase, missingPostgres, openAdmin, type PostgresServer, startPostgres } from '../support/postgres.ts'
import { safe } from '../support/safe-text.ts'
import { type Folders, listRows, makeFolders, makeOriginal, moveUntilKilled, open, reasonOf } from './moved-folders.ts'

const KILLS = cases(1, 30)
const { signal } = new AbortController()
/** Texts and numbers that are written differently in the formats through which they pass. */
const texts = ['\\N', 'NULL', 'a\tb\nc\rd\\n', '\\', "'", '"', ' ', 'ﬁ 😀 é', '\u007f']
const reals = [0.1 + 0.2, 1, -0, 1e300, 5e-324, -1.5, 123_456_789_012.25, null]

/** Adds rows with such values to a database. */
function addOddRows(file: string): void {
  const database = new Database(file)
  database.function('fold_case', (text) => text)
  const metric = database.prepare('SELECT min(id) FROM metric').pluck().get()
  const watch = database
    .prepare(
      `INSERT INTO watch (uid, slug, display_name, metric_id, filters, dimensions, cron, condition, created_at, updated_at)
       VALUES ('odd', 'odd', 'odd', ?, '{}', '[]', NULL, '{}', 1, 2)`,
    )
    .run(metric).lastInsertRowid
  const insert = database.prepare(
    `INSERT INTO watch_state (watch_id, group_key, state, since, value, streak, reason) VALUES (?, ?, 'OK', ?, ?, 0, NULL)`,
  )
  for (const [index, value] of reals.entries()) insert.run(watch, `${index}`, 2 ** 53 - 1 - index, value)
  const word = database.prepare('INSERT INTO word (text, folded) VALUES (?, ?)')
  for (const text of texts) word.run(text, text)
  database.close()
}

describe.skipIf(missingPostgres !== undefined)(`a move to PostgreSQL ${missingPostgres ?? ''}`, () => {
  let root: string
  let original: string
  let server: PostgresServer
  let database: ReturnType<typeof createDatabase>
  let folders: Folders
  beforeAll(async () => {
    server = await startPostgres()
    root = mkdtempSync(join(tmpdir(), 'assay-move-'))
    original = await makeOriginal(root)
    addOddRows(join(original, 'assay.db'))
  }, 120_000)
  beforeEach(() => {
    folders = makeFolders(root, original)
    database = createDatabase(server)
    return () => database.drop()
  })
  afterAll(() => {
    server.stop()
    rmSync(root, { recursive: true, force: true })
  })

  const onServer = () => ({ ASSAY_STORE: database.connectionString })

  async function move(to: string, env: NodeJS.ProcessEnv = {}, options: Partial<MoveOptions> = {}) {
    const folder = await open(folders.home, env)
    try {
      return await moveDatabase(folder, to, { signal, questions: 3, ...options })
    } finally {
      folder.close()
    }
  }

  const query = (text: string) => {
    const admin = openAdmin(server, database.name)
    try {
      return admin.query(text)
    } finally {
      admin.close()
    }
  }

  /** The rows that are copied to a server and back; counters of nothing are not. */
  function listCopied(file: string): Record<string, string> {
    const { sqlite_stat1: _, engine_snapshot: __, ...rows } = listRows(file)
    const counters = new Database(file, { readonly: true })
    const { term_text, metric_text, ...others } = rows
    const last = counters
      .prepare(`SELECT name, seq FROM sqlite_sequence WHERE seq > 0 AND name <> 'audit' ORDER BY name`)
      .all()
    counters.close()
    return {
      ...others,
      term_text: `${term_text}`,
      metric_text: `${metric_text}`,
      sqlite_sequence: JSON.stringify(last),
    }
  }

  const generate = async (home: string, count: number) => {
    const lines = Readable.from(generateFindings(count, 5)).map((finding) => `${JSON.stringify(finding)}\n`)
    const file = join(home, 'findings.ndjson')
    await pipeline(lines, createWriteStream(file))
    return ['import', '--source', 'sample', file]
  }
  /** How data comes about, as a command; the demo scans two tenants. */
  const origins: [string, (home: string) => Promise<string[]>][] = [
    ...[cases(1000, 3000), ...cases<number[]>([], [60_000, 1_000_000])].map((count): (typeof origins)[number] => [
      `${count} generated findings`,
      (home) => generate(home, count),
    ]),
    ['the demo', async (home) => ['demo', '--once', '--home', home]],
  ]

  it.each(origins)(
    'and back, twice, answers the same about %s',
    async (_, make) => {
      const home = mkdtempSync(join(root, 'made-'))
      expect(await runAssay(await make(home), { home })).toMatchObject({ code: 0 })
      const questions = cases(100, 500)
      const moveAll = async (to: string, env: NodeJS.ProcessEnv) => {
        const folder = await open(home, env)
        const report = await moveDatabase(folder, to, { signal, questions }).finally(() => folder.close())
        expect(report.state).toBe('moved')
        // Few are asked in the time that there is for a million findings.
        expect(report.questions).toBeGreaterThan(15)
      }
      for (let turn = 0; turn < 2; turn++) {
        const there = createDatabase(server)
        const file = join(mkdtempSync(join(root, 'back-')), 'assay.db')
        await moveAll(there.connectionString, {})
        await moveAll(`sqlite:${file}`, { ASSAY_STORE: there.connectionString })
        there.drop()
        copyFileSync(file, join(home, 'assay.db'))
      }
    },
    maxMs(60_000),
  )

  it('and back has every row, text, number, counter and the audit trail of the original', async () => {
    const rows = listCopied(folders.database)
    const steps = new Set<string>()
    const onProgress = ({ step }: MoveProgress) => steps.add(step)
    const moved = await move(database.connectionString, {}, { batchRows: 7, onProgress })
    expect(moved).toMatchObject({ state: 'moved', from: folders.database, home: folders.home, questions: 3 })
    expect(moved.to).not.toContain('assay@')
    expect(moved.rows).toBeGreaterThan(100)
    expect([...steps]).toEqual(['copying', 'indexing', 'comparing'])
    expect(listCopied(folders.database)).toEqual(rows)
    const key = readFileSync(join(folders.home, 'assay.key'), 'utf8').trim()
    expect(JSON.stringify(query('SELECT * FROM main.install, main.data_key'))).not.toContain(key)

    const former = await open(folders.home)
    const addTo = ({ store }: typeof former) => store.write((writer) => ensureDictionaryId(writer, safe('added')))
    expect(() => addTo(former)).toThrow(`has moved to ${moved.to}`)
    former.close()
    expect((await move(database.connectionString)).state).toBe('moved')

    const folder = await open(folders.home, onServer())
    expect(folder.vault.problem()).toBeUndefined()
    const { brokenAt, entries, unchained } = folder.store.read(verifyAudit)
    expect({ brokenAt, unchained }).toEqual({ brokenAt: undefined, unchained: 0 })
    expect(entries).toBeGreaterThan(1)
    const to = `sqlite:${join(folders.target, 'assay.db')}`
    const back = await moveDatabase(folder, to, { signal, questions: 3, batchRows: 7 })
    expect(back).toMatchObject({ state: 'moved', from: moved.to, to, rows: moved.rows + 2 })
    folder.close()
    const left = await open(folders.home, onServer())
    expect(() => addTo(left)).toThrow(`has moved to ${to}`)
    expect(() => left.store.dryRun(() => 1)).toThrow('has moved to')
    left.close()
    const file = join(folders.target, 'assay.db')
    expect(listCopied(file)).toEqual(rows)
    copyFileSync(join(folders.home, 'assay.key'), join(folders.target, 'assay.key'))
    const last = await open(folders.target)
    expect(last.vault.problem()).toBeUndefined()
    expect(last.store.examine('full')).toMatchObject({ integrity: 'ok', foreignKeys: 0, differences: [] })
    expect(last.store.read(verifyAudit)).toMatchObject({ unchained: 0, entries: entries + 1 })
    expect(last.store.read(verifyAudit).brokenAt).toBeUndefined()
    addTo(last)
    last.close()
  }, 60_000)

  it('that is interrupted, killed or loses its connection is completed by the same command, with every row once', async () => {
    const rows = listCopied(folders.database)
    for (const stopAt of [3, 70]) {
      const stop = new AbortController()
      let steps = 0
      const onProgress = () => {
        steps += 1
        if (steps === stopAt) stop.abort()
      }
      const options = { signal: stop.signal, onProgress, batchRows: 7 }
      expect(await reasonOf(() => move(database.connectionString, {}, options))).toBe('moving')
    }
    expect(await reasonOf(() => open(folders.home, onServer()))).toBe('unfinished_copy')
    const killed = { ...folders, to: database.connectionString }
    for (let kills = 0; kills < KILLS; kills++) {
      if (await moveUntilKilled(killed, Math.random() * 400, 3)) break
    }
    const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database.name}' AND pid <> pg_backend_pid()`
    let isCut = false
    const onProgress = () => {
      if (!isCut) query(cut)
      isCut = true
    }
    // Between two transactions the connection is opened again.
    const cutOff = await reasonOf(() => move(database.connectionString, {}, { onProgress }))
    expect([undefined, 'database_unreachable']).toContain(cutOff)
    expect((await move(database.connectionString)).state).toBe('moved')
    const to = `sqlite:${join(folders.target, 'assay.db')}`
    const stop = AbortSignal.abort()
    expect(await reasonOf(() => move(to, onServer(), { signal: stop, batchRows: 7 }))).toBe('moving')
    const writing = await open(folders.home, onServer())
    const add = () => writing.store.write((writer) => ensureDictionaryId(writer, safe('refused')))
    expect(add).toThrow('is being moved')
    writing.close()
    expect((await move(to, onServer())).state).toBe('moved')
    expect(listCopied(join(folders.target, 'assay.db'))).toEqual(rows)
  }, 60_000)

  it('can be cancelled, after which the target is empty and the former database accepts changes', async () => {
    expect(await reasonOf(() => move(database.connectionString, {}, { signal: AbortSignal.abort() }))).toBe('moving')
    const folder = await open(folders.home)
    expect((await cancelMove(folder)).state).toBe('cancelled')
    folder.store.write((writer) => ensureDictionaryId(writer, safe('accepted')))
    folder.close()
    expect(query(`SELECT to_regnamespace('main')`)).toEqual([[null]])
  })

  it('that is only planned writes nothing', async () => {
    const rows = listCopied(folders.database)
    const folder = await open(folders.home)
    expect((await planMove(folder, database.connectionString)).state).toBe('planned')
    expect(folder.store.read(findMove)).toBeUndefined()
    folder.close()
    expect(listCopied(folders.database)).toEqual(rows)
    expect(query(`SELECT to_regnamespace('main')`)).toEqual([[null]])
  })

  it('is refused for a target that is not empty, of another product, newer, read-only or unknown, and changes nothing', async () => {
    const { connectionString: to } = database
    const refused = async (address: string) => {
      const error = await move(address).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ message: expect.stringMatching(/^[^\n]{20,250}\.$/) })
      expect(String(error)).not.toMatch(/ASSAY_STORE\b/)
      return (error as { facts: { reason?: string }; code: string }).facts.reason ?? (error as { code: string }).code
    }
    expect(await refused('postgres://localhost/assay')).toBe('invalid_input')
    expect(await refused('postgres://assay@127.0.0.1:1/assay')).toBe('database_unreachable')
    expect(await refused(`${server.url}/missing`)).toBe('database_missing')
    const admin = openAdmin(server)
    admin.query(`ALTER DATABASE ${database.name} SET default_transaction_read_only = on`)
    expect(await refused(to)).toBe('read_only')
    admin.query(`ALTER DATABASE ${database.name} RESET default_transaction_read_only`)
    admin.close()
    query('CREATE TABLE theirs (x int)')
    expect(await refused(to)).toBe('not_a_database')
    query('DROP TABLE theirs; CREATE SCHEMA main; CREATE TABLE main.schema_version AS SELECT 9999::bigint AS number')
    expect(await refused(to)).toBe('database_exists')
    query('DROP SCHEMA main CASCADE; CREATE SCHEMA main; CREATE TABLE main.unfinished_move AS SELECT 1 AS id')
    expect(await refused(to)).toBe('database_exists')
    query('DROP SCHEMA main CASCADE')
    const folder = await open(folders.home)
    expect(folder.store.read(findMove)).toBeUndefined()
    folder.close()
    ;(await open(folders.target, onServer())).close()
    expect(await reasonOf(() => move(`sqlite:${folders.database}`, onServer()))).toBe('file_exists')
    expect(await refused(to)).toBe('database_exists')
    expect(await reasonOf(() => move(to, onServer()))).toBe('server_database')
    expect(readdirSync(folders.home)).toContain('assay.db')
    expect(existsSync(join(folders.target, 'assay.db'))).toBe(false)
  }, 60_000)
})

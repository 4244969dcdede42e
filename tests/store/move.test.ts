import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listAuditRows } from '../../src/audit/audit.store.ts'
import { verifyAudit } from '../../src/audit/audit-chain.store.ts'
import { LoopLease } from '../../src/background/loop-lease.ts'
import { cancelMove, type MoveOptions, moveDatabase, planMove } from '../../src/commands/move.ts'
import { createOwner } from '../../src/scans/owner.ts'
import { openConnection } from '../../src/store/connection.ts'
import { saveLease } from '../../src/store/lease.store.ts'
import { migrate } from '../../src/store/migrate.ts'
import { APPLICATION_ID, listMigrations, UNFINISHED_COPY_ID } from '../../src/store/migrations.ts'
import { findMove, saveMoving } from '../../src/store/move/marker.ts'
import type { MoveProgress } from '../../src/store/move/target.ts'
import { readUnfinished } from '../../src/store/move/target-checks.ts'
import { type FileStore, Store } from '../../src/store/store.ts'
import { ensureDictionaryId, findWord } from '../../src/store/words.store.ts'
import { buildEntry } from '../support/entry.ts'
import { cases } from '../support/long.ts'
import { safe } from '../support/safe-text.ts'
import { type Folders, listRows, makeFolders, makeOriginal, moveUntilKilled, open, reasonOf } from './moved-folders.ts'

const KILLS = cases(1, 100)
const { signal } = new AbortController()
const DAY_MS = 86_400_000
/** A user that owns nothing. */
const OTHER_USER = 65_534

let root: string
let original: string
let folders: Folders
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'assay-move-'))
  chmodSync(root, 0o755)
  original = await makeOriginal(root)
})
beforeEach(() => {
  folders = makeFolders(root, original)
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

async function move({ home, to }: Folders = folders, options: Partial<MoveOptions> = {}, now?: () => number) {
  const folder = await open(home)
  try {
    const moving = now === undefined ? folder : { ...folder, now }
    return await moveDatabase(moving, to, { signal, questions: 20, ...options })
  } finally {
    folder.close()
  }
}

async function within<T>(home: string, work: (store: FileStore) => T | Promise<T>): Promise<T> {
  const store = Store.open(join(home, 'assay.db'), { now: Date.now })
  try {
    return await work(store)
  } finally {
    store.close()
  }
}

/** Interrupts a move once it has done so many steps. */
function interruptAfter(steps: number): Partial<MoveOptions> & { steps: () => number } {
  const stop = new AbortController()
  let done = 0
  const onProgress = () => {
    done += 1
    if (done === steps) stop.abort()
  }
  return { signal: stop.signal, onProgress, steps: () => done }
}

/** Moves the folder in a process of its own, and gives what it printed. */
async function runEntry({ to, limit = '', uid }: { to: string; limit?: string; uid?: number }): Promise<string> {
  const limited = `trap '' XFSZ; ${limit} exec "$0" "$@"`
  const entry = await buildEntry(new URL('move-entry.ts', import.meta.url))
  const child = spawn('sh', ['-c', limited, process.execPath, entry, folders.home, to, '20'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  await once(child, 'close')
  return output
}

const addWord = (store: FileStore, text: string) => store.write((writer) => ensureDictionaryId(writer, safe(text)))

describe('a moved database', () => {
  it('has every row of the former one, its schema, its counters and its audit trail', async () => {
    const before = listRows(folders.database)
    const steps = new Set<string>()
    const onProgress = ({ step }: MoveProgress) => steps.add(step)
    const limits = { batchRows: 7, questions: 50, questionsMs: 0 }
    const { rows, tables, key, state, questions } = await move(folders, { ...limits, onProgress })
    expect({ state, questions }).toEqual({ state: 'moved', questions: 20 })
    expect(rows).toBeGreaterThan(100)
    expect(tables.length).toBeGreaterThan(40)
    expect([...steps]).toEqual(['copying', 'indexing', 'comparing'])
    const file = join(folders.target, 'assay.db')
    expect(listRows(file)).toEqual(before)
    expect(listRows(folders.database)).toEqual(before)
    copyFileSync(key.file ?? '', join(folders.target, 'assay.key'))
    const moved = await open(folders.target)
    expect(moved.vault.problem()).toBeUndefined()
    expect(moved.vault.source().check).toBe(key.check)
    expect(moved.store.examine('full')).toMatchObject({ integrity: 'ok', foreignKeys: 0, differences: [] })
    expect(moved.store.read(verifyAudit)).toMatchObject({ unchained: 0 })
    expect(moved.store.read(verifyAudit).brokenAt).toBeUndefined()
    const [newest] = moved.store.read((reader) => listAuditRows(reader, { limit: 1 }))
    expect(newest).toMatchObject({ action: 'move', kind: 'database', via: 'cli', actor: moved.caller.name })
    expect(JSON.parse(newest?.before ?? '')).toEqual({ at: `sqlite:${folders.database}` })
    expect(JSON.parse(newest?.after ?? '')).toEqual({ at: folders.to, rows, tables: tables.length })
    addWord(moved.store, 'written after the move')
    moved.close()
  })

  it('leaves the former one for reading only, which says where it has gone', async () => {
    await within(folders.home, (store) => addWord(store, 'before'))
    await move()
    const folder = await open(folders.home)
    expect(folder.store.read((reader) => findWord(reader, 'before'))).toBeDefined()
    expect(() => addWord(folder.store, 'after')).toThrow(`has moved to ${folders.to}`)
    expect(() => folder.store.dryRun(() => 1)).toThrow(folders.target)
    folder.close()
    expect((await move()).state).toBe('moved')
    expect(await reasonOf(() => move({ ...folders, to: `sqlite:${root}/assay.db` }))).toBe('moved')
  })
})

describe('a killed move', () => {
  it('is completed by the same command, with every row once', async () => {
    const rows = listRows(folders.database)
    let kills = 0
    while (kills < KILLS) {
      const pair = makeFolders(root, original)
      while (kills < KILLS) {
        if (await moveUntilKilled(pair, Math.random() * 150)) break
        kills += 1
        expect(listRows(pair.database)).toEqual(rows)
        const state = await within(pair.home, (store) => store.read(findMove)?.name)
        const isBegun = readUnfinished(join(pair.target, 'assay.db')) !== undefined
        if (isBegun && state !== 'moved_to') expect(await reasonOf(() => open(pair.target))).toBe('moving')
      }
      await move(pair, { batchRows: 50 })
      expect(listRows(join(pair.target, 'assay.db'))).toEqual(rows)
      expect(await within(pair.home, (store) => store.read(findMove)?.name)).toBe('moved_to')
    }
    expect(kills).toBe(KILLS)
  })

  it('is completed when only its last step is missing, and recorded', async () => {
    await move()
    const id = await within(folders.home, (store) => store.read(findMove)?.id)
    const target = new Database(join(folders.target, 'assay.db'))
    target.exec('DROP TRIGGER audit_is_append_only_delete; DROP TRIGGER audit_chain_is_append_only_delete')
    target.exec(
      `DELETE FROM audit_chain WHERE seq = (SELECT max(seq) FROM audit); DELETE FROM audit WHERE kind = 'database'`,
    )
    for (const name of ['audit_is_append_only_delete', 'audit_chain_is_append_only_delete']) {
      const former = new Database(folders.database, { readonly: true })
      target.exec(former.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').pluck().get(name) as string)
      former.close()
    }
    target.exec('CREATE TABLE unfinished_move (id TEXT NOT NULL) STRICT')
    target.prepare('INSERT INTO unfinished_move VALUES (?)').run(id)
    target.pragma(`application_id = ${UNFINISHED_COPY_ID}`)
    target.close()
    expect(await reasonOf(() => open(folders.target))).toBe('moving')
    expect((await move()).state).toBe('moved')
    await within(folders.target, (store) => {
      expect(store.examine('full')).toMatchObject({ integrity: 'ok', differences: [] })
      const [newest] = store.read((reader) => listAuditRows(reader, { limit: 1 }))
      expect(newest).toMatchObject({ action: 'move', kind: 'database' })
      expect(store.read(verifyAudit)).toMatchObject({ unchained: 0 })
      addWord(store, 'after the last step')
    })
  })
})

describe('an interrupted move', () => {
  it('refuses writes until it is continued or cancelled, and loses nothing', async () => {
    const rows = listRows(folders.database)
    expect(await reasonOf(() => move(folders, interruptAfter(40)))).toBe('moving')
    await within(folders.home, async (store) => {
      expect(await reasonOf(() => addWord(store, 'meanwhile'))).toBe('moving')
      expect(store.read((reader) => findWord(reader, 'meanwhile'))).toBeUndefined()
    })
    expect(await reasonOf(() => move({ ...folders, to: `sqlite:${root}/assay.db` }))).toBe('moving')
    const folder = await open(folders.home)
    expect((await cancelMove(folder)).state).toBe('cancelled')
    expect(await reasonOf(() => cancelMove(folder))).toMatchObject({ code: 'conflict' })
    expect(listRows(folders.database)).toEqual(rows)
    expect(readdirSync(folders.target)).toEqual([])
    addWord(folder.store, 'afterwards')
    folder.close()
    await move()
    await within(folders.target, (store) => {
      expect(store.read((reader) => findWord(reader, 'afterwards'))).toBeDefined()
    })
  })

  it('can be continued wherever it was interrupted, and copies no row twice', async () => {
    const rows = listRows(folders.database)
    let copied = 0
    const count = ({ onProgress }: Partial<MoveOptions>) => {
      let table = ''
      let before = 0
      return (progress: MoveProgress) => {
        if (progress.step === 'copying') {
          if (progress.name !== table) before = 0
          copied += progress.rows - before
          ;[table, before] = [progress.name, progress.rows]
        }
        onProgress?.(progress)
      }
    }
    let interruptions = 0
    for (let steps = 1; ; steps *= 2) {
      const options = interruptAfter(steps)
      const reason = await reasonOf(() => move(folders, { ...options, onProgress: count(options), batchRows: 30 }))
      if (reason === undefined) break
      expect(reason).toBe('moving')
      interruptions += 1
    }
    expect(interruptions).toBeGreaterThan(6)
    expect(listRows(join(folders.target, 'assay.db'))).toEqual(rows)
    const total = await within(folders.target, (store) => {
      const [newest] = store.read((reader) => listAuditRows(reader, { limit: 1 }))
      return (JSON.parse(newest?.after ?? '') as { rows: number }).rows
    })
    expect(copied).toBe(total)
  })

  it('that another process cancels, or whose copy is removed, does not end as a move', async () => {
    const file = join(folders.target, 'assay.db')
    const whenComparing = (work: () => void) => {
      let isDone = false
      return ({ step }: MoveProgress) => {
        if (step === 'comparing' && !isDone) {
          isDone = true
          work()
        }
      }
    }
    const away = () => renameSync(file, join(root, `away-${Date.now()}`))
    expect(await reasonOf(() => move(folders, { onProgress: whenComparing(away) }))).toBe('copy_removed')
    expect(await within(folders.home, (store) => store.read(findMove)?.name)).toBe('moving')
    const cancel = () => {
      const database = new Database(folders.database)
      database.exec("DELETE FROM install WHERE name = 'moving'")
      database.close()
    }
    rmSync(`${file}-wal`, { force: true })
    rmSync(`${file}-shm`, { force: true })
    expect(await reasonOf(() => move(folders, { onProgress: whenComparing(cancel) }))).toBe('move_cancelled')
    await within(folders.home, (store) => addWord(store, 'can be written to'))
  })

  it('is not lost when a newer version is started, which says what to do', async () => {
    await within(folders.home, (store) => store.write((writer) => saveMoving(writer, { id: 'x', to: folders.to })))
    const database = openConnection(folders.database, { cacheBytes: 1_000_000 })
    const newer = [...listMigrations(), { number: 9999, name: '9999-newer.sql', sql: 'SELECT 1' }]
    expect(() => migrate(database, Date.now, newer)).toThrow(/complete the move with that version/)
    database.close()
  })
})

describe('a fault while a database is moved', () => {
  it.skipIf(process.platform === 'win32')(
    'a disk that becomes full is reported with its folder, and the move continues once there is space',
    async () => {
      const rows = listRows(folders.database)
      const output = await runEntry({ to: folders.to, limit: 'ulimit -f 400;' })
      expect(output).toContain(`storage_full: The disk of ${folders.target} is full; free some space, then run`)
      expect(output).toContain(`\`assay move --to ${folders.to}\``)
      expect(listRows(folders.database)).toEqual(rows)
      await within(folders.home, async (store) => {
        expect(await reasonOf(() => addWord(store, 'meanwhile'))).toBe('moving')
      })
      expect((await move()).state).toBe('moved')
      expect(listRows(join(folders.target, 'assay.db'))).toEqual(rows)
    },
  )

  it('a full disk of the former database does not prevent it', async () => {
    const folder = await open(folders.home)
    folder.close()
    const store = Store.open(folders.database, { now: Date.now, freeBytes: () => 1 })
    const full = { ...folder, store }
    expect(() => addWord(store, 'refused')).toThrow('nearly full')
    expect((await moveDatabase(full, folders.to, { signal, questions: 20 })).state).toBe('moved')
    store.close()
  })

  it.each([
    ['ahead', DAY_MS],
    ['back', -DAY_MS],
    ['ahead and back', Number.NaN],
  ])('a clock that jumps a day %s changes nothing, and no other process takes over', async (_, jump) => {
    const rows = listRows(folders.database)
    let reads = 0
    let [begun, isHeld] = [false, true]
    const offset = () => (Number.isNaN(jump) ? (reads % 2 === 0 ? DAY_MS : -DAY_MS) : begun ? jump : 0)
    const now = () => {
      reads += 1
      return Date.now() + offset()
    }
    const rival = Store.open(folders.database, { now })
    const lease = new LoopLease({ store: rival, holder: createOwner().name, now })
    const onProgress = () => {
      begun = true
      isHeld &&= rival.read((reader) => lease.stateOf(reader)) === 'theirs'
    }
    const stop = interruptAfter(30)
    const first = () =>
      move(folders, { ...stop, onProgress: () => [onProgress(), stop.onProgress?.({} as MoveProgress)] }, now)
    expect(await reasonOf(first)).toBe('moving')
    expect((await move(folders, { onProgress }, now)).state).toBe('moved')
    expect(isHeld).toBe(true)
    expect(() => lease.hold()).toThrow('has moved')
    rival.close()
    expect(listRows(join(folders.target, 'assay.db'))).toEqual(rows)
    await within(folders.target, (store) => expect(store.read(verifyAudit).brokenAt).toBeUndefined())
  })
})

describe('a move', () => {
  it('that is only planned changes nothing', async () => {
    const rows = listRows(folders.database)
    const folder = await open(folders.home)
    expect((await planMove(folder, folders.to)).state).toBe('planned')
    expect(folder.store.read(findMove)).toBeUndefined()
    folder.close()
    expect(listRows(folders.database)).toEqual(rows)
    expect(readdirSync(folders.target)).toEqual([])
  })

  it('is refused for an unusable target, and changes nothing', async () => {
    const { home, target, database, to } = folders
    const rows = listRows(database)
    const other = makeFolders(root, original)
    const place = (name: string, make: (file: string) => void) => {
      const folder = mkdtempSync(join(root, name))
      make(join(folder, 'assay.db'))
      return `sqlite:${folder}/assay.db`
    }
    const databaseOf = (id: number, schema: number) => (file: string) => {
      const made = new Database(file)
      made.exec('CREATE TABLE theirs (x)')
      made.pragma(`application_id = ${id}`)
      made.pragma(`user_version = ${schema}`)
      made.close()
    }
    symlinkSync(home, join(root, 'same'))
    const invalid = expect.objectContaining({ code: 'invalid_input' })
    const cases: [string, unknown][] = [
      [`sqlite:${other.database}`, 'file_exists'],
      [place('text', (file) => writeFileSync(file, 'not a database')), 'file_exists'],
      [place('product', databaseOf(0x12345678, 3)), 'file_exists'],
      [place('unnamed', databaseOf(0, 0)), 'file_exists'],
      [place('newer', databaseOf(APPLICATION_ID, 9999)), 'file_exists'],
      [place('older', databaseOf(APPLICATION_ID, 70)), 'file_exists'],
      [place('log', (file) => writeFileSync(`${file}-wal`, 'of a removed database')), 'file_exists'],
      [place('link', (file) => symlinkSync(other.database, file)), 'not_a_file'],
      [place('dangling', (file) => symlinkSync(join(root, 'nowhere'), file)), 'not_a_file'],
      [place('device', (file) => symlinkSync('/dev/null', file)), 'not_a_file'],
      [place('folder', (file) => mkdirSync(file)), 'not_a_file'],
      [`sqlite:${database}`, 'same_folder'],
      [`sqlite:${root}/same/assay.db`, 'same_folder'],
      [`sqlite:${root}/missing/assay.db`, 'folder_missing'],
      [`sqlite:${other.database}/assay.db`, 'folder_missing'],
      [`sqlite:${target}/other.db`, invalid],
      [target, invalid],
      ['postgres://localhost/assay', invalid],
    ]
    if (process.platform !== 'win32') {
      cases.push([place('pipe', (file) => execFileSync('mkfifo', [file])), 'not_a_file'])
    }
    const others = listRows(other.database)
    for (const [address, reason] of cases) {
      expect(await reasonOf(() => move({ ...folders, to: address })), address).toEqual(reason)
    }
    const folder = await open(home)
    expect(folder.store.read(findMove)).toBeUndefined()
    await expect(planMove(folder, `sqlite:${other.database}`)).rejects.toThrow('already exists')
    folder.close()
    expect(listRows(database)).toEqual(rows)
    expect(listRows(other.database)).toEqual(others)
    expect(readdirSync(target)).toEqual([])
    expect((await move({ ...folders, to })).state).toBe('moved')
  })

  it.skipIf(process.platform === 'win32' || process.getuid?.() !== 0)(
    'is refused for a folder that cannot be written to',
    async () => {
      const rows = listRows(folders.database)
      execFileSync('chown', ['-R', String(OTHER_USER), folders.home])
      const closed = mkdtempSync(join(root, 'closed-'))
      chmodSync(closed, 0o555)
      const output = await runEntry({ to: `sqlite:${closed}/assay.db`, uid: OTHER_USER })
      expect(output).toContain(`not_writable: The folder ${closed} cannot be written to; name another one.`)
      expect(listRows(folders.database)).toEqual(rows)
      await within(folders.home, (store) => addWord(store, 'can be written to'))
    },
  )

  it('says beforehand how much space it needs', async () => {
    const folder = await open(folders.home)
    const MB = 1024 * 1024
    const plan = (free: number) => () => planMove(folder, folders.to, { freeBytes: () => free })
    await expect(plan(64 * MB)()).rejects.toThrow(
      /has too little space: 64 MB are free, and the move needs (?:6[5-9]|7\d) MB/,
    )
    expect((await plan(80 * MB)()).state).toBe('planned')
    folder.close()
    expect(await reasonOf(() => move(folders, { freeBytes: () => 64 * MB }))).toBe('storage_full')
    await within(folders.home, (store) => addWord(store, 'can be written to'))
    expect(readdirSync(folders.target)).toEqual([])
  })

  it('is refused when the target is left from another move', async () => {
    const other = makeFolders(root, original)
    const stop = AbortSignal.abort()
    expect(await reasonOf(() => move({ ...other, to: folders.to }, { signal: stop }))).toBe('moving')
    expect(await reasonOf(() => move())).toBe('file_exists')
  })

  it('is refused while another process runs the scheduled work, or a scan is in progress', async () => {
    const owner = createOwner()
    const { home } = folders
    await within(home, (store) =>
      store.write((writer) => saveLease(writer, 'loop', { holder: owner.name, expiresAt: 0 })),
    )
    expect(await reasonOf(() => move(folders, { localWaitMs: 200 }))).toBe('in_use')
    owner.release()
    await within(home, (store) =>
      store.write((writer) =>
        writer.prepare(`UPDATE scan SET status = 'QUEUED' WHERE id = (SELECT max(id) FROM scan)`).run(),
      ),
    )
    expect(await reasonOf(() => move())).toBe('scan_active')
    expect(readdirSync(folders.target)).toEqual([])
  })
})

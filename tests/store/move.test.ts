import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { verifyAudit } from '../../src/audit/audit-chain.store.ts'
import { cancelMove, moveDatabase, planMove } from '../../src/commands/move.ts'
import { createOwner } from '../../src/scans/owner.ts'
import { saveLease } from '../../src/store/lease.store.ts'
import { UNFINISHED_COPY_ID } from '../../src/store/migrations.ts'
import { findMove, saveMoving } from '../../src/store/move/marker.ts'
import { readUnfinished } from '../../src/store/move/sqlite-target.ts'
import { Store } from '../../src/store/store.ts'
import { ensureDictionaryId, findWord } from '../../src/store/words.store.ts'
import { safe } from '../support/safe-text.ts'
import { type Folders, listRows, makeFolders, moveUntilKilled, open } from './moved-folders.ts'

const KILLS = Number(process.env.ASSAY_KILLS ?? 12)
const { signal } = new AbortController()

let root: string
let folders: Folders
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'assay-move-'))
  folders = await makeFolders(root)
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

async function move({ home, to }: Folders = folders, options = {}) {
  const folder = await open(home)
  try {
    return await moveDatabase(folder, to, { signal, ...options })
  } finally {
    folder.close()
  }
}

async function reasonOf(work: () => unknown): Promise<unknown> {
  try {
    await work()
  } catch (error) {
    return (error as { facts?: { reason?: string } }).facts?.reason ?? error
  }
  return undefined
}

async function within<T>(home: string, work: (store: Store) => T | Promise<T>): Promise<T> {
  const store = Store.open(join(home, 'assay.db'), { now: Date.now })
  try {
    return await work(store)
  } finally {
    store.close()
  }
}

const addWord = (store: Store, text: string) => store.write((writer) => ensureDictionaryId(writer, safe(text)))

describe('a moved database', () => {
  it('has every row of the former one, its schema, its counters and its audit trail', async () => {
    const before = listRows(folders.database)
    const { rows, tables, key, state } = await move(folders, { batchRows: 7 })
    expect(state).toBe('moved')
    expect(rows).toBeGreaterThan(100)
    expect(tables.length).toBeGreaterThan(40)
    const file = join(folders.target, 'assay.db')
    expect(listRows(file)).toEqual(before)
    expect(listRows(folders.database)).toEqual(before)
    copyFileSync(key.file ?? '', join(folders.target, 'assay.key'))
    const moved = await open(folders.target)
    expect(moved.vault.problem()).toBeUndefined()
    expect(moved.vault.source().check).toBe(key.check)
    expect(moved.store.examine('full')).toMatchObject({ integrity: 'ok', foreignKeys: 0, differences: [] })
    expect(moved.store.read(verifyAudit).brokenAt).toBeUndefined()
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
    expect(() => folder.store.compact()).toThrow(folders.target)
    folder.close()
    expect((await move()).state).toBe('moved')
    expect(await reasonOf(() => move({ ...folders, to: `sqlite:${root}/assay.db` }))).toBe('moved')
  })
})

describe('a killed move', () => {
  it('is completed by the same command, with every row once', { timeout: 120_000 }, async () => {
    const before = listRows(folders.database)
    let kills = 0
    for (let round = 0; kills < KILLS; round++) {
      const pair = round === 0 ? folders : await makeFolders(root)
      const rows = round === 0 ? before : listRows(pair.database)
      for (let tries = 0; tries < 6 && kills < KILLS; tries++) {
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

  it('is completed when only its last step is missing', async () => {
    await move()
    const id = await within(folders.home, (store) => store.read(findMove)?.id)
    const target = new Database(join(folders.target, 'assay.db'))
    target.exec('CREATE TABLE unfinished_move (id TEXT NOT NULL) STRICT')
    target.prepare('INSERT INTO unfinished_move VALUES (?)').run(id)
    target.pragma(`application_id = ${UNFINISHED_COPY_ID}`)
    target.close()
    expect(await reasonOf(() => open(folders.target))).toBe('moving')
    expect((await move()).state).toBe('moved')
    await within(folders.target, (store) => {
      expect(store.examine('full')).toMatchObject({ integrity: 'ok', differences: [] })
      addWord(store, 'after the last step')
    })
  })

  it('refuses writes until it is continued or cancelled, and loses nothing', async () => {
    const rows = listRows(folders.database)
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 5)
    expect(await reasonOf(() => move(folders, { batchRows: 1, signal: stop.signal }))).toBe('moving')
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
})

describe('a move', () => {
  it('that is only planned changes nothing', async () => {
    const rows = listRows(folders.database)
    const folder = await open(folders.home)
    expect(planMove(folder, folders.to).state).toBe('planned')
    expect(folder.store.read(findMove)).toBeUndefined()
    folder.close()
    expect(listRows(folders.database)).toEqual(rows)
    expect(readdirSync(folders.target)).toEqual([])
  })

  it('is refused for an unusable target, and changes nothing', async () => {
    const { home, target, database, to } = folders
    const rows = listRows(database)
    const other = await makeFolders(root)
    mkdirSync(join(root, 'file'))
    writeFileSync(join(root, 'file', 'assay.db'), 'not a database')
    symlinkSync(home, join(root, 'same'))
    const cases: [string, unknown][] = [
      [`sqlite:${other.database}`, 'file_exists'],
      [`sqlite:${root}/file/assay.db`, 'file_exists'],
      [`sqlite:${database}`, 'same_folder'],
      [`sqlite:${root}/same/assay.db`, 'same_folder'],
      [`sqlite:${root}/missing/assay.db`, 'folder_missing'],
      [`sqlite:${target}/other.db`, expect.objectContaining({ code: 'invalid_input' })],
      [target, expect.objectContaining({ code: 'invalid_input' })],
    ]
    for (const [address, reason] of cases) {
      expect(await reasonOf(() => move({ ...folders, to: address })), address).toEqual(reason)
    }
    expect(await reasonOf(() => move(folders, { freeBytes: () => 70 * 1024 * 1024 - 1e7 }))).toBe('storage_full')
    const folder = await open(home)
    expect(folder.store.read(findMove)).toBeUndefined()
    expect(() => planMove(folder, `sqlite:${other.database}`)).toThrow('already exists')
    folder.close()
    expect(listRows(database)).toEqual(rows)
    expect(readdirSync(target)).toEqual([])
    expect((await move({ ...folders, to })).state).toBe('moved')
  })

  it('is refused when the target is left from another move', async () => {
    const other = await makeFolders(root)
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
    expect(await reasonOf(() => move())).toBe('in_use')
    owner.release()
    await within(home, (store) =>
      store.write((writer) =>
        writer.prepare(`UPDATE scan SET status = 'QUEUED' WHERE id = (SELECT max(id) FROM scan)`).run(),
      ),
    )
    expect(await reasonOf(() => move())).toBe('scan_active')
    expect(readdirSync(folders.target)).toEqual([])
  })

  it('keeps newer versions from migrating the database', async () => {
    await within(folders.home, (store) => store.write((writer) => saveMoving(writer, { id: 'x', to: folders.to })))
    const { migrate } = await import('../../src/store/migrate.ts')
    const { listMigrations } = await import('../../src/store/migrations.ts')
    const { openConnection } = await import('../../src/store/connection.ts')
    const database = openConnection(folders.database, { cacheBytes: 1_000_000 })
    const newer = [...listMigrations(), { number: 9999, name: '9999-newer.sql', sql: 'SELECT 1' }]
    expect(() => migrate(database, Date.now, newer)).toThrow('assay move --cancel')
    database.close()
  })
})

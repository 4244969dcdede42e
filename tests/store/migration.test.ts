import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openConnection } from '../../src/store/connection.ts'
import { migrate } from '../../src/store/migrate.ts'
import { listMigrations, type Migration, newestSchema } from '../../src/store/migrations.ts'
import { Store } from '../../src/store/store.ts'
import { startEntry, untilPrinted } from '../support/entry.ts'
import { cases, isLong } from '../support/long.ts'
import { fillDatabase } from './filled-database.ts'

const now = () => Date.UTC(2026, 5, 15)
const KILLS = cases(1, 50)
const PROCESSES = isLong ? 12 : 3
const newest = newestSchema()
const next = newest + 1
const entry = new URL('migrate-entry.ts', import.meta.url)

/** What a later version might do: new tables, columns and triggers, changed rows and a table that is made again. */
const statements = [
  "ALTER TABLE asset ADD COLUMN colour TEXT NOT NULL DEFAULT 'none';",
  "UPDATE asset SET colour = fold_case(name) || CAST(now_ms() AS INTEGER) WHERE status = 'ACTIVE';",
  'CREATE TABLE paint (id INTEGER PRIMARY KEY, uid TEXT NOT NULL) STRICT;',
  'INSERT INTO paint (uid) SELECT new_uid() FROM asset;',
  'DROP TRIGGER watch_update_revises;',
  'CREATE TABLE link (url TEXT PRIMARY KEY) STRICT;',
  'INSERT INTO link (url) SELECT url FROM link_check;',
  'DROP TABLE link_check;',
]
const later = (sql = statements): Migration[] => [
  ...listMigrations(),
  { number: next, name: `0${next}-later.sql`, sql: sql.join('\n') },
]

let root: string
let template: string
let file: string
let count = 0
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-migration-'))
  template = join(root, 'template.db')
  Store.open(template, { now }).close()
  fillDatabase(template)
})
afterAll(() => rmSync(root, { recursive: true, force: true }))
beforeEach(() => {
  file = join(mkdtempSync(join(root, `${count++}-`)), 'assay.db')
})

function look(target: string): { version: unknown; schema: unknown[]; rows: unknown[] } {
  const database = new Database(target, { readonly: true })
  try {
    const names = database.prepare(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name <> 'sqlite_schema'",
    )
    return {
      version: database.pragma('user_version', { simple: true }),
      schema: database.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').all(),
      rows: (names.pluck().all() as string[]).map((name) => database.prepare(`SELECT * FROM "${name}"`).all()),
    }
  } finally {
    database.close()
  }
}

function ask(query: string): unknown {
  const database = new Database(file, { readonly: true })
  try {
    return database.prepare(query).pluck().get()
  } finally {
    database.close()
  }
}

function migrateHere(migrations = later(), at = now): void {
  const database = openConnection(file, { cacheBytes: 1_000_000 })
  try {
    migrate(database, at, migrations)
  } finally {
    expect(database.inTransaction).toBe(false)
    database.close()
  }
}

const migrateElsewhere = (word: string) => startEntry(entry, [file, JSON.stringify(later()), word])

it('migrations are listed by their numbers, each of which one has', () => {
  const folder = mkdtempSync(join(root, 'list-'))
  for (const name of ['0210-second.sql', '0200-first.sql', 'README.md']) writeFileSync(join(folder, name), '--')
  const list = () => listMigrations(pathToFileURL(`${folder}/`)).map(({ number }) => number)
  expect(list()).toEqual([200, 210])
  writeFileSync(join(folder, '0210-third.sql'), '--')
  expect(list).toThrow('two migrations have the same number: 0210-third.sql')
})

describe('a database of the schema before', () => {
  it('is migrated with its rows, and then refused by this version', () => {
    copyFileSync(template, file)
    migrateHere()
    expect(ask('PRAGMA user_version')).toBe(next)
    expect(ask('SELECT min(colour) FROM asset')).toBe(`datei „0“${now()}`)
    expect(ask('SELECT count(DISTINCT uid) FROM paint')).toBe(7)
    expect(ask('SELECT count(*) FROM finding')).toBe(13)
    expect(() => Store.open(file, { now })).toThrow(expect.objectContaining({ facts: { reason: 'database_newer' } }))
  })

  it('is copied before it changes, and only the newest such copies are kept', () => {
    const folder = join(file, '..', 'backups')
    for (let day = 0; day < 8; day++) {
      copyFileSync(template, file)
      migrateHere(later(), () => now() + day * 86_400_000)
    }
    const copies = readdirSync(folder)
    expect(copies).toHaveLength(5)
    const before = look(template)
    for (const copy of copies) expect(look(join(folder, copy))).toEqual(before)
  })

  it('is not copied if there was none', () => {
    migrateHere()
    expect(existsSync(join(file, '..', 'backups'))).toBe(false)
  })
})

describe('a migration that fails', () => {
  it('leaves the old schema unchanged at any statement, and the next attempt succeeds', () => {
    copyFileSync(template, file)
    const before = look(file)
    for (const index of statements.keys()) {
      const broken = [...statements.slice(0, index + 1), 'SELECT no_such_function();']
      expect(() => migrateHere(later(broken))).toThrow(/no such function/)
      expect(look(file), statements[index]).toEqual(before)
    }
    migrateHere()
    expect(ask('PRAGMA user_version')).toBe(next)
  })

  it('or is killed leaves the old or the new schema, never a mix of both', { timeout: 120_000 }, async () => {
    const before = look(template)
    for (let kill = 0; kill < KILLS; kill++) {
      copyFileSync(template, file)
      const running = await migrateElsewhere('k')
      await sleep(60 + Math.random() * 200)
      running.child.kill('SIGKILL')
      await running.ended
      if (ask('PRAGMA user_version') === newest) expect(look(file)).toEqual(before)
      migrateHere()
      expect(ask('SELECT count(*) FROM paint')).toBe(7)
      for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
    }
  })
})

it('many processes that start at once migrate a database once, and can all use it', { timeout: 180_000 }, async () => {
  copyFileSync(template, file)
  const starts = await Promise.all(Array.from({ length: PROCESSES }, (_, index) => migrateElsewhere(`p${index}`)))
  await Promise.all(starts.map((running) => untilPrinted(running, 'done')))
  expect(await Promise.all(starts.map(({ ended }) => ended))).toEqual(starts.map(() => 0))
  expect(ask('PRAGMA user_version')).toBe(next)
  expect(ask('SELECT count(*) FROM paint')).toBe(7)
  expect(readdirSync(join(file, '..', 'backups'))).toHaveLength(1)
  expect(ask("SELECT count(*) FROM word WHERE text LIKE 'p%'")).toBe(PROCESSES)
})

import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { migrate } from '../../src/store/migrate.ts'
import { listMigrations, type Migration } from '../../src/store/migrations.ts'
import { Store } from '../../src/store/store.ts'
import { startEntry, untilPrinted } from '../support/entry.ts'
import { cases, isLong } from '../support/long.ts'
import { makeOldDatabase } from './old-database.ts'

const now = () => Date.UTC(2026, 5, 15)
const KILLS = cases(1, 50)
const PROCESSES = isLong ? 12 : 3
/** A migration is cut after one in so many of its statements. */
const CUT_EVERY = isLong ? 1 : 6
const migrations = listMigrations()
const newest = migrations.at(-1)?.number ?? 0
const openEntry = new URL('open-entry.ts', import.meta.url)

let root: string
let file: string
let count = 0
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-migration-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))
beforeEach(() => {
  file = join(mkdtempSync(join(root, `${count++}-`)), 'assay.db')
})

interface Facts {
  version: unknown
  schema: unknown[]
}

function look(target: string): Facts {
  const database = new Database(target, { readonly: true })
  try {
    return {
      version: database.pragma('user_version', { simple: true }),
      schema: database.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').all(),
    }
  } finally {
    database.close()
  }
}

function ask(target: string, query: string): unknown {
  const database = new Database(target, { readonly: true })
  try {
    return database.prepare(query).pluck().get()
  } finally {
    database.close()
  }
}

/** A script cut into its statements; a trigger is one. */
function toStatements(sql: string): string[] {
  const statements: string[] = []
  let text = ''
  for (const line of sql.split('\n')) {
    if (line.trimStart().startsWith('--')) continue
    text += `${line}\n`
    const isTrigger = /CREATE TRIGGER/i.test(text)
    if (/;\s*$/.test(line) && (!isTrigger || /^END;/m.test(text))) {
      statements.push(text)
      text = ''
    }
  }
  return statements
}

describe('a database of every released schema', () => {
  let fresh: Facts
  beforeAll(() => {
    const made = join(mkdtempSync(join(root, 'fresh-')), 'assay.db')
    Store.open(made, { now }).close()
    fresh = look(made)
  })

  it.each(migrations.slice(1, -1).map(({ number, name }) => [name, number] as const))(
    'has the same tables as a new one after migration, and its contents: %s',
    (_, number) => {
      makeOldDatabase(file, number)
      const store = Store.open(file, { now })
      expect(store.examine()).toMatchObject({ integrity: 'ok', foreignKeys: 0, schema: newest, differences: [] })
      store.close()
      expect(look(file)).toEqual(fresh)
      expect(ask(file, 'SELECT count(*) FROM finding')).toBe(3)
      expect(ask(file, 'SELECT n FROM combo')).toBe(3)
      expect(ask(file, "SELECT display_name FROM term WHERE slug = 'pii-exposure'")).toBe('Mine')
    },
  )

  it('is copied before it changes, and only the newest such copies are kept', () => {
    const folder = join(file, '..', 'backups')
    const before = migrations.at(-2)?.number ?? 0
    makeOldDatabase(file, before)
    const old = readFileSync(file)
    for (let day = 0; day < 8; day++) {
      writeFileSync(file, old)
      Store.open(file, { now: () => now() + day * 86_400_000 }).close()
    }
    const copies = readdirSync(folder)
    expect(copies).toHaveLength(5)
    for (const copy of copies) expect(look(join(folder, copy)).version).toBe(before)
  })

  it('is not copied if it was never in use', () => {
    Store.open(file, { now }).close()
    expect(existsSync(join(file, '..', 'backups'))).toBe(false)
  })
})

describe('a migration that fails', () => {
  const cuts = migrations
    .filter(({ number }) => number > 2)
    .flatMap((migration) =>
      toStatements(migration.sql).map((_, index, statements): [string, Migration[]] => [
        `${migration.name} after statement ${index + 1} of ${statements.length}`,
        [
          ...migrations.filter(({ number }) => number < migration.number),
          { ...migration, sql: `${statements.slice(0, index + 1).join('\n')}\nSELECT no_such_function();` },
        ],
      ]),
    )

  it('leaves the old schema unchanged at any statement, and the next attempt succeeds', () => {
    makeOldDatabase(file, 2)
    const before = look(file)
    expect(cuts.length).toBeGreaterThan(10 * CUT_EVERY)
    for (const [name, broken] of cuts.filter((_, index) => index % CUT_EVERY === 0)) {
      const database = new Database(file)
      expect(() => migrate(database, now, broken), name).toThrow(/no such function/)
      expect(database.inTransaction).toBe(false)
      database.close()
      expect(look(file), name).toEqual(before)
    }
    Store.open(file, { now }).close()
    expect(look(file).version).toBe(newest)
  })

  it('or is killed leaves the old or the new schema, never a mix of both', { timeout: 120_000 }, async () => {
    const old = join(root, 'old.db')
    makeOldDatabase(old, 2)
    const before = look(old)
    for (let kill = 0; kill < KILLS; kill++) {
      copyFileSync(old, file)
      const running = await startEntry(openEntry, [file, 'k'])
      await sleep(60 + Math.random() * 200)
      running.child.kill('SIGKILL')
      await running.ended
      const found = look(file)
      expect(found.version === 2 ? found : newest).toEqual(found.version === 2 ? before : found.version)
      Store.open(file, { now }).close()
      expect(look(file).version).toBe(newest)
      for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
    }
  })
})

describe('many processes that start at once', () => {
  it('on an old database migrate it once, and all of them can use it', { timeout: 180_000 }, async () => {
    makeOldDatabase(file, 2)
    const starts = await Promise.all(
      Array.from({ length: PROCESSES }, (_, index) => startEntry(openEntry, [file, `p${index}`])),
    )
    await Promise.all(starts.map((running) => untilPrinted(running, 'done')))
    expect(await Promise.all(starts.map(({ ended }) => ended))).toEqual(Array.from({ length: PROCESSES }, () => 0))
    expect(look(file).version).toBe(newest)
    expect(readdirSync(join(file, '..', 'backups'))).toHaveLength(1)
    expect(ask(file, "SELECT count(*) FROM word WHERE text LIKE 'p%-%'")).toBe(20 * PROCESSES)
  })
})

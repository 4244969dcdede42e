import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { backUp, restore } from '../../src/store/backup.ts'
import { Store } from '../../src/store/store.ts'
import { thrownBy } from '../support/context.ts'

const now = () => Date.UTC(2026, 5, 15)

let root: string
let template: string
let file: string
let backup: string
let count = 0
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-schema-'))
  template = join(root, 'template.db')
  Store.open(template, { now }).close()
})
afterAll(() => rmSync(root, { recursive: true, force: true }))
beforeEach(() => {
  const home = mkdtempSync(join(root, `${count++}-`))
  file = join(home, 'assay.db')
  backup = join(home, 'backup.db')
})

function change(target: string, sql: string): void {
  const database = new Database(target)
  database.unsafeMode()
  database.exec(sql)
  database.pragma('wal_checkpoint(TRUNCATE)')
  database.close()
}

function differencesOf(target: string): string[] {
  copyFileSync(target, file)
  const store = Store.open(file, { now })
  try {
    return store.examine().differences
  } finally {
    store.close()
  }
}

const written = (sql: string) => `PRAGMA writable_schema = ON; ${sql}; PRAGMA writable_schema = RESET`

const foreign: [string, string, string][] = [
  [
    'a trigger',
    'CREATE TRIGGER spy AFTER INSERT ON term BEGIN DELETE FROM metric; END',
    'trigger spy does not belong to Assay',
  ],
  ['a view', 'CREATE VIEW spy AS SELECT * FROM source', 'view spy does not belong to Assay'],
  ['a table', 'CREATE TABLE spy (secret)', 'table spy does not belong to Assay'],
  ['a table of full text', 'CREATE VIRTUAL TABLE spy USING fts5 (secret)', 'table spy does not belong to Assay'],
  ['an index', 'CREATE INDEX spy ON source (secrets)', 'index spy does not belong to Assay'],
  ['a unique index', 'CREATE UNIQUE INDEX spy ON source (uid, name)', 'index spy does not belong to Assay'],
  ['another column', 'ALTER TABLE source ADD COLUMN spy TEXT', 'table source was changed'],
  [
    'a trigger of ours with another body',
    'DROP TRIGGER audit_is_append_only_update; CREATE TRIGGER audit_is_append_only_update BEFORE UPDATE ON audit BEGIN SELECT 1; END',
    'trigger audit_is_append_only_update was changed',
  ],
  ['a missing trigger', 'DROP TRIGGER audit_is_append_only_delete', 'trigger audit_is_append_only_delete is missing'],
  ['a missing index', 'DROP INDEX metric_by_term', 'index metric_by_term is missing'],
  ['a missing table', 'PRAGMA foreign_keys = OFF; DROP TABLE suppression', 'table suppression is missing'],
  [
    'an index of ours on something else',
    'DROP INDEX finding_by_time; CREATE INDEX finding_by_time ON finding (id)',
    'index finding_by_time was changed',
  ],
  [
    'a view with the name of a statistics table',
    written(
      "INSERT INTO sqlite_schema VALUES ('view', 'sqlite_stat1', 'sqlite_stat1', 0, 'CREATE VIEW sqlite_stat1 AS SELECT 1')",
    ),
    'view sqlite_stat1 does not belong to Assay',
  ],
  [
    'a table without one of its checks',
    written("UPDATE sqlite_schema SET sql = replace(sql, 'CHECK', '/* */ CHECK') WHERE name = 'scan'"),
    'table scan was changed',
  ],
]

describe('a schema with foreign objects', () => {
  it.each(foreign)('is refused by a restore and reported by the doctor: %s', (_, sql, difference) => {
    copyFileSync(template, backup)
    change(backup, sql)
    const before = readFileSync(template)
    copyFileSync(template, file)
    const refused = thrownBy(() => restore(backup, file, now()))
    expect([refused.code, refused.facts.reason]).toEqual(['invalid_input', 'foreign_schema'])
    expect(refused.message).toContain(difference)
    expect(readFileSync(file).equals(before)).toBe(true)
    if (!sql.includes('sqlite_stat1')) expect(differencesOf(backup)).toContain(difference)
  })

  it('is copied by a backup, which reports it', () => {
    copyFileSync(template, file)
    change(file, 'CREATE VIEW mine AS SELECT 1')
    expect(backUp(file, backup)).toMatchObject({ differences: ['view mine does not belong to Assay'] })
  })

  it('is not one with statistics tables', () => {
    copyFileSync(template, backup)
    change(backup, 'ANALYZE')
    restore(backup, file, now())
    const store = Store.open(file, { now })
    expect(store.examine().differences).toEqual([])
    store.close()
  })
})

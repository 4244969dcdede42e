import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { backUp, restore, verifyCopy } from '../../src/store/backup.ts'
import { type FileStore, Store } from '../../src/store/store.ts'
import { ensureDictionaryId, findWord } from '../../src/store/words.store.ts'
import { startEntry, untilPrinted } from '../support/entry.ts'
import { cases, isLong } from '../support/long.ts'
import { safe } from '../support/safe-text.ts'

const now = () => Date.now()
const KILLS = cases(1, 50)
const writerEntry = new URL('backup-writer-entry.ts', import.meta.url)
const copyEntry = new URL('backup-copy-entry.ts', import.meta.url)

let home: string
let file: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'assay-backup-'))
  file = join(home, 'assay.db')
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

function withStore<T>(work: (store: FileStore) => T): T {
  const store = Store.open(file, { now })
  try {
    return work(store)
  } finally {
    store.close()
  }
}
const add = (name: string) =>
  withStore((store) => store.write((writer) => ensureDictionaryId(writer, safe(name)), { durable: true }))
const has = (name: string) => withStore((store) => store.read((reader) => findWord(reader, name))) !== undefined
const reasonOf = (work: () => unknown): unknown => {
  try {
    work()
  } catch (error) {
    return (error as { facts?: { reason?: string } }).facts?.reason ?? error
  }
  return undefined
}

/** Each writer adds pairs: a copy that holds half of one was not taken at one moment. */
function countPairs(database: string): { pairs: number; halves: number } {
  const copy = new Database(database, { readonly: true })
  const count = (end: string) =>
    Number(copy.prepare('SELECT count(*) FROM word WHERE text LIKE ?').pluck().get(`%-${end}`))
  const [left, right] = [count('left'), count('right')]
  copy.close()
  return { pairs: Math.min(left, right), halves: Math.abs(left - right) }
}

describe('a backup', () => {
  it('is a consistent snapshot while several processes write', { timeout: 900_000 }, async () => {
    add('start')
    const writers = await Promise.all(
      Array.from({ length: isLong ? 8 : 3 }, (_, index) => startEntry(writerEntry, [file, `w${index}`])),
    )
    await Promise.all(writers.map((writer) => untilPrinted(writer, 'writing')))
    const copies = Array.from({ length: 5 }, (_, index) => backUp(file, join(home, `copy-${index}.db`)))
    for (const { child } of writers) child.kill('SIGKILL')
    await Promise.all(writers.map(({ ended }) => ended))
    const counts = copies.map((copy) => countPairs(copy.file))
    expect(counts.map(({ halves }) => halves)).toEqual([0, 0, 0, 0, 0])
    expect(counts.at(-1)?.pairs).toBeGreaterThan(counts[0]?.pairs ?? 0)
    for (const copy of copies) expect(statSync(copy.file).mode & 0o777).toBe(0o600)
  })

  it('never overwrites a file', () => {
    add('start')
    writeFileSync(join(home, 'mine'), 'mine')
    expect(reasonOf(() => backUp(file, join(home, 'mine')))).toBe('file_exists')
    expect(readFileSync(join(home, 'mine'), 'utf8')).toBe('mine')
  })

  it('that is killed leaves no file under its name and does not change the database', {
    timeout: 900_000,
  }, async () => {
    withStore((store) =>
      store.write((writer) => {
        for (let index = 0; index < 20_000; index++) ensureDictionaryId(writer, safe(`${index} ${'x'.repeat(100)}`))
      }),
    )
    for (let kill = 0; kill < KILLS; kill++) {
      const target = join(home, `killed-${kill}.db`)
      const running = await startEntry(copyEntry, ['backup', file, target])
      await untilPrinted(running, 'started')
      await sleep(Math.random() * 60)
      running.child.kill('SIGKILL')
      await running.ended
      if (existsSync(target)) expect(verifyCopy(target).schema).toBeGreaterThan(0)
    }
    expect(withStore((store) => store.examine().integrity)).toBe('ok')
  })
})

describe('a restore', () => {
  it('restores the old state and keeps the newer database under another name', () => {
    add('old')
    const backup = backUp(file, join(home, 'backup.db'))
    add('new')
    const { aside } = restore(backup.file, file, now())
    expect([has('old'), has('new')]).toEqual([true, false])
    const kept = new Database(aside ?? '', { readonly: true })
    expect(kept.prepare("SELECT count(*) FROM word WHERE text = 'new'").pluck().get()).toBe(1)
    kept.close()
  })

  it('is refused while another process has the database open, and for files that are not backups', () => {
    add('old')
    const backup = backUp(file, join(home, 'backup.db'))
    withStore((store) => {
      store.read((reader) => findWord(reader, 'old'))
      expect(reasonOf(() => restore(backup.file, file, now()))).toBe('in_use')
    })
    writeFileSync(join(home, 'text'), 'no database at all '.repeat(500))
    expect(reasonOf(() => restore(join(home, 'text'), file, now()))).toBe('not_a_backup')
    const bytes = readFileSync(backup.file)
    writeFileSync(join(home, 'half'), bytes.subarray(0, bytes.length / 2))
    expect(reasonOf(() => restore(join(home, 'half'), file, now()))).toBe('database_damaged')
    const foreign = new Database(join(home, 'foreign'))
    foreign.exec('CREATE TABLE a (b)')
    foreign.close()
    expect(reasonOf(() => restore(join(home, 'foreign'), file, now()))).toBe('not_a_backup')
    expect(has('old')).toBe(true)
  })

  it('replaces a database that cannot be opened, without its log', () => {
    add('old')
    const backup = backUp(file, join(home, 'backup.db'))
    writeFileSync(file, 'junk'.repeat(5000))
    writeFileSync(`${file}-wal`, 'junk of a log')
    const { aside } = restore(backup.file, file, now())
    expect(existsSync(`${file}-wal`)).toBe(false)
    expect(readFileSync(aside ?? '', 'utf8')).toMatch(/^junk/)
    expect(has('old')).toBe(true)
  })

  it('that is killed leaves the old or the new database in place, complete', { timeout: 900_000 }, async () => {
    add('old')
    const backup = backUp(file, join(home, 'backup.db'))
    add('new')
    for (let kill = 0; kill < KILLS; kill++) {
      const running = await startEntry(copyEntry, ['restore', backup.file, file])
      await untilPrinted(running, 'started')
      await sleep(Math.random() * 25)
      running.child.kill('SIGKILL')
      await running.ended
      expect(withStore((store) => store.examine().integrity)).toBe('ok')
      expect(has('old')).toBe(true)
      add('new')
    }
  })

  it('is refused for a backup with a damaged part', () => {
    for (let n = 0; n < 8; n++) add(`word ${n} ${'x'.repeat(50_000)}`)
    const backup = backUp(file, join(home, 'backup.db'))
    const copy = readFileSync(backup.file)
    copy.fill(0, copy.length / 2, copy.length / 2 + 3 * 8192)
    writeFileSync(backup.file, copy)
    const before = readFileSync(file)
    expect(() => restore(backup.file, file, now())).toThrow('The backup is damaged')
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  it('leaves files that only their owner can read', () => {
    add('old')
    const backup = backUp(file, join(home, 'backup.db'))
    expect(statSync(backup.file).mode & 0o777).toBe(0o600)
    chmodSync(backup.file, 0o644)
    restore(backup.file, file, now())
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })
})

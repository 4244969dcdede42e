import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { db } from '../../src/store/builder.ts'
import { Store, type WriteOptions } from '../../src/store/store.ts'
import { ensureDictionaryId, findWord } from '../../src/store/words.store.ts'
import { startEntry } from '../support/entry.ts'
import { isLong } from '../support/long.ts'
import { safe } from '../support/safe-text.ts'

const PROCESSES = isLong ? 12 : 5

const entry = new URL('open-entry.ts', import.meta.url)

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-store-'))
  file = join(folder, 'assay.db')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const open = () => Store.open(file, { now: () => Date.now() })

describe('the version of the data', () => {
  const version = (store: Store) => store.read((reader) => reader.dataVersion)

  it('is the same until something is committed by this process or another one', () => {
    const [store, other] = [open(), open()]
    const add = (text: string, by: Store) => by.write((writer) => ensureDictionaryId(writer, safe(text)))
    const seen = [version(store), version(store)]
    for (const [index, by] of [store, other].entries()) {
      add(`word ${index}`, by)
      seen.push(version(store), version(store))
      expect(store.read((reader) => findWord(reader, safe(`word ${index}`)))).toBeDefined()
    }
    expect(seen.map((each) => seen.indexOf(each))).toEqual([0, 0, 2, 2, 4, 4])
    expect(store.write((writer) => writer.dataVersion)).toBeUndefined()
    for (const each of [store, other]) each.close()
  })

  it('is the one of the snapshot in a read that lasts while another connection commits', () => {
    const [store, other] = [open(), open()]
    store.read((reader) => {
      const before = reader.dataVersion
      other.write((writer) => ensureDictionaryId(writer, safe('later')))
      expect([reader.dataVersion, findWord(reader, safe('later'))]).toEqual([before, undefined])
    })
    expect(store.read((reader) => findWord(reader, safe('later')))).toBeDefined()
    for (const each of [store, other]) each.close()
  })
})

describe('opening', () => {
  it('serves many processes that start at once on an empty folder', { timeout: 120_000 }, async () => {
    const starts = await Promise.all(
      Array.from({ length: PROCESSES }, (_, index) => startEntry(entry, [file, `p${index}`])),
    )
    expect(await Promise.all(starts.map(({ ended }) => ended))).toEqual(Array.from({ length: PROCESSES }, () => 0))
    expect(starts.map(({ output }) => output())).toEqual(Array.from({ length: PROCESSES }, () => 'done'))
    const store = open()
    const words = store.read((tx) => tx.all(db.selectFrom('word').select('text').where('text', 'like', safe('p%-%'))))
    const terms = store.read((tx) => tx.all(db.selectFrom('term').select('slug')))
    store.close()
    expect(words).toHaveLength(20 * PROCESSES)
    expect(new Set(terms.map(({ slug }) => slug)).size).toBe(terms.length)
  })

  it.runIf(process.platform === 'linux')('the same file a second time keeps the lock of the first connection', () => {
    open().close()
    const hasLock = () => {
      const { ino } = statSync(file)
      const locks = readFileSync('/proc/locks', 'utf8').split('\n')
      return locks.some((lock) => lock.includes(` ${process.pid} `) && lock.includes(`:${ino} `))
    }
    const first = open()
    first.read((tx) => tx.all(db.selectFrom('term').select('slug')))
    expect([hasLock(), first.logBytes]).toEqual([true, 0])
    const second = open()
    expect(hasLock()).toBe(true)
    for (const store of [second, first]) store.close()
  })
})

describe('connections', () => {
  it('overwrite deleted content, enforce foreign keys, and do not trust the schema', () => {
    const store = open()
    const read = (name: string) => store.write((tx) => tx.prepare(`PRAGMA ${name}`).pluck().get())
    expect(['secure_delete', 'foreign_keys', 'trusted_schema'].map(read)).toEqual([1, 1, 0])
    expect(store.read((tx) => tx.prepare('PRAGMA trusted_schema').pluck().get())).toBe(0)
    store.close()
  })

  it('have their usual memory again after a large transaction, even a failed one', () => {
    const store = open()
    const settings = (options: WriteOptions) =>
      store.write(
        (tx) => ['temp_store', 'cache_size'].map((name) => tx.prepare(`PRAGMA ${name}`).pluck().get()),
        options,
      )
    const fail = () => {
      throw new Error('undone')
    }
    const usual = settings({})
    const [files] = settings({ large: true })
    expect(files).toBe(1)
    expect(() => store.write(fail, { large: true })).toThrow('undone')
    expect(settings({})).toEqual(usual)
    store.close()
  })

  it('use files that only their owner can read', () => {
    const store = open()
    store.write((tx) => ensureDictionaryId(tx, safe('x')))
    for (const suffix of ['', '-wal', '-shm']) expect(statSync(store.file + suffix).mode & 0o777, suffix).toBe(0o600)
    store.close()
  })
})

describe('transactions', () => {
  it('rolls back a write that fails', () => {
    const store = open()
    const work = () =>
      store.write((tx) => {
        ensureDictionaryId(tx, safe('lost'))
        throw new Error('stop')
      })
    expect(work).toThrow('stop')
    expect(store.read((tx) => findWord(tx, 'lost'))).toBeUndefined()
    store.close()
  })

  it('refuses asynchronous work', () => {
    const store = open()
    expect(() => store.write(async () => 1)).toThrow(/must be synchronous/)
    expect(store.write((tx) => ensureDictionaryId(tx, safe('after')))).toBeGreaterThan(0)
    store.close()
  })

  it('gives reads a connection that cannot write', () => {
    const store = open()
    expect(() => store.read((tx) => tx.prepare("INSERT INTO word (text) VALUES ('x')").run())).toThrow(
      expect.objectContaining({ code: 'unavailable' }),
    )
    store.close()
  })

  it('returns integers as numbers', () => {
    const store = open()
    const row = store.read((tx) => tx.first(db.selectFrom('word').select(({ fn }) => fn.countAll<number>().as('n'))))
    expect(typeof row?.n).toBe('number')
    store.close()
  })
})

it('waits for another writer without blocking the thread', { timeout: 60_000 }, async () => {
  const store = open()
  const other = new Database(file)
  other.exec('BEGIN IMMEDIATE')
  let free = false
  const waited = store.waitForWriteLock().then(() => {
    free = true
  })
  for (let turn = 0; turn < 20; turn++) await sleep(1)
  expect(free).toBe(false)
  other.exec('COMMIT')
  await waited
  store.write((writer) => ensureDictionaryId(writer, safe('afterwards')))
  expect(store.read((reader) => findWord(reader, 'afterwards'))).toBeDefined()
  other.close()
  store.close()
})

describe('a cached statement', () => {
  const sql = 'SELECT 7 AS id, ? AS name'

  it('returns rows in the requested form even if other callers use another form', () => {
    const store = open()
    store.read((reader) => {
      const [rows, lists, values] = [reader.prepare(sql), reader.prepare(sql).raw(), reader.prepare(sql).pluck()]
      for (let times = 0; times < 2; times++) {
        expect(rows.get('a')).toEqual({ id: 7, name: 'a' })
        expect(lists.get('b')).toEqual([7, 'b'])
        expect(values.get('c')).toBe(7)
        expect(lists.pluck().all('d')).toEqual([7])
      }
      expect(reader.prepare(sql)).toBe(rows)
      expect(reader.prepare(sql).raw()).toBe(lists)
    })
    store.close()
  })
})

import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { backUp, nameBackup, restore } from '../../src/store/backup.ts'
import { type FileStore, Store } from '../../src/store/store.ts'
import { ensureDictionaryId, findWord } from '../../src/store/words.store.ts'
import { thrownBy } from '../support/context.ts'
import { openNewFile } from '../support/new-store.ts'
import { safe } from '../support/safe-text.ts'

const now = () => Date.UTC(2026, 5, 15)
let home: string
let file: string
let stores: FileStore[]
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'assay-guard-'))
  file = join(home, 'assay.db')
  stores = []
})
afterEach(() => {
  for (const store of stores) store.close()
  rmSync(home, { recursive: true, force: true })
})

function open(): FileStore {
  const store = existsSync(file) ? Store.open(file, { now }) : openNewFile(file, now)
  stores.push(store)
  return store
}
const add = (store: FileStore, word: string) => store.write((writer) => ensureDictionaryId(writer, safe(word)))
const addMany = (store: FileStore) =>
  store.write((writer) => {
    for (let index = 0; index < 300; index++) ensureDictionaryId(writer, safe(`word ${index} ${'x'.repeat(2000)}`))
  })
const has = (store: FileStore, word: string) => store.read((reader) => findWord(reader, word) !== undefined)

/** Runs a statement in a process that knows nothing of ours. */
function writeAsOther(statement: string): void {
  const script = `const database = new (require('better-sqlite3'))(process.argv[1]); database.exec(process.argv[2]); database.close()`
  execFileSync(process.execPath, ['-e', script, file, statement])
}

/** Another database of ours, in one file. */
function makeOther(): string {
  const other = join(home, 'other.db')
  const store = openNewFile(other, now)
  add(store, 'of another')
  store.close()
  return other
}

const faults: [string, string, () => void][] = [
  ['removed', 'database_missing', () => rmSync(file)],
  ['moved away', 'database_missing', () => renameSync(file, join(home, 'moved.db'))],
  ['replaced by another', 'database_replaced', () => renameSync(makeOther(), file)],
  [
    'replaced by a copy of itself',
    'database_replaced',
    () => {
      writeFileSync(join(home, 'copy'), readFileSync(file))
      renameSync(join(home, 'copy'), file)
    },
  ],
  ['separated from its log', 'log_missing', () => rmSync(`${file}-wal`)],
  ['separated from the index of its log', 'log_missing', () => rmSync(`${file}-shm`)],
  [
    'given another log',
    'log_missing',
    () => {
      writeFileSync(join(home, 'log'), '')
      renameSync(join(home, 'log'), `${file}-wal`)
    },
  ],
  ['truncated to half', 'database_damaged', () => truncateSync(file, 8192 * 20)],
  ['truncated to zero bytes', 'database_damaged', () => truncateSync(file, 0)],
  ['removed with its whole folder', 'database_missing', () => rmSync(home, { recursive: true })],
]

describe('an open database', () => {
  it.each(faults)('that is %s refuses writes and reads, and names the newest backup', async (_, reason, fault) => {
    const store = open()
    addMany(store)
    store.emptyLog()
    backUp(file, nameBackup(home, now() - 1000))
    backUp(file, nameBackup(home, now()))
    const hasBackups = !fault.toString().includes('recursive')
    fault()
    for (let again = 0; again < 2; again++) {
      const refused = thrownBy(() => add(store, 'lost'))
      expect([refused.code, refused.facts.reason]).toEqual(['unavailable', reason])
      expect(refused.message).toContain(hasBackups ? 'backups/assay-20260615T000000Z.db' : 'assay restore FILE')
    }
    await sleep(60)
    expect(thrownBy(() => has(store, 'word 1')).facts.reason).toBe(reason)
    expect(thrownBy(() => store.openSnapshot()).facts.reason).toBe(reason)
    expect(
      thrownBy(() => store.write((writer) => ensureDictionaryId(writer, safe('x')), { essential: true })).code,
    ).toBe('unavailable')
    if (hasBackups)
      expect(thrownBy(() => Store.open(join(home, 'none.db'), { now, mustExist: true })).facts.reason).toBe(
        'database_missing',
      )
  })

  it('does not acknowledge writes while its file is removed', () => {
    const store = open()
    const refused = thrownBy(() =>
      store.write((writer) => {
        ensureDictionaryId(writer, safe('lost'))
        rmSync(file)
      }),
    )
    expect(refused.facts.reason).toBe('database_missing')
  })

  it('keeps acknowledged writes when only its log is removed, once the last process ends', () => {
    const store = open()
    add(store, 'kept')
    rmSync(`${file}-wal`)
    expect(thrownBy(() => add(store, 'refused')).facts.reason).toBe('log_missing')
    store.close()
    stores.pop()
    const again = open()
    expect([has(again, 'kept'), has(again, 'refused')]).toEqual([true, false])
    expect(again.examine('full').integrity).toBe('ok')
  })

  it('leaves a log to which another program has written without being seen', () => {
    const store = open()
    add(store, 'kept')
    rmSync(`${file}-shm`)
    writeAsOther("INSERT INTO word (text, folded) VALUES ('of another', '')")
    store.close()
    stores.pop()
    const again = open()
    expect([has(again, 'kept'), has(again, 'of another')]).toEqual([true, true])
    expect(again.examine('full').integrity).toBe('ok')
  })

  it.each([
    ['separated from its log', 'log_missing', ['-wal']],
    ['separated from the index of its log', 'log_missing', ['-shm']],
    ['separated from both', 'log_missing', ['-wal', '-shm']],
    ['removed with both', 'database_missing', ['', '-wal', '-shm']],
  ])('that was %s is refused to processes that begin, which change nothing', (_, reason, parts) => {
    const store = open()
    add(store, 'kept')
    for (const part of parts) rmSync(`${file}${part}`)
    const before = readdirSync(home)
    for (const opens of [() => Store.open(file, { now }), () => backUp(file, nameBackup(home, now()))]) {
      const refused = thrownBy(opens)
      expect([refused.code, refused.facts.reason]).toEqual(['unavailable', reason])
      expect(refused.message).toMatch(/stop every assay process that uses the data folder and start again/)
    }
    expect(readdirSync(home)).toEqual(before)
    store.close()
    stores.pop()
    if (parts.includes('')) return
    const again = open()
    expect(has(again, 'kept')).toBe(true)
    add(again, 'after')
  })

  it('that was replaced is refused to processes that begin, also once its own was killed and has left its log', () => {
    const folder = join(home, 'killed')
    mkdirSync(folder)
    file = join(folder, 'assay.db')
    const store = open()
    add(store, 'kept')
    const copyOf = (part: string) => readFileSync(`${file}${part}`)
    const [database, log] = [copyOf(''), copyOf('-wal')]
    renameSync(makeOther(), file)
    expect(thrownBy(() => Store.open(file, { now })).facts.reason).toBe('database_replaced')
    expect([copyOf('-wal').equals(log), copyOf('').equals(database)]).toEqual([true, false])
    // SQLite leaves the log of a file that was replaced.
    store.close()
    stores.pop()
    const refused = thrownBy(() => Store.open(file, { now }))
    expect([refused.facts.reason, refused.message]).toEqual([
      'database_replaced',
      expect.stringMatching(/move assay\.db-wal and assay\.db-shm to another folder and start again/),
    ])
    for (const part of ['-wal', '-shm']) renameSync(`${file}${part}`, join(home, `away${part}`))
    expect(has(open(), 'of another')).toBe(true)
  })

  it('resumes when the file is put back unchanged', () => {
    const store = open()
    renameSync(file, `${file}.away`)
    expect(thrownBy(() => add(store, 'refused')).facts.reason).toBe('database_missing')
    renameSync(`${file}.away`, file)
    add(store, 'kept')
    expect(has(store, 'kept')).toBe(true)
  })

  it('may be compacted by another process', () => {
    const [store, other] = [open(), new Database(file)]
    addMany(store)
    store.emptyLog()
    const bytes = statSync(file).size
    other.exec("DELETE FROM word WHERE text LIKE 'word %'; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
    expect(statSync(file).size).toBeLessThan(bytes - 500_000)
    add(store, 'after')
    expect(has(store, 'after')).toBe(true)
    other.close()
  })

  it('is served again after a restore by a process that opens it then', () => {
    const store = open()
    add(store, 'before')
    backUp(file, nameBackup(home, now()))
    store.close()
    stores.pop()
    rmSync(file)
    mkdirSync(home, { recursive: true })
    restore(nameBackup(home, now()), file, now())
    expect(has(open(), 'before')).toBe(true)
  })
})

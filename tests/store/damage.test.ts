import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { AppError } from '../../src/kernel/errors.ts'
import { nameBackup } from '../../src/store/backup.ts'
import { describeFolderLocation, requireLocalFolder } from '../../src/store/place.ts'
import { Store, type StoreOptions } from '../../src/store/store.ts'
import { ensureDictionaryId } from '../../src/store/words.store.ts'
import { thrownBy } from '../support/context.ts'
import { safe } from '../support/safe-text.ts'

const now = () => Date.UTC(2026, 5, 15)

let home: string
let file: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'assay-damage-'))
  file = join(home, 'assay.db')
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const open = (options: Partial<StoreOptions> = {}) => Store.open(file, { now, ...options })

/** A database that was in use, everything in the one file. */
let template: string
beforeAll(() => {
  template = join(mkdtempSync(join(tmpdir(), 'assay-damage-')), 'assay.db')
  const store = Store.open(template, { now })
  store.write((writer) => {
    for (let index = 0; index < 500; index++) ensureDictionaryId(writer, safe(`word ${index} ${'x'.repeat(200)}`))
    writer.prepare("INSERT INTO install (name, value) VALUES ('id', 'i'), ('key_check', 'k')").run()
  })
  store.close()
})
afterAll(() => rmSync(dirname(template), { recursive: true, force: true }))

function makeDatabase(): void {
  copyFileSync(template, file)
  writeFileSync(join(home, 'assay.key'), 'k'.repeat(44), { mode: 0o600 })
}

const read = () => (existsSync(file) ? readFileSync(file, 'latin1') : undefined)

const overwrite = (at: number, bytes: Buffer) => {
  const handle = openSync(file, 'r+')
  writeSync(handle, bytes, 0, bytes.length, at)
  closeSync(handle)
}

describe('a damaged file', () => {
  it.each<[string, () => void, string]>([
    ['truncated to half', () => truncateSync(file, Math.floor(statSync(file).size / 2)), 'database_damaged'],
    ['truncated by one page', () => truncateSync(file, statSync(file).size - 8192), 'database_damaged'],
    ['truncated to zero bytes', () => truncateSync(file, 0), 'database_damaged'],
    ['truncated within its header', () => truncateSync(file, 50), 'database_damaged'],
    ['filled with zeros', () => writeFileSync(file, Buffer.alloc(statSync(file).size)), 'not_a_database'],
    ['with an invalid header', () => overwrite(0, Buffer.from('junk'.repeat(25))), 'not_a_database'],
    ['with a zeroed first table', () => overwrite(100, Buffer.alloc(8092)), 'database_damaged'],
    ['replaced by text', () => writeFileSync(file, 'my notes\n'.repeat(4000)), 'not_a_database'],
    [
      'missing while its log exists',
      () => {
        rmSync(file)
        writeFileSync(`${file}-wal`, Buffer.alloc(4096, 1))
      },
      'database_missing',
    ],
  ])('is refused, reported and not changed when %s', (_, damage, reason) => {
    makeDatabase()
    mkdirSync(join(home, 'backups'))
    writeFileSync(nameBackup(home, now()), 'a copy')
    damage()
    const before = read()
    const error = thrownBy(() => open())
    expect([error.code, error.facts.reason]).toEqual(['unavailable', reason])
    expect(error.message).toContain('assay restore backups/assay-20260615T000000Z.db')
    expect(read()).toBe(before)
    expect(thrownBy(() => open()).facts.reason).toBe(reason)
  })

  it('is reported on reading when a page in the middle is zeroed', () => {
    makeDatabase()
    const pages = statSync(file).size / 8192
    for (let page = 2; page < pages; page++) overwrite(page * 8192, Buffer.alloc(8192))
    const error = thrownBy(() =>
      open().read((reader) => reader.prepare('SELECT count(text), sum(length(text)) FROM word').all()),
    )
    expect(error.facts.reason).toBe('database_damaged')
  })

  it('whose write-ahead log is lost opens in the state of the last checkpoint', () => {
    makeDatabase()
    const store = open()
    store.write((writer) => ensureDictionaryId(writer, safe('in the log')))
    const copy = readFileSync(file)
    store.close()
    writeFileSync(file, copy)
    rmSync(`${file}-wal`, { force: true })
    const again = open()
    expect(again.examine().integrity).toBe('ok')
    expect(again.read((reader) => reader.prepare("SELECT 1 FROM word WHERE text = 'in the log'").get())).toBeUndefined()
    again.close()
  })

  it('of another program is not touched', () => {
    const other = new Database(file)
    other.exec('CREATE TABLE notes (text)')
    other.close()
    const before = readFileSync(file)
    expect(thrownBy(() => open()).facts.reason).toBe('not_a_database')
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  it('is never replaced by a new one, also in a read-only folder', () => {
    mkdirSync(file)
    expect(thrownBy(() => open()).code).toBe('unavailable')
    rmSync(file, { recursive: true })
    expect(() => Store.open(join(home, 'none', 'assay.db'), { now })).toThrow()
    expect(existsSync(join(home, 'none'))).toBe(false)
  })
})

describe('the file system of the data folder', () => {
  const on = (type: number) => (() => ({ type, bavail: 10, bsize: 4096 })) as never

  const onLinux = it.skipIf(process.platform !== 'linux')
  onLinux.each([
    [0x6969, 'NFS'],
    [0xff534d42, 'SMB'],
    [0xfe534d42 | 0, 'SMB'],
    [0x517b, 'SMB'],
  ])('is refused on a network: %i', (type, name) => {
    const error = thrownBy(() => requireLocalFolder(home, on(type)))
    expect(error.facts.reason).toBe('network_folder')
    expect(error.message).toContain(name)
  })

  onLinux.each([[0x01021997], [0x65735546]])(
    'is refused on a share that is mounted, not on the disk of a container: %i',
    (type) => {
      expect(describeFolderLocation('/', on(type)).network).toBeUndefined()
      expect(describeFolderLocation('/proc', on(type)).network).toMatch(/9p|FUSE/)
    },
  )

  it('is accepted if it is local, and a folder that is synchronized to a cloud is reported', () => {
    expect(describeFolderLocation(home).network).toBeUndefined()
    const synced = join(home, 'Dropbox', 'assay')
    mkdirSync(synced, { recursive: true })
    expect(describeFolderLocation(synced).sync).toBe('Dropbox')
  })
})

describe('a full disk', () => {
  const MB = 1024 * 1024

  it('refuses writes, still answers queries, and accepts writes again when there is space', () => {
    let free = 200 * MB
    const store = open({ freeBytes: () => free })
    const write = (name: string) => store.write((writer) => ensureDictionaryId(writer, safe(name)))
    write('before')
    store.space.keepBallast()
    expect(statSync(join(home, 'ballast')).size).toBe(16 * MB)
    free = 63 * MB
    const low = open({ freeBytes: () => free })
    expect(thrownBy(() => low.write((writer) => ensureDictionaryId(writer, safe('never')))).facts.reason).toBe(
      'storage_full',
    )
    expect(low.read((reader) => reader.prepare('SELECT count(*) AS n FROM term').get())).toEqual({ n: 7 })
    expect(low.write((writer) => ensureDictionaryId(writer, safe('essential')), { essential: true })).toBeGreaterThan(0)
    free = 65 * MB
    expect(low.write((writer) => ensureDictionaryId(writer, safe('again')))).toBeGreaterThan(0)
    low.close()
    store.close()
  })

  it('deletes the ballast file when the disk is full', () => {
    const store = open({ freeBytes: () => 200 * MB })
    store.space.keepBallast()
    expect(existsSync(join(home, 'ballast'))).toBe(true)
    const fail = () => {
      throw new AppError('unavailable', 'The disk is full.', { reason: 'storage_full' })
    }
    expect(() => store.write(fail)).toThrow('full')
    expect(existsSync(join(home, 'ballast'))).toBe(false)
    store.close()
  })

  it('writes no ballast file where that would fill the disk', () => {
    const store = open({ freeBytes: () => 70 * MB })
    store.space.keepBallast()
    expect(existsSync(join(home, 'ballast'))).toBe(false)
    store.close()
  })
})

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, type TestContext } from 'vitest'
import { type FileStore, type Reader, Store, type StoreFiles } from '../../src/store/store.ts'
import { openNewPostgres, openPostgresAgain } from './postgres.ts'

/** The bytes of new databases, by the time at which they were migrated. */
const templates = new Map<number, Buffer>()

/** Opens a new database: at `file`, or on the PostgreSQL server that `ASSAY_TEST_STORE` names. */
export function openNewStore(file: string, now: () => number): Store {
  const { ASSAY_TEST_STORE: url } = process.env
  return url === undefined ? openNewFile(file, now) : openNewPostgres(url, now)
}

/** Opens the database of a store once more, as another process does. */
export const openAgain = (store: Store, now: () => number): Store =>
  store.files === undefined ? openPostgresAgain(store, now) : Store.open(store.files.file, { now })

/** Where a command looks for a database before it is given the store that the test has opened. */
export const locateStore = ({ files }: Pick<Store, 'files'>) =>
  files === undefined
    ? { home: tmpdir(), env: { ASSAY_STORE: 'postgres://assay@127.0.0.1/assay' }, networkFolder: false }
    : { home: dirname(files.file), env: {}, networkFolder: false }

/**
 * Skips tests that need SQLite when the stores of tests are on PostgreSQL.
 * @param reason what the tests do that PostgreSQL has not, or that it does itself
 * @param test called in a test: that one; else all tests of the file or `describe` that calls it
 */
export function sqliteOnly(reason: string, test?: Pick<TestContext, 'skip'>): void {
  const { ASSAY_TEST_STORE: url } = process.env
  if (test === undefined) beforeEach(({ skip }) => skip(url !== undefined, reason))
  else test.skip(url !== undefined, reason)
}

/** Opens a new database at `file`. It is a copy of one that was migrated before, which is several times as fast. */
export function openNewFile(file: string, now: () => number): FileStore {
  // The real time differs from call to call; what is migrated in one minute counts as one time.
  const at = now() - (now() % 60_000)
  const template = templates.get(at) ?? makeTemplate(now)
  templates.set(at, template)
  writeFileSync(file, template, { mode: 0o600 })
  return Store.open(file, { now })
}

/** Everything that a database contains, to look for what it must not: the bytes of its files, or all values of a server's. */
export function contentOf(store: Store): string {
  if (store.files === undefined) return store.read(listValues).join('\n')
  const { file } = store.files
  return [file, `${file}-wal`].map((path) => readFileSync(path, 'latin1')).join('')
}

function listValues(reader: Reader): string[] {
  const select =
    "SELECT table_name FROM information_schema.tables WHERE table_schema = 'main' AND table_type = 'BASE TABLE'"
  const tables = reader.prepare(select).pluck().all() as string[]
  const rows = tables.flatMap((table) => reader.prepare(`SELECT * FROM main.${table}`).raw().all() as unknown[][])
  return rows.flat().map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : String(value)))
}

function makeTemplate(now: () => number): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'assay-template-'))
  try {
    const file = join(folder, 'assay.db')
    Store.open(file, { now }).close()
    return readFileSync(file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The files of a store that is known to have some. */
export function filesOf({ files }: Store): StoreFiles {
  if (files === undefined) throw new TypeError('the store has no files')
  return files
}

import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { AppError, conflict, invalidInput, notFound } from '../kernel/errors.ts'
import { makeFolder } from '../runtime/make-folder.ts'
import { openRegularFile } from '../runtime/regular-file.ts'
import { replaceFile } from '../runtime/replace-file.ts'
import { requireOwnDatabase } from './connection.ts'
import { APPLICATION_ID, newestSchema, requireUpgradable } from './migrations.ts'
import { requireSameFiles } from './open-files.ts'
import { BACKUP_FOLDER, listBackups } from './place.ts'
import { describeDifferences, listSchemaDifferences } from './schema-check.ts'
import { Database } from './sqlite.ts'
import { syncFile } from './sync-file.ts'

/** How many automatic backups (made before migrations) are kept. */
const MAX_AUTOMATIC_BACKUPS = 5

export interface Backup {
  file: string
  bytes: number
  schema: number
  /** Differences from the schema of its version; a backup with any cannot be restored. */
  differences: string[]
}

const toStamp = (at: number) => new Date(at).toISOString().replace(/[-:]|\.\d+/g, '')

/** The path of a backup for which the user names no file. */
export function nameBackup(home: string, at: number, why = ''): string {
  return join(home, BACKUP_FOLDER, `assay-${toStamp(at)}${why}.db`)
}

/**
 * Copies the database as of one moment, while others read and write it. The copy is checked before it gets its final
 * name; a process that dies during the copy leaves only a draft file.
 * @throws AppError `conflict` when the file exists already.
 */
export function backUp(database: string, target: string): Backup {
  const file = resolve(target)
  if (existsSync(file)) throw conflict(`${target} already exists; name another file.`, { reason: 'file_exists' })
  const draft = `${file}.${randomBytes(4).toString('hex')}.draft`
  try {
    requireSameFiles(database)
    const source = new Database(database, { timeout: 30_000, fileMustExist: true })
    try {
      requireOwnDatabase(source)
      makeFolder(dirname(file), 0o700)
      // Created with mode 0600 before anything is written to it.
      closeSync(openSync(draft, 'wx', 0o600))
      source.prepare('VACUUM INTO ?').run(draft)
    } finally {
      source.close()
    }
    const { schema, differences } = verifyCopy(draft)
    syncFile(draft)
    try {
      linkSync(draft, file)
    } catch (error) {
      if (existsSync(file)) throw conflict(`${target} already exists; name another file.`, { cause: error })
      renameSync(draft, file)
    }
    syncFile(dirname(file))
    return { file, bytes: statSync(file).size, schema, differences }
  } catch (error) {
    throw error instanceof AppError ? error : toBackupError(error)
  } finally {
    rmSync(draft, { force: true })
  }
}

function toBackupError(error: unknown): AppError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (/^(?:SQLITE_FULL|ENOSPC|SQLITE_IOERR_(?:WRITE|SHMSIZE))/.test(code)) {
    const message = 'There is not enough room for a backup; free some space, or name a file on another disk.'
    return new AppError('unavailable', message, { reason: 'storage_full', cause: error })
  }
  const message =
    'The backup could not be made; run `assay doctor` to see whether the database or the folder is at fault.'
  return new AppError('unavailable', message, { reason: 'backup_failed', cause: error })
}

/** Backs up the database before a migration, and deletes the oldest automatic backups beyond MAX_AUTOMATIC_BACKUPS. */
export function backUpBeforeMigration(database: string, schema: number, at: number): void {
  const home = dirname(database)
  const why = `-schema-${schema}`
  const file = nameBackup(home, at, why)
  if (!existsSync(file)) backUp(database, file)
  const automatic = listBackups(home).filter((name) => name.includes('-schema-'))
  for (const name of automatic.slice(0, -MAX_AUTOMATIC_BACKUPS))
    rmSync(join(home, BACKUP_FOLDER, name), { force: true })
}

/**
 * Opens a backup read-only and checks all of it.
 * @throws AppError `invalid_input` when it is damaged or not a database of assay; reason `database_newer` when a later
 * version made it, `unavailable` with `database_too_old` when an earlier one did.
 */
export function verifyCopy(file: string): { schema: number; differences: string[] } {
  let copy: Database.Database
  try {
    closeSync(openRegularFile(file, 'The backup'))
    copy = new Database(file, { readonly: true, fileMustExist: true })
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw notFound('The backup cannot be opened; check its name and permissions.', { cause })
  }
  try {
    copy.pragma('trusted_schema = OFF')
    const schema = Number(copy.pragma('user_version', { simple: true }))
    if (copy.pragma('application_id', { simple: true }) !== APPLICATION_ID || schema === 0) {
      throw notABackup()
    }
    requireUpgradable(schema, 'The backup')
    if (schema > newestSchema()) {
      const message = `The backup has schema ${schema}, which this version does not know; install a newer version of Assay.`
      throw invalidInput(message, { reason: 'database_newer' })
    }
    const differences = listSchemaDifferences(copy, schema)
    if (copy.pragma('quick_check(1)', { simple: true }) !== 'ok') throw damagedCopy()
    return { schema, differences }
  } catch (error) {
    if (error instanceof AppError) throw error
    throw error instanceof Error && 'code' in error && error.code === 'SQLITE_NOTADB'
      ? notABackup()
      : damagedCopy(error)
  } finally {
    copy.close()
  }
}

/**
 * @throws AppError `invalid_input`, reason `foreign_schema`, when its schema contains anything that assay did not
 * create.
 */
function requireOurSchema({ schema, differences }: { schema: number; differences: readonly string[] }): void {
  if (differences.length === 0) return
  const message = `The backup was not restored, because its tables differ from those of schema ${schema}: ${describeDifferences(differences)}; name another backup.`
  throw invalidInput(message, { reason: 'foreign_schema' })
}

const notABackup = () =>
  invalidInput('The file is not a backup of Assay; name a file made by `assay backup`.', { reason: 'not_a_backup' })

const damagedCopy = (cause?: unknown) =>
  invalidInput('The backup is damaged and was not restored; name another one.', { reason: 'database_damaged', cause })

export interface Restored {
  /** The path to which the previous database was moved; absent when there was none. */
  aside?: string
  schema: number
}

/**
 * Replaces the database by a backup and keeps the previous one under another name. If the process is killed at any
 * moment, either the old or the new database is in place, complete.
 * @throws AppError `invalid_input` for a backup that is unusable or has a foreign schema, `conflict` while another
 * process has the database open.
 */
export function restore(backup: string, database: string, at: number): Restored {
  if (!existsSync(backup)) throw notFound(`The file ${backup} does not exist; \`assay backup\` makes a backup.`)
  requireOurSchema(verifyCopy(backup))
  makeFolder(dirname(database), 0o700)
  const draft = `${database}.${randomBytes(4).toString('hex')}.draft`
  const lock = lockExclusively(database)
  try {
    copyFileSync(backup, draft, constants.COPYFILE_EXCL)
    chmodSync(draft, 0o600)
    const copy = verifyCopy(draft)
    requireOurSchema(copy)
    syncFile(draft)
    const aside = moveAside(database, at)
    // Windows replaces no file that is open.
    if (process.platform === 'win32') lock?.close()
    replaceFile(draft, database)
    syncFile(dirname(database))
    return { schema: copy.schema, ...(aside === undefined ? {} : { aside }) }
  } finally {
    rmSync(draft, { force: true })
    lock?.close()
  }
}

/**
 * Locks the database exclusively, with its log merged into the one file; undefined when it is too damaged to be opened.
 */
function lockExclusively(file: string): Database.Database | undefined {
  if (!existsSync(file)) return undefined
  let database: Database.Database | undefined
  try {
    database = new Database(file, { timeout: 2_000 })
    database.pragma('journal_mode = DELETE')
    database.exec('BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database?.close()
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (!/^SQLITE_(?:BUSY|LOCKED)/.test(code)) return undefined
    const message =
      'Another assay process has the data folder open; stop `assay serve` and close the assistants, then restore again.'
    throw conflict(message, { reason: 'in_use', cause: error })
  }
}

/** Gives the old file a second name, and moves its log with it: SQLite would replay a log left beside the new file. */
function moveAside(database: string, at: number): string | undefined {
  if (!existsSync(database)) return undefined
  const aside = `${database}.before-restore-${toStamp(at)}-${randomBytes(2).toString('hex')}`
  linkOrCopy(database, aside)
  if (existsSync(`${database}-wal`)) renameSync(`${database}-wal`, `${aside}-wal`)
  rmSync(`${database}-shm`, { force: true })
  return aside
}

function linkOrCopy(file: string, other: string): void {
  try {
    linkSync(file, other)
  } catch {
    copyFileSync(file, other, constants.COPYFILE_EXCL)
  }
}

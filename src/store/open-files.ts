import { hash } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { sleepSync } from '../runtime/pause.ts'
import { isBusy, LOCK_RETRY_MS } from './connection.ts'
import { toAppError, toBusyError } from './faults.ts'
import { PARTS, toLostError } from './file-guard.ts'
import { toDamagedError } from './place.ts'
import { Database } from './sqlite.ts'

/** How long the last process may take to end after SQLite has removed its log. */
const ENDING_MS = 1_000

/** Hashes of the device and inode of a database file, and of those of its log and the index of the log. */
interface Identity {
  database: number
  log: number
}

/**
 * Requires that the processes that use a database have the files open that have its names now: processes with different
 * files do not see each other's writes, and overwrite them. To be called before the database is opened, since SQLite
 * then creates a missing log.
 * @throws AppError `unavailable`, reason `database_missing`, `database_replaced`, `log_missing` or `busy`
 */
export function requireSameFiles(file: string): void {
  // Where no process has joined, nothing is created in a folder that may then be refused.
  if (!existsSync(toLockFile(file))) return
  const lock = openLock(file)
  try {
    settle(file, lock, false)
  } finally {
    lock.close()
  }
}

/**
 * Does the same for a database that is now open, and lets later processes find out which files these are, until the
 * result is closed.
 * @throws AppError as `requireSameFiles`
 */
export function joinOpenFiles(file: string): { close(): void } {
  const lock = openLock(file)
  try {
    settle(file, lock, true)
    return lock
  } catch (error) {
    lock.close()
    throw error
  }
}

const toLockFile = (file: string) => join(dirname(file), `${basename(file, '.db')}.lock`)

/** The file in which the first process writes the identity, and which every process keeps locked for reading. */
function openLock(file: string): Database.Database {
  try {
    const lock = new Database(toLockFile(file), { timeout: ENDING_MS })
    // It has one page, whose contents matter only while a process lives.
    lock.pragma('journal_mode = MEMORY')
    lock.pragma('synchronous = OFF')
    lock.pragma('busy_timeout = 0')
    return lock
  } catch (error) {
    throw toAppError(error)
  }
}

function settle(file: string, lock: Database.Database, joins: boolean): void {
  const until = performance.now() + ENDING_MS
  for (;;) {
    const present = identify(file)
    const used = begin(lock, 'BEGIN') ? readIdentity(lock) : undefined
    if (used?.database === present.database && used.log === present.log) return
    if (lock.inTransaction) lock.exec('ROLLBACK')
    if (begin(lock, 'BEGIN EXCLUSIVE')) {
      if (!joins) {
        requireOwnLog(file, readIdentity(lock), present)
        return
      }
      lock.pragma(`application_id = ${present.database}`)
      lock.pragma(`user_version = ${present.log}`)
      lock.exec('COMMIT')
    } else if (performance.now() > until) {
      if (used === undefined) throw toBusyError()
      const isMissing = PARTS.some((part) => statSync(`${file}${part}`, { throwIfNoEntry: false }) === undefined)
      throw toLostError(file, { isLog: used.database === present.database, isMissing })
    }
    sleepSync(LOCK_RETRY_MS)
  }
}

function begin(lock: Database.Database, statement: string): boolean {
  try {
    lock.exec(statement)
    // SQLite locks the file with the first statement that reads it.
    lock.pragma('user_version')
    return true
  } catch (error) {
    if (lock.inTransaction) lock.exec('ROLLBACK')
    if (isBusy(error)) return false
    throw toAppError(error)
  }
}

const readIdentity = (lock: Database.Database): Identity => ({
  database: lock.pragma('application_id', { simple: true }) as number,
  log: lock.pragma('user_version', { simple: true }) as number,
})

function identify(file: string): Identity {
  const [database = '', ...log] = PARTS.map((part) => {
    const found = statSync(`${file}${part}`, { throwIfNoEntry: false })
    return found === undefined ? '' : `${found.dev}/${found.ino}`
  })
  const toNumber = (text: string) => hash('sha256', text, 'buffer').readInt32BE(0)
  return { database: toNumber(database), log: toNumber(log.join()) }
}

/** SQLite would add the log of a killed process to any file that has the name of its database. */
function requireOwnLog(file: string, used: Identity, present: Identity): void {
  const bytes = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
  if (bytes === 0 || used.log !== present.log) return
  const name = basename(file)
  const what = `The database file was replaced, but the log beside it belongs to the former one: move ${name}-wal and ${name}-shm to another folder and start again, or`
  throw toDamagedError(file, 'database_replaced', what)
}

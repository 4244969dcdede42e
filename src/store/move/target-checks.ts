import { accessSync, constants, existsSync, lstatSync, rmSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { AppError, conflict, invalidInput } from '../../kernel/errors.ts'
import { toAppError } from '../faults.ts'
import { UNFINISHED_COPY_ID } from '../migrations.ts'
import { describeFolderLocation } from '../place.ts'
import { MIN_FREE_BYTES, readFreeBytes } from '../space.ts'
import { Database } from '../sqlite.ts'
import { SQLITE_PREFIX, toWayOn } from './marker.ts'

const FILE_NAME = 'assay.db'
/** Share of a database that its largest index has, at most. */
const LARGEST_INDEX = 0.2
const LOCK_WAIT_MS = 5_000

/** @throws AppError `invalid_input` when the address is not that of a file that can be the database of a folder. */
export function parseTarget(to: string): string {
  const path = to.startsWith(SQLITE_PREFIX) ? to.slice(SQLITE_PREFIX.length) : ''
  if (path === '') {
    throw invalidInput(`${to} is not the address of a database; name a file as sqlite:/new/folder/${FILE_NAME}.`)
  }
  const file = resolve(path)
  if (basename(file) === FILE_NAME) return file
  throw invalidInput(
    `The database of a data folder is named ${FILE_NAME}; name the file sqlite:${dirname(file)}/${FILE_NAME}.`,
  )
}

export interface TargetChecks {
  /** Allow a folder on a network file system. */
  networkFolder: boolean
  /** Replaces the free-space check in tests. */
  freeBytes?: (folder: string) => number
}

/** The database that is moved: its file, if it is one, and its size. */
interface MovedSource {
  file?: string
  bytes: number
}

/**
 * Checks that a database can be moved to a file, and changes nothing.
 * @param moveId the id of an unfinished move to this file
 * @throws AppError
 */
export function checkTarget(source: MovedSource, file: string, moveId: string | undefined, checks: TargetChecks): void {
  const folder = dirname(file)
  const found = statFolder(folder)
  if (found?.isDirectory() !== true) {
    throw invalidInput(`The folder ${folder} does not exist; create it first.`, { reason: 'folder_missing' })
  }
  const own = source.file === undefined ? undefined : statSync(dirname(source.file))
  if (own?.dev === found.dev && own.ino === found.ino) {
    throw invalidInput('The database is in this folder already; name a file in another folder.', {
      reason: 'same_folder',
    })
  }
  const { network } = describeFolderLocation(folder)
  if (network !== undefined && !checks.networkFolder) {
    const message = `The folder ${folder} is on ${network}, where two processes can damage the database; name a folder on a disk of this machine.`
    throw new AppError('unavailable', message, { reason: 'network_folder' })
  }
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
  } catch (cause) {
    throw notWritable(folder, cause)
  }
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() === false) {
    throw invalidInput(`${file} exists and is not a regular file; delete it, or name another folder.`, {
      reason: 'not_a_file',
    })
  }
  requireRoom(source.bytes, file, checks.freeBytes ?? readFreeBytes)
  const id = readUnfinished(file)
  if (id === undefined) return
  if (id === 'other') {
    throw conflict(`${file} already exists and is not an unfinished move of this database; name another folder.`, {
      reason: 'file_exists',
    })
  }
  if (id !== moveId) {
    throw conflict(
      `${file} is left from a move that was cancelled, or from another database; delete it, or name another folder.`,
      {
        reason: 'file_exists',
      },
    )
  }
}

function statFolder(folder: string): Stats | undefined {
  try {
    return statSync(folder, { throwIfNoEntry: false })
  } catch (cause) {
    throw notWritable(folder, cause)
  }
}

const notWritable = (folder: string, cause: unknown) =>
  new AppError('unavailable', `The folder ${folder} cannot be written to; name another one.`, {
    reason: 'not_writable',
    cause,
  })

/** The size of a database file with its write-ahead log. */
export const readSize = (file: string): number =>
  ['', '-wal'].reduce((sum, suffix) => sum + (statSync(`${file}${suffix}`, { throwIfNoEntry: false })?.size ?? 0), 0)

function requireRoom(bytes: number, file: string, freeBytes: (folder: string) => number): void {
  const present = readSize(file)
  // Until a new index is moved from the write-ahead log into the file, both contain it.
  const whole = bytes * (1 + LARGEST_INDEX)
  const needed = Math.max(0, whole - present) + MIN_FREE_BYTES
  const free = freeBytes(dirname(file))
  if (free >= needed) return
  const toMb = (bytes: number) => Math.ceil(bytes / 1024 / 1024)
  const message = `The disk of ${dirname(file)} has too little space: ${toMb(free)} MB are free, and the move needs ${toMb(needed)} MB; free some, or name a folder on another disk.`
  throw new AppError('unavailable', message, { reason: 'storage_full' })
}

/** The id of the move to an unfinished target; undefined: there is none yet; `other`: the file is something else. */
export function readUnfinished(file: string): string | undefined {
  if (!existsSync(file)) return existsSync(`${file}-wal`) ? 'other' : undefined
  let database: Database.Database | undefined
  try {
    database = new Database(file, { readonly: true, timeout: LOCK_WAIT_MS })
    const id = database.pragma('application_id', { simple: true })
    if (id === UNFINISHED_COPY_ID) return database.prepare('SELECT id FROM unfinished_move').pluck().get() as string
    const isEmpty = database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined
    return id === 0 && isEmpty ? undefined : 'other'
  } catch {
    return 'other'
  } finally {
    database?.close()
  }
}

export function deleteUnfinished(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
}

/** Errors of the former database are `AppError` already. */
export function toTargetError(file: string, error: unknown): unknown {
  if (error instanceof AppError) return error
  const { code } = error as { code?: string }
  const known = toAppError(error)
  const reason = known instanceof AppError ? known.facts.reason : undefined
  const [folder, wayOn] = [dirname(file), toWayOn(`${SQLITE_PREFIX}${file}`)]
  if (reason === 'storage_full' || code === 'ENOSPC' || code === 'EDQUOT') {
    const message = `The disk of ${folder} is full; free some space, then ${wayOn}`
    return new AppError('unavailable', message, { reason: 'storage_full', cause: error })
  }
  if (reason === 'not_writable' || code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    const message = `The folder ${folder} cannot be written to any more; change this, then ${wayOn}`
    return new AppError('unavailable', message, { reason: 'not_writable', cause: error })
  }
  return known
}

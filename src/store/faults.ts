import { AppError } from '../kernel/errors.ts'
import { toDamagedError } from './place.ts'

/** Adds to an error about a damaged database how to recover from it, with the name of the newest backup. */
export function withRecoveryHint(file: string, error: unknown): unknown {
  if (!(error instanceof AppError)) return error
  const { reason } = error.facts
  if (reason === 'database_damaged' && error.cause !== undefined) {
    return toDamagedError(file, reason, 'The database file is damaged and was not changed;', error.cause)
  }
  if (reason === 'not_a_database' && error.cause !== undefined) {
    return toDamagedError(file, reason, 'The file `assay.db` is no longer a database and was not changed;', error.cause)
  }
  return error
}

const BUSY = 'The database is busy with another process; try again in a moment.'

export const toBusyError = () => new AppError('unavailable', BUSY, { reason: 'busy' })

const plainErrors: ReadonlyArray<{ code: RegExp; reason: string; message: string }> = [
  {
    code: /^SQLITE_BUSY/,
    reason: 'busy',
    message: BUSY,
  },
  {
    code: /^SQLITE_FULL/,
    reason: 'storage_full',
    message: 'The disk is full: free some space and try again; nothing was written.',
  },
  {
    // A file at its size limit, or no space for the shared memory of the write-ahead log.
    code: /^SQLITE_IOERR_(WRITE|SHMSIZE)/,
    reason: 'storage_full',
    message: 'The disk accepted no more data: free some space and try again; nothing was written.',
  },
  {
    code: /^SQLITE_(CORRUPT|IOERR)/,
    reason: 'database_damaged',
    message: 'The database file could not be read; run `assay doctor` to see what is wrong with it.',
  },
  {
    code: /^SQLITE_NOTADB/,
    reason: 'not_a_database',
    message:
      'The file `assay.db` in the data folder is not a database; move it away or choose another folder with --home.',
  },
  {
    code: /^SQLITE_(CANTOPEN|READONLY)/,
    reason: 'not_writable',
    message: 'The data folder cannot be written to; choose another one with --home.',
  },
  {
    // The binary of better-sqlite3 is absent, damaged, or for another machine.
    code: /^(?:MODULE_NOT_FOUND|ERR_DLOPEN_FAILED)$/,
    reason: 'driver_not_loaded',
    message: `SQLite cannot be loaded on ${process.platform} ${process.arch}; install Assay again with its packages, on Linux, macOS or Windows with an x64 or arm64 processor.`,
  },
]

/** Turns an error code of SQLite or of loading it into an `AppError` that states what to do next; returns any other error unchanged. */
export function toAppError(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const known = plainErrors.find((candidate) => candidate.code.test(code))
  return known === undefined
    ? error
    : new AppError('unavailable', known.message, { reason: known.reason, cause: error })
}

const away: ReadonlySet<unknown> = new Set([
  ...['database_unreachable', 'database_refused', 'database_missing', 'database_newer', 'database_timeout'],
  ...['certificate_refused', 'no_tls', 'outcome_unknown', 'read_only', 'busy', 'import_in_progress'],
])

/** Whether an error means that the database cannot be used at present, so that work in progress has to be resumed later. */
export const isStoreAway = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'unavailable' && away.has(error.facts.reason)

import { closeSync, existsSync, openSync, readdirSync, readSync, realpathSync, statfsSync, statSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { AppError, notFound } from '../kernel/errors.ts'
import { sleepSync } from '../runtime/pause.ts'

/** Magic numbers of file systems whose locks other machines do not see (statfs(2)). */
const networkTypes: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0x5346414f, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
])
/**
 * May be a network share or the root disk of a container: counts as a share only when it is not the root file system.
 */
const mountedTypes: ReadonlyMap<number, string> = new Map([
  [0x01021997, '9p'],
  [0x65735546, 'FUSE'],
])

export interface FolderLocation {
  /** Name of the file system when it is a network file system. */
  network?: string
  /** Name of the file-sync service that would copy the files while they are in use. */
  sync?: string
  freeBytes: number
}

const syncFolders =
  /^(?:Dropbox|OneDrive(?: - .*)?|Google ?Drive|My Drive|iCloudDrive|Mobile Documents|Nextcloud|pCloud.*)$/i

/** Describes where a data folder is. The folder must exist. */
export function describeFolderLocation(folder: string, statfs: typeof statfsSync = statfsSync): FolderLocation {
  const { type, bavail, bsize } = statfs(folder)
  const name = process.platform === 'linux' ? toNetwork(type >>> 0, folder) : findShare(folder)
  const sync = folder.split(sep).find((part) => syncFolders.test(part))
  return {
    freeBytes: bavail * bsize,
    ...(name === undefined ? {} : { network: name }),
    ...(sync === undefined ? {} : { sync }),
  }
}

function findShare(folder: string): string | undefined {
  return process.platform === 'win32' && isShare(resolveDrive(folder)) ? 'a network share' : undefined
}

/** The path of a folder on Windows, where a drive letter may be that of a share. */
function resolveDrive(folder: string): string {
  try {
    return realpathSync.native(folder)
  } catch {
    // Some drives that are no disks have no such path.
    return folder
  }
}

/** Whether a path of Windows is that of a share, and not one of a disk or a device that begins as those do. */
export const isShare = (path: string): boolean => /^\\\\(?:\?\\UNC\\|(?![?.]\\))/i.test(path)

function toNetwork(type: number, folder: string): string | undefined {
  const mounted = mountedTypes.get(type)
  if (mounted === undefined) return networkTypes.get(type)
  return statSync(folder).dev === statSync('/').dev ? undefined : mounted
}

/** @throws AppError `unavailable`, reason `network_folder`. */
export function requireLocalFolder(folder: string, statfs: typeof statfsSync = statfsSync): void {
  const { network } = describeFolderLocation(folder, statfs)
  if (network === undefined) return
  throw new AppError(
    'unavailable',
    `The data folder is on ${network}, where two processes can damage the database; choose a folder on a disk of this machine with --home, or set networkFolder if its file locks are reliable.`,
    { reason: 'network_folder' },
  )
}

const HEADER_BYTES = 100
const MAX_FILE_CHECKS = 10
const FILE_CHECK_RETRY_MS = 30
const PAGE_SIZE_AT = 16
const CHANGES_AT = 24
const PAGES_AT = 28
const VALID_FOR_AT = 92

/**
 * Checks the file before SQLite opens it: SQLite would take a missing or empty file for a new database, and notice a
 * truncated one only on reading a missing page. Writes nothing.
 * @throws AppError `unavailable`, reason `database_missing`, `not_a_database` or `database_damaged`.
 */
export function requireWholeFile(file: string): void {
  // Another process may move its log into the file during a check, so only a repeated failure counts.
  for (let attempt = 1; ; attempt++) {
    try {
      checkFile(file)
      return
    } catch (error) {
      if (!(error instanceof AppError) || attempt === MAX_FILE_CHECKS) throw error
      sleepSync(FILE_CHECK_RETRY_MS)
    }
  }
}

/**
 * For commands that only read: creates nothing.
 * @throws AppError `not_found`, reason `no_database`, and what `requireWholeFile` throws.
 */
export function requireDatabase(folder: string): void {
  const file = join(folder, 'assay.db')
  requireWholeFile(file)
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0) return
  const what = existsSync(folder)
    ? `The data folder ${folder} contains no database`
    : `The data folder ${folder} does not exist`
  throw notFound(`${what}; create it with \`assay init\`, or name another folder with --home.`, {
    reason: 'no_database',
  })
}

function checkFile(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false })
  const size = found?.size
  const walSize = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
  if (size === undefined) {
    if (walSize === 0) return
    throw toDamagedError(file, 'database_missing', 'The database file is missing, but its write-ahead log exists;')
  }
  if (found?.isFile() === false)
    throw toDamagedError(file, 'not_a_database', '`assay.db` in the data folder is not a regular file;')
  if (size === 0) {
    const isNew = walSize === 0 && statSync(join(dirname(file), 'assay.key'), { throwIfNoEntry: false }) === undefined
    if (isNew) return
    throw toDamagedError(file, 'database_damaged', 'The database file is empty, although it was used before;')
  }
  // Closing any descriptor of a file releases all locks of the process on it (fcntl(2)), so a file that may be open in
  // this process is not opened again.
  if (walSize > 0 || existsSync(`${file}-shm`)) return
  const wanted = readExpectedSize(file)
  if (wanted !== undefined && size < wanted) {
    throw toDamagedError(file, 'database_damaged', `The database file is truncated to ${size} of ${wanted} bytes;`)
  }
}

/** The file size in bytes according to the header; undefined without a header of SQLite or with a stale page count. */
function readExpectedSize(file: string): number | undefined {
  const header = Buffer.alloc(HEADER_BYTES)
  const handle = openSync(file, 'r')
  try {
    if (readSync(handle, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return HEADER_BYTES
  } finally {
    closeSync(handle)
  }
  if (header.toString('latin1', 0, 15) !== 'SQLite format 3') return undefined
  if (header.readUInt32BE(CHANGES_AT) !== header.readUInt32BE(VALID_FOR_AT)) return undefined
  const pageSize = header.readUInt16BE(PAGE_SIZE_AT)
  return header.readUInt32BE(PAGES_AT) * (pageSize === 1 ? 65_536 : pageSize)
}

export const BACKUP_FOLDER = 'backups'

/** The error for a file that is no longer usable: the file is left unchanged, and the message states how to recover. */
export function toDamagedError(file: string, reason: string, what: string, cause?: unknown): AppError {
  const newest = listBackups(dirname(file)).at(-1)
  const way =
    newest === undefined
      ? 'restore a copy with `assay restore FILE`, or choose another folder with --home.'
      : `run \`assay restore ${BACKUP_FOLDER}/${newest}\` to go back to the newest backup.`
  return new AppError('unavailable', `${what} ${way}`, { reason, ...(cause === undefined ? {} : { cause }) })
}

/** File names of the backups of a data folder, oldest first. */
export function listBackups(home: string): string[] {
  try {
    return readdirSync(join(home, BACKUP_FOLDER))
      .filter((name) => /^assay-.*\.db$/.test(name))
      .map((name) => ({ name, at: statSync(join(home, BACKUP_FOLDER, name)).mtimeMs }))
      .sort((a, b) => a.at - b.at || (a.name < b.name ? -1 : 1))
      .map(({ name }) => name)
  } catch {
    return []
  }
}

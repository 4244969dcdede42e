import { accessSync, constants, existsSync, readdirSync, type Stats, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { OpenedApp } from '../app.ts'
import { verifyAudit } from '../audit/audit-chain.store.ts'
import type { Check } from '../cli/host.ts'
import { dropSnapshot } from '../engine/snapshot/snapshot.ts'
import { count } from '../kernel/count.ts'
import { shell } from '../runtime/shell.ts'
import { listDamagedDefinitions } from '../store/digests.store.ts'
import { findMove, type MoveState, toFolder } from '../store/move/marker.ts'
import { requireOwnFolder } from '../store/own-folder.ts'
import { describeFolderLocation, listBackups } from '../store/place.ts'
import { describeDifferences } from '../store/schema-check.ts'
import { MIN_FREE_BYTES } from '../store/space.ts'
import type { Store, StoreFiles } from '../store/store.ts'
import { isServerAddress } from '../store/store-place.ts'
import { type CheckResult, check, otherFolder } from './check.ts'
import { checkServer, FROM_COPY } from './server.ts'

const MB = 1024 * 1024
const WAL_BYTES = 64 * MB
/** A larger database is read as a whole only on request. */
const MAX_QUICK_BYTES = 64 * MB
const UNREAD = 'not read as a whole; `assay doctor --full` does'
const OLD_BACKUP_MS = 30 * 86_400_000

/** Checks the data folder before anything in it is opened. */
export function checkFolder(home: string): Check[] {
  const folder = check('data folder', () => examineFolder(home), toFolderFix(home))
  if (folder.status === 'failed') return [folder]
  return [
    folder,
    check('permissions', () => checkPermissions(home), shell.makePrivateWhole(home)),
    check('file system', () => checkPlace(home), elsewhere(home)),
    check('room', () => checkRoom(home), toRoom(home)),
    check('leftovers', () => checkLeftovers(home), toRoom(home)),
  ]
}

/** The command that makes the data folder usable, depending on what is at its path. */
function toFolderFix(home: string): string {
  const found = existsSync(home) ? statSync(home) : undefined
  if (found === undefined) return `Use another folder: assay doctor --home ${shell.quote(otherFolder)}`
  return found.isDirectory() ? shell.makeUsable(home) : shell.inTurn(shell.rename(home, `${home}.aside`), 'assay init')
}

function elsewhere(home: string): string {
  const check = `assay doctor --home ${shell.quote(otherFolder)}`
  return `Move the folder: ${shell.inTurn(shell.rename(home, otherFolder), check)}`
}

const toRoom = (home: string) =>
  `Free some disk space; scans and changes are paused until then. To see what uses it: ${shell.showLargest(home)}`

function examineFolder(home: string): CheckResult {
  let found: Stats
  try {
    found = statSync(home)
  } catch (error) {
    // `throwIfNoEntry: false` hides ENOTDIR, too, in some versions of Node.js.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return { failed: `The folder ${home} does not exist.`, fix: 'assay init' }
  }
  if (!found.isDirectory()) return { failed: `${home} is not a folder.`, fix: toFolderFix(home) }
  accessSync(home, constants.R_OK | constants.W_OK)
  return home
}

function checkPermissions(home: string): CheckResult {
  if (process.platform === 'win32') return 'are those of the folder'
  requireOwnFolder(home)
  const open = ['', 'assay.db', 'assay.key'].filter((name) => {
    const mode = statSync(join(home, name), { throwIfNoEntry: false })?.mode ?? 0
    return (mode & 0o077) !== 0
  })
  if (open.length === 0) return 'only you can read the folder, the database and the key'
  const names = open.map((name) => (name === '' ? 'the folder' : name)).join(', ')
  if (statSync(home).mode & 0o077 || open.includes('assay.key')) {
    return {
      warning: `Others can read ${names}.`,
      fix: shell.makePrivate(...open.map((name) => join(home, name))),
    }
  }
  return 'only you can read the folder'
}

function checkPlace(home: string): CheckResult {
  const { network, sync } = describeFolderLocation(home)
  const fix = elsewhere(home)
  if (network !== undefined) return { failed: `The folder is on ${network}, where file locks are not reliable.`, fix }
  if (sync !== undefined) return { warning: `${sync} copies the files while they are being written.`, fix }
  return 'a disk of this machine'
}

function checkRoom(home: string): CheckResult {
  const { freeBytes } = describeFolderLocation(home)
  const free = `${Math.floor(freeBytes / MB)} MB are free`
  const fix = toRoom(home)
  if (freeBytes < MIN_FREE_BYTES) return { failed: `Only ${free}.`, fix }
  return freeBytes < 8 * MIN_FREE_BYTES ? { warning: `Only ${free}.`, fix } : free
}

function checkLeftovers(home: string): CheckResult {
  const drafts = readdirSync(home).filter((name) => name.endsWith('.draft'))
  if (drafts.length > 0) {
    return {
      warning: `${count(drafts.length, 'incomplete file')} left by interrupted copies.`,
      fix: shell.removeEnding(home, '.draft'),
    }
  }
  return readdirSync(home).includes('assay.key.next')
    ? { warning: 'A rotation of the key was interrupted.', fix: 'assay key rotate' }
    : 'none'
}

/** The command that restores the newest backup; without one, how to start with a new folder and keep the old one. */
export function toRecoveryCommand(home: string): string {
  const newest = listBackups(home).at(-1)
  if (newest !== undefined) return `assay restore backups/${newest}`
  return `Restore a copy with \`assay restore FILE\`, or start with an empty folder: ${shell.inTurn(shell.rename(home, `${home}.damaged`), 'assay init')}`
}

/** How to install a version that knows a newer schema. */
export const NEWER = 'Install a newer version: npm install --global assay@latest'

function checkSchema(isCurrent: boolean, schema: number): CheckResult {
  return isCurrent
    ? `schema ${schema}`
    : { failed: `Another version of Assay has migrated it to schema ${schema}.`, fix: NEWER }
}

function checkObjects(differences: readonly string[], fix: string): CheckResult {
  return differences.length === 0
    ? 'tables, indexes, triggers and views match this version'
    : { failed: `The schema differs from that of this version: ${describeDifferences(differences)}.`, fix }
}

/** Checks the opened database. `deep` also detects flipped bits. */
export function checkDatabase(
  { store, config: { home } }: OpenedApp,
  deep: boolean,
  maxQuickBytes = MAX_QUICK_BYTES,
): Check[] {
  const newest = listBackups(home).at(-1)
  const { place, files } = store
  const fix = place.kind === 'file' ? toRecoveryCommand(home) : FROM_COPY
  return [
    ...(place.kind === 'file' ? [] : checkServer(store, place.address)),
    ...(files === undefined ? [] : checkFiles(store, files, { deep, maxQuickBytes, newest, fix })),
    check('place', () => checkMove(store.read(findMove)), 'assay doctor'),
    check(
      'audit trail',
      () => {
        const { brokenAt, entries } = store.read(verifyAudit)
        return brokenAt === undefined
          ? `intact, ${entries} entries`
          : { failed: `The trail was changed at entry ${brokenAt}.`, fix }
      },
      fix,
    ),
    ...(deep ? [check('definitions', () => checkDefinitions(store.read(listDamagedDefinitions), fix), fix)] : []),
  ]
}

interface FileChecks {
  deep: boolean
  maxQuickBytes: number
  newest: string | undefined
  fix: string
}

function checkFiles(store: Store, files: StoreFiles, { deep, maxQuickBytes, newest, fix }: FileChecks): Check[] {
  const size = (end: string) => statSync(`${files.file}${end}`, { throwIfNoEntry: false })?.size ?? 0
  const isRead = deep || size('') <= maxQuickBytes
  const { integrity, schema, foreignKeys, differences } = files.examine(deep ? 'full' : isRead ? 'quick' : 'schema')
  const whole = integrity === 'ok'
  return [
    check(
      'database',
      () => (whole ? `${size('')} bytes, ${isRead ? 'integrity ok' : UNREAD}` : { failed: integrity, fix }),
      fix,
    ),
    check(
      'references',
      () =>
        foreignKeys === 0
          ? isRead
            ? 'every reference points to an existing row'
            : UNREAD
          : { failed: `${count(foreignKeys, 'row')} refer to missing rows`, fix },
      fix,
    ),
    check('schema', () => checkObjects(differences, fix), fix),
    check('migrations', () => checkSchema(store.isCurrent(), schema), NEWER),
    check(
      'sqlite',
      () =>
        `SQLite ${store.read((reader) => reader.prepare('SELECT sqlite_version() AS v').get() as { v: string }).v} by better-sqlite3`,
      fix,
    ),
    check('write-ahead log', () => checkWal(size('-wal')), OLDEST),
    check('backups', () => checkBackups(dirname(files.file), newest), 'assay backup'),
  ]
}

export function repairSnapshot({ store, config }: OpenedApp): Check {
  const drop = () => {
    dropSnapshot(store, config.home)
    return 'deleted; the columnar index is built from the tables at the next start'
  }
  return check('snapshot of the index', drop, 'assay doctor --repair')
}

function checkMove(move: MoveState | undefined): CheckResult {
  if (move === undefined) return 'the database was not moved'
  const { name, to } = move
  if (name === 'moving') {
    return {
      warning: `A move to ${to} is in progress or was interrupted, and nothing is written until it has ended.`,
      fix: 'Unless it is running, repeat its command, or undo it: assay move --cancel',
    }
  }
  return {
    failed: `The database has moved to ${to}, and this former copy can only be read.`,
    fix: isServerAddress(to) ? 'Name it in ASSAY_STORE' : `assay doctor --home ${shell.quote(toFolder(to))}`,
  }
}

/** pgrep lists the oldest process first. */
const OLDEST = `Stop the oldest of these assay processes: ${shell.showProcesses}`

function checkWal(bytes: number): CheckResult {
  const detail = `${Math.ceil(bytes / MB)} MB`
  if (bytes <= WAL_BYTES) return detail
  return {
    warning: `${detail}: a process keeps an old snapshot open.`,
    fix: OLDEST,
  }
}

function checkBackups(home: string, newest: string | undefined): CheckResult {
  if (newest === undefined) return { warning: 'There is no backup.', fix: 'assay backup' }
  const age = Date.now() - statSync(join(home, 'backups', newest)).mtimeMs
  const days = count(Math.floor(age / 86_400_000), 'day')
  return age > OLD_BACKUP_MS
    ? { warning: `The newest backup is ${days} old.`, fix: 'assay backup' }
    : `the newest is ${days} old`
}

function checkDefinitions(damaged: readonly string[], fix: string): CheckResult {
  if (damaged.length === 0) return 'all match their checksums'
  return {
    failed: `${damaged.slice(0, 5).join(', ')} ${damaged.length === 1 ? 'does' : 'do'} not match the checksum.`,
    fix,
  }
}

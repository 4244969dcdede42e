import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { OpenedApp } from '../app.ts'
import { verifyAudit } from '../audit/audit-chain.store.ts'
import type { Check } from '../cli/host.ts'
import { count } from '../kernel/count.ts'
import { listDamagedDefinitions } from '../store/digests.store.ts'
import { findTextsHiddenAt } from '../store/install.store.ts'
import { describeFolderLocation, listBackups } from '../store/place.ts'
import { describeDifferences } from '../store/schema-check.ts'
import { MIN_FREE_BYTES } from '../store/space.ts'
import { type CheckResult, check, quote } from './check.ts'

const MB = 1024 * 1024
const WAL_BYTES = 64 * MB
const OLD_BACKUP_MS = 30 * 86_400_000

/** Checks the data folder before anything in it is opened. */
export function checkFolder(home: string): Check[] {
  const folder = check('data folder', () => look(home), toFolderFix(home))
  if (folder.status === 'failed') return [folder]
  return [
    folder,
    check('permissions', () => checkPermissions(home), `chmod -R go= ${quote(home)}`),
    check('file system', () => checkPlace(home), elsewhere(home)),
    check('room', () => checkRoom(home), toRoom(home)),
    check('leftovers', () => checkLeftovers(home), toRoom(home)),
  ]
}

/** The command that makes the data folder usable, depending on what is at its path. */
function toFolderFix(home: string): string {
  const found = existsSync(home) ? statSync(home) : undefined
  if (found === undefined) return 'Use another folder: assay doctor --home ~/assay-data'
  return found.isDirectory()
    ? `chmod u+rwx ${quote(home)}`
    : `mv ${quote(home)} ${quote(`${home}.aside`)} && assay init`
}

const elsewhere = (home: string) =>
  `Move the folder: mv ${quote(home)} ~/assay-data && assay doctor --home ~/assay-data`

const toRoom = (home: string) =>
  `Make room on the disk; scans and changes wait until then. What takes it here: du -ah ${quote(home)} | sort -h | tail -20`

function look(home: string): CheckResult {
  const found = statSync(home, { throwIfNoEntry: false })
  if (found === undefined) return { failed: `There is no folder ${home}.`, fix: 'assay init' }
  if (!found.isDirectory()) return { failed: `${home} is not a folder.`, fix: toFolderFix(home) }
  accessSync(home, constants.R_OK | constants.W_OK)
  return home
}

function checkPermissions(home: string): CheckResult {
  if (process.platform === 'win32') return 'are those of the folder'
  const open = ['', 'assay.db', 'assay.key'].filter((name) => {
    const mode = statSync(join(home, name), { throwIfNoEntry: false })?.mode ?? 0
    return (mode & 0o077) !== 0
  })
  if (open.length === 0) return 'folder, database and key are yours alone'
  const names = open.map((name) => (name === '' ? 'the folder' : name)).join(', ')
  if (statSync(home).mode & 0o077 || open.includes('assay.key')) {
    return {
      warning: `Others can read ${names}.`,
      fix: `chmod go= ${open.map((name) => quote(join(home, name))).join(' ')}`,
    }
  }
  return 'the folder is yours alone'
}

function checkPlace(home: string): CheckResult {
  const { network, sync } = describeFolderLocation(home)
  const fix = elsewhere(home)
  if (network !== undefined) return { failed: `The folder lies on ${network}, whose locks do not hold.`, fix }
  if (sync !== undefined) return { warning: `${sync} copies the files away while they are written.`, fix }
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
    return { warning: `${count(drafts.length, 'draft')} of interrupted copies.`, fix: `rm ${quote(home)}/*.draft` }
  }
  return readdirSync(home).includes('assay.key.next')
    ? { warning: 'A change of the key was interrupted.', fix: 'assay key rotate' }
    : 'none'
}

/** The command that restores the newest backup; without one, how to start with a new folder and keep the old one. */
export function toRecoveryCommand(home: string): string {
  const newest = listBackups(home).at(-1)
  if (newest !== undefined) return `assay restore backups/${newest}`
  return `Put a copy back with \`assay restore FILE\`, or begin anew: mv ${quote(home)} ${quote(`${home}.damaged`)} && assay init`
}

/** How to install a version that knows a newer schema. */
export const NEWER = 'Install a newer assay: npm install --global assay@latest'

function checkSchema(isCurrent: boolean, schema: number): CheckResult {
  return isCurrent
    ? `schema ${schema}`
    : { failed: `Another version of assay has made it schema ${schema}.`, fix: NEWER }
}

function checkObjects(differences: readonly string[], fix: string): CheckResult {
  return differences.length === 0
    ? 'tables, indexes, triggers and views are those of this version'
    : { failed: `It is not as this version makes it: ${describeDifferences(differences)}.`, fix }
}

/** Checks the opened database. `deep` also detects flipped bits. */
export function checkDatabase({ store, config: { home } }: OpenedApp, deep: boolean): Check[] {
  const newest = listBackups(home).at(-1)
  const fix = toRecoveryCommand(home)
  const { integrity, schema, foreignKeys, differences } = store.examine(deep)
  const size = (end: string) => statSync(`${store.file}${end}`, { throwIfNoEntry: false })?.size ?? 0
  const whole = integrity === 'ok'
  return [
    check('database', () => (whole ? `${size('')} bytes, integrity ok` : { failed: integrity, fix }), fix),
    check(
      'references',
      () =>
        foreignKeys === 0
          ? 'every row refers to one that is there'
          : { failed: `${count(foreignKeys, 'row')} refer to nothing`, fix },
      fix,
    ),
    check('schema', () => checkObjects(differences, fix), fix),
    check('migrations', () => checkSchema(store.isCurrent(), schema), NEWER),
    check(
      'sqlite',
      () =>
        `SQLite ${store.read((reader) => reader.prepare('SELECT sqlite_version() AS v').get() as { v: string }).v} by better-sqlite3`,
      'npm rebuild better-sqlite3',
    ),
    check('log of writes', () => checkWal(size('-wal')), OLDEST),
    check('backups', () => checkBackups(home, newest), 'assay backup'),
    check('texts in backups', () => checkBackedUpTexts(home, store.read(findTextsHiddenAt)), 'assay backup'),
    check(
      'audit trail',
      () => {
        const { brokenAt, entries } = store.read(verifyAudit)
        return brokenAt === undefined
          ? `whole, ${entries} entries`
          : { failed: `It was changed at entry ${brokenAt}.`, fix }
      },
      fix,
    ),
    ...(deep ? [check('definitions', () => checkDefinitions(store.read(listDamagedDefinitions), fix), fix)] : []),
  ]
}

/** pgrep lists the oldest process first. */
const OLDEST = 'End the oldest assay process of these: pgrep -af assay'

function checkWal(bytes: number): CheckResult {
  const detail = `${Math.ceil(bytes / MB)} MB`
  if (bytes <= WAL_BYTES) return detail
  return {
    warning: `${detail}: some process holds an old state open.`,
    fix: OLDEST,
  }
}

function checkBackups(home: string, newest: string | undefined): CheckResult {
  if (newest === undefined) return { warning: 'There is none.', fix: 'assay backup' }
  const age = Date.now() - statSync(join(home, 'backups', newest)).mtimeMs
  const days = count(Math.floor(age / 86_400_000), 'day')
  return age > OLD_BACKUP_MS
    ? { warning: `The newest is ${days} old.`, fix: 'assay backup' }
    : `the newest is ${days} old`
}

/** Checks for backups made before the texts stored by earlier versions were masked. */
function checkBackedUpTexts(home: string, hiddenAt: string | undefined): CheckResult {
  const files = listBackups(home).map((name) => join(home, 'backups', name))
  const older = files.filter((file) => statSync(file).mtimeMs < Number(hiddenAt))
  if (older.length === 0) return 'none was made before credentials in stored texts were hidden'
  return {
    warning: `${count(older.length, 'backup')} of before credentials in stored texts were hidden may hold them.`,
    fix: `assay backup && rm ${older.map(quote).join(' ')}`,
  }
}

function checkDefinitions(damaged: readonly string[], fix: string): CheckResult {
  if (damaged.length === 0) return 'each is as it was written'
  return { failed: `${damaged.slice(0, 5).join(', ')} ${damaged.length === 1 ? 'is' : 'are'} not as written.`, fix }
}

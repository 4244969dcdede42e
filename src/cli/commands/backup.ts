import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import type { Command } from 'commander'
import type { AuditEntry } from '../../audit/audit.store.ts'
import { count } from '../../kernel/count.ts'
import { AppError } from '../../kernel/errors.ts'
import { line, showCode, showSentence } from '../../kernel/shown.ts'
import type { KeyContext } from '../../store/keys/key-rotation.ts'
import type { StorePlace } from '../../store/store-place.ts'
import { declareDataUse } from '../data-use.ts'
import { UsageError } from '../exit.ts'
import type { Flags, Host } from '../host.ts'
import { warning } from '../output/blocks.ts'
import { show } from '../output/show.ts'
import { printJson } from '../session.ts'

interface FileFlags extends Flags {
  json?: boolean
  to?: string
}

const now = () => Date.now()

export function addBackupCommands(program: Command, host: Host): void {
  declareDataUse('existing', program.command('backup'))
    .description('copy the database to one file while it is in use, and check the copy; the key is not included')
    .argument('[file]', 'path of the copy (default: a new file in backups/ of the data folder)')
    .option('--json', 'print the result as JSON')
    .action(async (file: string | undefined, options: FileFlags) => {
      await requireDatabaseFile(host, options, 'copy it with `pg_dump`, and the key with `assay key backup FILE`')
      const { backUp, nameBackup } = await import('../../store/backup.ts')
      const { home } = host.locate(options)
      const database = join(home, 'assay.db')
      const made = backUp(database, file ?? nameBackup(home, now()))
      await record(host, options, {
        action: 'backup',
        kind: 'database',
        name: 'assay.db',
        after: { schema: made.schema },
      })
      if (options.json) return printJson(host, made)
      await show(
        host,
        line`${showSentence(relative(process.cwd(), made.file) || made.file)}: ${made.bytes} bytes, schema ${made.schema}, checked`,
      )
      if (made.differences.length > 0) {
        const { describeDifferences } = await import('../../store/schema-check.ts')
        const differences = describeDifferences(made.differences)
        await show(host, warning(`It cannot be restored: ${differences}. See \`assay doctor\`.`))
      }
    })

  declareDataUse('created', program.command('restore'))
    .description('replace the database with a backup; the previous database is kept under another name')
    .argument('<file>', 'a file made by `assay backup`')
    .option('--json', 'print the result as JSON')
    .action(async (file: string, options: FileFlags) => {
      await requireDatabaseFile(host, options, 'restore it with `pg_restore` into an empty database')
      const { restore } = await import('../../store/backup.ts')
      const { home } = host.locate(options)
      const backup = existsSync(file) ? file : resolve(home, file)
      const restored = restore(backup, join(home, 'assay.db'), now())
      const { readKeyStatus } = await import('../../store/keys/key-rotation.ts')
      await record(host, options, {
        ...{ action: 'restore', kind: 'database', name: 'assay.db' },
        after: { schema: restored.schema, backup: relative(home, backup) },
      })
      const key = await withKeys(host, options, readKeyStatus)
      if (options.json) return printJson(host, { ...restored, key })
      const aside =
        restored.aside === undefined
          ? line``
          : line`; the previous database is kept as ${showSentence(relative(home, restored.aside))} in the data folder`
      await show(host, line`The backup was restored (schema ${restored.schema})${aside}.`)
      if (key.problem !== undefined) await show(host, warning(key.problem))
    })
}

export function addKeyCommands(program: Command, host: Host): void {
  const key = program.command('key').description('manage the key that encrypts the credentials of sources')
  const command = (name: string, description: string) =>
    declareDataUse('existing', key.command(name))
      .description(description)
      .option('--json', 'print the result as JSON')
      .option('--home <folder>', 'data folder (default: ASSAY_HOME, else the per-user data folder)')

  command('status', 'show which key the database needs and which one was found; exit 1 if they differ').action(
    async (options: FileFlags) => {
      const { readKeyStatus } = await import('../../store/keys/key-rotation.ts')
      const status = await withKeys(host, options, readKeyStatus)
      if (options.json) printJson(host, status)
      else {
        const { place, needs, found, dataKeys, secrets } = status
        await show(
          host,
          line`needs ${showCode(needs ?? 'any')}, found ${showCode(found ?? 'none')} (${showSentence(place)}); ${count(dataKeys, 'data key')}, ${count(secrets, 'secret')}`,
        )
      }
      if (status.problem !== undefined) throw new AppError('unavailable', status.problem)
    },
  )
  command('rotate', 're-encrypt everything with a new key; safe to interrupt')
    .option('--to <file>', 'file for the new key, if the current one comes from the environment')
    .action(async (options: FileFlags) => {
      const { rotateKey } = await import('../../store/keys/key-rotation.ts')
      const rotation = await withKeys(host, options, (place) => rotateKey(place, options.to))
      const { before, after, place, resealed, unreadable, retired } = rotation
      await record(host, options, {
        ...{ action: 'rotate', kind: 'key', name: after, before: { key: before } },
        after: { key: after, resealed, unreadable },
      })
      if (options.json) return printJson(host, rotation)
      await show(
        host,
        line`Key ${showCode(before)} is now ${showCode(after)} (${showSentence(place)}); ${count(resealed, 'secret')} re-encrypted.`,
      )
      if (unreadable > 0)
        await show(
          host,
          warning(`${count(unreadable, 'secret')} could not be decrypted with the old key either; enter them again.`),
        )
      if (retired !== undefined) {
        await show(
          host,
          line`The old key is kept as ${showSentence(retired)} for older backups; delete it when you no longer need them.`,
        )
      }
      await adviseOthers(host, options)
    })
  command(
    'replace',
    'replace a lost key: credentials are deleted and must be entered again, and scans record all findings as new',
  )
    .option('-y, --yes', 'do it')
    .action(async (options: FileFlags & { yes?: boolean }) => {
      const { replaceKey } = await import('../../store/keys/key-rotation.ts')
      if (options.yes !== true) {
        throw new UsageError(
          'Nothing was changed. Without the old key every credential must be entered again, and triage decisions do not carry over to later scans; add --yes to continue.',
        )
      }
      const replaced = await withKeys(host, options, replaceKey)
      const { after, place, emptied } = replaced
      await record(host, options, { action: 'replace', kind: 'key', name: after, after: { key: after, emptied } })
      if (options.json) return printJson(host, replaced)
      await show(
        host,
        line`The key is now ${showCode(after)} (${showSentence(place)}). Enter the credentials of ${count(emptied, 'source')} again.`,
      )
      await adviseOthers(host, options)
    })
  command('backup', 'copy the key to a file that only you can read; store it apart from the backups')
    .argument('<file>', 'path of the copy')
    .action(async (file: string, options: FileFlags) => {
      const { backUpKey } = await import('../../store/keys/key-rotation.ts')
      await withKeys(host, options, (place) => backUpKey(place, file))
      await record(host, options, { action: 'backup', kind: 'key', name: 'key' })
      if (options.json) return printJson(host, { file: resolve(file) })
      await show(host, line`The key is in ${showSentence(file)}, which only you can read.`)
    })
}

/** @throws AppError `unavailable` for a database on a server, with what to do instead */
async function requireDatabaseFile(host: Host, flags: Flags, advice: string): Promise<void> {
  const { requireFile } = await import('../../store/store-place.ts')
  requireFile(await findPlace(host, flags), advice)
}

async function findPlace(host: Host, flags: Flags): Promise<StorePlace> {
  const { toStorePlace } = await import('../../store/store-place.ts')
  const { home, env } = host.locate(flags)
  return toStorePlace(home, env)
}

/** Says what to do on other machines after a change of the key. */
async function adviseOthers(host: Host, flags: Flags): Promise<void> {
  if ((await findPlace(host, flags)).kind === 'file') return
  await show(host, line`Give the new key to every server and worker of this database before you start it again.`)
}

/** Adds work on the database or its key to the audit trail. */
async function record(host: Host, flags: Flags, entry: AuditEntry): Promise<void> {
  const { recordMaintenance } = await import('../../audit/maintenance.ts')
  await withKeys(host, flags, ({ store }) => recordMaintenance(store, now(), entry))
}

async function withKeys<T>(host: Host, flags: Flags, work: (place: KeyContext) => T): Promise<T> {
  const { openStore } = await import('../../store/open-store.ts')
  const { home, env, networkFolder } = host.locate(flags)
  const store = await openStore(await findPlace(host, flags), { now, networkFolder, mustExist: true })
  try {
    return work({ store, home, env, now })
  } finally {
    store.close()
  }
}

import { resolve } from 'node:path'
import type { OpenedApp } from '../app.ts'
import type { Check } from '../cli/host.ts'
import { type Config, defaultHome } from '../config.ts'
import { AppError } from '../kernel/errors.ts'
import { shell } from '../runtime/shell.ts'
import { requireDatabase } from '../store/place.ts'
import { type StorePlace, toStorePlace } from '../store/store-place.ts'
import { AFTER_EXPORT, otherFolder, toCheck } from './check.ts'
import { checkEngine } from './engine.ts'
import { checkMachine } from './machine.ts'
import { toServerFix } from './server.ts'
import { checkDatabase, checkFolder, NEWER, repairSnapshot, toRecoveryCommand } from './storage.ts'
import { checkSources, checkWork } from './work.ts'

export interface Examination {
  config: Config
  env: Readonly<Record<string, string | undefined>>
  /** Also reads every page of the database and compares every definition with its hash. */
  deep: boolean
  /** Also deletes what is derived from the database and may be damaged; it is built again when it is needed. */
  repair?: boolean
  open: () => Promise<OpenedApp>
  /** Without `deep`: the largest database that is read as a whole, and how long a source may take to answer. */
  limits?: { maxQuickBytes?: number; maxWaitMs?: number }
}

/** Fixes for a database that cannot be opened, where restoring a backup would not help; by reason of the error. */
const reasonFixes = (home: string): Readonly<Record<string, string>> => ({
  database_newer: NEWER,
  network_folder: `Use a folder on a disk of this machine: assay doctor --home ${shell.quote(otherFolder)}`,
  driver_not_loaded: 'Install Assay again: npm install, or npm install -g for a global installation',
  no_database: 'assay init',
  busy: 'Try again in a moment: assay doctor',
  not_writable: `Check who owns the folder: ${shell.showOwner(home)}`,
  folder_shared: `Check who may write to it: ${shell.showOwner(home)}`,
})

/** The fix for a database file that cannot be opened. */
const toFileFix = (home: string, reason: string | undefined): string =>
  reason === 'database_too_old'
    ? `${AFTER_EXPORT}: assay init --home ${shell.quote(otherFolder)}`
    : toRecoveryCommand(home)

/** Checks everything that assay needs to work; does not create a missing data folder. */
export async function examine(examination: Examination): Promise<Check[]> {
  const { config, env } = examination
  const checks = await runChecks(examination)
  const isUsual = resolve(env.ASSAY_HOME ?? defaultHome(env)) === config.home
  return isUsual ? checks : checks.map((check) => withHome(check, config.home))
}

/** Adds `--home` to suggested commands when the user named another data folder than the default. */
function withHome({ fix, ...check }: Check, home: string): Check {
  if (fix === undefined) return check
  const fixWithHome = fix.replace(
    /(^|: |&& )(assay [a-z][^&]*?)(?= &&|, then: |$)/g,
    (whole, before: string, command: string) =>
      command.includes('--home') ? whole : `${before}${command} --home ${shell.quote(home)}`,
  )
  return { ...check, fix: fixWithHome }
}

async function runChecks({ config, env, deep, repair, open, limits = {} }: Examination): Promise<Check[]> {
  const folder = checkFolder(config.home)
  const checks = [...(await checkMachine(config, env)), ...folder]
  if (folder.some(({ name, status }) => name === 'data folder' && status === 'failed')) return checks
  let app: OpenedApp
  let place: StorePlace | undefined
  try {
    place = toStorePlace(config.home, env)
    if (place.kind === 'file') requireDatabase(config.home)
    app = await open()
  } catch (error) {
    const failed = error instanceof AppError ? error.message : 'The database cannot be opened.'
    const reason = error instanceof AppError ? error.facts.reason : undefined
    const fix =
      reasonFixes(config.home)[reason ?? ''] ??
      (place?.kind === 'file' ? toFileFix(config.home, reason) : toServerFix(place?.address, reason))
    return [...checks, toCheck('database', { failed, fix })]
  }
  try {
    // The sources answer while the other checks run.
    const sources = checkSources(app, deep, limits.maxWaitMs)
    sources.catch(() => {})
    const repaired = repair ? [repairSnapshot(app)] : []
    return [
      ...checks,
      ...checkDatabase(app, deep, limits.maxQuickBytes),
      ...repaired,
      checkEngine(app),
      ...checkWork(app),
      ...(await sources),
    ]
  } finally {
    await app.close()
  }
}

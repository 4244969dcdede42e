import type { OpenedApp } from '../app.ts'
import type { Check } from '../cli/host.ts'
import type { Config } from '../config.ts'
import { AppError } from '../kernel/errors.ts'
import { listBackups } from '../store/place.ts'
import { toCheck } from './check.ts'
import { checkMachine } from './machine.ts'
import { checkDatabase, checkFolder } from './storage.ts'
import { checkWork } from './work.ts'

export interface Examination {
  config: Config
  env: Readonly<Record<string, string | undefined>>
  /** Read every page and compare every definition with its hash. */
  deep: boolean
  open: () => Promise<OpenedApp>
}

/** Looks at everything that a working Assay needs; changes nothing but the data folder's being there. */
export async function examine({ config, env, deep, open }: Examination): Promise<Check[]> {
  const folder = checkFolder(config.home)
  const checks = [...(await checkMachine(config, env)), ...folder]
  if (folder.some(({ name, status }) => name === 'data folder' && status === 'failed')) return checks
  let app: OpenedApp
  try {
    app = await open()
  } catch (error) {
    const failed = error instanceof AppError ? error.message : 'The database cannot be opened.'
    const newest = listBackups(config.home).at(-1)
    const fix = newest === undefined ? 'Choose another folder with --home.' : `assay restore backups/${newest}`
    return [...checks, toCheck('database', { failed, fix })]
  }
  try {
    return [...checks, ...checkDatabase(app, deep), ...(await checkWork(app))]
  } finally {
    await app.close()
  }
}

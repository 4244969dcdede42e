import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { OpenedApp } from './app.ts'
import type { Check } from './cli/host.ts'
import type { Config } from './config.ts'
import { AppError } from './kernel/errors.ts'
import { call } from './operation/operation.ts'

const OLDEST_NODE = [20, 19] as const
const OLDEST_PLAUSIBLE_CLOCK = Date.UTC(2025, 0, 1)

/** Looks at everything that a working Assay needs; changes nothing but the data folder's being there. */
export async function examine(config: Config, open: () => Promise<OpenedApp>): Promise<Check[]> {
  const checks = [checkNode(), checkClock(), checkFolder(config.home), await checkPort(config)]
  if (checks.some(({ name, status }) => name === 'data folder' && status === 'failed')) return checks
  let app: OpenedApp
  try {
    app = await open()
  } catch (error) {
    const detail = error instanceof AppError ? error.message : 'The database cannot be opened.'
    return [
      ...checks,
      { name: 'database', status: 'failed', detail, fix: 'Move assay.db away, or choose another folder with --home.' },
    ]
  }
  try {
    return [...checks, ...checkDatabase(app), checkKey(app), ...(await checkSources(app))]
  } finally {
    await app.close()
  }
}

function checkNode(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const fits = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])
  return {
    name: 'node',
    status: fits ? 'ok' : 'failed',
    detail: `Node ${process.versions.node}`,
    fix: 'Install Node 20.19 or later.',
  }
}

function checkClock(): Check {
  const plausible = Date.now() > OLDEST_PLAUSIBLE_CLOCK
  return {
    name: 'clock',
    status: plausible ? 'ok' : 'failed',
    detail: new Date().toISOString(),
    fix: 'Set the clock of this machine; times of findings come from it.',
  }
}

function checkFolder(home: string): Check {
  const name = 'data folder'
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 })
    accessSync(home, constants.R_OK | constants.W_OK)
  } catch {
    return {
      name,
      status: 'failed',
      detail: `${home} cannot be written to.`,
      fix: 'Choose another folder with --home or ASSAY_HOME.',
    }
  }
  const open = process.platform !== 'win32' && (statSync(home).mode & 0o077) !== 0
  return open
    ? { name, status: 'warning', detail: `${home} can be read by other users.`, fix: `chmod 700 ${home}` }
    : { name, status: 'ok', detail: home }
}

function checkPort({ host, port }: Config): Promise<Check> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () =>
      resolve({
        name: 'port',
        status: 'warning',
        detail: `${host}:${port} is taken, perhaps by an assay that serves already.`,
        fix: 'Serve on another one with --port.',
      }),
    )
    server.listen(port, host, () =>
      server.close(() => resolve({ name: 'port', status: 'ok', detail: `${host}:${port} is free` })),
    )
  })
}

function checkDatabase({ store, config }: OpenedApp): Check[] {
  const { integrity, schema, foreignKeys } = store.examine()
  const bytes = statSync(store.file).size
  return [
    {
      name: 'database',
      status: integrity === 'ok' ? 'ok' : 'failed',
      detail: integrity === 'ok' ? `${bytes} bytes, integrity ok` : integrity,
      fix: `Restore a copy of ${join(config.home, 'assay.db')}.`,
    },
    {
      name: 'references',
      status: foreignKeys === 0 ? 'ok' : 'failed',
      detail: foreignKeys === 0 ? 'every row refers to one that is there' : `${foreignKeys} rows refer to nothing`,
      fix: `Restore a copy of ${join(config.home, 'assay.db')}.`,
    },
    { name: 'migrations', status: 'ok', detail: `schema ${schema}` },
  ]
}

function checkKey({ vault, config }: OpenedApp): Check {
  try {
    vault.fingerprintKey()
    const place = existsSync(join(config.home, 'assay.key')) ? 'file in the data folder' : 'environment'
    return { name: 'key', status: 'ok', detail: `opens what was sealed (${place})` }
  } catch (error) {
    const detail = error instanceof AppError ? error.message : 'The key cannot be used.'
    return {
      name: 'key',
      status: 'failed',
      detail,
      fix: 'Put the key back, as ASSAY_KEY_FILE, ASSAY_KEY or assay.key in the data folder.',
    }
  }
}

async function checkSources(app: OpenedApp): Promise<Check[]> {
  const run = async (name: string, input: Record<string, unknown>) => {
    const operation = app.operations.find((candidate) => candidate.name === name)
    if (operation === undefined) throw new AppError('internal', `${name} is not in the catalogue.`)
    const context = app.contextFor({ caller: app.caller, signal: AbortSignal.timeout(30_000) })
    return call(operation, input, context)
  }
  const { items } = (await run('list_sources', {})) as { items: { id: string; name: string; type: string }[] }
  return Promise.all(
    items
      .filter(({ type }) => type !== 'IMPORT')
      .map(async ({ id, name }): Promise<Check> => {
        const { steps } = (await run('test_source', { id })) as {
          steps: { name: string; status: string; hint?: string }[]
        }
        const bad = steps.find(({ status }) => status === 'failed' || status === 'denied')
        return bad === undefined
          ? { name: `source ${name}`, status: 'ok', detail: `${steps.length} steps passed` }
          : {
              name: `source ${name}`,
              status: 'failed',
              detail: `${bad.name}: ${bad.status}`,
              fix: bad.hint ?? `See: assay call test_source '{"id":"${id}"}'`,
            }
      }),
  )
}

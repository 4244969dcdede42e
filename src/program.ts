import process from 'node:process'
import type { OpenedApp } from './app.ts'
import type { Flags, Host } from './cli/host.ts'
import { runCommandLine } from './cli/program.ts'
import { type Config, loadConfig, Settings, withoutEmpty } from './config.ts'
import { maskCredentials } from './kernel/redaction.ts'
import { showSentence } from './kernel/shown.ts'
import { toSystemSentence } from './kernel/system-error.ts'
import { version } from './runtime/package-files.ts'
import { findServer } from './runtime/served-address.ts'

const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] as const) {
  process.on(signal, () => {
    if (stopping.signal.aborted) process.exit(1)
    stopping.abort()
  })
}
/** Ends the process after an unexpected error, whose message is masked like any line of the log. */
const exitOnError = async (error: unknown) => {
  await printError(error)
  process.exit(1)
}
async function printError(error: unknown): Promise<void> {
  const { toLoggedText } = await import('./detectors/safe-text.ts').catch(() => ({ toLoggedText: maskCredentials }))
  const message = toLoggedText(toSystemSentence(error) ?? (error instanceof Error ? error.message : String(error)))
  process.stderr.write(`assay: ${showSentence(message)}\n`)
}
process.on('unhandledRejection', exitOnError)
process.on('uncaughtException', exitOnError)
// Node would print warnings unmasked.
process.removeAllListeners('warning')
process.on('warning', printError)

// The reader has closed the pipe, so no further output is wanted.
const exitOnClosedPipe = (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
}
process.stdout.on('error', exitOnClosedPipe)

/**
 * The environment at start; the key and what may contain a password are removed from `process.env`, so that child
 * processes and diagnostic reports do not contain them.
 */
const env = withoutEmpty(process.env)
for (const name of ['ASSAY_KEY', 'ASSAY_STORE', 'PGPASSWORD']) delete process.env[name]

function configure(flags: Flags): Config {
  const config = loadConfig(pick(flags), env)
  // A temporary file of SQLite may contain texts: rows that it sorts, and pages that a statement is about to change.
  process.env.SQLITE_TMPDIR = config.home
  return config
}

// Imported dynamically, so that a command loads only what it needs: an assistant waits for its first list of tools.
const open = async (flags: Flags, environment = env): Promise<OpenedApp> => {
  const { openApp } = await import('./app.ts')
  return openApp(configure(flags), environment, {
    mustExist: host.dataMustExist,
    mayUpgrade: host.dataMayBeUpgraded,
  })
}

/** Commands pass all their options; this selects those that are settings. */
function pick(flags: Flags): Flags {
  const settings = new Set(['home', ...Object.keys(Settings.shape)])
  return Object.fromEntries(Object.entries(flags).filter(([name, value]) => settings.has(name) && value !== undefined))
}

/** Where a browser on this machine finds the server of these settings. */
function findAddress({ host, port, socket, publicUrl }: Pick<Settings, 'host' | 'port' | 'socket' | 'publicUrl'>) {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, '')
  if (socket !== undefined) return undefined
  const isEverywhere = ['0.0.0.0', '::', '[::]'].includes(host)
  const name = isEverywhere ? '127.0.0.1' : host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
  return `http://${name}:${port}`
}

/** How long a slow reader may still receive output after the command has finished. */
const FLUSH_MS = 1000
const ASSISTANT_FLUSH_MS = 200

const host: Host = {
  // In a clone, where npm starts it, no command is installed.
  program: /^(?:assay|demo)$/.test(env.npm_lifecycle_event ?? '') ? 'npm run assay --' : undefined,
  version,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env,
  signal: stopping.signal,
  open,
  operations: async (flags) => {
    const { listOfferedOperations } = await import('./catalogue.ts')
    return listOfferedOperations(configure(flags).readOnly)
  },
  locate: (flags) => {
    const { home, networkFolder, ...config } = configure(flags)
    const server = findServer(home)
    return { home, env, networkFolder, address: server === undefined ? findAddress(config) : server.url }
  },
  browse: async (url) => {
    const { browse } = await import('./commands/browse.ts')
    return browse(url, env)
  },
  serve: async (flags) => {
    const { serve } = await import('./commands/serve.ts')
    await serve(await open(flags), host)
  },
  worker: async (flags) => {
    const [{ requireServer, toStorePlace }, { work }] = await Promise.all([
      import('./store/store-place.ts'),
      import('./commands/worker.ts'),
    ])
    requireServer(toStorePlace(configure(flags).home, env))
    await work(await open(flags), host)
  },
  mcp: async (flags) => {
    const { reserveStdout: claimStdout } = await import('./mcp/stdio/stdout.ts')
    process.stdout.off('error', exitOnClosedPipe)
    const stdout = claimStdout()
    const { speakOverStdio } = await import('./commands/stdio.ts')
    await speakOverStdio(configure(flags), env, { ...host, stdout })
    setTimeout(() => process.exit(), ASSISTANT_FLUSH_MS).unref()
  },
  demo: async ({ once, ...flags }) => {
    const { demo } = await import('./commands/demo.ts')
    // Its data are never written to the database of a server.
    const inFolder = { ...env, ASSAY_STORE: undefined }
    await demo({ flags: pick(flags), once, address: configure(flags), host, open: (given) => open(given, inFolder) })
  },
  doctor: async ({ deep, repair, ...flags }) => {
    const { examine } = await import('./doctor/examine.ts')
    const quiet: Flags = { logLevel: 'silent', ...flags }
    host.dataMustExist = true
    return examine({ config: configure(quiet), env, deep, repair, open: () => open(quiet) })
  },
  verify: async (flags, asked) => {
    const [{ openFolder }, { verifyEngine }] = await Promise.all([
      import('./commands/data-folder.ts'),
      import('./query/engine/verify.ts'),
    ])
    const folder = await openFolder(configure({ logLevel: 'warn', ...flags }), env, {
      mustExist: host.dataMustExist,
    })
    try {
      const { differences, ...counts } = verifyEngine(folder.store, { ...asked, now: Date.now() })
      return { ...counts, differences: differences.map((plan) => JSON.stringify(plan)) }
    } finally {
      folder.close()
    }
  },
  move: async (flags, request, onProgress) => {
    const [{ openFolder }, { cancelMove, moveDatabase, planMove }] = await Promise.all([
      import('./commands/data-folder.ts'),
      import('./commands/move.ts'),
    ])
    const folder = await openFolder(configure({ logLevel: 'warn', ...flags }), env, {
      mustExist: host.dataMustExist,
    })
    try {
      if (request.action === 'cancel') return await cancelMove(folder)
      if (request.action === 'plan') return await planMove(folder, request.to)
      return await moveDatabase(folder, request.to, {
        signal: stopping.signal,
        ...(onProgress === undefined ? {} : { onProgress }),
      })
    } finally {
      folder.close()
    }
  },
}

void runCommandLine(process.argv.slice(2), host).then((code) => {
  process.exitCode = code
  setTimeout(() => process.exit(code), FLUSH_MS).unref()
})

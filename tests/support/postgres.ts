import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PostgresClient } from '../../src/store/postgres/client.ts'
import { PostgresStore } from '../../src/store/postgres/store.ts'
import type { Store } from '../../src/store/store.ts'
import { type PostgresAddress, toStorePlace } from '../../src/store/store-place.ts'

/** Debian's packages, the newest version first. */
const PROGRAMS = '/usr/lib/postgresql'
const MIN_VERSION = 15

/** The programs in the folder of `ASSAY_TEST_PROGRAMS`, or the newest that are installed. */
function findPrograms(): string | undefined {
  const { ASSAY_TEST_PROGRAMS: given } = process.env
  if (given !== undefined || !existsSync(PROGRAMS)) return given
  const versions = readdirSync(PROGRAMS)
    .map(Number)
    .filter((version) => version >= MIN_VERSION)
  const newest = versions.sort((a, b) => b - a)[0]
  return newest === undefined ? undefined : join(PROGRAMS, String(newest), 'bin')
}

/** Why tests that start a server of their own are skipped; undefined if they can run. */
export const missingPrograms: string | undefined =
  findPrograms() === undefined ? `skipped: ${PROGRAMS} has no PostgreSQL ${MIN_VERSION} or later` : undefined

/** Why tests on PostgreSQL are skipped; undefined if they can run. */
export const missingPostgres: string | undefined =
  process.env.ASSAY_TEST_STORE === undefined && findPrograms() === undefined
    ? `skipped: ASSAY_TEST_STORE names no PostgreSQL server, and ${PROGRAMS} has no version ${MIN_VERSION} or later`
    : undefined

export interface PostgresServer {
  /** Its address without the name of a database. */
  url: string
  stop(): void
}

/** The server of `ASSAY_TEST_STORE`, or a new one. */
export async function startPostgres(): Promise<PostgresServer> {
  const { ASSAY_TEST_STORE: given } = process.env
  return given === undefined ? startOwnPostgres() : { url: given, stop: () => {} }
}

export interface OwnPostgresServer extends PostgresServer {
  /** Runs statements as its owner. */
  run(statement: string, database?: string): void
  /** Writes a file into its data folder, which only the server can read. */
  addFile(name: string, text: string): void
  /** Ends the server for some time. */
  halt(): void
  resume(): void
  /** Stops its processes, so that nothing is answered and no connection ends, until `unpause`. */
  pause(): void
  unpause(): void
  /** Starts another server that follows this one and can only be read from. */
  startStandby(): Promise<PostgresServer>
}

/** Starts a server on a loopback port that keeps nothing. `access` are further lines of its pg_hba.conf. */
export async function startOwnPostgres({
  access = [],
  settings = '',
}: {
  access?: readonly string[]
  settings?: string
} = {}): Promise<OwnPostgresServer> {
  const programs = findPrograms()
  if (programs === undefined) throw new TypeError('there is no PostgreSQL')
  const folder = mkdtempSync(join(tmpdir(), 'assay-pg-'))
  chmodSync(folder, 0o777)
  const data = join(folder, 'data')
  const prepared = preparedData(programs)
  const port = await findFreePort()
  const url = `postgres://assay@127.0.0.1:${port}`
  // PostgreSQL refuses to run as root.
  const asServer = process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--'] : []
  const run = (program: string, ...parameters: string[]) => {
    const [command = '', ...rest] = [...asServer, join(programs, program), ...parameters]
    execFileSync(command, rest, { stdio: 'ignore', cwd: folder })
  }
  if (existsSync(prepared)) copyData(prepared, data)
  else {
    run('initdb', '-D', data, '-U', 'assay', '-E', 'UTF8', '--locale=C', '-A', 'trust', '--no-sync')
    keepData(data, prepared)
  }
  const accessFile = join(data, 'pg_hba.conf')
  writeFileSync(accessFile, [...access, readFileSync(accessFile, 'utf8')].join('\n'))
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off -c max_connections=40 ${settings}`
  const start = () => run('pg_ctl', '-D', data, '-o', options, '-l', join(folder, 'log'), '-w', 'start')
  const halt = () => run('pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop')
  start()
  const stop = () => {
    halt()
    rmSync(folder, { recursive: true, force: true })
  }
  const addFile = (name: string, text: string) => {
    const file = join(data, name)
    writeFileSync(file, text, { mode: 0o600 })
    const { uid, gid } = statSync(data)
    chownSync(file, uid, gid)
  }
  const signal = (name: 'SIGSTOP' | 'SIGCONT') => {
    const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
    const sessions = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
    for (const each of [pid, ...sessions]) process.kill(each, name)
  }
  const startStandby = async () => {
    const [copy, itsPort] = [join(folder, 'standby'), await findFreePort()]
    const admin = openAdmin({ url })
    admin.query(`SELECT pg_backup_start('standby', true)`)
    copyData(data, copy)
    const [[label] = []] = admin.query('SELECT labelfile FROM pg_backup_stop(false)')
    admin.close()
    rmSync(join(copy, 'postmaster.pid'))
    const { uid, gid } = statSync(data)
    const follow = `primary_conninfo = 'host=127.0.0.1 port=${port} user=assay'\n`
    for (const [name, text] of Object.entries({
      backup_label: String(label),
      'standby.signal': '',
      'postgresql.auto.conf': follow,
    })) {
      writeFileSync(join(copy, name), text, { mode: 0o600 })
      chownSync(join(copy, name), uid, gid)
    }
    const itsOptions = options.replace(`-p ${port}`, `-p ${itsPort}`)
    run('pg_ctl', '-D', copy, '-o', itsOptions, '-l', join(folder, 'standby-log'), '-w', 'start')
    return {
      url: `postgres://assay@127.0.0.1:${itsPort}`,
      stop: () => run('pg_ctl', '-D', copy, '-m', 'immediate', '-w', 'stop'),
    }
  }
  return {
    url,
    stop,
    startStandby,
    run: (statement, database) => administer({ url }, statement, database),
    addFile,
    halt,
    resume: start,
    pause: () => signal('SIGSTOP'),
    unpause: () => signal('SIGCONT'),
  }
}

/** Where the data folder of a new server is kept, because making one takes a second of processor time. */
const preparedData = (programs: string) =>
  fileURLToPath(
    new URL(`../../node_modules/.cache/assay-tests/postgres${programs.replaceAll('/', '-')}`, import.meta.url),
  )

/** Copies a data folder with its owner, whom PostgreSQL compares with itself. */
const copyData = (from: string, to: string) => execFileSync('cp', ['-a', from, to])

function keepData(data: string, prepared: string): void {
  const draft = `${prepared}-${process.pid}`
  mkdirSync(dirname(prepared), { recursive: true })
  copyData(data, draft)
  try {
    renameSync(draft, prepared)
  } catch {
    // Another process has kept its own.
    rmSync(draft, { recursive: true })
  }
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}

function toAddress(url: string): PostgresAddress {
  const place = toStorePlace('', { ASSAY_STORE: url })
  if (place.kind === 'file') throw new TypeError('there is no address')
  return place.address
}

let databases = 0

/** Opens a connection for single statements. */
export function openAdmin({ url }: Pick<PostgresServer, 'url'>, database = 'postgres') {
  const client = new PostgresClient({ address: toAddress(`${url}/${database}`), setup: 'SELECT 1' })
  return {
    query: (text: string, values: readonly unknown[] = []) =>
      client.query({ text, values, name: '', begins: true }).rows,
    close: () => client.close(),
  }
}

function administer(server: Pick<PostgresServer, 'url'>, statement: string, database?: string): void {
  const admin = openAdmin(server, database)
  admin.query(statement)
  admin.close()
}

/** A new database of a server. */
export function createDatabase(
  server: PostgresServer,
  template = 'template0',
): { name: string; connectionString: string; drop: () => void } {
  const name = `assay_${process.pid}_${++databases}`
  administer(
    server,
    `CREATE DATABASE ${name} TEMPLATE ${template} ENCODING 'UTF8' LOCALE 'C' LOCALE_PROVIDER icu ICU_LOCALE 'en-US'`,
  )
  const drop = () => administer(server, `DROP DATABASE ${name} WITH (FORCE)`)
  return { name, connectionString: `${server.url}/${name}`, drop }
}

export const openPostgresStore = (connectionString: string, now: () => number): PostgresStore =>
  PostgresStore.open({ now, address: toAddress(connectionString) })

/** A database with the schema, to which nothing is connected. */
function makeTemplate(server: PostgresServer, now: () => number): string {
  const { name, connectionString } = createDatabase(server)
  openPostgresStore(connectionString, now).close()
  administer(server, `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${name}'`)
  return name
}

/** The addresses of open databases. */
const addresses = new WeakMap<Store, string>()

/** Opens the database of an open store once more, as another process does. */
export function openPostgresAgain(store: Store, now: () => number): PostgresStore {
  const address = addresses.get(store)
  if (address === undefined) throw new TypeError('the store has no database of its own')
  return openPostgresStore(address, now)
}

/** Runs a statement in the database of an open store as another program does. */
export function runElsewhere(store: Store, statement: string): void {
  const address = addresses.get(store)
  if (address === undefined) throw new TypeError('the store has no database of its own')
  const client = new PostgresClient({ address: toAddress(address), setup: 'SET search_path = main, pg_catalog' })
  client.query({ text: statement, values: [], name: '', begins: true })
  client.close()
}

/** Databases to copy, by their server and the time at which their schema was created. */
const templates = new Map<string, string>()

/** Opens a new database of the server at an address; it is dropped when the store is closed. */
export function openNewPostgres(url: string, now: () => number): PostgresStore {
  const server = { url, stop: () => {} }
  // As for files, what is created in one minute counts as one time.
  const key = `${url} ${now() - (now() % 60_000)}`
  const template = templates.get(key) ?? makeTemplate(server, now)
  templates.set(key, template)
  const database = createDatabase(server, template)
  const store = openPostgresStore(database.connectionString, now)
  addresses.set(store, database.connectionString)
  const close = store.close.bind(store)
  store.close = () => {
    close()
    database.drop()
  }
  return store
}

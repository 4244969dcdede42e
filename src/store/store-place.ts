import { join } from 'node:path'
import { AppError, invalidInput } from '../kernel/errors.ts'
import { readRegularFile } from '../runtime/regular-file.ts'

/** What of the certificate of a server is checked: nothing, its chain, or also that it names the host. */
type CertificateCheck = 'none' | 'chain' | 'full'

/** A database of a PostgreSQL server, and how it is reached. */
export interface PostgresAddress {
  host: string
  port: number
  user: string
  database: string
  password?: string
  /** Absent: without TLS. `ca` replaces the certificate authorities that this machine trusts. */
  tls?: { check: CertificateCheck; ca?: string }
}

/** Where a store is, as plain data that other threads can open it by. */
export type StorePlace = { kind: 'file'; file: string } | { kind: 'postgres'; address: PostgresAddress }

type Environment = Readonly<Record<string, string | undefined>>

export const POSTGRES_PREFIX = 'postgres://'
const DEFAULT_PORT = 5432
const MAX_PASSWORD_BYTES = 4096
const MAX_CERTIFICATE_BYTES = 1024 * 1024
/** Without the beginning of an address, which would be masked as one that contains a password. */
const FORM = 'user@host:port/database after postgres://'
const modes: ReadonlyMap<string, CertificateCheck | undefined> = new Map([
  ['disable', undefined],
  ['require', 'none'],
  ['verify-ca', 'chain'],
  ['verify-full', 'full'],
])

/**
 * The database in the data folder, or the one that `ASSAY_STORE` names.
 * @throws AppError `invalid_input`, which never repeats the address, because it may contain a password
 */
export function toStorePlace(home: string, env: Environment): StorePlace {
  const { ASSAY_STORE: text } = env
  if (text === undefined) return { kind: 'file', file: join(home, 'assay.db') }
  return { kind: 'postgres', address: readAddress(text, env) }
}

export const isServerAddress = (text: string): boolean => /^postgres(?:ql)?:/.test(text)

/**
 * Reads the address of a database on a server, whose password may also be in the environment.
 * @param named where the address was given, as messages name it
 * @throws AppError `invalid_input`
 */
export function readAddress(text: string, env: Environment, named = 'ASSAY_STORE'): PostgresAddress {
  const url = URL.parse(text)
  if (url === null || !isServerAddress(url.protocol)) {
    throw invalidInput(`${named} must have the form ${FORM}; without it, the database is a file in the data folder.`)
  }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const [user, database] = [decode(url.username, named), decode(url.pathname.slice(1), named)]
  const missing = [
    ...(host === '' ? ['a host'] : []),
    ...(user === '' ? ['a user'] : []),
    ...(database === '' || database.includes('/') ? ['a database'] : []),
  ]
  if (missing.length > 0) {
    throw invalidInput(`${named} does not name ${missing.join(' and ')}; it must have the form ${FORM}.`)
  }
  const { sslmode, sslrootcert, ...others } = Object.fromEntries(url.searchParams)
  if (Object.keys(others).length > 0) {
    throw invalidInput(`${named} has an unknown parameter; it may have sslmode and sslrootcert.`)
  }
  const password = readPassword(decode(url.password, named), env)
  const tls = readTls({ host, mode: sslmode, ca: sslrootcert, named })
  return {
    host,
    port: url.port === '' ? DEFAULT_PORT : Number(url.port),
    user,
    database,
    ...(password === undefined ? {} : { password }),
    ...(tls === undefined ? {} : { tls }),
  }
}

function decode(text: string, named: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalidInput(`${named} contains a % that begins no escape; write % itself as %25.`)
  }
}

function readPassword(inAddress: string, env: Environment): string | undefined {
  const { ASSAY_STORE_PASSWORD_FILE: file, PGPASSWORD: inEnvironment } = env
  if (file !== undefined) {
    const named = { name: 'The file of ASSAY_STORE_PASSWORD_FILE', maxBytes: MAX_PASSWORD_BYTES }
    const password = readFile(file, named).replace(/\r?\n$/, '')
    if (password === '') throw invalidInput(`${named.name} is empty; write the password of the database into it.`)
    return password
  }
  if (inAddress !== '') return inAddress
  return inEnvironment === '' ? undefined : inEnvironment
}

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i

export const isLocalHost = (host: string): boolean => loopback.test(host)

/** Between machines TLS with a checked certificate is the default. */
function readTls({
  host,
  mode,
  ca,
  named,
}: {
  host: string
  mode: string | undefined
  ca: string | undefined
  named: string
}): PostgresAddress['tls'] {
  const chosen = mode ?? (isLocalHost(host) && ca === undefined ? 'disable' : 'verify-full')
  if (!modes.has(chosen)) {
    throw invalidInput(`sslmode in ${named} must be ${[...modes.keys()].join(', ')}; the default is verify-full.`)
  }
  const check = modes.get(chosen)
  if (check === undefined) return undefined
  if (ca === undefined) return { check }
  const source = { name: `The file of sslrootcert in ${named}`, maxBytes: MAX_CERTIFICATE_BYTES }
  const text = readFile(ca, source)
  if (!text.includes('-----BEGIN CERTIFICATE-----')) {
    throw invalidInput(`${source.name} has no certificate; name a file in PEM form.`)
  }
  return { check, ca: text }
}

function readFile(path: string, named: { name: string; maxBytes: number }): string {
  try {
    return readRegularFile(path, named).toString('utf8')
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw invalidInput(`${named.name} cannot be read; check its path and permissions.`, { cause })
  }
}

/** The database as messages name it, without user and password. */
export const describeDatabase = ({ host, port, database }: PostgresAddress): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}/${database}`

/** An address that can be stored: without the password. */
export function withoutPassword(text: string): string {
  const url = new URL(text)
  url.password = ''
  return url.href
}

/** A place as messages and the record of a move name it. */
export const describePlace = (place: StorePlace): string =>
  place.kind === 'file' ? place.file : `${POSTGRES_PREFIX}${describeDatabase(place.address)}`

/**
 * For what only several machines need.
 * @throws AppError `unavailable`, reason `file_database`
 */
export function requireServer(place: StorePlace): void {
  if (place.kind === 'postgres') return
  throw new AppError(
    'unavailable',
    'A worker shares a PostgreSQL database, which ASSAY_STORE must name; on a database in the data folder, `assay serve` runs scheduled work itself.',
    { reason: 'file_database' },
  )
}

/**
 * For commands that work on a database file; `advice` says what to use for a server instead.
 * @throws AppError `unavailable`, reason `server_database`
 */
export function requireFile(place: StorePlace, advice: string): void {
  if (place.kind === 'file') return
  throw new AppError('unavailable', `The database is on a PostgreSQL server: ${advice}.`, { reason: 'server_database' })
}

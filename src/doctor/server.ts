import type { Check } from '../cli/host.ts'
import { count } from '../kernel/count.ts'
import { shell } from '../runtime/shell.ts'
import { newestSchema } from '../store/migrations.ts'
import { describeDifferences } from '../store/schema-check.ts'
import type { Store } from '../store/store.ts'
import { describeDatabase, isLocalHost, type PostgresAddress } from '../store/store-place.ts'
import { AFTER_EXPORT, type CheckResult, check } from './check.ts'
import { measureClock, readServerFacts, type ServerFacts } from './server.store.ts'

const MB = 1024 * 1024
/** What a server needs at most, and a worker beside it. */
const SPARE_CONNECTIONS = 30
const MAX_CLOCK_DIFFERENCE_MS = 5_000

/** The command that shows whether a server accepts connections. */
const toServerCommand = ({ host, port }: PostgresAddress): string =>
  `See whether the server answers: pg_isready -h ${host} -p ${port}`

/** How the database of a server is brought back. */
export const FROM_COPY = 'Restore the database from a copy: pg_restore --help'
/** How the schema is brought to that of this version. */
const UPGRADE = 'Copy the database with pg_dump, then upgrade it: assay init'
const IN_SETTINGS = 'Correct it, then: assay doctor'

/** Fixes for a database that cannot be opened, by reason of the error; undefined where its message says what to do. */
export function toServerFix(address: PostgresAddress | undefined, reason: string | undefined): string {
  if (address === undefined) return `Correct it, or use the file in the data folder: ${shell.unset('ASSAY_STORE')}`
  const { host, port, user, database } = address
  const create = `createdb -h ${host} -p ${port} -U ${user} --encoding UTF8 --template template0`
  const fixes: Readonly<Record<string, string>> = {
    database_older: UPGRADE,
    database_too_old: `${AFTER_EXPORT}, named in ASSAY_STORE: ${shell.inTurn(`${create} assay`, 'assay init')}`,
    database_missing: shell.inTurn(`${create} ${database}`, 'assay init'),
    not_a_database: `Create another database, and name it in ASSAY_STORE: ${create} assay`,
    database_encoding: `Create another database, and name it in ASSAY_STORE: ${create} assay`,
    database_refused: `See what the server says: psql -h ${host} -p ${port} -U ${user} -d ${database} -c "SELECT 1"`,
    certificate_refused: `See the certificate: openssl s_client -starttls postgres -connect ${host}:${port} -showcerts`,
  }
  return fixes[reason ?? ''] ?? (reason === 'database_unreachable' ? toServerCommand(address) : IN_SETTINGS)
}

/** Checks an opened database on a server, whose files are the concern of that server. */
export function checkServer(store: Store, address: PostgresAddress): Check[] {
  let facts: ServerFacts | undefined
  const about = (examine: (facts: ServerFacts) => CheckResult) => () => {
    facts ??= store.read(readServerFacts)
    return examine(facts)
  }
  const connect = toServerCommand(address)
  return [
    check(
      'database',
      about(({ version, bytes }) => describeServer(address, version, bytes)),
      connect,
    ),
    check('schema', () => checkSchema(store), connect),
    check('other versions', () => checkSessions(store), connect),
    check('owner', about(checkOwner), connect),
    check('connections', about(checkConnections), connect),
    check('clock of the server', () => checkServerClock(store), connect),
    check('durability', about(checkDurability), connect),
    check('backups', about(checkBackups), connect),
  ]
}

function describeServer(address: PostgresAddress, version: string, bytes: number): CheckResult {
  const { host, tls } = address
  const place = `PostgreSQL ${version} at ${describeDatabase(address)}`
  // No user without further rights can ask a server for its free space.
  const size = `${Math.ceil(bytes / MB)} MB; watch the free space on the machine of the server, which cannot be seen from here`
  if (isLocalHost(host)) return `${place}, ${size}`
  if (tls === undefined) {
    return {
      warning: `${place}: everything is sent unencrypted, including the password.`,
      fix: 'Turn on `ssl` of the server, and remove sslmode=disable from ASSAY_STORE',
    }
  }
  if (tls.check === 'none') {
    return {
      warning: `${place}: the certificate of the server is not checked, so another machine can pose as it.`,
      fix: 'Put sslmode=verify-full into ASSAY_STORE, with sslrootcert=FILE for an authority of your own',
    }
  }
  return `${place}, encrypted, ${size}`
}

function checkSchema(store: Store): CheckResult {
  if (!store.isCurrent()) {
    return {
      failed: 'A newer version of Assay has just upgraded it.',
      fix: 'Install the version that the other servers have: npm install --global assay@latest',
    }
  }
  const differences = store.server?.listSchemaDifferences() ?? []
  if (differences.length > 0) {
    return {
      failed: `The schema differs from that of this version: ${describeDifferences(differences)}.`,
      fix: FROM_COPY,
    }
  }
  return `${newestSchema()}, with the tables, columns, indexes, references and functions of this version`
}

function checkSessions(store: Store): CheckResult {
  const others = (store.server?.listSessions() ?? []).filter(({ schema }) => schema !== newestSchema())
  if (others.length === 0) return 'no process of another version is connected'
  const named = others.map(({ schema, connections }) => `${count(connections, 'connection')} for schema ${schema}`)
  return {
    warning: `Processes of another version are connected and refused everything: ${named.join(', ')}.`,
    fix: 'Replace these servers and workers by this version; to see where they run: SELECT client_addr, application_name FROM pg_stat_activity',
  }
}

function checkOwner({ foreignTables }: ServerFacts): CheckResult {
  if (foreignTables === 0) return 'the user of ASSAY_STORE owns the tables'
  return {
    warning: `${count(foreignTables, 'table')} of the database belong to another user, so a later version cannot upgrade them.`,
    fix: 'As that user or a superuser, in this database: REASSIGN OWNED BY other TO user',
  }
}

function checkConnections({ connections, maxConnections }: ServerFacts): CheckResult {
  const free = maxConnections - connections
  const found = `${connections} of ${maxConnections} are in use`
  if (free >= SPARE_CONNECTIONS) return found
  return {
    warning: `${found}: a server needs up to 20, a worker up to 10.`,
    fix: 'Raise max_connections of the server, or the limit of the database or the user: ALTER ROLE … CONNECTION LIMIT',
  }
}

function checkServerClock(store: Store): CheckResult {
  const ahead = store.read((reader) => measureClock(reader, Date.now))
  if (Math.abs(ahead) <= MAX_CLOCK_DIFFERENCE_MS) return 'agrees with that of this machine'
  const seconds = Math.round(Math.abs(ahead) / 1000)
  return {
    warning: `It is ${count(seconds, 'second')} ${ahead > 0 ? 'ahead of' : 'behind'} that of this machine; findings, tokens and schedules are dated by the machine, so two machines disagree.`,
    fix: 'Set both clocks by NTP: timedatectl set-ntp true',
  }
}

function checkDurability({ fsync, fullPageWrites, synchronousCommit, standbys, replicas }: ServerFacts): CheckResult {
  const off = [
    ...(fsync === 'off' ? ['fsync'] : []),
    ...(fullPageWrites === 'off' ? ['full_page_writes'] : []),
    ...(synchronousCommit === 'off' ? ['synchronous_commit'] : []),
  ]
  if (off.length > 0) {
    return {
      warning: `${off.join(' and ')} ${off.length === 1 ? 'is' : 'are'} off: a power cut can lose or damage what was acknowledged.`,
      fix: off.map((name) => `ALTER SYSTEM SET ${name} = on`).join('; '),
    }
  }
  if (standbys !== '' && replicas === 0) {
    return {
      warning: 'Commits wait for a standby server, and none is connected.',
      fix: 'Start the standby, or clear synchronous_standby_names: ALTER SYSTEM RESET synchronous_standby_names',
    }
  }
  return replicas === 0
    ? 'commits survive a power cut'
    : `commits survive a power cut; ${count(replicas, 'standby server')} connected`
}

const KEEP = 'keep the key, config.json and the number of this version beside them'

function checkBackups({ archiving, isArchivingFailing }: ServerFacts): CheckResult {
  if (archiving !== 'off' && isArchivingFailing === 1) {
    return {
      warning:
        'The server could not archive the newest file of its write-ahead log, which recovery to a point in time needs.',
      fix: 'See the log of the server for the failure of its archive_command: SELECT * FROM pg_stat_archiver',
    }
  }
  return archiving === 'off'
    ? `are made by the tools of the server, such as pg_dump, and cannot be seen from here; ${KEEP}`
    : `the write-ahead log is archived; whether there is a base backup cannot be seen from here; ${KEEP}`
}

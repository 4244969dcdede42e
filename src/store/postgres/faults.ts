import { AppError } from '../../kernel/errors.ts'
import { PostgresError } from './client.ts'
import { NO_TLS } from './client-config.ts'

export const READ_ONLY = 'The PostgreSQL server only reads, as a replica does; name the primary server in ASSAY_STORE.'

const faults: ReadonlyArray<{ code: RegExp; reason: string; message: string }> = [
  {
    code: /^(?:55P03|40P01|40001)$/,
    reason: 'busy',
    message: 'The database is busy with another process; try again in a moment.',
  },
  {
    code: /^53100$/,
    reason: 'storage_full',
    message: 'The disk of the database is full: free some space and try again; nothing was written.',
  },
  {
    code: /^53300$/,
    reason: 'database_unreachable',
    message:
      'All connections that the PostgreSQL server allows are in use; try again, end other programs that use it, or raise `max_connections` there or the limit of the user or the database.',
  },
  {
    code: /^(?:08\w{3}|25P0[34]|57P0[1-5]|ECONN\w+|ENOTFOUND|EAI_AGAIN|E(?:HOST|NET)UNREACH|ETIMEDOUT|EPIPE)$/,
    reason: 'database_unreachable',
    message:
      'The PostgreSQL database cannot be reached; try again when it is back, or correct the address in ASSAY_STORE.',
  },
  {
    code: /^28\w{3}$/,
    reason: 'database_refused',
    message:
      'PostgreSQL refuses the user, the password, or a connection from here; correct them in ASSAY_STORE, ASSAY_STORE_PASSWORD_FILE or pg_hba.conf of the server.',
  },
  {
    code: /^3D000$/,
    reason: 'database_missing',
    message:
      'The PostgreSQL server has no database of the name in ASSAY_STORE; create it with `createdb`, or correct the name.',
  },
  {
    code: new RegExp(`^${NO_TLS}$`),
    reason: 'no_tls',
    message:
      'The PostgreSQL server does not offer TLS; turn on `ssl` there, or add ?sslmode=disable to ASSAY_STORE if no one else can read the network.',
  },
  {
    code: /CERT|SELF_SIGNED|VERIFY_LEAF|ALTNAME|^ERR_(?:TLS|SSL|OSSL)/,
    reason: 'certificate_refused',
    message:
      'The certificate of the PostgreSQL server is not trusted or is for another host; name that of its authority with ?sslrootcert=FILE in ASSAY_STORE, and the host as the certificate does.',
  },
  {
    code: /^57014$/,
    reason: 'database_timeout',
    message:
      'PostgreSQL has cancelled a statement, by its time limit or for an administrator; nothing was changed. Raise `statement_timeout` for the user of ASSAY_STORE.',
  },
  { code: /^25006$/, reason: 'read_only', message: READ_ONLY },
  {
    code: /^42501$/,
    reason: 'database_refused',
    message:
      'The user of ASSAY_STORE lacks a right in the PostgreSQL database; make it the owner with `ALTER DATABASE … OWNER TO`.',
  },
]

export const isUnreachable = (error: unknown): boolean =>
  error instanceof AppError && error.facts.reason === 'database_unreachable'

/** Whether PostgreSQL has ended a statement because it waited too long for another transaction. */
export const hasWaited = (error: unknown): boolean =>
  error instanceof AppError && error.cause instanceof PostgresError && error.cause.code === '55P03'

/** Whether PostgreSQL has ended a transaction because it and others waited for each other. */
export const isDeadlock = (error: unknown): boolean =>
  error instanceof AppError && error.cause instanceof PostgresError && /^40(?:P01|001)$/.test(error.cause.code)

/** Turns an error of PostgreSQL into an `AppError` that states what to do next; returns any other error unchanged. */
export function toPostgresAppError(error: unknown): unknown {
  if (!(error instanceof PostgresError)) return error
  const known = faults.find(({ code }) => code.test(error.code))
  if (known === undefined) return error
  return new AppError('unavailable', known.message, { reason: known.reason, cause: error })
}

import type { ClientConfig } from 'pg'
import type { PostgresAddress } from '../store-place.ts'

/** The code of the error when a server does not offer TLS. */
export const NO_TLS = 'NO_TLS'
const CONNECT_TIMEOUT_MS = 5_000

/** The settings of the `pg` package for an address; what it would take from the environment is always given. */
export const toClientConfig = ({ tls, ...address }: PostgresAddress): ClientConfig => ({
  ...address,
  ssl: tls === undefined ? false : toTlsOptions(address.host, tls),
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  keepAlive: true,
  application_name: 'assay',
})

/** `host` is what the certificate has to name where it is an IP address, of which `pg` says nothing. */
const toTlsOptions = (
  host: string,
  { check, ca }: NonNullable<PostgresAddress['tls']>,
): NonNullable<ClientConfig['ssl']> => ({
  host,
  ...(ca === undefined ? {} : { ca }),
  rejectUnauthorized: check !== 'none',
  ...(check === 'chain' ? { checkServerIdentity: () => undefined } : {}),
})

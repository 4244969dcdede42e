import type { Check } from '../cli/host.ts'
import type { Store } from '../store/store.ts'
import { describeDatabase, type PostgresAddress } from '../store/store-place.ts'
import { check } from './check.ts'

/** The command that shows whether a server accepts connections. */
export const toServerCommand = (address: PostgresAddress | undefined): string =>
  address === undefined
    ? 'Correct it, or use the file in the data folder: unset ASSAY_STORE'
    : `See whether the server answers: pg_isready -h ${address.host} -p ${address.port}`

/** How the database of a server is brought back. */
export const FROM_COPY = 'Restore the database from a copy: pg_restore --help'

/** Checks an opened database on a server, whose files are the concern of that server. */
export function checkServer(store: Store, address: PostgresAddress): Check[] {
  const version = () =>
    store.read((reader) => reader.prepare(`SELECT current_setting('server_version')`).pluck().get()) as string
  return [
    check(
      'database',
      () =>
        `PostgreSQL ${version()} at ${describeDatabase(address)}${address.tls === undefined ? ', without TLS' : ''}`,
      toServerCommand(address),
    ),
    check(
      'schema',
      () => {
        const fix = 'Install the version that the other servers have: npm install --global assay@latest'
        return store.isCurrent() ? 'that of this version' : { failed: 'Another version of Assay has changed it.', fix }
      },
      toServerCommand(address),
    ),
  ]
}

import type { Reader, TransactionOptions, Writer } from '../connection.ts'
import type { PostgresSettings } from './client.ts'
import { PostgresConnection } from './connection.ts'
import { createSchema } from './create-schema.ts'

/** How long a transaction waits for one that writes. */
const LOCK_TIMEOUT_MS = 5_000

const setup = `SET search_path = main, pg_catalog; SET lock_timeout = ${LOCK_TIMEOUT_MS};
  SET client_min_messages = warning`

export interface PostgresStoreOptions {
  now: () => number
  connection: PostgresSettings['connection']
}

/** A store whose tables are in a PostgreSQL database. Its calls block the thread. */
export class PostgresStore {
  readonly #settings: PostgresSettings
  readonly #reader: PostgresConnection
  readonly #writer: PostgresConnection
  readonly #now: () => number

  private constructor({ now, connection }: PostgresStoreOptions) {
    this.#now = now
    this.#settings = { connection, setup }
    this.#reader = new PostgresConnection(this.#settings, now)
    this.#writer = new PostgresConnection(this.#settings)
  }

  /**
   * Opens the store in a database, creating its schema when there is none.
   * @throws AppError `unavailable` with reason `database_unreachable`, `database_newer` or `database_older`
   */
  static open(options: PostgresStoreOptions): PostgresStore {
    const store = new PostgresStore(options)
    try {
      createSchema(store.#writer, options.now)
      return store
    } catch (error) {
      store.close()
      throw error
    }
  }

  /** As `Store.openSnapshot`. */
  openSnapshot(): { reader: Reader; close(): void } {
    const reader = new PostgresConnection(this.#settings, this.#now)
    try {
      reader.beginSnapshot()
    } catch (error) {
      reader.close()
      throw error
    }
    return { reader, close: () => reader.close() }
  }

  /** Runs `work` in one snapshot. */
  read<T>(work: (reader: Reader) => T): T {
    return this.#reader.transaction('read', work)
  }

  /** Runs `work` in one write transaction: all of it is committed, or nothing. */
  write<T>(work: (writer: Writer) => T, options: TransactionOptions = {}): T {
    return this.#writer.transaction('write', work, options)
  }

  close(): void {
    this.#reader.close()
    this.#writer.close()
  }
}

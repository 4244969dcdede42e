import { setImmediate as nextTurn } from 'node:timers/promises'
import { explainBusy, isImporting } from '../import-lock.store.ts'
import { newestSchema } from '../migrations.ts'
import type { Reader, ReadOptions, Writer } from '../reader-writer.ts'
import type { SchemaSessions, SchemaUpgrade, SharedConnections, Store, StoreServer, WriteOptions } from '../store.ts'
import type { PostgresAddress, StorePlace } from '../store-place.ts'
import { type PostgresSettings, shareConnections, useConnections } from './client.ts'
import { PostgresConnection } from './connection.ts'
import { prepareSchema } from './create-schema.ts'
import { listServerDifferences } from './schema-differences.ts'
import { findSchema, listSessions, toSessionName } from './upgrade.ts'

/** How long a transaction waits for one that writes. */
const LOCK_TIMEOUT_MS = 5_000

const toSetup = (schema: number) => `SET search_path = main, pg_catalog; SET lock_timeout = ${LOCK_TIMEOUT_MS};
  SET client_min_messages = warning; SET application_name = '${toSessionName(schema)}'`

/** Whether the server or the user only reads, and whether the user may write to every table. */
const selectRights = `SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on',
  (SELECT bool_and(has_table_privilege(oid, 'INSERT')) FROM pg_class WHERE relnamespace = 'main'::regnamespace AND relkind = 'r')`

export interface PostgresStoreOptions {
  now: () => number
  address: PostgresAddress
  /** Open only a database that has the schema. */
  mustExist?: boolean
  onUpgrade?: (upgrade: SchemaUpgrade) => void
  connections?: SharedConnections
}

/** A store whose tables are in a PostgreSQL database. Its calls block the thread. */
export class PostgresStore implements Store, StoreServer {
  readonly files = undefined
  readonly server = this
  readonly place: StorePlace
  readonly #settings: PostgresSettings
  readonly #reader: PostgresConnection
  readonly #writer: PostgresConnection
  readonly #now: () => number

  private constructor({ now, address }: PostgresStoreOptions) {
    this.#now = now
    this.place = { kind: 'postgres', address }
    const schema = newestSchema()
    this.#settings = { address, setup: toSetup(schema) }
    this.#reader = new PostgresConnection(this.#settings, { now, schema })
    this.#writer = new PostgresConnection(this.#settings, { schema })
  }

  /**
   * Opens the store in a database, creating its schema when there is none, and upgrading an older one if that is allowed.
   * @throws AppError that says why the server or the database cannot be used
   */
  static open(options: PostgresStoreOptions): PostgresStore {
    if (options.connections !== undefined) useConnections(options.connections)
    const store = new PostgresStore(options)
    try {
      prepareSchema(store.#reader, options)
      return store
    } catch (error) {
      store.close()
      throw error
    }
  }

  openSnapshot({ asRecorded = false } = {}): { reader: Reader; close(): void } {
    const now = asRecorded ? () => Number.MIN_SAFE_INTEGER : this.#now
    const reader = new PostgresConnection(this.#settings, { now, schema: newestSchema() })
    try {
      reader.beginSnapshot()
    } catch (error) {
      reader.close()
      throw error
    }
    return { reader, close: () => reader.close() }
  }

  read<T>(work: (reader: Reader) => T, options?: ReadOptions): T {
    return this.#reader.transaction('read', work, options)
  }

  write<T>(work: (writer: Writer) => T, options: WriteOptions = {}): T {
    try {
      return this.#writer.transaction('write', work, options)
    } catch (error) {
      throw explainBusy(error, () => this.read(isImporting))
    }
  }

  dryRun<T>(work: (writer: Writer) => T): T {
    return this.#writer.transaction('write', work, { rehearsed: true })
  }

  isCurrent(): boolean {
    return findSchema(this.#reader) === newestSchema()
  }

  shareConnections(): SharedConnections {
    return shareConnections()
  }

  findWriteProblem(): 'read_only' | 'database_refused' | undefined {
    const [readsOnly, mayWrite] = this.#reader.prepare(selectRights).raw().get() as [number, number]
    return readsOnly === 1 ? 'read_only' : mayWrite === 1 ? undefined : 'database_refused'
  }

  listSchemaDifferences(): string[] {
    return listServerDifferences(this.#reader)
  }

  listSessions(): SchemaSessions[] {
    return listSessions(this.#reader)
  }

  countOtherSessions(): number {
    const own = [this.#reader, this.#writer]
    // Both are opened by their first statement.
    for (const connection of own) connection.prepare('SELECT 1').get()
    return this.listSessions().reduce((sum, { connections }) => sum + connections, 0) - own.length
  }

  beginMove(id: string): void {
    this.#writer.moveId = id
  }

  /** A write waits itself, for at most as long as its transaction may. */
  async waitForWriteLock(): Promise<void> {}

  async yieldBetweenBatches(): Promise<void> {
    await nextTurn()
  }

  close(): void {
    this.#reader.close()
    this.#writer.close()
  }
}

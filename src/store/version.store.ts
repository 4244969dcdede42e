import type { Reader } from './store.ts'

/** The product and version of a database, as it says them. */
export const readDatabaseVersion = (reader: Reader): string =>
  reader.time === undefined
    ? `SQLite ${reader.prepare('SELECT sqlite_version()').pluck().get()}`
    : String(reader.prepare('SELECT version()').pluck().get())

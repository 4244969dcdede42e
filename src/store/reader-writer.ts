import type Database from 'better-sqlite3'
import type { Safe, SafeText } from '../kernel/safe-text.ts'
import type { Query } from './builder.ts'

/**
 * A prepared statement shared by all callers that prepare the same SQL on a connection. Each row form has a statement
 * of its own, so no caller changes the form of another's rows.
 */
export interface CachedStatement extends Pick<Database.Statement, 'all' | 'get' | 'iterate'> {
  /** Accepts safe text and words of a closed list, so a plain string cannot be stored. */
  run<const Values extends readonly unknown[]>(
    ...values: { [Index in keyof Values]: Storable<Values[Index]> }
  ): { changes: number }
  /**
   * Inserts a row into a table that numbers its rows as `id`, and returns the number; undefined if the row conflicts with
   * another. SQLite states the number without RETURNING, which takes a third of the time of an insertion.
   */
  insert<const Values extends readonly unknown[]>(
    ...values: { [Index in keyof Values]: Storable<Values[Index]> }
  ): number | undefined
  /** Runs a statement with RETURNING, whose values are checked as those of `run` are. */
  write<const Values extends readonly unknown[]>(
    ...values: { [Index in keyof Values]: Storable<Values[Index]> }
  ): unknown
  readonly reader: boolean
  /** The statement whose rows are the first column alone. */
  pluck(): CachedStatement
  /** The statement whose rows are arrays. */
  raw(): CachedStatement
}

/** What has a full-text index. */
export type IndexedKind = 'term' | 'metric'

type Storable<Value> = unknown extends Value
  ? never
  : Value extends number | bigint | null | Uint8Array
    ? Value
    : Safe<Value>

/** What a row of values may hold that a statement stores. */
export type StoredValue = number | null | SafeText | Uint8Array

/** A statement with parameters that is run for many rows of values. */
export interface RowStatement {
  sql: string
  /** The type of each value. */
  types: readonly ('number' | 'text' | 'bytes')[]
}

/** One whose rows may be written later, together. */
export interface WriteStatement extends RowStatement {
  /** Rows of different statements that wait are written in this order. */
  order: number
  /** Positions of the values that name what is written: two rows of one name are not written together. Absent: they may be. */
  key?: readonly number[]
}

export interface ReadOptions {
  /** Called while statements run, which end with what it throws. */
  requireWanted?: (() => void) | undefined
}

/** Runs queries in one snapshot. Everything is synchronous, so no transaction can stay open across an `await`. */
export interface Reader {
  all<Row>(query: Query<Row>): Row[]
  first<Row>(query: Query<Row>): Row | undefined
  /** A prepared statement for a hot loop, cached by its SQL. */
  prepare(sql: string): CachedStatement
  /** The first result of a query for each row of values, as arrays; in one round trip where the database is on a server. */
  firstOfEach<Row>(query: RowStatement, rows: readonly (readonly unknown[])[]): (Row | undefined)[]
  /** Differs between snapshots with a commit between them; undefined on a connection that can write. */
  readonly dataVersion: number | undefined
  /** Whether decisions are seen as ended whose end is not recorded yet; only SQL sees that. */
  readonly seesEnds: boolean
  /** Whether some decision that is not seen as ended ends before a moment. */
  hasEndBefore(moment: number): boolean
  /** Runs `work` with every decision that ends before a moment seen as ended. */
  seeAsOf<T>(moment: number, work: () => T): T
  /** The time of the server that has the database, which all machines share; absent where this machine has it. */
  time?(): number
  /** Searches terms or metrics where the database has no full-text index: ids with their ranks, lower is better. */
  rankTexts?(kind: IndexedKind, match: string): [id: number, rank: number][]
}

export interface Writer extends Reader {
  run(query: Query<unknown>): void
  /** Runs an INSERT with `RETURNING id`. */
  insert(query: Query<{ id: number }>): number
  /** Runs a statement for one more row; where the database is on a server, together with others before the next result. */
  runRow(statement: WriteStatement, values: readonly StoredValue[]): void
  /**
   * Inserts rows, of which the first value is unique, in one round trip where the database is on a server. Returns the
   * id of each, for a table that numbers its rows; undefined where it conflicts with another row.
   */
  insertRows(statement: RowStatement, rows: readonly (readonly StoredValue[])[]): (number | undefined)[]
  /** Takes the id of a new finding; present where transactions that run at the same time would find the same one. */
  takeFindingId?(): number
  /** Takes the id of a new asset; present where that saves a round trip. */
  takeAssetId?(): number
}

/**
 * What a transaction writes. Transactions of different scopes do not wait for each other where the database allows
 * several writers; SQLite has one at a time.
 */
export type WriteScope = 'access' | 'imports' | 'loop' | { source: number }

export interface TransactionOptions {
  /** Everything that the transaction writes; absent: it may write anything, so no other transaction writes meanwhile. */
  scope?: WriteScope | readonly WriteScope[]
  /** Survives a power cut, not only a crash of the process: for writes that the caller reports as saved. */
  durable?: boolean
  /** It changes very many rows: SQLite keeps more pages in memory, and sorts in temporary files. */
  large?: boolean
}

import { AppError } from '../../kernel/errors.ts'
import { LruMap } from '../../kernel/recent.ts'
import { type Query, toStatement } from '../builder.ts'
import type {
  CachedStatement,
  IndexedKind,
  RowStatement,
  StoredValue,
  TransactionOptions,
  Writer,
  WriteStatement,
} from '../connection.ts'
import { requireUnmoved } from '../move/marker.ts'
import { locksOf, type WriteScope } from '../scope.ts'
import { PostgresClient, type PostgresResult, type PostgresSettings, type PostgresStep } from './client.ts'
import { isDeadlock, isUnreachable, toPostgresAppError } from './faults.ts'
import { type PostgresSql, toArrays, toPostgresSql, toRowsSql } from './sql.ts'
import { PostgresStatement, toParameter } from './statement.ts'
import { StatementViews } from './statement-views.ts'
import { TextIndex } from './text-index.ts'
import { TransactionEnd } from './transaction-end.ts'
import { toWritten, type Written } from './written.ts'

const MAX_CACHED_STATEMENTS = 500
/** Maximum number of statements that wait to be sent. */
const MAX_WAITING = 1_000
/** Maximum number of rows of one statement that wait. */
const MAX_WAITING_ROWS = 2_000

const { names: unnamed } = toPostgresSql('')
const plain = (text: string): PostgresSql => ({ text, names: unnamed })

const beginnings = { read: plain('BEGIN ISOLATION LEVEL REPEATABLE READ'), write: plain('BEGIN') } as const
const relaxed = plain('SET LOCAL synchronous_commit = off')
/** A process that is paused inside a transaction loses it, and its locks, before others count it as dead. */
const bounded = plain('SET LOCAL idle_in_transaction_session_timeout = 20000')
const selectTime = 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint'
const lockScope = 'UPDATE main.write_scope SET version = version + 1 WHERE name = $1'
/** Of the first scope in the order of locks, which transactions of any scope take before they look for the others. */
const lockFirstScope = plain("UPDATE main.write_scope SET version = version + 1 WHERE name = 'access'")
const lockAllScopes = plain('SELECT FROM main.write_scope ORDER BY name FOR UPDATE')
/** Of a transaction that has its locks: whether there is the record of a move, which is written under all of them. */
const selectMoved = `SELECT EXISTS (SELECT FROM main.install WHERE name IN ('moving', 'moved_to'))`
/** The same with the schema, which is changed under all of the locks, too. */
const selectMovedAndSchema = `${selectMoved}, (SELECT number FROM main.schema_version)`
/** Names are numbered in the order of the commits, because followers read new ones by their numbers. */
const lockNames = plain("SELECT FROM main.sqlite_sequence WHERE name = 'word' FOR UPDATE")
const selectVersion = 'SELECT sum(version) FROM main.write_scope'
const selectVersionAndSchema = 'SELECT sum(version), (SELECT number FROM main.schema_version) FROM main.write_scope'
const commit = plain('COMMIT')
const rollback = plain('ROLLBACK')
const forgetStatements = plain('DEALLOCATE ALL')
/** How often a transaction is run that PostgreSQL ends because it and others wait for each other. */
const MAX_ATTEMPTS = 5
/** Ids of findings are taken in blocks, each of which is larger than the last. */
const FIRST_FINDING_IDS = 64
const MAX_FINDING_IDS = 1_024
const ASSET_IDS_AT_ONCE = 100
const takeAssetIds = `SELECT nextval(pg_get_serial_sequence('main.asset', 'id')) FROM generate_series(1, ?)`
/** A statement that waits to be sent, and the number of rows that it changed once it ran. */
interface Waiting {
  step: PostgresStep
  changes?: number
}

const unknownChanges = {
  get changes(): number {
    throw new RangeError('the number of changed rows is not known before COMMIT')
  },
}

interface PostgresTransactionOptions extends TransactionOptions {
  /** It is rolled back in any case. */
  rehearsed?: boolean
}

/**
 * A connection to PostgreSQL with the interface of one to SQLite; each call blocks the calling thread. Statements
 * without a result are sent with the next one that has one, or with COMMIT, so that many take one round trip; their
 * errors are thrown then.
 */
export class PostgresConnection implements Writer {
  readonly #client: PostgresClient
  readonly #views = new StatementViews({ prepare: (sql) => this.#prepare(sql) })
  readonly #now: (() => number) | undefined
  readonly #schema: number | undefined
  readonly #texts = new LruMap<PostgresSql & Written>(MAX_CACHED_STATEMENTS)
  /** Names of the statements that the server keeps, by their text. */
  readonly #names = new Map<string, string>()
  #lastName = 0
  #open = false
  #waiting: Waiting[] = []
  /** Rows that wait to be written, with what they name. They come after all other statements that wait. */
  readonly #rows = new Map<WriteStatement, { rows: (readonly StoredValue[])[]; names: Set<string> }>()
  readonly #end = new TransactionEnd()
  /** Whether only what statements say is written, because the rows of a whole database are. */
  #isCopy = false
  /** Ids of findings that no other connection takes, and how many of them are used. */
  #findingIds: number[] = []
  #usedIds = 0
  /** The state of `#usedIds` after a rollback. */
  #usedBefore = 0
  /** Ids of assets that no other connection takes; those that are not used are lost. */
  #assetIds: IterableIterator<number> | undefined
  /** Whether the next statements begin a transaction, for which a lost connection may be opened again. */
  #begins = false
  /** The session that the kept statements are of. */
  #session = 0
  /** With the number of the last change of definitions that it includes. */
  #textIndex: { version: number; index: TextIndex } | undefined
  dataVersion: number | undefined
  /** The move that this connection performs, and may write during. */
  moveId: string | undefined

  /**
   * @param now given for a connection that only reads: its snapshots see what decisions have ended by then
   * @param schema that its statements are for; every transaction is refused once the database has another one
   */
  constructor(settings: PostgresSettings, { now, schema }: { now?: () => number; schema?: number } = {}) {
    this.#client = new PostgresClient(settings)
    this.#now = now
    this.#schema = schema
  }

  get seesEnds(): boolean {
    return this.#views.hasEnded
  }

  hasEndBefore(moment: number): boolean {
    return this.#views.hasEndBefore(moment)
  }

  seeAsOf<T>(moment: number, work: () => T): T {
    return this.#views.seeAsOf(moment, this.dataVersion, work)
  }

  transaction<T>(
    kind: keyof typeof beginnings,
    work: (connection: this) => T,
    options: PostgresTransactionOptions = {},
  ): T {
    if (this.#open) return work(this)
    for (let attempt = 1; ; attempt++) {
      try {
        return this.#attempt(kind, work, options)
      } catch (error) {
        if (!isDeadlock(error) || attempt === MAX_ATTEMPTS) throw error
      }
    }
  }

  #attempt<T>(
    kind: keyof typeof beginnings,
    work: (connection: this) => T,
    { scope, durable = false, rehearsed = false }: PostgresTransactionOptions,
  ): T {
    this.#usedBefore = this.#usedIds
    return this.#runTransaction(() => {
      this.#begin(kind, durable, scope)
      this.#openViews()
      const result = work(this)
      if (result instanceof Promise)
        throw new TypeError('a transaction must be synchronous: return plain data, not a promise')
      if (rehearsed) this.#rollBack()
      else if (kind === 'write') this.#commitWrite()
      else this.#commit()
      return result
    })
  }

  /** Runs a transaction from its beginning to its end; an error rolls it back. */
  #runTransaction<T>(transaction: () => T): T {
    try {
      return transaction()
    } catch (error) {
      this.#rollBack()
      throw error
    } finally {
      this.#open = false
      this.#isCopy = false
    }
  }

  time(): number {
    return this.prepare(selectTime).pluck().get() as number
  }

  takeFindingId(): number {
    if (this.#usedIds >= this.#findingIds.length) {
      const wanted = Math.min(MAX_FINDING_IDS, Math.max(FIRST_FINDING_IDS, 2 * this.#findingIds.length))
      this.#findingIds = this.prepare('SELECT id FROM main.take_finding_ids(?) id').pluck().all(wanted) as number[]
      this.#usedIds = 0
      this.#usedBefore = 0
    }
    return this.#findingIds[this.#usedIds++] as number
  }

  takeAssetId(): number {
    this.#assetIds ??= this.prepare(takeAssetIds).pluck().all(ASSET_IDS_AT_ONCE).values() as IterableIterator<number>
    const { value, done } = this.#assetIds.next()
    if (done !== true) return value
    this.#assetIds = undefined
    return this.takeAssetId()
  }

  #rollBack(): void {
    this.#waiting = []
    this.#rows.clear()
    this.#begins = false
    this.#usedIds = this.#usedBefore
    try {
      this.#send(rollback)
      if (this.#names.size === 0) this.#send(forgetStatements)
    } catch {
      // The connection is lost, and the transaction with it.
    }
  }

  /** Runs `work` in a transaction on a database that no other process uses yet, so without locks of scopes. */
  atomically<T>(work: () => T): T {
    if (this.#open) return work()
    return this.#runTransaction(() => {
      this.#begins = true
      this.#sendLater(beginnings.write)
      this.#open = true
      this.#isCopy = true
      const result = work()
      this.#commit()
      return result
    })
  }

  /** Runs a COPY of rows in text format, in a transaction. */
  copyRows(sql: string, lines: string): void {
    this.#sendWaiting()
    try {
      this.#client.query({ text: sql, values: [], name: '', lines, begins: false })
    } catch (error) {
      throw toPostgresAppError(error)
    }
  }

  /** Begins a snapshot that lasts until the connection is closed. */
  beginSnapshot(): void {
    this.#begin('read', false)
    this.#openViews()
  }

  #begin(kind: keyof typeof beginnings, durable: boolean, scope?: WriteScope | readonly WriteScope[]): void {
    this.#begins = true
    this.#sendLater(beginnings[kind])
    this.#open = true
    if (kind === 'read') return
    this.#end.begin()
    this.#sendLater(bounded)
    if (!durable) this.#sendLater(relaxed)
    const names = scope === undefined ? [] : locksOf(scope)
    if (scope === undefined) {
      this.#sendLater(lockFirstScope)
      this.#sendLater(lockAllScopes)
    }
    const locks = names.map((name) =>
      this.#addWaiting({ text: lockScope, values: [name], name: this.#nameOf(lockScope) }),
    )
    const select = this.#schema === undefined ? selectMoved : selectMovedAndSchema
    const [[isMoved, schema] = []] = this.#sendStep({ text: select, values: [], name: this.#nameOf(select) }).rows
    this.#requireSchema(schema)
    const missing = names.find((_, index) => locks[index]?.changes !== 1)
    if (missing !== undefined) throw new RangeError(`there is no scope ${missing}`)
    if (isMoved === 1) requireUnmoved(this, this.moveId)
  }

  #commit(): void {
    try {
      this.#send(commit)
    } catch (error) {
      this.#open = false
      this.#findingIds = []
      throw error
    }
  }

  #commitWrite(): void {
    for (const step of this.#end.steps()) this.#addWaiting({ ...step, name: this.#nameOf(step.text) })
    try {
      this.#commit()
      this.#end.settle()
    } catch (error) {
      const ask = (step: PostgresStep) => this.#sendStep(step).rows
      if (!isUnreachable(error) || !this.#end.hasCommitted(ask)) throw error
    }
  }

  #openViews(): void {
    if (this.#now !== undefined) {
      const select = this.#schema === undefined ? selectVersion : selectVersionAndSchema
      const [version, schema] = this.prepare(select).raw().get() as number[]
      this.#requireSchema(schema)
      this.dataVersion = version
    }
    this.#views.apply(this.#now?.(), this.dataVersion)
  }

  /** A process keeps running while another one upgrades the database; from then on its statements may mean something else. */
  #requireSchema(found: unknown): void {
    if (found === this.#schema) return
    throw new AppError(
      'unavailable',
      `The database now has schema ${found}, and this process of Assay works with ${this.#schema}; restart it with the version of the process that upgraded the database.`,
      { reason: 'database_newer' },
    )
  }

  rankTexts(kind: IndexedKind, match: string): [id: number, rank: number][] {
    // The number of a change that is rolled back may be given to another one.
    if (this.#now === undefined) {
      const index = new TextIndex(this)
      const ranked = index.rank(kind, match)
      index.close()
      return ranked
    }
    const version = this.prepare('SELECT n FROM definition_count').pluck().get() as number
    if (this.#textIndex?.version !== version) {
      this.#textIndex?.index.close()
      this.#textIndex = { version, index: new TextIndex(this) }
    }
    return this.#textIndex.index.rank(kind, match)
  }

  prepare(sql: string): CachedStatement {
    return this.#prepare(sql) as unknown as CachedStatement
  }

  all<Row>(query: Query<Row>): Row[] {
    const { sql, parameters } = toStatement(query)
    return this.#prepare(sql).all(...parameters) as Row[]
  }

  first<Row>(query: Query<Row>): Row | undefined {
    return this.all(query)[0]
  }

  run(query: Query<unknown>): void {
    const { sql, parameters } = toStatement(query)
    this.#prepare(sql).run(...parameters)
  }

  insert(query: Query<{ id: number }>): number {
    const { sql, parameters } = toStatement(query)
    return this.#execute(sql, parameters).rows[0]?.[0] as number
  }

  firstOfEach<Row>(query: RowStatement, rows: readonly (readonly unknown[])[]): (Row | undefined)[] {
    const found = new Array<Row | undefined>(rows.length).fill(undefined)
    if (rows.length === 0) return found
    for (const [place, ...row] of this.#sendStep(this.#toRowsStep(query, rows)).rows) {
      found[Number(place) - 1] ??= row as Row
    }
    return found
  }

  runRow(statement: WriteStatement, values: readonly StoredValue[]): void {
    if (!this.#open) {
      this.#execute(statement.sql, values)
      return
    }
    const name = statement.key?.map((index) => values[index]).join()
    const waiting = this.#rows.get(statement)
    const isNamed = name !== undefined && waiting?.names.has(name)
    if (isNamed || waiting?.rows.length === MAX_WAITING_ROWS) this.#closeRows()
    const group = this.#rows.get(statement) ?? { rows: [], names: new Set() }
    this.#rows.set(statement, group)
    group.rows.push(values)
    if (name !== undefined) group.names.add(name)
  }

  insertRows(statement: RowStatement, rows: readonly (readonly StoredValue[])[]): (number | undefined)[] {
    if (rows.length === 0) return []
    const [, first = ''] = /\(\s*(\w+)/.exec(statement.sql) ?? []
    const step = this.#toRowsStep({ ...statement, sql: `${statement.sql} RETURNING id, ${first}` }, rows)
    const ids = new Map(this.#sendStep(step).rows.map(([id, name]) => [name, id as number]))
    return rows.map(([name]) => ids.get(name))
  }

  /** Runs several statements without parameters. */
  execute(sql: string): void {
    this.#sendScript(sql)
  }

  close(): void {
    this.#textIndex?.index.close()
    this.#client.close()
  }

  #prepare(sql: string): PostgresStatement {
    return new PostgresStatement({
      execute: (values) => this.#execute(sql, values),
      executeLater: (values) => this.#executeLater(sql, values),
      insert: (values) => this.#execute(`${sql} RETURNING id`, values),
    })
  }

  #execute(sql: string, values: readonly unknown[]): PostgresResult {
    return this.#sendStep(this.#toStep(sql, values))
  }

  /** Outside of a transaction the statement is run at once. */
  #executeLater(sql: string, values: readonly unknown[]): { readonly changes: number } {
    if (!this.#open) return this.#execute(sql, values)
    if (this.#end.takes(sql)) {
      this.#end.add(this.#toStep(sql, values))
      return unknownChanges
    }
    const waiting = this.#addWaiting(this.#toStep(sql, values))
    const send = () => this.#sendWaiting()
    return {
      get changes() {
        if (waiting.changes === undefined) send()
        return waiting.changes ?? 0
      },
    }
  }

  #toStep(sql: string, values: readonly unknown[]): PostgresStep {
    const written = this.#translate(sql, () => toPostgresSql(sql))
    const { names } = written
    const given = names === undefined ? values : names.map((name) => (values[0] as Record<string, unknown>)[name])
    return this.#toWrittenStep(written, given.map(toParameter))
  }

  #toRowsStep(statement: RowStatement, rows: readonly (readonly unknown[])[]): PostgresStep {
    const written = this.#translate(`rows ${statement.sql}`, () => plain(toRowsSql(statement)))
    return this.#toWrittenStep(written, toArrays(statement, rows))
  }

  #translate(key: string, translate: () => PostgresSql): PostgresSql & Written {
    if (this.#isCopy) return translate()
    return this.#texts.use(key, () => {
      const translated = translate()
      return { ...translated, ...toWritten(translated.text) }
    })
  }

  #toWrittenStep({ text, numbers, logsAssets = false }: Written, values: unknown[]): PostgresStep {
    if (numbers === 'word' || numbers === 'label_set') this.#sendLater(lockNames)
    if (logsAssets) values.push(this.#end.logAssets())
    const seen = this.#views.toSeen(text)
    // What a snapshot ends is in the text, which is another one soon.
    return { text: seen, values, name: seen === text ? this.#nameOf(text) : '' }
  }

  /** Adds the rows that wait to the statements that wait. */
  #closeRows(): void {
    if (this.#rows.size === 0) return
    const groups = [...this.#rows].sort(([one], [other]) => one.order - other.order)
    this.#rows.clear()
    for (const [statement, { rows }] of groups) {
      const [first = []] = rows
      this.#waiting.push({
        step: rows.length === 1 ? this.#toStep(statement.sql, first) : this.#toRowsStep(statement, rows),
      })
    }
  }

  #addWaiting(step: PostgresStep): Waiting {
    this.#closeRows()
    const waiting: Waiting = { step }
    this.#waiting.push(waiting)
    if (this.#waiting.length >= MAX_WAITING) this.#sendWaiting()
    return waiting
  }

  #sendWaiting(): void {
    this.#closeRows()
    const last = this.#waiting.pop()
    if (last !== undefined) last.changes = this.#sendStep(last.step).changes
  }

  #nameOf(text: string): string {
    const known = this.#names.get(text)
    if (known !== undefined) return known
    if (this.#names.size === MAX_CACHED_STATEMENTS) return ''
    const name = `s${++this.#lastName}`
    this.#names.set(text, name)
    return name
  }

  #send({ text }: PostgresSql, values: readonly unknown[] = []): PostgresResult {
    return this.#sendStep({ text, values, name: '' })
  }

  #sendLater({ text }: PostgresSql): void {
    this.#addWaiting({ text, values: [], name: '' })
  }

  /** Runs several statements without parameters. */
  #sendScript(text: string): void {
    this.#sendWaiting()
    this.#send(plain(text))
  }

  /** Runs a statement after all that wait. */
  #sendStep(step: PostgresStep): PostgresResult {
    this.#closeRows()
    const [waiting, begins] = [this.#waiting, this.#begins || !this.#open]
    this.#waiting = []
    this.#begins = false
    let result: PostgresResult
    try {
      result = this.#client.query({ ...step, before: waiting.map((each) => each.step), begins })
    } catch (error) {
      // The server does not have the statements that come after one that failed.
      this.#names.clear()
      throw toPostgresAppError(error)
    }
    for (const [index, each] of waiting.entries()) each.changes = result.changesBefore[index] ?? 0
    if (result.session !== this.#session) {
      this.#session = result.session
      this.#names.clear()
    }
    return result
  }
}

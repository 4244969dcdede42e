import { AppError } from '../../kernel/errors.ts'
import { LruMap } from '../../kernel/recent.ts'
import { type Query, toStatement } from '../builder.ts'
import { requireUnmoved } from '../move/marker.ts'
import type {
  CachedStatement,
  IndexedKind,
  ReadOptions,
  RowStatement,
  StoredValue,
  TransactionOptions,
  Writer,
  WriteScope,
  WriteStatement,
} from '../reader-writer.ts'
import type { PostgresResult, PostgresSettings, PostgresStep } from './client.ts'
import { isDeadlock, isUnreachable } from './faults.ts'
import { type PostgresSql, toArrays, toPostgresSql, toRowsSql } from './sql.ts'
import { PostgresStatement, toParameter } from './statement.ts'
import { StatementQueue, toPlainStep } from './statement-queue.ts'
import { StatementViews } from './statement-views.ts'
import { TextIndex } from './text-index.ts'
import { TransactionEnd } from './transaction-end.ts'
import { toWritten, type Written } from './written.ts'

const MAX_CACHED_STATEMENTS = 500

const beginnings = { read: 'BEGIN ISOLATION LEVEL REPEATABLE READ', write: 'BEGIN' } as const
const relaxed = toPlainStep('SET LOCAL synchronous_commit = off')
/** A list of ids that does not fit is searched row by row. */
const roomy = toPlainStep("SET LOCAL work_mem = '64MB'")
/** A process that is paused inside a transaction loses it, and its locks, before others count it as dead. */
const bounded = toPlainStep('SET LOCAL idle_in_transaction_session_timeout = 20000')
const selectTime = 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint'
const lockScope = 'UPDATE main.write_scope SET version = version + 1 WHERE name = $1'
/** Of the first scope in the order of locks, which transactions of any scope take before they look for the others. */
const lockFirstScope = toPlainStep("UPDATE main.write_scope SET version = version + 1 WHERE name = 'access'")
const lockAllScopes = toPlainStep('SELECT FROM main.write_scope ORDER BY name FOR UPDATE')
/** Of a transaction that has its locks: whether there is the record of a move, which is written under all of them. */
const selectMoved = `SELECT EXISTS (SELECT FROM main.install WHERE name IN ('moving', 'moved_to'))`
/** The same with the schema, which is changed under all of the locks, too. */
const selectMovedAndSchema = `${selectMoved}, (SELECT number FROM main.schema_version)`
/** Names are numbered in the order of the commits, because followers read new ones by their numbers. */
const lockNames = toPlainStep("SELECT FROM main.sqlite_sequence WHERE name = 'word' FOR UPDATE")
const selectVersion = 'SELECT sum(version) FROM main.write_scope'
const selectVersionAndSchema = 'SELECT sum(version), (SELECT number FROM main.schema_version) FROM main.write_scope'
const commit = toPlainStep('COMMIT')
/** How often a transaction is run that PostgreSQL ends because it and others wait for each other. */
const MAX_ATTEMPTS = 5
/** Ids are taken in blocks, each as large as all before it. */
const MIN_IDS_AT_ONCE = 64
const MAX_IDS_AT_ONCE = 1_024
const takeIds = {
  finding: 'SELECT id FROM main.take_finding_ids(?) id',
  asset: `SELECT nextval(pg_get_serial_sequence('main.asset', 'id')) FROM generate_series(1, ?)`,
} as const
/** The locks of scopes in the order in which all transactions take them. */
function locksOf(scope: WriteScope | readonly WriteScope[]): string[] {
  const scopes = Array.isArray(scope) ? (scope as readonly WriteScope[]) : [scope as WriteScope]
  return [...new Set(scopes.map((each) => (typeof each === 'string' ? each : `source/${each.source}`)))].sort()
}

const unknownChanges = {
  get changes(): number {
    throw new RangeError('the number of changed rows is not known before COMMIT')
  },
}

interface PostgresTransactionOptions extends TransactionOptions, ReadOptions {
  /** It is rolled back in any case. */
  rehearsed?: boolean
}

/**
 * A connection to PostgreSQL with the interface of one to SQLite; each call blocks the calling thread. Statements
 * without a result are sent with the next one that has one, or with COMMIT, so that many take one round trip; their
 * errors are thrown then.
 */
export class PostgresConnection implements Writer {
  readonly #queue: StatementQueue
  readonly #views = new StatementViews({ prepare: (sql) => this.#prepare(sql) })
  readonly #now: (() => number) | undefined
  readonly #schema: number | undefined
  readonly #texts = new LruMap<PostgresSql & Written>(MAX_CACHED_STATEMENTS)
  readonly #end = new TransactionEnd()
  /** Whether only what statements say is written, because the rows of a whole database are. */
  #isCopy = false
  /** Ids that no other connection takes; those that are not used are lost. */
  readonly #ids: Record<keyof typeof takeIds, number[]> = { finding: [], asset: [] }
  readonly #taken: Record<keyof typeof takeIds, number> = { finding: 0, asset: 0 }
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
    this.#queue = new StatementQueue(settings, (statement, rows) =>
      rows.length === 1 ? this.#toStep(statement.sql, rows[0] ?? []) : this.#toRowsStep(statement, rows),
    )
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
    if (this.#queue.isOpen) return work(this)
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
    { rehearsed = false, requireWanted, ...options }: PostgresTransactionOptions,
  ): T {
    return this.#runTransaction(() => {
      this.#queue.requireWanted = requireWanted
      this.#begin(kind, options)
      this.#openViews()
      const result = work(this)
      if (result instanceof Promise)
        throw new TypeError('a transaction must be synchronous: return plain data, not a promise')
      if (rehearsed) this.#queue.rollBack()
      else if (kind === 'write') this.#commitWrite()
      else this.#queue.send(commit)
      return result
    })
  }

  /** Runs a transaction from its beginning to its end; an error rolls it back. */
  #runTransaction<T>(transaction: () => T): T {
    try {
      return transaction()
    } catch (error) {
      this.#queue.rollBack()
      throw error
    } finally {
      this.#queue.end()
      this.#isCopy = false
    }
  }

  time(): number {
    return this.prepare(selectTime).pluck().get() as number
  }

  takeFindingId(): number {
    return this.#takeId('finding')
  }

  takeAssetId(): number {
    return this.#takeId('asset')
  }

  #takeId(of: keyof typeof takeIds): number {
    const next = this.#ids[of].shift()
    if (next !== undefined) return next
    const wanted = Math.min(MAX_IDS_AT_ONCE, Math.max(MIN_IDS_AT_ONCE, this.#taken[of]))
    this.#taken[of] += wanted
    this.#ids[of] = this.prepare(takeIds[of]).pluck().all(wanted) as number[]
    return this.#takeId(of)
  }

  /** Runs `work` in a transaction on a database that no other process uses yet, so without locks of scopes. */
  atomically<T>(work: () => T): T {
    if (this.#queue.isOpen) return work()
    return this.#runTransaction(() => {
      this.#queue.begin(beginnings.write)
      this.#isCopy = true
      const result = work()
      this.#queue.send(commit)
      return result
    })
  }

  /** Runs a COPY of rows in text format, in a transaction. */
  copyRows(sql: string, lines: string): void {
    this.#queue.copy(sql, lines)
  }

  /** Begins a snapshot that lasts until the connection is closed. */
  beginSnapshot(): void {
    this.#begin('read')
    this.#openViews()
  }

  #begin(kind: keyof typeof beginnings, options: TransactionOptions = {}): void {
    const { scope } = options
    this.#queue.begin(beginnings[kind])
    if (kind === 'read') return
    this.#end.begin()
    this.#queue.add(bounded)
    if (!options.durable) this.#queue.add(relaxed)
    if (options.large) this.#queue.add(roomy)
    const names = scope === undefined ? [] : locksOf(scope)
    if (scope === undefined) {
      this.#queue.add(lockFirstScope)
      this.#queue.add(lockAllScopes)
    }
    const locks = names.map((name) =>
      this.#queue.add({ text: lockScope, values: [name], name: this.#queue.nameOf(lockScope) }),
    )
    const select = this.#schema === undefined ? selectMoved : selectMovedAndSchema
    const [[isMoved, schema] = []] = this.#queue.send({
      text: select,
      values: [],
      name: this.#queue.nameOf(select),
    }).rows
    this.#requireSchema(schema)
    const missing = names.find((_, index) => locks[index]?.changes !== 1)
    if (missing !== undefined) throw new RangeError(`there is no scope ${missing}`)
    if (isMoved === 1) requireUnmoved(this, this.moveId)
  }

  #commitWrite(): void {
    for (const step of this.#end.steps()) this.#queue.add({ ...step, name: this.#queue.nameOf(step.text) })
    try {
      this.#queue.send(commit)
      this.#end.settle()
    } catch (error) {
      this.#queue.end()
      const ask = (step: PostgresStep) => this.#queue.send(step).rows
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
    for (const [place, ...row] of this.#queue.send(this.#toRowsStep(query, rows)).rows) {
      found[Number(place) - 1] ??= row as Row
    }
    return found
  }

  runRow(statement: WriteStatement, values: readonly StoredValue[]): void {
    if (this.#queue.isOpen) this.#queue.addRow(statement, values)
    else this.#execute(statement.sql, values)
  }

  insertRows(statement: RowStatement, rows: readonly (readonly StoredValue[])[]): (number | undefined)[] {
    if (rows.length === 0) return []
    const [, first = ''] = /\(\s*(\w+)/.exec(statement.sql) ?? []
    const step = this.#toRowsStep({ ...statement, sql: `${statement.sql} RETURNING id, ${first}` }, rows)
    const ids = new Map(this.#queue.send(step).rows.map(([id, name]) => [name, id as number]))
    return rows.map(([name]) => ids.get(name))
  }

  /** Runs several statements without parameters. */
  execute(sql: string): void {
    this.#queue.flush()
    this.#queue.send(toPlainStep(sql))
  }

  close(): void {
    this.#textIndex?.index.close()
    this.#queue.close()
  }

  #prepare(sql: string): PostgresStatement {
    return new PostgresStatement({
      execute: (values) => this.#execute(sql, values),
      executeLater: (values) => this.#executeLater(sql, values),
      insert: (values) => this.#execute(`${sql} RETURNING id`, values),
    })
  }

  #execute(sql: string, values: readonly unknown[]): PostgresResult {
    return this.#queue.send(this.#toStep(sql, values))
  }

  /** Outside of a transaction the statement is run at once. */
  #executeLater(sql: string, values: readonly unknown[]): { readonly changes: number } {
    if (!this.#queue.isOpen) return this.#execute(sql, values)
    if (this.#end.takes(sql)) {
      this.#end.add(this.#toStep(sql, values))
      return unknownChanges
    }
    const waiting = this.#queue.add(this.#toStep(sql, values))
    const send = () => this.#queue.flush()
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
    const written = this.#translate(`rows ${statement.sql}`, () => ({ text: toRowsSql(statement), names: undefined }))
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
    if (numbers === 'word' || numbers === 'label_set') this.#queue.add(lockNames)
    if (logsAssets) values.push(this.#end.logAssets())
    const seen = this.#views.toSeen(text)
    // What a snapshot ends is in the text, which is another one soon.
    return { text: seen, values, name: seen === text ? this.#queue.nameOf(text) : '' }
  }
}

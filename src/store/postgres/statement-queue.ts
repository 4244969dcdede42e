import type { ReadOptions, StoredValue, WriteStatement } from '../reader-writer.ts'
import { PostgresClient, type PostgresResult, type PostgresSettings, type PostgresStep } from './client.ts'
import { toPostgresAppError } from './faults.ts'

/** Maximum number of statements that the server keeps by their names. */
const MAX_NAMED_STATEMENTS = 500
/** Maximum number of statements that wait to be sent. */
const MAX_WAITING = 1_000
/** Maximum number of rows of one statement that wait. */
const MAX_WAITING_ROWS = 2_000

/** A statement that waits to be sent, and the number of rows that it changed once it ran. */
export interface Waiting {
  step: PostgresStep
  changes?: number
}

/** One that runs without parameters, and is not kept by the server. */
export const toPlainStep = (text: string): PostgresStep => ({ text, values: [], name: '' })

/**
 * Sends statements to PostgreSQL in few round trips: those without a result wait, and are sent with the next one that
 * has one.
 */
export class StatementQueue {
  readonly #client: PostgresClient
  readonly #toStep: (statement: WriteStatement, rows: readonly (readonly StoredValue[])[]) => PostgresStep
  /** Names of the statements that the server keeps, by their text. */
  readonly #names = new Map<string, string>()
  #lastName = 0
  #waiting: Waiting[] = []
  /** Rows that wait to be written, with what they name. They come after all other statements that wait. */
  readonly #rows = new Map<WriteStatement, { rows: (readonly StoredValue[])[]; names: Set<string> }>()
  /** The session that the kept statements are of. */
  #session = 0
  /** Whether the next statements begin a transaction, for which a lost connection may be opened again. */
  #begins = false
  #isOpen = false
  /** Of the transaction that is open. */
  requireWanted: ReadOptions['requireWanted']

  /** @param toStep makes the statement that writes some rows */
  constructor(
    settings: PostgresSettings,
    toStep: (statement: WriteStatement, rows: readonly (readonly StoredValue[])[]) => PostgresStep,
  ) {
    this.#client = new PostgresClient(settings)
    this.#toStep = toStep
  }

  /** Whether a transaction is open. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Opens a transaction, which the statement begins. */
  begin(statement: string): void {
    this.#begins = true
    this.add(toPlainStep(statement))
    this.#isOpen = true
  }

  /** Notes that the transaction was committed or rolled back. */
  end(): void {
    this.#isOpen = false
    this.requireWanted = undefined
  }

  rollBack(): void {
    this.requireWanted = undefined
    this.#waiting = []
    this.#rows.clear()
    this.#begins = false
    try {
      this.send(toPlainStep('ROLLBACK'))
      if (this.#names.size === 0) this.send(toPlainStep('DEALLOCATE ALL'))
    } catch {
      // The connection is lost, and the transaction with it.
    }
  }

  /** The name under which the server keeps a statement; '' if it does not. */
  nameOf(text: string): string {
    const known = this.#names.get(text)
    if (known !== undefined) return known
    if (this.#names.size === MAX_NAMED_STATEMENTS) return ''
    const name = `s${++this.#lastName}`
    this.#names.set(text, name)
    return name
  }

  add(step: PostgresStep): Waiting {
    this.#closeRows()
    const waiting: Waiting = { step }
    this.#waiting.push(waiting)
    if (this.#waiting.length >= MAX_WAITING) this.flush()
    return waiting
  }

  addRow(statement: WriteStatement, values: readonly StoredValue[]): void {
    const name = statement.key?.map((index) => values[index]).join()
    const waiting = this.#rows.get(statement)
    const isNamed = name !== undefined && waiting?.names.has(name)
    if (isNamed || waiting?.rows.length === MAX_WAITING_ROWS) this.#closeRows()
    const group = this.#rows.get(statement) ?? { rows: [], names: new Set() }
    this.#rows.set(statement, group)
    group.rows.push(values)
    if (name !== undefined) group.names.add(name)
  }

  /** Adds the rows that wait to the statements that wait. */
  #closeRows(): void {
    if (this.#rows.size === 0) return
    const groups = [...this.#rows].sort(([one], [other]) => one.order - other.order)
    this.#rows.clear()
    for (const [statement, { rows }] of groups) this.#waiting.push({ step: this.#toStep(statement, rows) })
  }

  /** Sends what waits. */
  flush(): void {
    this.#closeRows()
    const last = this.#waiting.pop()
    if (last !== undefined) last.changes = this.send(last.step).changes
  }

  /** Runs a statement after all that wait. */
  send(step: PostgresStep): PostgresResult {
    this.#closeRows()
    const [waiting, begins] = [this.#waiting, this.#begins || !this.#isOpen]
    this.#waiting = []
    this.#begins = false
    let result: PostgresResult
    try {
      result = this.#client.query({ ...step, before: waiting.map((each) => each.step), begins }, this.requireWanted)
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

  /** Runs a COPY of rows in text format, in a transaction. */
  copy(text: string, lines: string): void {
    this.flush()
    try {
      this.#client.query({ ...toPlainStep(text), lines, begins: false })
    } catch (error) {
      throw toPostgresAppError(error)
    }
  }

  close(): void {
    this.#client.close()
  }
}

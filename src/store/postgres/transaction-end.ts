import { randomUUID } from 'node:crypto'
import { AppError } from '../../kernel/errors.ts'
import { sleepSync } from '../../runtime/pause.ts'
import type { PostgresStep } from './client.ts'
import { hasWaited, isUnreachable } from './faults.ts'

/** Statements on the change logs are run last, so that the lock of their numbers is held while COMMIT is, and no longer. */
const ON_LOG = /^(?:INSERT INTO|DELETE FROM) (?:facet|asset)_log\b/
const lockLogs = `SELECT FROM main.sqlite_sequence WHERE name = 'facet_log'`
const lockLogsForAssets = `${lockLogs} AND EXISTS (SELECT FROM main.asset_change WHERE transaction_id = $1)`
const logAssets = `WITH change AS (DELETE FROM main.asset_change WHERE transaction_id = $1 RETURNING asset_id),
    made AS MATERIALIZED (SELECT row_number() OVER (ORDER BY asset_id) AS place, asset_id FROM change),
    taken AS (UPDATE main.sqlite_sequence SET seq = seq + (SELECT count(*) FROM made)
      WHERE name = 'asset_log' AND EXISTS (SELECT FROM made) RETURNING seq - (SELECT count(*) FROM made) AS former)
  INSERT INTO main.asset_log (seq, asset_id) SELECT taken.former + made.place, made.asset_id FROM made, taken`
const shortenAssetLog = `DELETE FROM main.asset_log
  WHERE seq <= (SELECT seq FROM main.sqlite_sequence WHERE name = 'asset_log') - 20000`

/** The row of the former transaction of the connection is no longer needed once its outcome is known. */
const saveOutcome = `WITH former AS (DELETE FROM main.transaction_outcome WHERE id = $2)
  INSERT INTO main.transaction_outcome (id, committed) VALUES ($1, true)`
/** Rows are left by connections that ended, and by those that asked. */
const saveFirstOutcome = `WITH former AS (DELETE FROM main.transaction_outcome WHERE at < now() - interval '7 days')
  INSERT INTO main.transaction_outcome (id, committed) VALUES ($1, true)`
/** Waits for the transaction while it runs. If its row is not there, no one can add it any more, so it cannot commit. */
const askOutcome = `INSERT INTO main.transaction_outcome AS known (id, committed) VALUES ($1, false)
  ON CONFLICT (id) DO UPDATE SET committed = known.committed RETURNING committed`
/** How long the outcome of a transaction is asked for when the connection was lost while it was committed. */
const OUTCOME_TIMEOUT_MS = 10_000
const OUTCOME_RETRY_MS = 50

const toStep = (text: string, ...values: readonly unknown[]): PostgresStep => ({ text, values, name: '' })

/** What a connection sends together with the COMMIT of a transaction that writes, and how it learns the outcome. */
export class TransactionEnd {
  #id = ''
  /** The last transaction, while its row is there only for this connection. */
  #former: string | undefined
  #onLogs: PostgresStep[] = []
  #logsAssets = false

  begin(): void {
    this.#id = randomUUID()
    this.#onLogs = []
    this.#logsAssets = false
  }

  /** Whether a statement has to wait for COMMIT. */
  takes(sql: string): boolean {
    return ON_LOG.test(sql)
  }

  add(step: PostgresStep): void {
    this.#onLogs.push(step)
  }

  /** Returns the id under which assets are kept that COMMIT writes into their log. */
  logAssets(): string {
    this.#logsAssets = true
    return this.#id
  }

  steps(): PostgresStep[] {
    const id = this.#id
    const lock =
      this.#onLogs.length > 0 ? toStep(`${lockLogs} FOR UPDATE`) : toStep(`${lockLogsForAssets} FOR UPDATE`, id)
    return [
      ...(this.#onLogs.length > 0 || this.#logsAssets ? [lock] : []),
      ...(this.#logsAssets ? [toStep(logAssets, id), toStep(shortenAssetLog)] : []),
      ...this.#onLogs,
      this.#former === undefined ? toStep(saveFirstOutcome, id) : toStep(saveOutcome, id, this.#former),
    ]
  }

  settle(): void {
    this.#former = this.#id
  }

  /** Whether a transaction took place whose COMMIT was not answered. */
  hasCommitted(ask: (step: PostgresStep) => unknown[][]): boolean {
    // The row of one that did not must remain for as long as its session could still commit it.
    this.#former = undefined
    const deadline = performance.now() + OUTCOME_TIMEOUT_MS
    while (performance.now() < deadline) {
      try {
        const [[committed] = []] = ask(toStep(askOutcome, this.#id))
        return committed === 1
      } catch (error) {
        if (!isUnreachable(error) && !hasWaited(error)) throw error
      }
      sleepSync(OUTCOME_RETRY_MS)
    }
    throw new AppError(
      'unavailable',
      'The connection to PostgreSQL was lost while a change was saved; see whether it was saved before you repeat it.',
      { reason: 'outcome_unknown' },
    )
  }
}

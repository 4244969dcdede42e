import type { SeenTable } from './snapshot-rows.ts'

const selectFirstEnd = 'SELECT min(at) FROM main.expiry'
const selectNextEnd = 'SELECT 1 FROM main.expiry WHERE at > ? AND at < ? LIMIT 1'

export interface SnapshotStatement {
  get(...values: unknown[]): unknown
  all(...values: unknown[]): unknown[]
  run(...values: unknown[]): unknown
  raw(): SnapshotStatement
  pluck(): SnapshotStatement
}

/** The part of a connection that a snapshot needs. */
export interface SnapshotDatabase {
  prepare(sql: string): SnapshotStatement
}

/**
 * How a connection sees the tables of findings as of a moment: with every decision that has ended by then, even if
 * nothing has recorded its end yet. Writes name the tables themselves, as `main.finding`.
 */
export abstract class Snapshot<Database extends SnapshotDatabase = SnapshotDatabase> {
  protected readonly database: Database
  /** The moment up to which decisions are seen as ended; undefined if only recorded ends are seen. */
  #moment: number | undefined
  #hasEnded = false
  /** The columns of the tables, which do not change while they are open. */
  readonly #columns = new Map<SeenTable, readonly string[]>()
  #firstEnd: SnapshotStatement | undefined
  #nextEnd: SnapshotStatement | undefined
  #current: { version: number | undefined; firstEnd: number | null } | undefined

  constructor(database: Database) {
    this.database = database
  }

  /** Whether the end of some decision is seen that is not recorded. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /**
   * Ends the decisions that are due at a moment in the snapshot of the open transaction; without one, decisions last
   * until their end is recorded. `version` is the connection's `dataVersion`.
   */
  apply(moment: number | undefined, version: number | undefined): void {
    const firstEnd = moment === undefined ? null : this.#readFirstEnd(version)
    const hasDue = moment !== undefined && firstEnd !== null && firstEnd <= moment
    this.see(hasDue ? moment : undefined, version)
    this.#hasEnded = hasDue
    this.#moment = moment
  }

  /** Whether some decision that is not seen as ended ends before a moment. */
  hasEndBefore(moment: number): boolean {
    const seen = this.#moment ?? Number.MIN_SAFE_INTEGER
    if (moment - 1 <= seen) return false
    this.#nextEnd ??= this.database.prepare(selectNextEnd)
    return this.#nextEnd.get(seen, moment) !== undefined
  }

  /** Runs `work` with every decision that ends before a moment seen as ended. */
  seeAsOf<T>(moment: number, version: number | undefined, work: () => T): T {
    const before = this.#moment
    this.apply(moment - 1, version)
    try {
      return work()
    } finally {
      this.apply(before, version)
    }
  }

  /** Ends the decisions that are due by a moment. */
  protected abstract see(moment: number | undefined, version: number | undefined): void

  /** A query for the names of the columns of a table, in their order. */
  protected abstract readonly selectColumns: string

  protected columnsOf(name: SeenTable): readonly string[] {
    const known = this.#columns.get(name)
    if (known !== undefined) return known
    const listed = this.database.prepare(this.selectColumns).pluck().all(name) as string[]
    this.#columns.set(name, listed)
    return listed
  }

  #readFirstEnd(version: number | undefined): number | null {
    if (version !== undefined && this.#current?.version === version) return this.#current.firstEnd
    this.#firstEnd ??= this.database.prepare(selectFirstEnd).pluck()
    const firstEnd = this.#firstEnd.get() as number | null
    this.#current = { version, firstEnd }
    return firstEnd
  }
}

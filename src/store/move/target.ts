import { AppError } from '../../kernel/errors.ts'
import type { Reader, Writer } from '../reader-writer.ts'
import type { CopiedColumn, TableHash } from './table-hash.ts'

/** A table whose rows are copied. */
export interface MovedTable {
  name: string
  columns: readonly CopiedColumn[]
  /** The columns that order and identify its rows; none: a table of at most one row. */
  key: readonly string[]
}

/** What a move is doing: the table or index that it has reached, and the rows of it that are done. */
export interface MoveProgress {
  step: 'copying' | 'indexing' | 'comparing'
  name: string
  rows: number
}

/** Called between two short steps; an error that it throws ends the move. */
export type OnTurn = (progress: MoveProgress) => Promise<void>

/** A database that is a copy of another in the making. No process opens it as a database before it is complete. */
export interface MoveTarget {
  readonly tables: readonly MovedTable[]
  /**
   * Copies up to `limit` further rows in one transaction, and returns their number. The last row of the target is the
   * position, so that a batch is never repeated or skipped.
   */
  copyBatch(table: MovedTable, limit: number): number
  /** Everything besides rows: counters, indexes and triggers; `onTurn` is awaited after each index. */
  createRest(onTurn: OnTurn): Promise<void>
  /** @throws AppError `internal` when a row, the schema or the file is not as it should be. */
  verify(onTurn: OnTurn): Promise<Map<string, TableHash>>
  /** Opens a snapshot of the rows as they are recorded. */
  openSnapshot(): { reader: Reader; close(): void }
  /** Everything written so far survives a power cut. */
  flush(): void
  /** Whether the address still names what this copies to. */
  isInPlace(): boolean
  /** From this transaction on, to which `note` adds, it is a database that can be opened. */
  activate(note: (writer: Writer) => void): void
  close(): void
}

/** Rows that describe the old place, and are neither copied nor compared. */
export const keptBehind: Readonly<Record<string, string>> = {
  install: `name NOT IN ('moving', 'moved_to')`,
  // Leases belong to processes of the old folder.
  lease: 'false',
}

/** With the snapshots of the columnar index, which only a database in a file has. */
export const keptBehindByServers: Readonly<Record<string, string>> = { ...keptBehind, engine_snapshot: 'false' }

export const toDifference = (what: string) =>
  new AppError(
    'internal',
    `The copy differs from the database (${what}); run \`assay move --cancel\` and start again.`,
    {
      reason: 'copy_differs',
    },
  )

/** @throws AppError `internal` when a copied table has other rows than the original. */
export function requireSameRows(name: string, original: TableHash, copy: TableHash): void {
  if (original.rows === copy.rows && original.hash === copy.hash) return
  throw toDifference(`table ${name} has ${copy.rows} rows instead of ${original.rows}, or rows with other contents`)
}

/** @throws AppError `internal` when the counters of ids differ, in any order. */
export function requireSameCounters(original: readonly Counter[], copy: readonly Counter[]): void {
  const write = (counters: readonly Counter[]) =>
    JSON.stringify(counters.filter(([, last]) => last > 0).sort(([a], [b]) => (a < b ? -1 : 1)))
  if (write(original) !== write(copy)) throw toDifference('the counters of ids differ')
}

/** The name of a table, and the largest id that it ever had. */
export type Counter = readonly [table: string, last: number]

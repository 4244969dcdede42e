import { hash } from 'node:crypto'
import type Database from 'better-sqlite3'

export interface CopiedColumn {
  name: string
  type: string
}

export interface TableHash {
  rows: number
  /** The same for the same rows in any order. */
  hash: string
}

const ROWS_PER_TURN = 20_000

/** Adds up the SHA-256 of all rows of a query; `onTurn` is awaited from time to time, with the rows so far. */
export async function hashRows(
  database: Database.Database,
  from: string,
  columns: readonly CopiedColumn[],
  onTurn: (rows: number) => Promise<void>,
): Promise<TableHash> {
  const row = columns.map(toExactText).join(` || ',' || `)
  const sum = createHashSum()
  let rows = 0
  for (const text of database.prepare(`SELECT ${row} FROM ${from}`).pluck().iterate() as Iterable<string>) {
    sum.add(text)
    if (++rows % ROWS_PER_TURN === 0) await onTurn(rows)
  }
  return { rows, hash: sum.toText() }
}

/** A hash of many texts that does not depend on their order. */
export function createHashSum(): { add(text: string): void; toText(): string } {
  let [low, high] = [0n, 0n]
  return {
    add: (text) => {
      const digest = hash('sha256', text, 'buffer')
      low = BigInt.asUintN(64, low + digest.readBigUInt64BE(0))
      high = BigInt.asUintN(64, high + digest.readBigUInt64BE(8))
    },
    toText: () => toHashText(low, high),
  }
}

/** A hash from the sums of the first and of the next 8 bytes of all digests. */
export const toHashText = (low: bigint, high: bigint): string =>
  [high, low].map((sum) => BigInt.asUintN(64, sum).toString(16).padStart(16, '0')).join('')

/** Numbers as literals or their bits; the bytes of everything else, because `quote` ends a text at its first NUL. */
function toExactText({ name, type }: CopiedColumn): string {
  if (type === 'REAL') return `coalesce(real_bits("${name}"), 'NULL')`
  return type === 'INTEGER' ? `quote("${name}")` : `quote(CAST("${name}" AS BLOB))`
}

/** Defines the SQL function that `hashRows` calls. */
export function defineRealBits(database: Database.Database): void {
  const bits = Buffer.alloc(8)
  database.function('real_bits', { deterministic: true }, (value) => {
    if (typeof value !== 'number') return null
    bits.writeDoubleBE(value)
    return bits.toString('hex')
  })
}

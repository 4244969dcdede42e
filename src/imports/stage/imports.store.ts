import type { Reader, Writer } from '../../store/store.ts'
import { assetsAt, EARLIER_ASSETS, ROW_BYTES } from './import-block.ts'
import type { PartBlock } from './import-convert.ts'
import { packEarlierRows } from './import-pack.ts'

/** Ordinals of a part: findings of one asset wait in one part, so that they are stored together. */
const ORDINALS_OF_PART = 1_000_000
/** Findings that are read together at most, and the blocks that they wait in. */
const ROWS_AT_ONCE = 72_000
const BLOCKS_AT_ONCE = 1_000
/** What these take at most: two such lots are in memory, and one is removed in a transaction. */
const BYTES_AT_ONCE = 16 * 1024 * 1024
/** Rows of earlier versions that are stored together at most. */
const EARLIER_AT_ONCE = 32

export function openImportFile(writer: Writer, uid: string, at: number): void {
  writer.prepare('INSERT INTO import_file (uid, created_at) VALUES (?, ?)').run(uid, at)
}

/** Adds findings behind those of their part that wait already; `turn` grows with every call. */
export function addImportBlock(writer: Writer, uid: string, turn: number, { part, size, data }: PartBlock): void {
  writer
    .prepare('INSERT INTO import_block (uid, ordinal, size, data) VALUES (?, ?, ?, ?)')
    .run(uid, (part + 1) * ORDINALS_OF_PART + turn, size, data)
}

/** From now on the file is stored, even when this process dies. */
export function acceptImportFile(writer: Writer, uid: string): void {
  writer.prepare('UPDATE import_file SET accepted = 1 WHERE uid = ?').run(uid)
}

export interface WaitingBlocks {
  /** The last of them. */
  ordinal: number
  packed: Uint8Array[]
}

/** The first blocks behind one, of some parts or a piece of one: to be stored together. Undefined: there are no more. */
export function findWaitingBlocks(reader: Reader, uid: string, after: number): WaitingBlocks | undefined {
  return findEarlierRows(reader, uid, after) ?? findBlocks(reader, uid, after)
}

/** How many of the first waiting findings are stored. */
export function countStoredRows(reader: Reader, uid: string): number {
  return Number(reader.prepare('SELECT stored FROM import_file WHERE uid = ?').pluck().get(uid))
}

/** What waits to be stored, as far as blocks tell. */
export interface Waiting {
  /** Findings of one file. */
  rows: number
  /** Findings of all files. */
  all: number
  /** What stands beside the numbers of all: the names of assets, and excerpts. */
  textBytes: number
}

export function countWaiting(reader: Reader, uid: string): Waiting {
  const find = `SELECT coalesce(sum(CASE WHEN uid = ? THEN size END), 0) AS rows, coalesce(sum(size), 0) AS "all",
      coalesce(sum(length(data) - size * ${ROW_BYTES}), 0) AS textBytes FROM import_block`
  return reader.prepare(find).get(uid) as Waiting
}

const endOfPart = (ordinal: number) => (Math.floor(ordinal / ORDINALS_OF_PART) + 1) * ORDINALS_OF_PART

function findBlocks(reader: Reader, uid: string, after: number): WaitingBlocks | undefined {
  const heads = reader
    .prepare(
      `SELECT ordinal, size, length(data) AS bytes FROM import_block WHERE uid = ? AND ordinal > ?
       ORDER BY ordinal LIMIT ${BLOCKS_AT_ONCE}`,
    )
    .all(uid, after) as BlockHead[]
  const [first] = heads
  if (first === undefined) return undefined
  const assets = reader
    .prepare('SELECT CAST(substr(data, ?, 1) AS TEXT) FROM import_block WHERE uid = ? AND ordinal = ?')
    .pluck()
    .get(assetsAt(first.size) + 1, uid, first.ordinal)
  // What an earlier version has stored a part of is to be the same lot again.
  const mostBytes = assets === EARLIER_ASSETS ? Number.POSITIVE_INFINITY : BYTES_AT_ONCE
  const last = lastTogether(heads, first.ordinal, mostBytes)
  const packed = reader
    .prepare('SELECT data FROM import_block WHERE uid = ? AND ordinal BETWEEN ? AND ? ORDER BY ordinal')
    .pluck()
    .all(uid, first.ordinal, last) as Buffer[]
  return { ordinal: last, packed }
}

interface BlockHead {
  ordinal: number
  size: number
  bytes: number
}

/** The last of the blocks that are stored together: of some whole parts, or of a piece of the first. */
function lastTogether(heads: readonly BlockHead[], first: number, mostBytes: number): number {
  let size = 0
  let bytes = 0
  let last = first
  let lastOfParts: number | undefined
  for (const [at, head] of heads.entries()) {
    size += head.size
    bytes += head.bytes
    if (at > 0 && (size > ROWS_AT_ONCE || bytes > mostBytes)) return lastOfParts ?? last
    last = head.ordinal
    const next = heads[at + 1]
    // Beyond the last head there may be more of its part.
    if (next === undefined ? heads.length < BLOCKS_AT_ONCE : next.ordinal >= endOfPart(last)) lastOfParts = last
  }
  return lastOfParts ?? last
}

function findEarlierRows(reader: Reader, uid: string, after: number): WaitingBlocks | undefined {
  const [first, ...more] = reader
    .prepare(
      `SELECT ordinal, finding FROM import_row WHERE uid = ? AND ordinal > ? ORDER BY ordinal LIMIT ${EARLIER_AT_ONCE}`,
    )
    .all(uid, after) as { ordinal: number; finding: string }[]
  if (first === undefined) return undefined
  // Objects, as the oldest versions left them, are stored row by row.
  const others = first.finding.startsWith('[[') ? more.filter(({ ordinal }) => ordinal < endOfPart(first.ordinal)) : []
  return {
    ordinal: others.at(-1)?.ordinal ?? first.ordinal,
    packed: [first, ...others].map(({ finding }) => packEarlierRows(finding)),
  }
}

/** Says that so many more of the first waiting findings are stored. */
export function saveStoredRows(writer: Writer, uid: string, count: number): void {
  writer.prepare('UPDATE import_file SET stored = stored + ? WHERE uid = ?').run(count, uid)
}

/** Removes what `findWaitingBlocks` gave: all of it is stored. */
export function dropImportRows(writer: Writer, uid: string, ordinal: number): void {
  for (const table of ['import_block', 'import_row'] as const) {
    writer.prepare(`DELETE FROM ${table} WHERE uid = ? AND ordinal <= ?`).run(uid, ordinal)
  }
  writer.prepare('UPDATE import_file SET stored = 0 WHERE uid = ?').run(uid)
}

export function dropImportFile(writer: Writer, uid: string): void {
  writer.prepare('DELETE FROM import_file WHERE uid = ?').run(uid)
}

/** Files that were never read to their end, and accepted ones whose scan is over or gone. */
export function listStaleImports(reader: Reader, before: number): string[] {
  return reader
    .prepare(
      `SELECT uid FROM import_file WHERE accepted = 0 AND created_at < ? OR accepted = 1 AND uid NOT IN
         (SELECT uid FROM scan WHERE status IN ('QUEUED', 'RUNNING'))`,
    )
    .pluck()
    .all(before) as string[]
}

/** Removes some staged findings of a file that will not be stored; true while more are left. */
export function dropSomeBlocks(writer: Writer, uid: string, limit: number): boolean {
  const dropped = (['import_block', 'import_row'] as const).map((table) => {
    const drop = `DELETE FROM ${table} WHERE uid = @uid AND ordinal IN
      (SELECT ordinal FROM ${table} WHERE uid = @uid ORDER BY ordinal LIMIT @limit)`
    return writer.prepare(drop).run({ uid, limit }).changes
  })
  return dropped.includes(limit)
}

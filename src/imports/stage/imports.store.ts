import { internalText } from '../../kernel/safe-text.ts'
import type { Reader, Writer } from '../../store/store.ts'
import { ROW_BYTES } from '../read/import-row.ts'
import { packEarlierRows } from './earlier-rows.ts'
import { assetsAt, EARLIER_ASSETS } from './import-block.ts'
import type { PartBlock } from './staging.ts'

/** Range of ordinals of a group of blocks; earlier versions made one group of each part. */
const ORDINALS_OF_GROUP = 1_000_000
/** Groups of a part: the findings of one asset are staged in one part, so that they are stored together. */
const GROUPS_OF_PART = 1_000_000
/** From here on, blocks need the earlier ones of their group. */
const FIRST_ORDINAL = ORDINALS_OF_GROUP * GROUPS_OF_PART
/** Maximum number of findings, and of their blocks, that are read together. */
const ROWS_AT_ONCE = 72_000
const BLOCKS_AT_ONCE = 1_000
/** Maximum bytes of such a batch: two of them are in memory, and one is deleted in a transaction. */
const BYTES_AT_ONCE = 16 * 1024 * 1024
/** Maximum number of rows of earlier versions that are stored together. */
const EARLIER_AT_ONCE = 32

export function openImportFile(writer: Writer, uid: string, at: number): void {
  writer.prepare('INSERT INTO import_file (uid, created_at) VALUES (?, ?)').run(internalText(uid), at)
}

/** Adds a block after those of its group; `turn` must grow with every call. */
export function addImportBlock(writer: Writer, uid: string, turn: number, block: PartBlock): void {
  const { part, group, size, data } = block
  writer
    .prepare('INSERT INTO import_block (uid, ordinal, size, data) VALUES (?, ?, ?, ?)')
    .run(internalText(uid), (part + 1) * FIRST_ORDINAL + group * ORDINALS_OF_GROUP + turn, size, data)
}

/** Accepts a file: from now on it will be stored, even if this process dies. */
export function acceptImportFile(writer: Writer, uid: string): void {
  writer.prepare('UPDATE import_file SET accepted = 1 WHERE uid = ?').run(internalText(uid))
}

export interface StagedBlocks {
  /** Ordinal of the last block. */
  ordinal: number
  packed: Uint8Array[]
}

/**
 * The next blocks to be stored together: some whole groups, or of earlier versions a piece of one; undefined if there
 * are no more.
 */
export function findStagedBlocks(reader: Reader, uid: string, after: number): StagedBlocks | undefined {
  return findEarlierRows(reader, uid, after) ?? findBlocks(reader, uid, after)
}

/** How many of the first staged findings are already stored. */
export function countStoredRows(reader: Reader, uid: string): number {
  return Number(reader.prepare('SELECT stored FROM import_file WHERE uid = ?').pluck().get(uid))
}

/** What is staged and not yet stored; rows of earlier versions are not counted. */
export interface StagedCounts {
  /** Findings of one file. */
  rows: number
  /** Findings of all files. */
  all: number
  /** Bytes of the texts of all files: names of assets, and excerpts. */
  textBytes: number
}

export function countStaged(reader: Reader, uid: string): StagedCounts {
  const find = `SELECT coalesce(sum(CASE WHEN uid = ? THEN size END), 0) AS rows, coalesce(sum(size), 0) AS "all",
      coalesce(sum(length(data) - size * ${ROW_BYTES}), 0) AS textBytes FROM import_block`
  return reader.prepare(find).get(uid) as StagedCounts
}

const endOfGroup = (ordinal: number) => (Math.floor(ordinal / ORDINALS_OF_GROUP) + 1) * ORDINALS_OF_GROUP

function findBlocks(reader: Reader, uid: string, after: number): StagedBlocks | undefined {
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
  // A batch that an earlier version stored in part must have the same extent again.
  const maxBytes = assets === EARLIER_ASSETS ? Number.POSITIVE_INFINITY : BYTES_AT_ONCE
  const last = lastWithinBytes(heads, first.ordinal, maxBytes)
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

/** Ordinal of the last block to be stored together with the first, see `findStagedBlocks`. */
function lastWithinBytes(heads: readonly BlockHead[], first: number, maxBytes: number): number {
  let size = 0
  let bytes = 0
  let last = first
  let lastOfGroups: number | undefined
  for (const [at, head] of heads.entries()) {
    size += head.size
    bytes += head.bytes
    const isFull = at > 0 && (size > ROWS_AT_ONCE || bytes > maxBytes)
    if (isFull && (lastOfGroups !== undefined || first < FIRST_ORDINAL)) return lastOfGroups ?? last
    last = head.ordinal
    const next = heads[at + 1]
    // More blocks of the same group may follow the last head.
    if (next === undefined ? heads.length < BLOCKS_AT_ONCE : next.ordinal >= endOfGroup(last)) lastOfGroups = last
  }
  return lastOfGroups ?? last
}

function findEarlierRows(reader: Reader, uid: string, after: number): StagedBlocks | undefined {
  const [first, ...more] = reader
    .prepare(
      `SELECT ordinal, finding FROM import_row WHERE uid = ? AND ordinal > ? ORDER BY ordinal LIMIT ${EARLIER_AT_ONCE}`,
    )
    .all(uid, after) as { ordinal: number; finding: string }[]
  if (first === undefined) return undefined
  // Objects, as the oldest versions staged them, are stored row by row.
  const others = first.finding.startsWith('[[') ? more.filter(({ ordinal }) => ordinal < endOfGroup(first.ordinal)) : []
  return {
    ordinal: others.at(-1)?.ordinal ?? first.ordinal,
    packed: [first, ...others].map(({ finding }) => packEarlierRows(finding)),
  }
}

/** Records that `count` more of the first staged findings are stored. */
export function saveStoredRows(writer: Writer, uid: string, count: number, earliestAt: number): void {
  writer
    .prepare(
      `UPDATE import_file SET stored = stored + @count, earliest_at = min(coalesce(earliest_at, @earliestAt), @earliestAt)
       WHERE uid = @uid`,
    )
    .run({ count, earliestAt, uid: internalText(uid) })
}

/** The earliest detection among the stored findings of a file; undefined when there are none. */
export function findEarliest(reader: Reader, uid: string): number | undefined {
  const earliest = reader.prepare('SELECT earliest_at FROM import_file WHERE uid = ?').pluck().get(uid)
  return typeof earliest === 'number' ? earliest : undefined
}

/** Deletes the blocks returned by `findStagedBlocks` once all of them are stored. */
export function dropImportRows(writer: Writer, uid: string, ordinal: number): void {
  for (const table of ['import_block', 'import_row'] as const) {
    writer.prepare(`DELETE FROM ${table} WHERE uid = ? AND ordinal <= ?`).run(internalText(uid), ordinal)
  }
  writer.prepare('UPDATE import_file SET stored = 0 WHERE uid = ?').run(internalText(uid))
}

export function dropImportFile(writer: Writer, uid: string): void {
  writer.prepare('DELETE FROM import_file WHERE uid = ?').run(internalText(uid))
}

/** Files created before `before` that were never completely read, and accepted ones whose scan is over or gone. */
export function listStaleImports(reader: Reader, before: number): string[] {
  return reader
    .prepare(
      `SELECT uid FROM import_file WHERE accepted = 0 AND created_at < ? OR accepted = 1 AND uid NOT IN
         (SELECT uid FROM scan WHERE status IN ('QUEUED', 'RUNNING'))`,
    )
    .pluck()
    .all(before) as string[]
}

/** Deletes up to `limit` staged blocks of a file that will not be stored; returns whether more remain. */
export function dropSomeBlocks(writer: Writer, uid: string, limit: number): boolean {
  const dropped = (['import_block', 'import_row'] as const).map((table) => {
    const drop = `DELETE FROM ${table} WHERE uid = @uid AND ordinal IN
      (SELECT ordinal FROM ${table} WHERE uid = @uid ORDER BY ordinal LIMIT @limit)`
    return writer.prepare(drop).run({ uid: internalText(uid), limit }).changes
  })
  return dropped.includes(limit)
}

import type { Reader, Writer } from '../store/store.ts'
import type { ImportRow } from './import-line.ts'
import { gatherByAsset, packRows, unpackRows } from './import-pack.ts'

/** Ordinals of a part: findings of one asset wait in one part, so that they are stored together. */
const ORDINALS_OF_PART = 1_000_000
/** Rows of the staging table that are stored together at most. */
const READ_AT_ONCE = 32

export function openImportFile(writer: Writer, uid: string, at: number): void {
  writer.prepare('INSERT INTO import_file (uid, created_at) VALUES (?, ?)').run(uid, at)
}

/** Adds findings behind those of their part that wait already; `turn` grows with every call. */
export function addImportRows(
  writer: Writer,
  uid: string,
  { part, turn }: { part: number; turn: number },
  rows: readonly ImportRow[],
): void {
  if (rows.length === 0) return
  writer
    .prepare('INSERT INTO import_row (uid, ordinal, finding) VALUES (?, ?, ?)')
    .run(uid, (part + 1) * ORDINALS_OF_PART + turn, packRows(gatherByAsset(rows)))
}

/** From now on the file is stored, even when this process dies. */
export function acceptImportFile(writer: Writer, uid: string): void {
  writer.prepare('UPDATE import_file SET accepted = 1 WHERE uid = ?').run(uid)
}

export interface WaitingRows {
  /** The last row of the staging table that is among them. */
  ordinal: number
  rows: ImportRow[]
}

/** The first findings that wait, of one part, those of an asset together; undefined when all are stored. */
export function findWaitingRows(reader: Reader, uid: string): WaitingRows | undefined {
  const found = reader
    .prepare('SELECT ordinal, finding FROM import_row WHERE uid = ? ORDER BY ordinal LIMIT 1')
    .get(uid) as { ordinal: number; finding: string } | undefined
  if (found === undefined) return undefined
  const { stored } = reader.prepare('SELECT stored FROM import_file WHERE uid = ?').get(uid) as { stored: number }
  const first = unpackRows(found.finding)
  if (!first.isPacked) return { ordinal: found.ordinal, rows: first.rows.slice(stored) }
  const end = (Math.floor(found.ordinal / ORDINALS_OF_PART) + 1) * ORDINALS_OF_PART
  const more = reader
    .prepare(
      `SELECT ordinal, finding FROM import_row WHERE uid = ? AND ordinal > ? AND ordinal < ?
       ORDER BY ordinal LIMIT ${READ_AT_ONCE - 1}`,
    )
    .all(uid, found.ordinal, end) as { ordinal: number; finding: string }[]
  const rows = more.reduce((sofar, { finding }) => sofar.concat(unpackRows(finding).rows), first.rows)
  return { ordinal: more.at(-1)?.ordinal ?? found.ordinal, rows: gatherByAsset(rows).slice(stored) }
}

/** Says that so many more of the first waiting findings are stored. */
export function saveStoredRows(writer: Writer, uid: string, count: number): void {
  writer.prepare('UPDATE import_file SET stored = stored + ? WHERE uid = ?').run(count, uid)
}

/** Removes what `findWaitingRows` gave: all of it is stored. */
export function dropImportRows(writer: Writer, uid: string, ordinal: number): void {
  writer.prepare('DELETE FROM import_row WHERE uid = ? AND ordinal <= ?').run(uid, ordinal)
  writer.prepare('UPDATE import_file SET stored = 0 WHERE uid = ?').run(uid)
}

export function dropImportFile(writer: Writer, uid: string): void {
  writer.prepare('DELETE FROM import_file WHERE uid = ?').run(uid)
}

/** What was left behind by processes that died before a file was read to its end. */
export function listStaleImports(reader: Reader, before: number): string[] {
  const rows = reader.prepare('SELECT uid FROM import_file WHERE accepted = 0 AND created_at < ?').all(before)
  return (rows as { uid: string }[]).map(({ uid }) => uid)
}

/** Removes some staged rows of a file that will not be stored; true while more are left. */
export function dropSomeRows(writer: Writer, uid: string, limit: number): boolean {
  const { changes } = writer
    .prepare(
      `DELETE FROM import_row WHERE uid = @uid AND ordinal IN
         (SELECT ordinal FROM import_row WHERE uid = @uid ORDER BY ordinal LIMIT @limit)`,
    )
    .run({ uid, limit })
  return changes === limit
}

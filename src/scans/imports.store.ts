import type { Reader, Writer } from '../store/store.ts'
import type { ImportRow } from './import-line.ts'

export function openImportFile(writer: Writer, uid: string, at: number): void {
  writer.prepare('INSERT INTO import_file (uid, created_at) VALUES (?, ?)').run(uid, at)
}

/** Adds findings behind those that wait already; `ordinal` grows with every call. */
export function addImportRows(writer: Writer, uid: string, ordinal: number, rows: readonly ImportRow[]): void {
  writer
    .prepare('INSERT INTO import_row (uid, ordinal, finding) VALUES (?, ?, ?)')
    .run(uid, ordinal, JSON.stringify(rows))
}

/** From now on the file is stored, even when this process dies. */
export function acceptImportFile(writer: Writer, uid: string): void {
  writer.prepare('UPDATE import_file SET accepted = 1 WHERE uid = ?').run(uid)
}

/** The first findings that wait, of one call of `addImportRows`; undefined when all are stored. */
export function findWaitingRows(reader: Reader, uid: string): { ordinal: number; rows: ImportRow[] } | undefined {
  const found = reader
    .prepare(
      `SELECT ordinal, finding, stored FROM import_row r JOIN import_file f ON f.uid = r.uid
       WHERE r.uid = ? ORDER BY ordinal LIMIT 1`,
    )
    .get(uid) as { ordinal: number; finding: string; stored: number } | undefined
  if (found === undefined) return undefined
  const waiting: unknown = JSON.parse(found.finding)
  // A row of an earlier version holds one finding.
  const rows = (Array.isArray(waiting) ? waiting : [waiting]) as ImportRow[]
  return { ordinal: found.ordinal, rows: rows.slice(found.stored) }
}

/** Says that so many more of the first waiting findings are stored. */
export function saveStoredRows(writer: Writer, uid: string, count: number): void {
  writer.prepare('UPDATE import_file SET stored = stored + ? WHERE uid = ?').run(count, uid)
}

/** Removes what `findWaitingRows` gave: all of it is stored. */
export function dropImportRows(writer: Writer, uid: string, ordinal: number): void {
  writer.prepare('DELETE FROM import_row WHERE uid = ? AND ordinal = ?').run(uid, ordinal)
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

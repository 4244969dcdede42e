import type { Reader, Writer } from '../store/store.ts'
import type { ImportRow } from './import-line.ts'

export function openImportFile(writer: Writer, uid: string, at: number): void {
  writer.prepare('INSERT INTO import_file (uid, created_at) VALUES (?, ?)').run(uid, at)
}

export function addImportRows(writer: Writer, uid: string, from: number, rows: readonly ImportRow[]): void {
  const insert = writer.prepare('INSERT INTO import_row (uid, ordinal, finding) VALUES (?, ?, ?)')
  rows.forEach((row, index) => {
    insert.run(uid, from + index, JSON.stringify(row))
  })
}

/** From now on the file is stored, even when this process dies. */
export function acceptImportFile(writer: Writer, uid: string): void {
  writer.prepare('UPDATE import_file SET accepted = 1 WHERE uid = ?').run(uid)
}

export function takeImportRows(reader: Reader, uid: string, limit: number): { ordinal: number; row: ImportRow }[] {
  const rows = reader
    .prepare('SELECT ordinal, finding FROM import_row WHERE uid = ? ORDER BY ordinal LIMIT ?')
    .all(uid, limit) as { ordinal: number; finding: string }[]
  return rows.map(({ ordinal, finding }) => ({ ordinal, row: JSON.parse(finding) as ImportRow }))
}

/** Removes the rows up to `ordinal`: they are stored. */
export function dropImportRows(writer: Writer, uid: string, ordinal: number): void {
  writer.prepare('DELETE FROM import_row WHERE uid = ? AND ordinal <= ?').run(uid, ordinal)
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

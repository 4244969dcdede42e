import { internalText } from '../../kernel/safe-text.ts'
import type { Reader, Writer } from '../../store/store.ts'
import type { Engine } from '../columnar-index.ts'

/** The last entries of the change logs that an engine includes. */
export interface LogPosition {
  seq: number
  assetSeq: number
}

export interface SnapshotRow extends LogPosition {
  mark: string
  digest: string
}

/** The snapshots of a database, the newest first: one, or on a server one for each data folder. */
export const listSnapshots = (reader: Reader): SnapshotRow[] =>
  reader
    .prepare('SELECT mark, digest, seq, asset_seq AS assetSeq FROM engine_snapshot ORDER BY seq DESC, mark')
    .all() as SnapshotRow[]

/** Adds a snapshot; false if the database does not have all that it includes. */
export function insertSnapshot(writer: Writer, { mark, digest, seq, assetSeq }: SnapshotRow): boolean {
  const now = findLogPosition(writer)
  if (now.seq < seq || now.assetSeq < assetSeq) return false
  writer
    .prepare('INSERT INTO engine_snapshot (mark, digest, seq, asset_seq) VALUES (?, ?, ?, ?)')
    .run(internalText(mark), internalText(digest), seq, assetSeq)
  return true
}

export function deleteSnapshots(writer: Writer, marks: readonly string[]): void {
  const remove = writer.prepare('DELETE FROM engine_snapshot WHERE mark = ?')
  for (const mark of marks) remove.run(internalText(mark))
}

export function findLogPosition(reader: Reader): LogPosition {
  return reader
    .prepare(
      `SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'facet_log'), 0) AS seq,
        coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'asset_log'), 0) AS assetSeq`,
    )
    .get() as LogPosition
}

/** Whether an engine has as many findings of each combination as the database has counted by itself. */
export function hasStoredCounts(reader: Reader, { facets, findings }: Engine): boolean {
  const counts = new Float64Array(facets.count)
  for (const { combo, count } of [findings.rows, findings.late]) {
    for (let row = 0; row < count; row++) counts[combo[row] as number] = (counts[combo[row] as number] as number) - 1
  }
  for (const [id = 0, n = 0] of reader.prepare('SELECT id, n FROM combo').raw().all() as number[][]) {
    const number = facets.find(id)
    if (number === undefined) {
      if (n !== 0) return false
    } else counts[number] = (counts[number] as number) + n
  }
  return counts.every((count, number) => count === 0 || number === 0)
}

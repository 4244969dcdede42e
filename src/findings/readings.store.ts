import type { ReadingRecord, ReadingUpdate } from '../connectors/connector.ts'
import type { Safe } from '../kernel/safe-text.ts'
import type { Reader, Writer } from '../store/store.ts'

/** Whether something of an asset is still to be read, although it may have no newer date. */
const isOpen = `(a.detectors_hash IS DISTINCT FROM @detectors_hash OR a.missed > 0 OR EXISTS (
  SELECT 1 FROM unread_section u WHERE u.asset_id = a.id
    AND (u.section = '' OR u.reason IN ('failed', 'limit') OR u.was_read = 1)))`

/** The readings of assets and scopes, by key. */
export function listReadings(
  reader: Reader,
  sourceId: number,
  detectorsHash: string,
  keys: readonly string[],
): Map<string, ReadingRecord> {
  const rows = reader
    .prepare(
      `SELECT r.key, r.mark, r.read_at AS readAt, r.checked_at AS checkedAt,
         NOT EXISTS (SELECT 1 FROM asset a WHERE a.source_id = r.source_id AND a.key = r.key
           AND (a.status <> 'ACTIVE' OR ${isOpen}))
         AND NOT EXISTS (SELECT 1 FROM asset a WHERE a.source_id = r.source_id AND a.scope_key = r.key
           AND a.status = 'ACTIVE' AND ${isOpen}) AS isWhole
       FROM json_each(@keys) k CROSS JOIN reading r ON r.source_id = @source_id AND r.key = k.value`,
    )
    .all({ source_id: sourceId, detectors_hash: detectorsHash, keys: JSON.stringify(keys) }) as ({
    key: string
    isWhole: number
  } & Omit<ReadingRecord, 'isWhole'>)[]
  return new Map(rows.map(({ key, isWhole, ...reading }) => [key, { ...reading, isWhole: isWhole === 1 }]))
}

export function saveReadings(
  writer: Writer,
  { sourceId, scanStartedAt }: { sourceId: number; scanStartedAt: number },
  updates: readonly Safe<ReadingUpdate>[],
): void {
  const read = writer.prepare(
    `INSERT INTO main.reading (source_id, key, mark, read_at, checked_at) VALUES (@source_id, @key, @mark, @at, @at)
     ON CONFLICT (source_id, key) DO UPDATE SET mark = excluded.mark, read_at = excluded.read_at,
       checked_at = excluded.checked_at`,
  )
  const check = writer.prepare(
    'UPDATE main.reading SET checked_at = @at WHERE source_id = @source_id AND key = @key AND mark = @mark',
  )
  for (const { key, mark, isRead } of updates) {
    const statement = isRead ? read : check
    statement.run({ source_id: sourceId, key, mark, at: scanStartedAt })
  }
}

/** Makes the next scan of a source read everything, regardless of the times that the platform reports. */
export function forgetReadings(writer: Writer, sourceId: number): void {
  writer.prepare('DELETE FROM reading WHERE source_id = ?').run(sourceId)
}

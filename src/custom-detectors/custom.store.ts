import { MAX_ADDRESS, toSafeJson, toSafeText } from '../detectors/safe-text.ts'
import { internalText } from '../kernel/safe-text.ts'
import type { Reader, Writer } from '../store/store.ts'
import type { CompleteDefinition, CustomDetectorRecord } from './model.ts'

interface CustomDetectorSqlRow extends Omit<CustomDetectorRecord, 'enabled' | 'definition'> {
  enabled: number
  definition: string
}

/** The editable members, and the resulting version. */
export type CustomDetectorMembers = Pick<
  CustomDetectorRecord,
  'displayName' | 'description' | 'enabled' | 'definition' | 'version'
>

const select = `SELECT id, uid, key, display_name AS displayName, description, enabled, definition, version,
    created_at AS createdAt, updated_at AS updatedAt
  FROM custom_detector`

const toRecord = ({ definition, enabled, ...row }: CustomDetectorSqlRow): CustomDetectorRecord => ({
  ...row,
  enabled: enabled === 1,
  definition: JSON.parse(definition) as CompleteDefinition,
})

const toColumns = ({ displayName, description, enabled, definition, version }: CustomDetectorMembers) => ({
  display_name: toSafeText(displayName, 'definition'),
  description: toSafeText(description, 'definition', MAX_ADDRESS),
  enabled: enabled ? 1 : 0,
  definition: toSafeJson(definition, 'definition'),
  version,
})

/** Ordered by key. */
export function listCustomDetectors(reader: Reader): CustomDetectorRecord[] {
  return (reader.prepare(`${select} ORDER BY key`).all() as CustomDetectorSqlRow[]).map(toRecord)
}

/** By key or id. */
export function findCustomDetector(reader: Reader, name: string): CustomDetectorRecord | undefined {
  const row = reader.prepare(`${select} WHERE key = ? OR uid = ?`).get(name, name) as CustomDetectorSqlRow | undefined
  return row === undefined ? undefined : toRecord(row)
}

export function insertCustomDetector(writer: Writer, key: string, members: CustomDetectorMembers, at: number): void {
  writer
    .prepare(
      `INSERT INTO custom_detector (uid, key, display_name, description, enabled, definition, version, created_at, updated_at)
       VALUES (@uid, @key, @display_name, @description, @enabled, @definition, @version, @at, @at)`,
    )
    .run({ ...toColumns(members), uid: internalText(crypto.randomUUID()), key: toSafeText(key, 'definition'), at })
}

export function replaceCustomDetector(writer: Writer, id: number, members: CustomDetectorMembers, at: number): void {
  writer
    .prepare(
      `UPDATE custom_detector SET display_name = @display_name, description = @description, enabled = @enabled,
         definition = @definition, version = @version, updated_at = @at WHERE id = @id`,
    )
    .run({ ...toColumns(members), id, at })
}

export function removeCustomDetector(writer: Writer, id: number): void {
  writer.prepare('DELETE FROM custom_detector WHERE id = ?').run(id)
}

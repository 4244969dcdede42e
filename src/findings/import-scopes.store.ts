import { internalText } from '../kernel/safe-text.ts'
import { IN_NUMBERS } from '../store/builder.ts'
import { statusCodes } from '../store/schema.ts'
import type { Reader, Writer } from '../store/store.ts'

/** The findings of a staged file, with the scopes that its lines have. */
const reported = `FROM import_finding s
  JOIN import_facets k ON k.uid = s.uid AND k.number = s.facets AND k.scope IS NOT NULL
  JOIN import_asset a ON a.uid = s.uid AND a.number = s.asset
  JOIN main.finding f ON f.asset_id = a.asset_id AND f.fp = s.fp
  WHERE s.uid = @uid`

/** Records which scopes have the findings of a file whose assets have their ids. */
export function addToScopes(writer: Writer, uid: string): void {
  writer
    .prepare(
      `INSERT INTO finding_scope (scope, finding_id) SELECT DISTINCT k.scope, f.id ${reported}
       ON CONFLICT (scope, finding_id) DO NOTHING`,
    )
    .run({ uid: internalText(uid) })
}

/** A scope in a source. */
export interface SourceScope {
  scope: number
  sourceId: number
}

export function countOpenIn(reader: Reader, { scope, sourceId }: SourceScope): number {
  return reader
    .prepare(
      `SELECT count(*) FROM finding_scope m JOIN main.finding f ON f.id = m.finding_id JOIN main.combo c ON c.id = f.combo_id
       WHERE m.scope = ? AND c.source_id = ? AND c.status = ${statusCodes.OPEN}`,
    )
    .pluck()
    .get(scope, sourceId) as number
}

/**
 * The findings of a scope that are not resolved and not in a staged file, with whether another scope has them. What was
 * detected after `until` cannot be in the file.
 */
export function listAbsent(
  reader: Reader,
  { uid, scope, sourceId, until }: SourceScope & { uid: string; until: number },
): { id: number; isElsewhere: boolean }[] {
  const rows = reader
    .prepare(
      `SELECT f.id, EXISTS (SELECT 1 FROM finding_scope o WHERE o.finding_id = f.id AND o.scope <> @scope)
       FROM finding_scope m JOIN main.finding f ON f.id = m.finding_id JOIN main.combo c ON c.id = f.combo_id
       WHERE m.scope = @scope AND c.source_id = @source AND c.status <> ${statusCodes.RESOLVED}
         AND coalesce(f.last_detected_at, f.first_detected_at) <= @until
         AND f.id NOT IN (SELECT f.id ${reported} AND k.scope = @scope)
       ORDER BY f.id`,
    )
    .raw()
    .all({ uid, scope, source: sourceId, until }) as [id: number, isElsewhere: number | boolean][]
  return rows.map(([id, isElsewhere]) => ({ id, isElsewhere: Boolean(isElsewhere) }))
}

/** Records that a scope no longer has these findings. */
export function removeFromScope(writer: Writer, scope: number, findingIds: readonly number[]): void {
  writer
    .prepare(`DELETE FROM finding_scope WHERE scope = ? AND finding_id ${IN_NUMBERS}`)
    .run(scope, internalText(JSON.stringify(findingIds)))
}

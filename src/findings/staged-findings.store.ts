import { internalText, ownText } from '../kernel/safe-text.ts'
import { statusCodes } from '../store/schema.ts'
import type { Reader, Writer } from '../store/store.ts'

/** A file of an import whose assets and combinations of facets have their ids. */
export interface StagedFindings {
  uid: string
  sourceId: number
  scanId: number
  /** The number of its findings. */
  lines: number
}

/**
 * With the place of each finding among those of the file that are the same, from 1, and their number. PostgreSQL knows
 * nothing of how many rows a new file has, and would choose a slow join.
 */
const toStaged = (
  more = '',
) => `SELECT i.*, row_number() OVER (PARTITION BY i.asset_id, i.fp ORDER BY i.ordinal) AS turn${more}
  FROM (SELECT s.ordinal, s.fp, s.first_detected_at, s.last_detected_at, s.resolved_at, s.conf_q, s.undated, s.value_id,
      s.location, s.excerpt IS NOT NULL AS has_excerpt,
      (SELECT a.asset_id FROM import_asset a WHERE a.uid = s.uid AND a.number = s.asset) AS asset_id,
      (SELECT k.combo_id FROM import_facets k WHERE k.uid = s.uid AND k.number = s.facets) AS combo_id
    FROM import_finding s WHERE s.uid = @uid) i`
const staged = toStaged()
const counted = toStaged(', count(*) OVER (PARTITION BY i.asset_id, i.fp) AS turns')
/** Texts are left out of what is sorted. */
const excerpt = `CASE WHEN s.has_excerpt
  THEN (SELECT e.excerpt FROM import_finding e WHERE e.uid = @uid AND e.ordinal = s.ordinal) END`
const ids = {
  file: '@first - 1 + row_number() OVER (ORDER BY s.asset_id, s.fp)',
  server: `nextval('main.finding_id')`,
}
const insertNew = (id: string) => `INSERT INTO main.finding (id, asset_id, fp, combo_id, first_detected_at, conf_q,
    last_detected_at, resolved_at, location, excerpt, value_id)
  SELECT ${id}, s.asset_id, s.fp, s.combo_id, s.first_detected_at, s.conf_q,
    coalesce(s.last_detected_at, s.first_detected_at), s.resolved_at, s.location, ${excerpt}, s.value_id
  FROM (${staged}) s
  WHERE s.turn = 1 AND NOT EXISTS (SELECT 1 FROM main.finding f WHERE f.asset_id = s.asset_id AND f.fp = s.fp)
  ORDER BY s.asset_id, s.fp`
const isNew = 'id >= @first AND combo_id IN (SELECT id FROM main.combo WHERE source_id = @source)'
const insertResolutions = `INSERT INTO main.status_change (finding_id, seq, at, from_status, to_status, actor, scan_id)
  SELECT id, 1, resolved_at, ${statusCodes.OPEN}, ${statusCodes.RESOLVED}, @actor, @scan FROM main.finding
  WHERE ${isNew} AND resolved_at IS NOT NULL ORDER BY id`

/** On a server, an id that is larger than those of all findings; undefined elsewhere. */
export function takeServerId(writer: Writer): number | undefined {
  if (writer.takeFindingId === undefined) return undefined
  return writer.prepare('SELECT id FROM main.take_finding_ids(1) id').pluck().get() as number
}

/**
 * Inserts the findings that their assets do not have, with ids from `first` on, and the history of those that are
 * resolved. Returns the numbers of both.
 */
export function insertStaged(
  writer: Writer,
  { uid, sourceId, scanId }: StagedFindings,
  first: number,
): { added: number; resolved: number } {
  const isRemote = writer.takeFindingId !== undefined
  const inserted = writer.prepare(insertNew(isRemote ? ids.server : ids.file))
  const added = inserted.run({ uid: internalText(uid), ...(isRemote ? {} : { first }) }).changes
  const resolved = writer
    .prepare(insertResolutions)
    .run({ first, source: sourceId, scan: scanId, actor: ownText('import') }).changes
  return { added, resolved }
}

/** A finding as the change log names it. */
export type LoggedRow = [id: number, assetId: number, firstDetectedAt: number, comboId: number, confidence: number]

/** The findings of a source with ids from `first` on. */
export function listNewEntries(reader: Reader, sourceId: number, first: number): LoggedRow[] {
  return reader
    .prepare(`SELECT id, asset_id, first_detected_at, combo_id, conf_q FROM main.finding WHERE ${isNew} ORDER BY id`)
    .raw()
    .all({ first, source: sourceId }) as LoggedRow[]
}

/** How many of these findings have each combination. */
export function countNew(reader: Reader, sourceId: number, first: number): [comboId: number, count: number][] {
  return reader
    .prepare(`SELECT combo_id, count(*) FROM main.finding WHERE ${isNew} GROUP BY combo_id`)
    .raw()
    .all({ first, source: sourceId }) as [number, number][]
}

/** The open ones of these findings, if there is a suppression that could apply to them. */
export function listNewOpen(reader: Reader, sourceId: number, first: number): number[] {
  return reader
    .prepare(
      `SELECT id FROM main.finding WHERE id >= @first AND EXISTS (SELECT 1 FROM suppression)
         AND combo_id IN (SELECT id FROM main.combo WHERE source_id = @source AND status = ${statusCodes.OPEN})
       ORDER BY id`,
    )
    .pluck()
    .all({ first, source: sourceId }) as number[]
}

interface UpdateOptions {
  first: number
  at: number
}

/** Whether more than the last detection, location and excerpt of a finding `f` differs from what the file states of it. */
const isChanged = `(s.turns > 1 OR f.combo_id <> s.combo_id OR f.conf_q <> s.conf_q
  OR (s.undated = 0 AND f.resolved_at IS DISTINCT FROM s.resolved_at)
  OR (s.value_id IS NOT NULL AND f.value_id IS DISTINCT FROM s.value_id)
  OR EXISTS (SELECT 1 FROM expiry e WHERE e.finding_id = f.id AND e.at <= @at))`
const updateStated = `UPDATE main.finding SET last_detected_at = n.last_detected_at, location = n.location, excerpt = n.excerpt
  FROM (SELECT f.asset_id, f.fp, coalesce(s.last_detected_at, f.last_detected_at) AS last_detected_at,
      coalesce(s.location, f.location) AS location, ${excerpt} AS excerpt
    FROM (${counted}) s JOIN main.finding f ON f.asset_id = s.asset_id AND f.fp = s.fp
    WHERE f.id < @first AND NOT ${isChanged}) n
  WHERE finding.asset_id = n.asset_id AND finding.fp = n.fp
    AND (finding.last_detected_at IS DISTINCT FROM n.last_detected_at OR finding.location IS DISTINCT FROM n.location
      OR finding.excerpt IS DISTINCT FROM n.excerpt)`
const returned = 'RETURNING finding.id, finding.asset_id, finding.first_detected_at, finding.combo_id, finding.conf_q'
const listChanged = `SELECT s.ordinal FROM (${counted}) s JOIN main.finding f ON f.asset_id = s.asset_id AND f.fp = s.fp
  WHERE (f.id < @first OR s.turn > 1) AND ${isChanged} ORDER BY s.ordinal`

/** Updates the findings with ids below `first` of which the file states the last detection, location and excerpt differently. */
export function updateSeen(writer: Writer, { uid }: StagedFindings, { first, at }: UpdateOptions): void {
  writer.prepare(updateStated).run({ uid: internalText(uid), first, at })
}

/** As `updateSeen`; returns the updated findings. */
export const listUpdated = (writer: Writer, { uid }: StagedFindings, { first, at }: UpdateOptions) =>
  writer.prepare(`${updateStated} ${returned}`).raw().all({ uid, first, at }) as LoggedRow[]

/** The places in the file of all lines that change more of findings, in order. */
export const listChanging = (reader: Reader, { uid }: StagedFindings, { first, at }: UpdateOptions) =>
  reader.prepare(listChanged).pluck().all({ uid, first, at }) as number[]

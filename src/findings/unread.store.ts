import type { AssetKind } from '../connectors/connector.ts'
import { toSafeText } from '../detectors/safe-text.ts'
import { isWithin, type UnreadReason, type UnreadSection } from '../documents/section.ts'
import { internalText, ownText, type SafeText } from '../kernel/safe-text.ts'
import { statusCodes } from '../store/schema.ts'
import type { Reader, Writer } from '../store/store.ts'
import { readSections } from './finding-record.ts'

/** A stored section of an asset that was not read. */
export interface UnreadRecord extends UnreadSection {
  detail: string
  /** An earlier scan has read it. */
  wasRead: boolean
  scanId: number
}

type UnreadSqlRow = Omit<UnreadRecord, 'wasRead'> & { wasRead: number }

export function listUnread(reader: Reader, assetId: number): UnreadRecord[] {
  const rows = reader
    .prepare(
      'SELECT section, reason, detail, was_read AS wasRead, scan_id AS scanId FROM unread_section WHERE asset_id = ?',
    )
    .all(assetId) as UnreadSqlRow[]
  return rows.map(({ wasRead, ...row }) => ({
    ...row,
    wasRead: wasRead === 1,
  }))
}

/** Replaces the unread sections of an asset. */
export function saveUnread(writer: Writer, assetId: number, scanId: number, records: readonly UnreadRecord[]): void {
  writer.prepare('DELETE FROM unread_section WHERE asset_id = ?').run(assetId)
  const insert = writer.prepare(
    `INSERT INTO unread_section (asset_id, section, reason, detail, was_read, scan_id)
     VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  )
  for (const { section, reason, detail, wasRead } of records) {
    insert.run(assetId, toSafeText(section, 'key'), reason, toSafeText(detail, 'prose'), wasRead ? 1 : 0, scanId)
  }
}

/** The sections that contain unresolved findings of an asset. */
export function listSectionsWithFindings(reader: Reader, assetId: number): Set<string> {
  const rows = reader
    .prepare(
      `SELECT f.location FROM finding f JOIN combo c ON c.id = f.combo_id WHERE f.asset_id = ? AND c.status <> ?`,
    )
    .all(assetId, statusCodes.RESOLVED) as { location: string | null }[]
  return new Set(rows.flatMap(({ location }) => readSections(location) ?? []))
}

interface Dependants {
  sourceId: number
  /**
   * How they are listed: through the asset with this key; in a scope, including what is listed through assets that
   * have moved there; or the asset itself.
   */
  through: { parentKey: string } | { scopeKey: string } | { key: string }
  kinds: readonly AssetKind[]
  scanId: number
}

/** Active assets of some kinds, listed through another asset or in a scope, that this scan has not listed so far. */
function toCondition({ sourceId, through, kinds, scanId }: Dependants) {
  const place =
    'scopeKey' in through
      ? `a.id IN (
          SELECT id FROM asset WHERE source_id = @source_id AND scope_key = @place
          UNION
          SELECT l.asset_id FROM asset p JOIN asset_link l ON l.target_key = p.key
          WHERE p.source_id = @source_id AND p.scope_key = @place AND p.seen_scan_id = @scan_id
            AND l.type IN ('attached_to', 'comments_on')
          UNION
          SELECT child.id FROM asset p JOIN asset_link l ON l.asset_id = p.id
            JOIN asset child ON child.source_id = p.source_id AND child.key = l.target_key
          WHERE p.source_id = @source_id AND p.scope_key = @place AND p.seen_scan_id = @scan_id
            AND l.type IN ('links_to', 'contains'))`
      : 'key' in through
        ? 'a.key = @place'
        : `a.key IN (
          SELECT child.key FROM asset_link l JOIN asset child ON child.id = l.asset_id
          WHERE l.target_key = @place AND l.type IN ('attached_to', 'comments_on') AND +child.source_id = @source_id
          UNION
          SELECT l.target_key FROM asset p JOIN asset_link l ON l.asset_id = p.id
          WHERE p.source_id = @source_id AND p.key = @place AND l.target_key IS NOT NULL
            AND l.type IN ('links_to', 'contains'))`
  const sql = `a.source_id = @source_id AND a.status = 'ACTIVE' AND ${place}
    AND (a.seen_scan_id IS NULL OR a.seen_scan_id <> @scan_id)
    AND +a.kind_id IN (SELECT id FROM word WHERE text IN (SELECT value FROM json_each(@kinds)))`
  const parameters = {
    source_id: sourceId,
    place: internalText('scopeKey' in through ? through.scopeKey : 'key' in through ? through.key : through.parentKey),
    kinds: internalText(JSON.stringify(kinds)),
    scan_id: scanId,
  }
  return { sql, parameters }
}

/** Ids of assets that were not listed. */
export function listUnlistedIds(reader: Reader, dependants: Dependants): number[] {
  const { sql, parameters } = toCondition(dependants)
  return reader.prepare(`SELECT a.id FROM asset a WHERE ${sql} ORDER BY a.id`).pluck().all(parameters) as number[]
}

/** Marks assets that were not listed as entirely unread, so that their absence proves nothing. */
export function markUnlisted(
  writer: Writer,
  { reason, detail = ownText(''), ...dependants }: Dependants & { reason: UnreadReason; detail?: SafeText | undefined },
): void {
  const { sql, parameters } = toCondition(dependants)
  writer
    .prepare(
      `INSERT INTO unread_section (asset_id, section, reason, detail, was_read, scan_id)
       SELECT a.id, '', @reason, @detail, 1, @scan_id FROM asset a WHERE ${sql}
       ON CONFLICT (asset_id, section) DO UPDATE SET reason = excluded.reason, detail = excluded.detail,
         was_read = 1, scan_id = excluded.scan_id`,
    )
    .run({ ...parameters, reason, detail })
}

/**
 * Marks assets as seen and unchanged because the asset or scope that they are listed through is. With `isChecked`
 * false, nothing confirmed that: they count as listed, not as scanned. Returns the keys of those not seen before in
 * this scan.
 */
export function markUnchangedDependants(
  writer: Writer,
  { at, isChecked = true, ...dependants }: Dependants & { at: number; isChecked?: boolean },
): string[] {
  const { sql, parameters } = toCondition(dependants)
  const rows = writer
    .prepare(
      `UPDATE main.asset AS a SET seen_scan_id = @scan_id, last_seen_at = @at, missed = 0,
         last_scanned_at = CASE WHEN last_scanned_at IS NULL OR @is_checked = 0 THEN last_scanned_at ELSE CAST(@at AS BIGINT) END
       WHERE ${sql} RETURNING key`,
    )
    .all({ ...parameters, at, is_checked: isChecked ? 1 : 0 }) as { key: string }[]
  return rows.map((row) => row.key)
}

/** What a scan did not read, of one kind of asset in one scope and for one reason. */
export interface UnreadSummary {
  scopeKey: string
  kind: string
  section: string
  reason: UnreadReason
  detail: string
  assets: number
  /** Findings that are left unchanged because of it. */
  findings: number
  /** Assets for which an earlier scan has read it. */
  readBefore: number
}

/** Sections are grouped by the first segment of their names. */
export function summarizeUnread(reader: Reader, scanId: number): UnreadSummary[] {
  const rows = reader
    .prepare(
      `SELECT u.asset_id AS assetId, u.section, u.reason, u.detail, u.was_read AS wasRead,
         a.scope_key AS scopeKey, w.text AS kind
       FROM unread_section u JOIN asset a ON a.id = u.asset_id JOIN word w ON w.id = a.kind_id
       WHERE u.scan_id = ? AND a.status = 'ACTIVE' ORDER BY u.asset_id, u.section`,
    )
    .all(scanId) as {
    assetId: number
    section: string
    reason: UnreadReason
    detail: string
    wasRead: number
    scopeKey: string
    kind: string
  }[]
  const findFindings = reader.prepare(
    `SELECT f.location, f.last_detected_at AS frozenAt FROM finding f JOIN combo c ON c.id = f.combo_id
     WHERE f.asset_id = ? AND c.status <> ?`,
  )
  const sums = new Map<string, UnreadSummary>()
  for (const { assetId, section, wasRead, ...what } of rows) {
    const [first = ''] = section.split('/')
    const key = JSON.stringify([what.scopeKey, what.kind, first, what.reason, what.detail])
    const sum = sums.get(key) ?? { ...what, section: first, assets: 0, findings: 0, readBefore: 0 }
    sums.set(key, sum)
    const found = findFindings.all(assetId, statusCodes.RESOLVED) as {
      location: string | null
      frozenAt: number | null
    }[]
    sum.assets++
    sum.readBefore += wasRead
    sum.findings += found.filter(({ location, frozenAt }) =>
      section === ''
        ? true
        : frozenAt !== null && (readSections(location) ?? []).some((place) => isWithin(place, section)),
    ).length
  }
  return [...sums.values()]
}
